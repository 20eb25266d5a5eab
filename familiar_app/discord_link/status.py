"""How the link to Discord stands, in words for a window or a terminal."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

State = Literal["off", "connecting", "connected", "waiting", "failed"]


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """`retry_at` is when the link tries again by itself; `trouble` is the last thing that went wrong."""

    state: State = "off"
    trouble: str = ""
    retry_at: datetime | None = None

    def sentence(self, now: datetime) -> str:
        """Tell the state in one sentence."""
        if self.state == "waiting" and self.retry_at is not None:
            seconds = max(0, round((self.retry_at - now).total_seconds()))
            return f"{self.trouble} Reconnecting in {seconds} s.".strip()
        words = {
            "off": "Not connected to Discord.",
            "connecting": "Connecting to Discord.",
            "connected": "Connected to Discord.",
            "waiting": "Waiting for Discord.",
            "failed": "Not connected to Discord.",
        }
        return f"{words[self.state]} {self.trouble}".strip()
