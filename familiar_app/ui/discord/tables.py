"""The two tables of the panel: servers and channels with their switches, and what was heard and decided."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHeaderView

from familiar_app.discord_link.journal import Fate, Noticed
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.discord.model import DiscordModel
from familiar_app.ui.discord.place import Row
from familiar_app.ui.discord.word import MODES, count_text, did_text, lacking_text, right_words, spot_text, why_text
from familiar_app.ui.kit.table import Table
from familiar_app.ui.kit.table_model import TitledTableModel
from familiar_app.ui.kit.theme import Theme

PLACE_COLUMNS = (tr_later("Channel"), tr_later("Listens"), tr_later("Speaks"), tr_later("Rights it lacks"))
NOTICED_COLUMNS = (
    tr_later("Time"),
    tr_later("Where"),
    tr_later("Who"),
    tr_later("What it did"),
    tr_later("Why"),
)
LISTENS, SPEAKS, LACKS = 1, 2, 3
_INDENT = "    "
_ROLES = Qt.ItemDataRole


class _Rows(TitledTableModel):
    """What both have in common: rows that are taken from the model, and headings."""

    def __init__(self, theme: Theme, model: DiscordModel) -> None:
        super().__init__()
        self._theme, self._model = theme, model
        self.rows: list[Any] = []

    def count(self) -> int:
        return len(self.rows)


class PlaceRows(_Rows):
    """Servers and channels."""

    columns = PLACE_COLUMNS

    def refresh(self) -> None:
        """Take in what the model has now; where only contents are others, what is chosen stays."""
        fresh = list(self._model.rows)
        if [one.key for one in fresh] == [one.key for one in self.rows]:
            self.rows = fresh
            if fresh:
                self.dataChanged.emit(self.index(0, 0), self.index(len(fresh) - 1, len(self.columns) - 1))
            return
        self.beginResetModel()
        self.rows = fresh
        self.endResetModel()

    def flags(self, index: QModelIndex) -> Qt.ItemFlag:
        flags = super().flags(index)
        if index.isValid() and index.column() == LISTENS and self.rows[index.row()].can_listen:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags

    def data(self, index: QModelIndex, role: int = _ROLES.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row: Row = self.rows[index.row()]
        if role == _ROLES.DisplayRole:
            return self._cell(row, index.column())
        if role == _ROLES.CheckStateRole and index.column() == LISTENS and row.place is not None:
            return Qt.CheckState.Checked if row.listens else Qt.CheckState.Unchecked
        if role in (_ROLES.ToolTipRole, _ROLES.AccessibleDescriptionRole):
            return self._tip(row, index.column())
        if role == _ROLES.FontRole and row.place is None:
            font = self._theme.font("table")
            font.setWeight(QFont.Weight.DemiBold)
            return font
        if role == _ROLES.ForegroundRole:
            return self._theme.color(self._tone(row, index.column()))
        return None

    @staticmethod
    def _tone(row: Row, column: int) -> str:
        if column == LACKS or (column == 0 and row.lacking and row.listens):
            return "danger" if row.listens else "text_3"
        if row.place is None or row.listens:
            return "text_1" if column == 0 else "text_2"
        return "text_2" if column == 0 else "text_3"

    @staticmethod
    def _cell(row: Row, column: int) -> str:
        if row.place is None:
            count = count_text(row.listening, len(row.server.places))
            return (row.server.name, count, "", tr("People are asked first") if row.opt_in else "")[column]
        more = tr("attends") if row.attended else tr("{n} unread", n=row.unread) if row.unread else ""
        speaks = " · ".join(one for one in (tr(MODES[row.mode]), more) if one) if row.listens else ""
        return (_INDENT * row.depth + row.title, "", speaks, lacking_text(row.lacking))[column]

    @staticmethod
    def _tip(row: Row, column: int) -> str:
        if row.place is None:
            return row.server.name
        if column == LISTENS:
            return tr("It goes with the channel above it.") if row.inherits else tr("Space switches it.")
        words = map(right_words, row.lacking)
        lacks = "\n".join(tr("Lacks {right}: {what_for}", right=name, what_for=why) for name, why in words)
        if column == LACKS:
            return lacks
        above = f"{row.place.category} / " if row.place.category else ""
        return f"{above}{row.place.title}\n{lacks}".strip()


class NoticedRows(_Rows):
    """What was heard and decided, newest first."""

    columns = NOTICED_COLUMNS

    def refresh(self) -> None:
        """Take in what the model has now. New rows come on top; what is chosen stays chosen."""
        fresh = self._model.noticed
        more = len(fresh) - len(self.rows)
        if self.rows and more >= 0 and [one.at for one in fresh[more:]] == [one.at for one in self.rows]:
            if more:
                self.beginInsertRows(QModelIndex(), 0, more - 1)
            self.rows = fresh
            if more:
                self.endInsertRows()
            self.dataChanged.emit(self.index(0, 0), self.index(len(fresh) - 1, len(self.columns) - 1))
            return
        self.beginResetModel()
        self.rows = fresh
        self.endResetModel()

    def data(self, index: QModelIndex, role: int = _ROLES.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        noticed: Noticed = self.rows[index.row()]
        if role in (_ROLES.DisplayRole, _ROLES.ToolTipRole):
            return self._cell(noticed, index.column())
        if role == _ROLES.ForegroundRole:
            failed = noticed.fate is Fate.FAILED and index.column() == 3
            return self._theme.color("danger" if failed else "text_1" if noticed.speak else "text_2")
        return None

    def _cell(self, noticed: Noticed, column: int) -> str:
        match column:
            case 0:
                return self._model.when(noticed)
            case 1:
                return spot_text(noticed.spot)
            case 2:
                return noticed.author
            case 3:
                return did_text(noticed)
            case _:
                return why_text(noticed, self._model.name)


class _FittingTable(Table):
    """A table whose columns have their widths, and one of them what is left; where room is short, some go."""

    widths: tuple[tuple[int, int], ...] = ()
    free = 0
    spared: tuple[int, ...] = ()
    least = 160

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.size_columns()

    def size_columns(self) -> None:
        """Give each column its width."""
        if self.model() is None:
            return
        room, header = self.viewport().width(), self.horizontalHeader()
        widths = {column: self._theme.px(width) for column, width in self.widths}
        for spare in self.spared:
            if sum(widths.values()) + self._theme.px(self.least) > room:
                del widths[spare]
        header.setStretchLastSection(False)
        for column in range(self.model().columnCount()):
            self.setColumnHidden(column, column != self.free and column not in widths)
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            self.setColumnWidth(column, widths.get(column, max(0, room - sum(widths.values()))))


class PlaceTable(_FittingTable):
    """Servers and channels; Space and M do to the current channel what the side view does."""

    deed = Signal(str)
    widths, spared = ((LISTENS, 84), (SPEAKS, 190), (LACKS, 210)), (LACKS,)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, tr("Servers and channels"))
        self.setSelectionMode(Table.SelectionMode.SingleSelection)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        deed = {Qt.Key.Key_Space: "listen", Qt.Key.Key_M: "mode"}.get(Qt.Key(event.key()))
        if deed is not None and not event.modifiers():
            self.deed.emit(deed)
        else:
            super().keyPressEvent(event)


class NoticedTable(_FittingTable):
    """What was heard and decided."""

    widths, free, spared = ((0, 96), (1, 138), (2, 96), (3, 140)), 4, (0, 2)
    least = 140

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, tr("Heard and decided"))
        self.setSelectionMode(Table.SelectionMode.SingleSelection)
