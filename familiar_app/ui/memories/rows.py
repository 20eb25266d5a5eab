"""The memories as a table, with keys for what can be done to the chosen ones."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHeaderView

from familiar_app.domain.saved_memory.memory import SavedMemory
from familiar_app.domain.text import ptr, tr
from familiar_app.ui.kit.table import Table
from familiar_app.ui.kit.table_model import TitledTableModel
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.memories.model import MemoriesModel
from familiar_app.ui.memories.word import state_text, state_texts

TEXT, ABOUT, TAGS, STATE, DATE = range(5)
_KEYS = {
    Qt.Key.Key_F2: "edit",
    Qt.Key.Key_Delete: "retire",
    Qt.Key.Key_P: "protect",
    Qt.Key.Key_U: "unprotect",
    Qt.Key.Key_R: "restore",
    Qt.Key.Key_M: "move",
    Qt.Key.Key_T: "tag",
}
_WIDTHS = {ABOUT: 150, TAGS: 120, STATE: 150, DATE: 104}
_SPARED = (DATE, TAGS, ABOUT, STATE)
_LEAST_TEXT = 200


class MemoryRows(TitledTableModel):
    """The memories that are shown."""

    def __init__(self, theme: Theme, model: MemoriesModel) -> None:
        super().__init__()
        self._theme, self._model = theme, model
        about, memory = ptr("whom it is about", "About"), ptr("one saved memory", "Memory")
        self.columns = (memory, about, tr("Tags"), tr("How it stands"), ptr("when", "Changed"))
        self._rows: list[SavedMemory] = []

    def title(self, column: int) -> str:
        """Return what stands over a column; some words mean something else elsewhere, so all are translated by now."""
        return self.columns[column]

    def refresh(self) -> None:
        """Take in what the model has now."""
        self.beginResetModel()
        self._rows = list(self._model.rows)
        self.endResetModel()

    def count(self) -> int:
        return len(self._rows)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        roles, memory = Qt.ItemDataRole, self._rows[index.row()]
        if role in (roles.DisplayRole, roles.ToolTipRole):
            return self._cell(memory, index.column(), whole=role == roles.ToolTipRole)
        if role == roles.ForegroundRole:
            return self._theme.color("text_1" if index.column() == TEXT and memory.active else "text_2")
        return None

    def _cell(self, memory: SavedMemory, column: int, *, whole: bool) -> str:
        model = self._model
        match column:
            case 0:
                text = model.names.text(memory)
                return text if whole else " ".join(text.split())
            case 1:
                return model.names.place(memory.place)
            case 2:
                return ", ".join(model.tags_of(memory))
            case 3:
                return state_text(memory, model.now(), model.decay)
            case _:
                at = memory.retired_at or memory.updated_at
                return model.names.when(at) if whole else model.names.day(at)


class MemoryTable(Table):
    """The table; keys do to the chosen rows what the buttons above it do."""

    deed = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, tr("Memories"))
        self.retired = False
        """Whether retired memories are shown, of which more is to be said."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        deed = _KEYS.get(Qt.Key(event.key()))
        if deed is not None and not event.modifiers():
            self.deed.emit(deed)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.size_columns()

    def size_columns(self) -> None:
        """Give each column its width and the text what is left; where room is short, the last things go."""
        if self.model() is None:
            return
        theme, room = self._theme, self.viewport().width()
        widths = {column: max(theme.px(width), self.title_width(column)) for column, width in _WIDTHS.items()}
        states = state_texts(retired=self.retired)
        widths[STATE] = max(widths[STATE], *(self.text_width(text) for text in states))
        for spare in _SPARED:
            if sum(widths.values()) + theme.px(_LEAST_TEXT) > room:
                del widths[spare]
        self.horizontalHeader().setStretchLastSection(False)
        for column in range(self.model().columnCount()):
            self.setColumnHidden(column, column != TEXT and column not in widths)
            self.horizontalHeader().setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            self.setColumnWidth(column, widths.get(column, max(0, room - sum(widths.values()))))
