"""A table over rows that are made already: columns told as what they show of a row. Cells are made when painted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent

from familiar_app.ui.kit.table import Table
from familiar_app.ui.kit.theme import Theme

_NOTHING = QModelIndex()
LEAST_FREE = 56


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its title, what it says of a row, in which colour role, and its least width.

    It is wide enough for its title and for each of `words`, such as all that it can say. The last one takes what is
    left.
    """

    title: str
    text: Callable[[Any], str]
    width: int = 0
    tone: Callable[[Any], str] = lambda _row: "text_1"
    tip: Callable[[Any], str] | None = None
    right: bool = False
    words: tuple[str, ...] = ()


class RowModel(QAbstractTableModel):
    """Shows rows through columns."""

    def __init__(self, theme: Theme, columns: Sequence[Column]) -> None:
        super().__init__()
        self._theme, self._columns = theme, tuple(columns)
        self.rows: Sequence[Any] = ()

    def fill(self, rows: Sequence[Any]) -> None:
        """Show other rows; as many as before keep the view where it is."""
        if len(rows) == len(self.rows):
            self.rows = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(self._columns) - 1))
            return
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: QModelIndex = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: QModelIndex = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self._columns):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._columns[section].title
        return self._side(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row, column, roles = self.rows[index.row()], self._columns[index.column()], Qt.ItemDataRole
        if role == roles.DisplayRole:
            return column.text(row)
        if role == roles.ForegroundRole:
            return self._theme.color(column.tone(row))
        if role == roles.ToolTipRole:
            return (column.tip or column.text)(row) or None
        return self._side(index.column()) if role == roles.TextAlignmentRole else None

    def _side(self, column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignRight if self._columns[column].right else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter


class RowTable(Table):
    """The table with its model; columns keep their widths and follow the zoom."""

    def __init__(
        self, theme: Theme, name: str, columns: Sequence[Column], *, copy: Callable[[], object] | None = None
    ) -> None:
        super().__init__(theme, name, copy=copy)
        self._columns = tuple(columns)
        self.rows = RowModel(theme, columns)
        self.rows.setParent(self)
        self.setModel(self.rows)
        self.setSelectionMode(Table.SelectionMode.SingleSelection)
        self._size()
        theme.changed.connect(self._size)

    def fill(self, rows: Sequence[Any]) -> None:
        """Show other rows."""
        self.rows.fill(rows)

    def current(self) -> Any | None:
        """Return the row that is chosen, None where there is none."""
        at = self.currentIndex().row()
        return self.rows.rows[at] if 0 <= at < len(self.rows.rows) else None

    def _size(self) -> None:
        for number, column in enumerate(self._columns):
            wanted = self._theme.px(column.width or LEAST_FREE)
            self.setColumnWidth(
                number, max([wanted, self.title_width(number), *(self.text_width(word) for word in column.words)])
            )


class ItemTable(RowTable):
    """A table of single things of a prompt; Delete leaves the chosen one out of the trial, or takes it in again."""

    toggled = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.toggled.emit()
        else:
            super().keyPressEvent(event)
