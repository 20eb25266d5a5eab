"""How the link to Discord stands, in words for a window or a terminal."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from familiar_app.domain.text import tr, tr_later

State = Literal["off", "connecting", "connected", "waiting", "failed"]
Need = Literal["", "token", "intent", "network", "again"]
REFUSED = tr_later("Discord does not accept the bot's token; it may have been reset.")
NO_INTENT = tr_later("The bot may not read messages that do not mention it.")
LOCAL_ONLY = tr_later("Local-only mode is on, so no familiar connects to Discord.")
_NEEDS: dict[str, Need] = {REFUSED: "token", NO_INTENT: "intent", LOCAL_ONLY: "network"}


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """`retry_at` is when the link tries again by itself; `trouble` is the last thing that went wrong."""

    state: State = "off"
    trouble: str = ""
    retry_at: datetime | None = None

    @property
    def need(self) -> Need:
        """What would mend a failed link: another token, a switch in the developer portal, the network, another try."""
        if self.state != "failed":
            return ""
        return next((need for words, need in _NEEDS.items() if self.trouble.startswith(tr(words))), "again")

    def seconds(self, now: datetime) -> int:
        """Return in how many seconds the link tries again by itself."""
        return 0 if self.retry_at is None else max(0, round((self.retry_at - now).total_seconds()))

    def sentence(self, now: datetime) -> str:
        """Tell the state in one sentence."""
        if self.state == "waiting" and self.retry_at is not None:
            again = tr("Reconnecting in {seconds} s.", seconds=self.seconds(now))
            return f"{self.trouble} {again}".strip()
        words = {
            "off": tr("Not connected to Discord."),
            "connecting": tr("Connecting to Discord."),
            "connected": tr("Connected to Discord."),
            "waiting": tr("Waiting for Discord."),
            "failed": tr("Not connected to Discord."),
        }
        return f"{words[self.state]} {self.trouble}".strip()
