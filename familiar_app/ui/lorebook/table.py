"""The table of entries: the view with its keys, its columns and its dragging."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView

from familiar_app.domain.text import tr
from familiar_app.ui.kit.table import Table
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.lorebook.entry_rows import EntryTableModel
from familiar_app.ui.lorebook.listing import COLUMNS
from familiar_app.ui.lorebook.model import LorebookModel
from familiar_app.ui.lorebook.tester import TrialModel

WIDTHS = (52, 44, 160, 150, 72, 82, 100, 84, 104, 90)
LEAVE_FIRST = ("strategy", "last", "times", "tokens", "order")
"""The columns that go, one after another, where names and keys would have too little room."""
NAMES_NEED = 300


def runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return rising numbers as ranges without gaps, both ends included."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


class EntryTable(Table):
    """The view. Space switches on and off, Delete deletes, Alt+Up and Alt+Down move, a header sorts."""

    deed = Signal(str)

    def __init__(self, theme: Theme, model: LorebookModel, tester: TrialModel) -> None:
        super().__init__(theme, tr("Lorebook entries"))
        self._model, self._quiet = model, False
        self.rows = EntryTableModel(theme, model, tester)
        self.rows.setParent(self)
        self.rows.dropped = model.move_to
        self.setModel(self.rows)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDropIndicatorShown(True)
        self.setDragDropOverwriteMode(False)
        header = self.horizontalHeader()
        header.setStretchLastSection(False)
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.sectionClicked.connect(self._sort_by)
        header.setSectionResizeMode(COLUMNS.index("name"), QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(COLUMNS.index("keys"), QHeaderView.ResizeMode.Stretch)
        self._size_columns()
        theme.changed.connect(self._size_columns)
        self._show_sort()
        self.selectionModel().selectionChanged.connect(lambda *_: self._selected())
        self.selectionModel().currentChanged.connect(lambda *_: self._selected())

    def _size_columns(self) -> None:
        for number, width in enumerate(WIDTHS):
            self.setColumnWidth(number, self._theme.px(width))
        self._fit_columns()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Leave columns out where the table is narrow; the one it is sorted by stays."""
        widths = {name: self._theme.px(width) for name, width in zip(COLUMNS, WIDTHS, strict=True)}
        fixed = sum(width for name, width in widths.items() if name not in ("name", "keys"))
        room = self.viewport().width() - self._theme.px(NAMES_NEED)
        hidden = set()
        for name in LEAVE_FIRST:
            if fixed > room and name != self._model.column:
                hidden.add(name)
                fixed -= widths[name]
        for name in LEAVE_FIRST:
            if self.isColumnHidden(COLUMNS.index(name)) != (name in hidden):
                self.setColumnHidden(COLUMNS.index(name), name in hidden)

    # ---- rows and selection

    def show_rows(self) -> None:
        """Take the rows anew and keep the selection."""
        self._quiet = True
        self.rows.refresh()
        self._quiet = False
        self.show_selection()

    def show_selection(self) -> None:
        """Select in the view what is selected in the model."""
        rows = self.rows.rows_of(self._model.selected)
        if rows == self._marked():
            return
        self._quiet = True
        selection = QItemSelection()
        for first, last in runs(rows):
            selection.select(self.rows.index(first, 0), self.rows.index(last, len(COLUMNS) - 1))
        flags = QItemSelectionModel.SelectionFlag
        current = self.rows.rows_of([self._model.current] if self._model.current is not None else [])
        if current:
            self.selectionModel().setCurrentIndex(self.rows.index(current[0], COLUMNS.index("name")), flags.NoUpdate)
        self.selectionModel().select(selection, flags.ClearAndSelect | flags.Rows)
        if current:
            self.scrollTo(self.rows.index(current[0], COLUMNS.index("name")))
        self._quiet = False

    def _selected(self) -> None:
        if self._quiet:
            return
        uids = map(self.rows.uid_at, self._marked())
        current = self.rows.uid_at(self.currentIndex().row()) if self.currentIndex().isValid() else None
        self._model.select([uid for uid in uids if uid is not None], current)

    def _marked(self) -> list[int]:
        """Return the selected rows; going by ranges is quick where thousands are selected."""
        ranges = self.selectionModel().selection()
        return sorted({row for one in ranges for row in range(one.top(), one.bottom() + 1)})

    # ---- sort

    def _sort_by(self, section: int) -> None:
        column = COLUMNS[section]
        again = self._model.column == column
        down_first = column in ("order", "tokens", "times", "last")
        if again and self._model.descending != down_first:
            self._model.sort("place")
        else:
            self._model.sort(column, descending=self._model.descending is False if again else down_first)
        self._show_sort()

    def _show_sort(self) -> None:
        order = Qt.SortOrder.DescendingOrder if self._model.descending else Qt.SortOrder.AscendingOrder
        self.horizontalHeader().setSortIndicator(COLUMNS.index(self._model.column), order)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys, alt = Qt.Key, bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if event.key() == keys.Key_Space:
            self.deed.emit("toggle")
        elif event.key() == keys.Key_Delete:
            self.deed.emit("delete")
        elif alt and event.key() in (keys.Key_Up, keys.Key_Down):
            self.deed.emit("up" if event.key() == keys.Key_Up else "down")
        else:
            super().keyPressEvent(event)
