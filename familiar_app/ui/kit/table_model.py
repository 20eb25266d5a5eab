"""What the model of every plain table has: as many rows as it counts, and a title over each column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt

from familiar_app.domain.text import tr

_NOTHING = QModelIndex()


class TitledTableModel(QAbstractTableModel):
    """`columns` are the titles, marked by `tr_later`. `count` gives the number of rows.

    Both, and `data`, are left to whoever knows them.
    """

    columns: Sequence[str]
    count: Callable[[], int]

    def rowCount(self, parent: QModelIndex = _NOTHING) -> int:
        return 0 if parent.isValid() else self.count()

    def columnCount(self, parent: QModelIndex = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self.title(section)
        return None

    def title(self, column: int) -> str:
        """Return what stands over a column, in the window's language."""
        return tr(self.columns[column])
