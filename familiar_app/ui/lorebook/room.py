"""Gives the table and the form their room: beside each other, or where it is too narrow for both, one of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.label import column
from familiar_app.ui.kit.theme import Theme

TABLE_NEEDS = 380


class Room(QSplitter):
    """`table` on the left, `form` on the right. In a narrow room the form stands in the table's place once opened."""

    def __init__(self, theme: Theme, table: QWidget, form: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._theme, self._table = theme, table
        self._opened = False
        self._both: list[int] = []
        self.back = button(tr("Back to the table"), self.close_form, role="link", theme=theme, icon="chevron_left")
        self.back.hide()
        self._right = QWidget()
        layout = column(spacing=0)
        layout.addWidget(self.back, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(form, 1)
        self._right.setLayout(layout)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(1)
        self.addWidget(table)
        self.addWidget(self._right)
        self.splitterMoved.connect(lambda *_: self._note())

    @property
    def narrow(self) -> bool:
        """Tell whether there is room for one of the two only."""
        left = max(self._table.minimumSizeHint().width(), self._theme.px(TABLE_NEEDS))
        return self.width() < left + self._right.minimumSizeHint().width() + self.handleWidth()

    def setSizes(self, sizes: Sequence[int]) -> None:
        self._both = list(sizes)
        super().setSizes(self._both)

    def sizes(self) -> list[int]:
        """Return how the two divide a room that is wide enough for both."""
        return super().sizes() if self._shows_both() else list(self._both)

    def _shows_both(self) -> bool:
        return not self._table.isHidden() and not self._right.isHidden()

    def _note(self) -> None:
        if self._shows_both():
            self._both = super().sizes()

    def open_form(self) -> None:
        """Make room for the form."""
        self._opened = self.narrow
        self.fit()

    def close_form(self) -> bool:
        """Show the table again where the form stands in its place; tells whether it did."""
        if not self._table.isHidden():
            return False
        self._opened = False
        self.fit()
        self._table.setFocus()
        return True

    def fit(self) -> None:
        """Show what there is room for."""
        narrow = self.narrow
        table, form = not (narrow and self._opened), not narrow or self._opened
        both_before = self._shows_both()
        self._table.setVisible(table)
        self._right.setVisible(form)
        self.back.setVisible(not table)
        if not narrow:
            self._opened = False
            if not both_before:
                self.setSizes(self._both)
            self._note()

    def minimumSizeHint(self) -> QSize:
        """As much as the wider of the two needs by itself."""
        hints = [one.minimumSizeHint() for one in (self._table, self._right)]
        return QSize(max(one.width() for one in hints), max(one.height() for one in hints))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()
