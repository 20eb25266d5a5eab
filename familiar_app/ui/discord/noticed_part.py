"""The lower part of the page: the messages that were heard, with what was decided about each, or what will be here."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.discord.model import DiscordModel
from familiar_app.ui.discord.tables import NoticedRows, NoticedTable
from familiar_app.ui.kit.label import column, label, surface
from familiar_app.ui.kit.theme import Theme

_EMPTY = tr_later(
    "Here you will see each message that arrives: who wrote it and where, whether it was answered, and why. Words are "
    "shown in the chat alone."
)


class NoticedPart(QWidget):
    """Shows what the model noticed; `chosen` and `opened` carry the row."""

    chosen = Signal(int)
    opened = Signal(int)

    def __init__(self, theme: Theme, model: DiscordModel) -> None:
        super().__init__()
        surface(self, 1)
        self.rows, self.table = NoticedRows(theme, model), NoticedTable(theme)
        self.table.setModel(self.rows)
        self.table.opened.connect(lambda index: self.opened.emit(index.row()))
        self.table.current_changed.connect(lambda index: self.chosen.emit(index.row()))
        self.table.clicked.connect(lambda index: self.chosen.emit(index.row()))
        title = label(tr("Heard and decided"), "strong")
        title.setContentsMargins(16, 8, 12, 8)
        self._quiet = label(tr(_EMPTY), "quiet", wrap=True)
        self._quiet.setContentsMargins(16, 0, 12, 12)
        layout = column(spacing=0)
        layout.addWidget(title)
        layout.addWidget(self._quiet)
        layout.addWidget(self.table, 1)
        layout.addStretch(0)
        self.setLayout(layout)

    def refresh(self) -> None:
        """Take in what the model has now."""
        self.rows.refresh()
        self._quiet.setVisible(not self.rows.rows)
        self.table.setVisible(bool(self.rows.rows))
