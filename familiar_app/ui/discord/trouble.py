"""The two notices about a link that does not stand: why it failed, and what would keep it from connecting at all."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QVBoxLayout

from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.discord.deed import DiscordDeeds
from familiar_app.ui.discord.model import DiscordModel
from familiar_app.ui.discord.word import failure_text
from familiar_app.ui.kit.label import column
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.theme import Theme

ALLOW = tr_later("Allow the network")
_STEPS = {
    "token": tr_later("Give a new token…"),
    "intent": tr_later("Open the developer portal"),
    "network": ALLOW,
    "again": tr_later("Try again"),
}


class Troubles:
    """`failed` stands over the page of a connection, `blocked` over the guide too."""

    def __init__(self, theme: Theme, model: DiscordModel, deeds: DiscordDeeds) -> None:
        self._model, self._deeds = model, deeds
        self.failed, self.blocked = Notice(theme, closable=False), Notice(theme, closable=False)

    def draw(self, *, guide: bool) -> None:
        """Take in what the model has now; `guide` tells that the guide is shown."""
        self._draw_failure()
        self._draw_block(guide=guide)

    def _draw_failure(self) -> None:
        status = self._model.standing.status
        text = failure_text(status)
        if not status.need:
            self.failed.clear()
        elif self.failed.text != text or self.failed.isHidden():
            self.failed.tell(text, "danger", step=tr(_STEPS[status.need]), run=self._deeds.mend)

    def _draw_block(self, *, guide: bool) -> None:
        """Say of local-only mode before anybody presses Connect; a link that failed by it says so itself."""
        status = self._model.standing.status
        told = status.need == "network" and not guide
        if not self._model.local_only or told or status.state not in ("off", "failed"):
            self.blocked.clear()
        elif self.blocked.isHidden():
            text = tr(
                "Local-only mode is on, so {name} cannot connect to Discord. Allow the network first; the shield in "
                "the status bar takes that back.",
                name=self._model.name,
            )
            self.blocked.tell(text, "warning", step=tr(ALLOW), run=partial(self._deeds.do, "network"))


def apart(*notices: Notice, above: int = 8, below: int = 0) -> QVBoxLayout:
    """Keep notices away from the edges."""
    made = column(spacing=8)
    made.setContentsMargins(16, above, 16, below)
    for one in notices:
        made.addWidget(one)
    return made
