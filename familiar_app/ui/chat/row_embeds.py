"""The widgets that stand inside rows of the transcript: bars, messages, the editor. They move with their rows."""

from __future__ import annotations

from collections.abc import Callable, Container

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget

from familiar_app.ui.chat.row import RowKey


class RowEmbeds:
    """At most one widget for each row, below its text or in its place; all are children of `viewport`."""

    def __init__(self, viewport: QWidget) -> None:
        self._viewport = viewport
        self._widgets: dict[RowKey, tuple[QWidget, bool]] = {}
        self._lent: set[QWidget] = set()

    def put(self, key: RowKey, widget: QWidget | None, *, replaced: bool = False) -> None:
        """Put a widget into a row; None takes it away and deletes it unless it is kept.

        A widget whose parent was the viewport before is its owner's and always kept.
        """
        before = self._widgets.pop(key, None)
        if before is not None and before[0] is not widget:
            before[0].hide()
            if before[0] not in self._lent:
                before[0].deleteLater()
        if widget is not None:
            if widget.parent() is self._viewport:
                self._lent.add(widget)
            else:
                widget.setParent(self._viewport)
            self._widgets[key] = (widget, replaced)
            widget.show()

    def at(self, key: RowKey) -> QWidget | None:
        """Return the widget that stands in a row."""
        found = self._widgets.get(key)
        return found[0] if found else None

    def replaces(self, key: RowKey) -> bool:
        """Tell whether a row shows its widget in the place of its text."""
        return self._widgets.get(key, (None, False))[1]

    def keep_only(self, keys: Container[RowKey]) -> None:
        """Take the widgets out of all other rows."""
        for key in [key for key in self._widgets if key not in keys]:
            self.put(key, None)

    def height_px(self, key: RowKey, width: float) -> float:
        """Return the height that the widget of a row needs at a width; 0 where there is none."""
        widget = self.at(key)
        if widget is None:
            return 0.0
        height = widget.heightForWidth(int(width)) if widget.hasHeightForWidth() else -1
        return max(height, widget.sizeHint().height()) if height < 0 else height

    def place(self, box_of: Callable[[RowKey], QRect | None]) -> None:
        """Move each widget to its box in the viewport, and hide those that have none."""
        for key, (widget, _) in self._widgets.items():
            box = box_of(key)
            if box is not None:
                widget.setGeometry(box)
            widget.setVisible(box is not None)
