"""The head of a panel: its title, then filters and actions, a search at the far end, a hairline below."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

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
        layout.addLayout(self._row)
        layout.addWidget(line())
        self.setLayout(layout)
        self.setMinimumHeight(theme.px(48))
        self._before_stretch = 2

    def set_title(self, title: str) -> None:
        self._title.setText(title)

    def add(self, widget: QWidget) -> None:
        self._row.insertWidget(self._before_stretch, widget, 0, Qt.AlignmentFlag.AlignVCenter)
        self._before_stretch += 1

    def add_end(self, widget: QWidget) -> None:
        self._row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
