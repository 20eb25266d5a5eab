"""The head of a panel: its title, then filters and actions, a search at the far end, a hairline below.

Where all of it has no room in one line, what stands at the far end goes into a second one.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from familiar_app.ui.kit.label import column, label, line, row, surface
from familiar_app.ui.kit.theme import Theme


class PanelHeader(QWidget):
    """Add widgets with `add` (after the title) and `add_end` (at the far end)."""

    def __init__(self, theme: Theme, title: str) -> None:
        super().__init__()
        surface(self, 1)
        self._row = row(spacing=8)
        self._row.setContentsMargins(16, 8, 12, 8)
        self._title = label(title, "heading")
        self._row.addWidget(self._title)
        self._row.addSpacing(8)
        self._row.addStretch(1)
        layout = column(spacing=0)
        self._below = row(spacing=8)
        layout.addLayout(self._row)
        layout.addLayout(self._below)
        layout.addWidget(line())
        self.setLayout(layout)
        self.setMinimumHeight(theme.px(48))
        self._before_stretch = 2
        self._far: list[QWidget] = []
        self._narrow = False

    def set_title(self, title: str) -> None:
        self._title.setText(title)

    def add(self, widget: QWidget) -> None:
        self._row.insertWidget(self._before_stretch, widget, 0, Qt.AlignmentFlag.AlignVCenter)
        self._before_stretch += 1

    def add_end(self, widget: QWidget) -> None:
        self._far.append(widget)
        self._row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return done

    def minimumSizeHint(self) -> QSize:
        """Two lines are less wide than one; no more than that is asked of whoever lays this out."""
        hint = super().minimumSizeHint()
        far = sum(_least(one) for one in self._far)
        return hint if self._narrow else QSize(max(hint.width() - far, far), hint.height())

    def _fit(self) -> None:
        """Put what stands at the far end where it has room."""
        margins, near = self._row.contentsMargins(), [self._title]
        near += [self._row.itemAt(at).widget() for at in range(2, self._before_stretch)]
        shown = [one for one in (*near, *self._far) if not one.isHidden()]
        gaps = self._row.spacing() * (len(shown) + 1) + margins.left() + margins.right()
        narrow = bool(self._far) and gaps + sum(map(_least, shown)) > self.width()
        if narrow != self._narrow:
            self._narrow = narrow
            self._move(narrow)

    def _move(self, narrow: bool) -> None:
        old, new = (self._row, self._below) if narrow else (self._below, self._row)
        for one in self._far:
            old.removeWidget(one)
            wide = narrow and isinstance(one, QLineEdit)
            new.addWidget(one, int(wide), Qt.AlignmentFlag(0) if wide else Qt.AlignmentFlag.AlignVCenter)
        self._below.setContentsMargins(*((16, 0, 12, 8) if narrow else (0, 0, 0, 0)))


def _least(widget: QWidget) -> int:
    return max(widget.minimumWidth(), widget.minimumSizeHint().width())
