"""The lines of two prompts beside each other; each row is as high as the longer of its two texts."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QHeaderView

from familiar_app.ui.kit.prompt_word import words
from familiar_app.ui.kit.table import Table
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.prompts.pair import PairRow

_NOTHING = QModelIndex()
_TINT = 0.16
_SIGNS = {"changed": ("− ", "+ "), "only_left": ("− ", ""), "only_right": ("", "+ ")}


class PairModel(QAbstractTableModel):
    """Rows of a pair; a line that differs has a sign as well as a tint."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.rows: Sequence[PairRow] = ()
        self.titles = ("", "")

    def fill(self, rows: Sequence[PairRow], titles: tuple[str, str]) -> None:
        """Show another pair."""
        self.beginResetModel()
        self.rows, self.titles = rows, titles
        self.endResetModel()

    def rowCount(self, parent: QModelIndex = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: QModelIndex = _NOTHING) -> int:
        return 0 if parent.isValid() else 2

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole and section in (0, 1):
            return self.titles[section]
        return None

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row, column, roles = self.rows[index.row()], index.column(), Qt.ItemDataRole
        text = (row.left, row.right)[column]
        if role == roles.DisplayRole:
            return None if text is None else _SIGNS.get(row.mark, ("", ""))[column] + text
        if role == roles.ToolTipRole:
            return words(row.layer) or None
        if role == roles.ForegroundRole:
            return self._theme.color("text_3" if row.mark in ("same", "folded") else "text_1")
        if role == roles.BackgroundRole:
            return self._ground(row, column, there=text is not None)
        if role == roles.TextAlignmentRole:
            flags = Qt.AlignmentFlag
            side = flags.AlignHCenter if row.mark == "folded" else flags.AlignLeft
            return side | (flags.AlignTop if row.mark == "changed" else flags.AlignVCenter)
        return None

    def _ground(self, row: PairRow, column: int, *, there: bool) -> object:
        if row.mark == "folded":
            return self._theme.color("background_2")
        if row.mark == "same":
            return None
        if not there:
            return self._theme.color("background_2")
        tint = self._theme.color("danger" if column == 0 else "good")
        tint.setAlphaF(_TINT)
        return tint


class PairTable(Table):
    """Ctrl+C copies the chosen lines of both."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Both prompts, line by line", copy=self._copy_lines)
        self.rows = PairModel(theme)
        self.rows.setParent(self)
        self.setModel(self.rows)
        self.setWordWrap(True)
        self.setVerticalScrollMode(Table.ScrollMode.ScrollPerPixel)
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideRight)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(30)
        self._soon.timeout.connect(self.resizeRowsToContents)
        theme.changed.connect(self._soon.start)

    def show_rows(self, rows: Sequence[PairRow], titles: tuple[str, str]) -> None:
        """Show another pair."""
        self.rows.fill(rows, titles)
        self.resizeRowsToContents()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._soon.start()

    def _copy_lines(self) -> None:
        chosen = sorted({index.row() for index in self.selectedIndexes()})
        pairs = (self.rows.rows[at] for at in chosen)
        QGuiApplication.clipboard().setText("\n".join(f"{one.left or ''}\t{one.right or ''}" for one in pairs))
