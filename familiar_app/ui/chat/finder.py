"""Search within one channel: the hits, and which of them is being looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from familiar_app.domain.ids import ChannelId, TurnId
from familiar_app.domain.text import tr
from familiar_app.domain.turn import Turn

MOST = 500


class TurnSearch(Protocol):
    """The part of the vault's turns that searches."""

    async def search(
        self, text: str, *, channel: ChannelId | None = None, limit: int = 100, before: TurnId | None = None
    ) -> list[Turn]: ...


@dataclass(slots=True)
class Finder:
    """Hits are oldest first; `current` is the index of the one shown, -1 before the first."""

    source: TurnSearch
    text: str = ""
    hits: list[TurnId] = field(default_factory=list)
    current: int = -1
    more: bool = False

    async def search(self, text: str, channel: ChannelId) -> None:
        """Find the newest `MOST` turns that contain `text`, and begin at the newest."""
        text = text.strip()
        if not text:
            self.clear()
            return
        found = await self.source.search(text, channel=channel, limit=MOST)
        self.text = text
        self.hits = sorted(turn.id for turn in found)
        self.more = len(found) >= MOST
        self.current = len(self.hits) - 1

    def clear(self) -> None:
        """Forget the search."""
        self.text, self.hits, self.current, self.more = "", [], -1, False

    def step(self, direction: int) -> TurnId | None:
        """Go to the next (1) or previous (-1) hit, around the ends, and return it."""
        if not self.hits:
            return None
        self.current = (self.current + direction) % len(self.hits)
        return self.hits[self.current]

    def here(self) -> TurnId | None:
        """Return the hit that is being looked at."""
        return self.hits[self.current] if 0 <= self.current < len(self.hits) else None

    def counter(self) -> str:
        """Say where one is among the hits."""
        if not self.text:
            return ""
        if not self.hits:
            return tr("Nothing found")
        here, found = self.current + 1, len(self.hits)
        if self.more:
            return tr("{place} of more than {n}", place=here, n=found)
        return tr("{place} of {n}", place=here, n=found)
