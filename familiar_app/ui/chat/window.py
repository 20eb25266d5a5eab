"""A slice of a channel held in memory: it grows page by page while it is scrolled and lets go of the far end.

However long the channel is, at most `cap` turns are held. The slice never has holes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from familiar_app.domain.ids import ChannelId, TurnId
from familiar_app.domain.turn import Turn

PAGE = 60
CAP = 360


class TurnPages(Protocol):
    """The part of the vault's turns that a slice reads."""

    async def page(
        self, channel: ChannelId, *, before: TurnId | None = None, after: TurnId | None = None, limit: int = 100
    ) -> list[Turn]: ...

    async def around(self, id: TurnId, *, limit: int = 50) -> list[Turn]: ...  # noqa: A002


@dataclass(slots=True)
class Window:
    """The held turns, oldest first. `at_start` and `at_end` tell that nothing older or newer exists."""

    source: TurnPages
    channel: ChannelId
    page: int = PAGE
    cap: int = CAP
    turns: list[Turn] = field(default_factory=list)
    at_start: bool = False
    at_end: bool = True

    async def open_end(self) -> None:
        """Hold the newest page."""
        found = await self.source.page(self.channel, limit=self.page)
        self.turns, self.at_start, self.at_end = found, len(found) < self.page, True

    async def open_at(self, turn: TurnId) -> bool:
        """Hold the surroundings of one turn; False where it cannot be shown (then nothing changes)."""
        found = [one for one in await self.source.around(turn, limit=self.page) if one.channel == self.channel]
        if not any(one.id == turn for one in found):
            return False
        self.turns, self.at_start, self.at_end = found, False, False
        await self.more_after()
        await self.more_before()
        return True

    async def more_before(self) -> bool:
        """Take in the page before the slice. Tells whether anything changed."""
        if self.at_start or not self.turns:
            return False
        first = self.turns[0].id
        older = await self.source.page(self.channel, before=first, limit=self.page)
        if not self.turns or self.turns[0].id != first:
            return False
        self.at_start = len(older) < self.page
        self.turns[:0] = older
        if len(self.turns) > self.cap:
            del self.turns[self.cap :]
            self.at_end = False
        return True

    async def more_after(self) -> bool:
        """Take in the page after the slice. Tells whether anything changed."""
        if not self.turns:
            return False
        last = self.turns[-1].id
        newer = await self.source.page(self.channel, after=last, limit=self.page)
        if not self.turns or self.turns[-1].id != last:
            return False
        ended = len(newer) < self.page
        changed = bool(newer) or ended != self.at_end
        self.at_end = ended
        self.turns += newer
        if len(self.turns) > self.cap:
            del self.turns[: len(self.turns) - self.cap]
            self.at_start = False
        return changed

    async def missed(self) -> int:
        """Take in what was stored meanwhile between turns of the newest page that are held; returns how many."""
        newest = await self.source.page(self.channel, limit=self.page)
        held = {turn.id for turn in self.turns}
        found = [one for one in newest if one.id not in held and self._covers(one.id)]
        found = [one for one in found if not any(_are_alternatives(one, held) for held in self.turns)]
        for turn in found:
            place = next((place for place, one in enumerate(self.turns) if one.id > turn.id), len(self.turns))
            self.turns.insert(place, turn)
        return len(found)

    def append(self, turn: Turn) -> bool:
        """Take in a turn that was just stored; False where the slice does not reach the end of the channel."""
        if not self.at_end:
            return False
        if turn.answers is not None and turn.active:
            self.turns = [one for one in self.turns if not _are_alternatives(one, turn) or one.id == turn.id]
        if any(one.id == turn.id for one in self.turns):
            self.replace(turn)
        else:
            self.turns.append(turn)
        return True

    def replace(self, turn: Turn) -> None:
        """Show a turn's newer state, or another alternative in the place of the one held."""
        for index, held in enumerate(self.turns):
            if held.id == turn.id or _are_alternatives(held, turn):
                self.turns[index] = turn
                return

    def remove(self, ids: Sequence[TurnId]) -> None:
        """Let go of turns that are no longer to be shown."""
        gone = set(ids)
        self.turns = [turn for turn in self.turns if turn.id not in gone]

    def put_back(self, turns: Sequence[Turn]) -> None:
        """Show turns again that were removed, each in its place."""
        held = {turn.id for turn in self.turns}
        wanted = [turn for turn in turns if turn.id not in held and self._covers(turn.id)]
        self.turns = sorted([*self.turns, *wanted], key=lambda turn: turn.id)

    def _covers(self, turn: TurnId) -> bool:
        if not self.turns:
            return True
        after_start = self.at_start or turn > self.turns[0].id
        before_end = self.at_end or turn < self.turns[-1].id
        return after_start and before_end

    def find(self, turn: TurnId) -> Turn | None:
        """Return a held turn by its id."""
        return next((one for one in self.turns if one.id == turn), None)


def _are_alternatives(one: Turn, other: Turn) -> bool:
    """Tell whether both are answers of the same familiar to the same turn."""
    return one.answers is not None and one.answers == other.answers and one.familiar == other.familiar
