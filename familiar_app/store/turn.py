"""The log: appending turns, reading them, and what the owner decides about them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from familiar_app.domain.clock import Clock
from familiar_app.domain.errors import BugError
from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import ChannelId, TraceId, TurnId
from familiar_app.domain.turn import DayMark, NewTurn, Reaction, Revision, Turn
from familiar_app.store import turn_read, turn_search, turn_write, veil
from familiar_app.store.engine import Engine
from familiar_app.store.fact_feed import FactFeed
from familiar_app.store.moment import to_micros
from familiar_app.store.owner_act import reword
from familiar_app.store.person_write import SpeakerMemory
from familiar_app.store.takeover import Copy, take_over
from familiar_app.store.turn_forget import forget_turns
from familiar_app.store.turn_row import as_stored, read_turn
from familiar_app.store.turn_then import Then, page_then, standing

if TYPE_CHECKING:
    from sqlite3 import Connection

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AppendCount:
    """How many turns were added, how many were there already, and of how many nothing may be kept but their ids."""

    added: int
    skipped: int
    unkept: int = 0


class Turns:
    """Turns of one vault. Lists are oldest first unless a method says otherwise."""

    def __init__(self, engine: Engine, clock: Clock, feed: FactFeed) -> None:
        self._engine = engine
        self._clock = clock
        self._feed = feed
        self._watchers: list[Callable[[Sequence[TurnId]], None]] = []

    def watch(self, watcher: Callable[[Sequence[TurnId]], None]) -> None:
        """Tell `watcher` after each write which turns may read otherwise; without ids, that there may be new ones.

        It is called on the loop of whoever wrote, must not raise and must be quick.
        """
        self._watchers.append(watcher)

    def unwatch(self, watcher: Callable[[Sequence[TurnId]], None]) -> None:
        """Stop telling `watcher`."""
        self._watchers = [one for one in self._watchers if one != watcher]

    def announce(self, ids: Sequence[TurnId] = ()) -> None:
        """Tell the watchers of a change that was made by other means than the methods here."""
        for watcher in self._watchers:
            watcher(ids)

    async def append(
        self,
        turn: NewTurn,
        *,
        trace: TraceId | None = None,
        also: Callable[[Connection, TurnId], None] | None = None,
    ) -> tuple[Turn, bool]:
        """Store a turn; it is on the disk when this returns. False where its message was there already.

        Of somebody who wants nothing kept, a tombstone is stored. `trace` is the trace that this turn, a reply, comes
        from; both are linked in the same transaction. `also` is done in it too, where the turn is new.
        """

        def work(connection: Connection) -> tuple[Turn, bool]:
            now, unkept = self._now(), veil.is_veiled(connection, turn)
            kept = veil.emptied(turn) if unkept else turn
            number, added = turn_write.insert_turn(connection, kept, now, SpeakerMemory())
            if added and also is not None:
                also(connection, number)
            if added and unkept:
                veil.bury(connection, number, now)
            elif added and trace is None and turn.answers is None:
                return as_stored(connection, turn, number, now), True
            if added and trace is not None:
                turn_write.link_trace(connection, trace, number)
            stored = read_turn(connection, number)
            if stored is None:
                raise BugError("A turn cannot be read in the transaction that stored it.")
            return stored, added

        try:
            return await self._engine.write(work)
        finally:
            # Where nobody waits any more, the turn may be stored all the same.
            self.announce(() if turn.answers is None else (turn.answers,))

    async def append_many(self, turns: Sequence[NewTurn]) -> AppendCount:
        """Store turns in one transaction: all of them, or none. Those already there are skipped.

        Of those who want nothing kept, tombstones are stored, and nothing where a message has no id.
        """

        def work(connection: Connection) -> AppendCount:
            now, speakers = self._now(), SpeakerMemory()
            unkept = [turn for turn in turns if veil.is_veiled(connection, turn)]
            buried = self._bury(connection, [turn for turn in unkept if turn.message_id is not None], now)
            left = {id(turn) for turn in unkept}
            added = sum(
                turn_write.insert_turn(connection, turn, now, speakers)[1] for turn in turns if id(turn) not in left
            )
            nameless = sum(turn.message_id is None for turn in unkept)
            return AppendCount(added, len(turns) - added - buried - nameless, buried + nameless)

        try:
            return await self._engine.write(work)
        finally:
            self.announce([turn.answers for turn in turns if turn.answers is not None])

    async def get(self, id: TurnId) -> Turn | None:  # noqa: A002
        """Return a turn, hidden or not."""
        return await self._engine.read(lambda connection: read_turn(connection, id))

    async def page(
        self,
        channel: ChannelId,
        *,
        before: TurnId | None = None,
        after: TurnId | None = None,
        limit: int = 100,
        inactive: bool = False,
        hidden: bool = False,
    ) -> list[Turn]:
        """Return up to `limit` turns of a channel: the first after `after`, else the last before `before` or the end.

        Replaced answers come with `inactive`, hidden turns with `hidden`; tombstones and operator turns never.
        """
        span = turn_read.Span(before, after, limit, inactive, hidden)
        return await self._engine.read(lambda connection: turn_read.page(connection, channel, span))

    async def page_then(
        self,
        channel: ChannelId,
        then: Then,
        *,
        before: TurnId | None = None,
        after: TurnId | None = None,
        limit: int = 100,
    ) -> list[Turn]:
        """Return a page as `page` would have at an earlier moment."""
        return await self._engine.read(lambda c: page_then(c, channel, then, before, after, limit))

    async def standing(self, turns: Iterable[Turn], then: Then) -> dict[TurnId, Turn]:
        """Return those of some turns that stood at an earlier moment, with the words they had then."""
        return await self._engine.read(lambda c: standing(c, turns, then))

    async def around(self, id: TurnId, *, limit: int = 50) -> list[Turn]:  # noqa: A002
        """Return a turn with its neighbours in the channel, about half before and half after it."""
        return await self._engine.read(lambda connection: turn_read.around(connection, id, limit))

    async def search(
        self, text: str, *, channel: ChannelId | None = None, limit: int = 100, before: TurnId | None = None
    ) -> list[Turn]:
        """Return turns whose text contains `text` whatever the case, newest first. Scans; off the loop."""
        return await turn_search.search(self._engine, text, channel, limit, before)

    async def revise(self, id: TurnId, content: str, *, added: bool = False) -> Turn:  # noqa: A002
        """Give a turn a newer text; the older ones stay for audit, and what was drawn from them is looked at again.

        With `added`, something was only added that changes none of the words, as the preview of a link is.
        """
        at = self._clock.now()

        def work(connection: Connection) -> tuple[Turn, list[FactId]]:
            if veil.covers(connection, id) or veil.brings_back(connection, id, content):
                # Its author wants nothing kept any more, or it is the wording out of which something was erased.
                return turn_write.existing(connection, id), []
            before = turn_write.existing(connection, id).revision
            turn = turn_write.revise_turn(connection, id, content, to_micros(at))
            changed = turn.revision != before and not added
            return turn, reword(connection, id, at) if changed else []

        turn, _ = await self._feed.following(self._changing((id,), work), lambda done: done[1])
        return turn

    async def take_over(self, id: TurnId, copy: Copy) -> None:  # noqa: A002
        """Let another message take the place of a turn's; see `takeover`."""
        at = self._clock.now()
        work = self._changing((id,), lambda connection: take_over(connection, id, copy, at))
        await self._feed.following(work, lambda facts: facts)

    async def revisions(self, id: TurnId) -> list[Revision]:  # noqa: A002
        """Return every text a turn has had, the first said first."""
        return await self._engine.read(lambda connection: turn_read.revisions(connection, id))

    async def hide(self, ids: Sequence[TurnId]) -> None:
        """Take turns out of the conversation until they are brought back."""
        await self._changing(ids, lambda c: turn_write.set_hidden(c, ids, True, self._now()))

    async def unhide(self, ids: Sequence[TurnId]) -> None:
        """Bring hidden turns back."""

        def work(connection: Connection) -> None:
            turn_write.set_hidden(connection, ids, False, self._now())
            veil.cover(connection, ids)

        await self._changing(ids, work)

    async def scrub(self, id: TurnId) -> None:  # noqa: A002
        """Remove a turn's text for good: from the turn, its revisions and the traces that show it."""
        await self.scrub_many((id,))

    async def scrub_many(self, ids: Sequence[TurnId]) -> None:
        """Remove the texts of several turns for good, in one transaction, and retire what rests on them alone."""
        at = self._clock.now()
        await self.erase(lambda connection: forget_turns(connection, ids, at), ids)

    async def erase(self, work: Callable[[Connection], Sequence[FactId]], ids: Sequence[TurnId] = ()) -> None:
        """Remove what `work` removes for good, from the log of changes too. It returns the facts it touched."""
        await self._feed.following(self._changing(ids, work), lambda facts: facts)
        await self._engine.write_alone(turn_read.empty_log)

    async def answers(self, turn: TurnId) -> list[Turn]:
        """Return all alternatives that answer a turn."""
        return await self._engine.read(lambda connection: turn_read.answers(connection, turn))

    async def choose(self, id: TurnId) -> Turn:  # noqa: A002
        """Make an alternative the active one."""
        return await self._changing((id,), lambda c: turn_write.choose_turn(c, id, self._now()))

    async def count(self, channel: ChannelId | None = None) -> int:
        """Count the turns that `page` shows."""
        return await self._engine.read(lambda connection: turn_read.count(connection, channel))

    async def count_said(self, channel: ChannelId, *, until: TurnId | None = None) -> int:
        """Count what a familiar said in a channel, or had said when the turn `until` was to be answered."""
        return await self._engine.read(lambda connection: turn_read.count_said(connection, channel, until))

    async def days(self, channel: ChannelId, *, zone: str = "UTC") -> list[DayMark]:
        """Return the days of a time zone on which something was said. Raises BadInputError for an unknown zone."""
        return await self._engine.read(lambda connection: turn_read.days(connection, channel, zone))

    async def first_at(self, channel: ChannelId, when: datetime) -> TurnId | None:
        """Return the first turn at or after an instant."""
        return await self._engine.read(lambda connection: turn_read.first_at(connection, channel, to_micros(when)))

    async def stream(
        self,
        channel: ChannelId | None = None,
        *,
        chunk: int = 1000,
        inactive: bool = False,
        hidden: bool = False,
    ) -> AsyncIterator[list[Turn]]:
        """Yield all turns in order, `chunk` at a time, for exports in bounded memory."""
        last = TurnId(0)
        while True:
            span = turn_read.Span(None, last, chunk, inactive, hidden)
            turns = await self._engine.read(lambda c, span=span: turn_read.page(c, channel, span))  # type: ignore[misc]
            if turns:
                yield turns
                last = turns[-1].id
            if len(turns) < chunk:
                return

    async def react(self, channel: ChannelId, message_id: str, emoji: str, delta: int) -> None:
        """Change how often an emoji stands under a message; never below zero."""
        await self._engine.write(lambda c: turn_write.react(c, channel, message_id, emoji, delta))

    async def reactions(self, channel: ChannelId, message_ids: Sequence[str]) -> dict[str, list[Reaction]]:
        """Return the reactions of messages that have any, the most frequent first."""
        return await self._engine.read(lambda c: turn_read.reactions(c, channel, message_ids))

    def _bury(self, connection: Connection, turns: Sequence[NewTurn], now: int) -> int:
        """Store tombstones in the place of turns, and return how many of them are new."""
        count = 0
        for turn in turns:
            number, added = turn_write.insert_turn(connection, veil.emptied(turn), now, SpeakerMemory())
            if added:
                veil.bury(connection, number, now)
                count += 1
        return count

    async def _changing(self, ids: Sequence[TurnId], work: Callable[[Connection], T]) -> T:
        try:
            return await self._engine.write(work)
        finally:
            self.announce(ids)

    def _now(self) -> int:
        return to_micros(self._clock.now())
