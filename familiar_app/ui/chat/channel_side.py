"""The side of the chat that lists its channels, with a word for those who have talked elsewhere before."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.chat.channel_list_view import ChannelListView
from familiar_app.ui.chat.model import ChatModel
from familiar_app.ui.kit.button import button, icon_button
from familiar_app.ui.kit.label import column, label, row, surface
from familiar_app.ui.kit.theme import Theme

LEAST_PX = 150


class ChannelSide(QWidget):
    """`do` does a deed by its word. `hint` is shown while nothing was said in any channel."""

    def __init__(self, theme: Theme, do: Callable[[str], None]) -> None:
        super().__init__()
        surface(self, 2)
        self.setMinimumWidth(LEAST_PX)
        self.channels = ChannelListView(theme)
        self.channels.setStyleSheet("QListView { background: transparent; }")
        self.hint = QWidget()
        self.bring = button(tr("Bring in a chat…"), lambda: do("bring_in"), role="link")
        head = row(spacing=4)
        head.setContentsMargins(12, 8, 8, 8)
        head.addWidget(label(tr("Channels"), "strong"))
        head.addStretch(1)
        head.addWidget(icon_button(theme, "plus", tr("New channel"), lambda: do("new_channel")))
        layout = column(spacing=0)
        layout.addLayout(head)
        layout.addWidget(self.channels, 1)
        layout.addWidget(self.hint)
        self._fill_hint()
        self.setLayout(layout)

    def _fill_hint(self) -> None:
        told = column(margins=12, spacing=4)
        told.addWidget(label(tr("Talked elsewhere before?"), "faint", wrap=True))
        told.addWidget(self.bring, 0, Qt.AlignmentFlag.AlignLeft)
        self.hint.setLayout(told)
        self.hint.hide()

    def show_channels(self, model: ChatModel) -> None:
        """Show the channels as they are now."""
        summaries = model.channels.summaries
        self.channels.rows.fill(summaries, now=model.now(), zone=model.zone)
        self.hint.setVisible(not any(one.turns for one in summaries))
        if model.open is not None:
            self.channels.select(model.open.channel.id)
