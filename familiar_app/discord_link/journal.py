"""The newest messages a familiar noticed on Discord, and what it made of them: who, where, when and why, no words.

It lives in memory only. What was said is in the vault; an entry names its turn where there is one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from familiar_app.discord_link.incoming import Heard, Spot
from familiar_app.discord_link.speak_rule import Why
from familiar_app.domain.ids import ChannelId, TurnId
from familiar_app.domain.turn import Turn

KEPT = 300


class Fate(StrEnum):
    """What became of an answer that was decided on."""

    SENT = "sent"
    SILENT = "silent"
    DROPPED = "dropped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Noticed:
    """One message. `turn` and `channel` are None where it was not kept; `fate` is None until an answer has ended."""

    at: datetime
    spot: Spot
    author: str
    why: Why
    speak: bool = False
    channel: ChannelId | None = None
    turn: TurnId | None = None
    fate: Fate | None = None


@dataclass
class Journal:
    """Entries, oldest first; the oldest go. Listeners are called after every change."""

    entries: deque[Noticed] = field(default_factory=lambda: deque(maxlen=KEPT))
    _listeners: list[Callable[[], object]] = field(default_factory=list)

    def note(self, heard: Heard, why: Why, *, speak: bool = False, turn: Turn | None = None) -> None:
        """Add a message."""
        place, number = (None, None) if turn is None else (turn.channel, turn.id)
        self.entries.append(Noticed(heard.at, heard.spot, heard.author.name, why, speak, place, number))
        self._tell()

    def ended(self, turn: TurnId, fate: Fate) -> None:
        """Say what became of the answer to a message; one that is not here any more is passed over."""
        for at in reversed(range(len(self.entries))):
            if self.entries[at].turn == turn:
                self.entries[at] = replace(self.entries[at], fate=fate)
                self._tell()
                return

    @property
    def answering(self) -> bool:
        """Whether an answer that was decided on is not over."""
        return any(one.speak and one.fate is None for one in self.entries)

    def listen(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Call `listener` after every change. Returns how to stop it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _tell(self) -> None:
        for listener in list(self._listeners):
            listener()
