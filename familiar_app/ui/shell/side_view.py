"""The one view at the right that all panels share: details of what is selected. Esc closes it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.button import icon_button
from familiar_app.ui.kit.label import ElidedLabel, column, line, row, surface
from familiar_app.ui.kit.theme import Theme


class SideView(QFrame):
    """Holds one widget at a time and owns it; the one before is deleted."""

    closed = Signal()
    opened = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        surface(self, 2)
        self.setMinimumWidth(theme.px(260))
        self._widget: QWidget | None = None
        self._on_closed: Callable[[], object] | None = None
        self._title = ElidedLabel("", "heading")
        head = row()
        head.setContentsMargins(16, 8, 8, 8)
        head.addWidget(self._title, 1)
        head.addWidget(icon_button(theme, "close", tr("Close details"), self.close_view, shortcut="Esc", side=16))
        self._layout = column(spacing=0)
        self._layout.addLayout(head)
        self._layout.addWidget(line())
        self.setLayout(self._layout)
        self.hide()

    def show_widget(self, title: str, widget: QWidget, *, closed: Callable[[], object] | None = None) -> None:
        """Show `widget` under a title; `closed` is called when it goes."""
        self._drop()
        self._widget, self._on_closed = widget, closed
        self._title.set_text(title)
        self.setAccessibleName(tr("Details: {title}", title=title))
        self._layout.addWidget(widget, 1)
        widget.show()
        was_hidden = self.isHidden()
        self.show()
        if was_hidden:
            self.opened.emit()

    def close_view(self) -> None:
        """Close the view and tell whoever filled it."""
        if self._widget is None:
            return
        self._drop()
        self.hide()
        self.closed.emit()

    def is_open(self) -> bool:
        return self._widget is not None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_view()
        else:
            super().keyPressEvent(event)

    def _drop(self) -> None:
        widget, told = self._widget, self._on_closed
        self._widget = self._on_closed = None
        if widget is not None:
            self._layout.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        if told is not None:
            told()
