"""The cases of the inbox as a table, with keys for the decisions."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHeaderView

from familiar_app.domain.projection import RetirementState
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.inbox.model import InboxModel
from familiar_app.ui.inbox.word import STATES, day, new_text, state_text, when
from familiar_app.ui.kit.table import Table
from familiar_app.ui.kit.table_model import TitledTableModel
from familiar_app.ui.kit.theme import Theme

COLUMNS = (
    tr_later("Older fact"),
    tr_later("Newer fact"),
    tr_later("How it stands"),
    tr_later("Proposed"),
    tr_later("Why"),
)
STATE, DATE, WHY = 2, 3, 4
_KEYS = {Qt.Key.Key_A: "accept", Qt.Key.Key_K: "refuse", Qt.Key.Key_U: "undo", Qt.Key.Key_N: "never"}
_DATE_WIDTH, _LEAST_TEXT = 116, 150


class CaseRows(TitledTableModel):
    """The cases that are shown; further pages come when the end comes into view."""

    columns = COLUMNS

    wanted = Signal()

    def __init__(self, theme: Theme, model: InboxModel) -> None:
        super().__init__()
        self._theme, self._model = theme, model
        self._size = len(model.cases)

    def refresh(self) -> None:
        """Take in what the model has now."""
        self.beginResetModel()
        self._size = len(self._model.cases)
        self.endResetModel()

    def count(self) -> int:
        return self._size

    def canFetchMore(self, parent: QModelIndex) -> bool:
        return not parent.isValid() and self._model.more

    def fetchMore(self, _parent: QModelIndex) -> None:
        self.wanted.emit()

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._model.cases):
            return None
        roles = Qt.ItemDataRole
        case = self._model.cases[index.row()]
        if role == roles.ToolTipRole and index.column() == DATE:
            return when(case.retirement.proposed_at, self._model.zone)
        if role in (roles.DisplayRole, roles.ToolTipRole):
            return self._cell(index.row(), index.column())
        if role == roles.FontRole and self._model.is_new(case):
            return self._theme.font("table", bold=True)
        if role == roles.ForegroundRole:
            waits = case.retirement.state is RetirementState.WAITING and index.column() == STATE
            return self._theme.color("accent" if waits else "text_1" if index.column() < STATE else "text_2")
        return None

    def _cell(self, row: int, column: int) -> str:
        case = self._model.cases[row]
        one = case.retirement
        return (
            one.prior.text,
            one.successor.text,
            state_text(case, new=self._model.is_new(case)),
            day(one.proposed_at, self._model.zone),
            one.reason or tr("No reason given"),
        )[column]


class CaseTable(Table):
    """The table; A, K, U and N decide about the chosen rows."""

    deed = Signal(str)

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name)
        self._scale = theme
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        word = _KEYS.get(Qt.Key(event.key())) if not event.modifiers() else None
        if word is not None:
            self.deed.emit(word)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.size_columns()

    def size_columns(self) -> None:
        """Share what state and date leave among the texts; where that is little, date and reason stand at the side."""
        if self.model() is None:
            return
        date, least = max(self._scale.px(_DATE_WIDTH), self.title_width(DATE)), self._scale.px(_LEAST_TEXT)
        state = max(self.text_width(new_text(tr(words)), bold=True) for words in STATES.values())
        room = self.viewport().width() - state
        undated, narrow = room < 2 * least + date, room < 3 * least + date
        self.setColumnHidden(DATE, undated)
        self.setColumnHidden(WHY, narrow)
        room -= 0 if undated else date
        share = max(self.title_width(0), self.title_width(1), room // (2 if narrow else 3))
        if undated:
            state = min(state, self.viewport().width() - 2 * share)
        for number, width in enumerate((share, share, state, date)):
            self.setColumnWidth(number, width)
