"""About whom there are memories: a list at the left, or, where room is short, a box in the head."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QListWidget, QListWidgetItem, QWidget

from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.label import column, surface
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.memories.model import Shelf

_NAME = tr_later("About whom")


class ShelfList(QWidget):
    """The list. `box` is the same as a box; whoever shows the list puts it somewhere and calls `set_narrow`."""

    chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        surface(self, 2)
        self.setMinimumWidth(theme.px(150))
        self.list = QListWidget()
        self.list.setAccessibleName(tr(_NAME))
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setStyleSheet("QListWidget { background: transparent; border: none; }")
        self.list.currentRowChanged.connect(self._moved)
        self.box = QComboBox()
        self.box.setAccessibleName(tr(_NAME))
        self.box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.box.setMinimumContentsLength(15)
        self.box.activated.connect(lambda row: self.list.setCurrentRow(row))
        layout = column(spacing=0)
        layout.setContentsMargins(4, 8, 4, 8)
        layout.addWidget(self.list, 1)
        self.setLayout(layout)

    def set_narrow(self, narrow: bool) -> None:
        """Show the box instead of the list, or the list."""
        self.setVisible(not narrow)
        self.box.setVisible(narrow)

    def show_shelves(self, shelves: Sequence[Shelf], key: str) -> None:
        """Show lines; the one of `key` is chosen."""
        self.list.blockSignals(True)
        self.list.clear()
        self.box.clear()
        for number, one in enumerate(shelves):
            told = f"{one.title}: {one.count}"
            if one.full:
                told = tr("{shelf}, full", shelf=told)
            item = QListWidgetItem(f"{one.title}  ·  {one.count}")
            item.setData(Qt.ItemDataRole.UserRole, one.key)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, told)
            item.setToolTip(told)
            if one.full:
                item.setForeground(self._theme.color("warning"))
            self.list.addItem(item)
            self.box.addItem(one.title)
            if one.key == key:
                self.list.setCurrentRow(number)
                self.box.setCurrentIndex(number)
        self.list.blockSignals(False)

    def _moved(self, row: int) -> None:
        if row >= 0:
            self.box.setCurrentIndex(row)
            self.chosen.emit(self.list.item(row).data(Qt.ItemDataRole.UserRole))
