"""The strip under the panel's head: how the link stands, what holds everywhere, and the invitation."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QCheckBox, QComboBox, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.discord.deed import DiscordDeeds
from familiar_app.ui.discord.model import DiscordModel
from familiar_app.ui.discord.word import NEEDS_INTENT, SPEAKS_ANYWHERE
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.label import column, label, set_role
from familiar_app.ui.kit.theme import Theme

_TONES = {"connected": "good", "waiting": "warning", "failed": "danger"}


class Strip(QWidget):
    """Shows what it is told to by `refresh`; presses become deeds."""

    def __init__(self, theme: Theme, model: DiscordModel, deeds: DiscordDeeds) -> None:
        super().__init__()
        self._model = model
        self.state = label("", wrap=True)
        self.trouble = label("", "warning", wrap=True)
        self.intent = label(tr(NEEDS_INTENT), "quiet", wrap=True)
        self.switch_on = button(tr("Connect"), partial(deeds.do, "switch", True), role="primary")
        self.switch_off = button(tr("Disconnect"), partial(deeds.do, "switch", False))
        self.try_now = button(tr("Try now"), partial(deeds.do, "try_now"))
        self.open_invitation = button(
            tr("Invite to a server…"), partial(deeds.do, "open_invitation"), theme=theme, icon="link"
        )
        self.copy_invitation = button(
            tr("Copy the invitation"), partial(deeds.do, "copy_invitation"), theme=theme, icon="copy"
        )
        self.token = button(tr("New token…"), partial(deeds.do, "token"), theme=theme, icon="key")
        self.mode = QComboBox()
        self.mode.setAccessibleName(tr("When it speaks"))
        for mode, text in SPEAKS_ANYWHERE.items():
            self.mode.addItem(tr(text), mode)
        self.mode.activated.connect(lambda at: deeds.do("usual_mode", self.mode.itemData(at)))
        self.direct = QCheckBox(tr("Direct messages"))
        self.direct.clicked.connect(lambda on: deeds.do("direct", on))
        self.only = QCheckBox(tr("Only where it listens"))
        self.only.clicked.connect(lambda on: model.narrow(only_listening=on))
        self._build()

    def _build(self) -> None:
        layout = column(spacing=8)
        layout.setContentsMargins(16, 4, 12, 0)
        layout.addWidget(self.state)
        layout.addWidget(self.trouble)
        for parts in (
            (self.switch_on, self.switch_off, self.try_now, self.open_invitation, self.copy_invitation, self.token),
            (self.mode, self.direct, self.only),
        ):
            holder = QWidget()
            flow = FlowLayout(holder, spacing=8)
            for part in parts:
                flow.addWidget(part)
            layout.addWidget(holder)
        layout.addWidget(self.intent)
        self.setLayout(layout)

    def refresh(self) -> None:
        """Take in what the model has now."""
        standing, config = self._model.standing, self._model.hosted.config.discord
        self.show_state()
        self.trouble.setText(self._model.trouble)
        self.trouble.setVisible(bool(self._model.trouble))
        on = standing.on and standing.status.state != "failed"
        self.switch_on.setVisible(not on)
        self.switch_on.setText(tr("Connect again") if standing.on else tr("Connect"))
        self.switch_on.setAccessibleName(self.switch_on.text())
        self.switch_off.setVisible(standing.on)
        self.try_now.setVisible(standing.status.state == "waiting")
        for part in (self.open_invitation, self.copy_invitation):
            part.setVisible(bool(self._model.invitation))
        self.mode.setCurrentIndex(list(SPEAKS_ANYWHERE).index(config.mode))
        # A link that stands has it, and one that was refused for it says so itself.
        self.intent.setVisible(config.mode == "ambient" and not standing.connected and standing.status.need != "intent")
        self.direct.setChecked(config.direct_messages)
        self.only.setChecked(self._model.only_listening)

    def show_state(self) -> None:
        """Say how the link stands, by itself again and again while that changes with every second."""
        text = self._model.state_text()
        # What failed stands in the notice below, with what would mend it.
        shown = tr("Not connected to Discord.") if self._model.standing.status.state == "failed" else text
        if self.state.text() != shown:
            self.state.setText(shown)
            self.state.setAccessibleName(shown)
        set_role(self.state, _TONES.get(self._model.standing.status.state, "quiet"))
