"""The table of people: a line is written when it is shown."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt

from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.text import ntr, number, tr
from familiar_app.store.person_count import Order, PersonRow
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.people.model import PeopleModel
from familiar_app.ui.people.word import SHORT_LEVELS, column_title, day, facts, last_seen, messages

COLUMNS: tuple[tuple[Order, int], ...] = (
    ("name", 120),
    ("key", 110),
    ("turns", 104),
    ("facts", 72),
    ("last_seen", 108),
    ("privacy", 112),
)
"""The columns with their least widths."""
SPARED: tuple[Order, ...] = ("key", "privacy", "facts")
"""What goes first where room is short; the side view has it all."""
_FIGURES = ("turns", "facts")


class PeopleTable(QAbstractTableModel):
    """The rows of a PeopleModel."""

    def __init__(self, theme: Theme, people: PeopleModel) -> None:
        super().__init__()
        self._theme, self._people = theme, people

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._people.rows)

    def columnCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(COLUMNS):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return column_title(COLUMNS[section][0])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._side(section)
        return None

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._people.rows):
            return None
        row, column = self._people.rows[index.row()], COLUMNS[index.column()][0]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cell(row, column)
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == 0:
            return self._spoken(row)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._side(index.column())
        if role == Qt.ItemDataRole.ForegroundRole:
            plain = column == "name" or (column == "privacy" and row.privacy is not PrivacyLevel.NONE)
            return self._theme.color("text_1" if plain else "text_2")
        return None

    def refresh(self) -> None:
        """Show the rows anew."""
        self.beginResetModel()
        self.endResetModel()

    def _side(self, column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignRight if COLUMNS[column][0] in _FIGURES else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter

    def _cell(self, row: PersonRow, column: Order) -> str:
        if column == "name":
            more = len(row.identities) - 1
            name = tr("{name} (bot)", name=row.label) if row.bot else row.label
            return f"{name} +{more}" if more else name
        if column == "key":
            return row.key
        if column == "last_seen":
            return day(row.last_seen_at, self._people.zone, tr("never"))
        if column == "privacy":
            return tr(SHORT_LEVELS[row.privacy])
        return number(row.turns if column == "turns" else row.facts)

    def _spoken(self, row: PersonRow) -> str:
        parts = [row.label, messages(row.turns), facts(row.facts), last_seen(row, self._people.zone)]
        if len(row.identities) > 1:
            parts.append(ntr("{n} identity", "{n} identities", len(row.identities)))
        return ", ".join([*parts, tr("kept: {what}", what=tr(SHORT_LEVELS[row.privacy]))])
