"""Pages behind a row of words; the row breaks where it is narrow, and the arrow keys go along it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QStackedWidget, QToolButton, QWidget

from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.label import column, line, surface
from familiar_app.ui.kit.theme import Theme


class Pages(QWidget):
    """Shows one page at a time; `turned` carries its name."""

    turned = Signal(str)

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        surface(self, 1)
        self._theme = theme
        self.setAccessibleName(name)
        self._names: list[str] = []
        self._group = QButtonGroup(self)
        self._stack = QStackedWidget()
        head = QWidget()
        self._words = FlowLayout(head, spacing=4)
        self._words.setContentsMargins(12, 8, 12, 8)
        layout = column(spacing=0)
        layout.addWidget(head)
        layout.addWidget(line())
        layout.addWidget(self._stack, 1)
        self.setLayout(layout)
        follow(theme, self, self._restyle)

    def add(self, name: str, title: str, page: QWidget) -> None:
        """Add a page; the first one is shown."""
        made = QToolButton()
        made.setText(title)
        made.setAccessibleName(title)
        made.setCheckable(True)
        made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        made.setFont(self._theme.font("body"))
        made.toggled.connect(lambda on: self._turn(name) if on else None)
        self._group.addButton(made, len(self._names))
        self._names.append(name)
        self._words.addWidget(made)
        self._stack.addWidget(page)
        if len(self._names) == 1:
            made.setChecked(True)

    def turn(self, name: str) -> None:
        """Show a page."""
        self._group.button(self._names.index(name)).setChecked(True)

    @property
    def shown(self) -> str:
        """The name of the page that is shown."""
        return self._names[self._stack.currentIndex()]

    def _turn(self, name: str) -> None:
        self._stack.setCurrentIndex(self._names.index(name))
        self.turned.emit(name)

    def _restyle(self) -> None:
        for made in self._group.buttons():
            made.setFont(self._theme.font("body"))
