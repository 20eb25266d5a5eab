"""Which of Discord's limits on requests are reached at the moment, as its answers tell."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

_KINDS = (
    (r"/messages(/|$)", "messages"),
    (r"/typing$", "the typing indicator"),
    (r"/commands", "slash commands"),
    (r"/(interactions|webhooks)/", "answers to commands"),
    (r"^/api/v10/channels/", "channels"),
)
_REFUSED = 429


@dataclass(frozen=True, slots=True)
class Limit:
    """What has to wait, and until when, by `time.monotonic`; `refused` where Discord has already said no."""

    what: str
    until: float
    refused: bool


@dataclass
class Limits:
    """Limits by kind of request. Those that are over are left out."""

    clock: Callable[[], float] = time.monotonic
    _limits: dict[str, Limit] = field(default_factory=dict)

    def answered(self, path: str, status: int, headers: Mapping[str, str]) -> bool:
        """Take note of an answer; True where a limit is reached by it."""
        refused = status == _REFUSED
        wait = headers.get("Retry-After" if refused else "X-RateLimit-Reset-After", "")
        if not (refused or headers.get("X-RateLimit-Remaining") == "0"):
            return False
        what = next((name for pattern, name in _KINDS if re.search(pattern, path)), "requests")
        self._limits[what] = Limit(what, self.clock() + _seconds(wait), refused)
        return True

    def now(self) -> tuple[Limit, ...]:
        """Return the limits in force, the longest first."""
        now = self.clock()
        self._limits = {what: one for what, one in self._limits.items() if one.until > now}
        return tuple(sorted(self._limits.values(), key=lambda one: -one.until))


def _seconds(text: str) -> float:
    try:
        return max(0.0, float(text))
    except ValueError:
        return 1.0
