"""What projectors keep besides facts: watermarks, the ledger, dossiers, summaries, reflections, proposed retirements.

Everything a projector writes in one tick goes through `write`, so that a watermark is stored together with the rows it
speaks of, and an answer together with what was made of it.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from familiar_app.domain.audience import Audience
from familiar_app.domain.clock import Clock
from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import ChannelId, FamiliarId, PersonKey, TurnId
from familiar_app.domain.projection import (
    Answer,
    AnswerId,
    Dossier,
    Reflection,
    Retirement,
    RetirementId,
    RetirementState,
    Summary,
    Watermark,
)
from familiar_app.domain.turn import Turn
from familiar_app.store import dossier, heard, ledger, reflection, retirement
from familiar_app.store.engine import Engine
from familiar_app.store.fact_feed import FactFeed
from familiar_app.store.heard import Reworded
from familiar_app.store.memory_writer import MemoryWriter
from familiar_app.store.privacy import read_levels
from familiar_app.store.written import NOW, Moment

if TYPE_CHECKING:
    from sqlite3 import Connection

T = TypeVar("T")


class Projections:
    """Projections of one vault."""

    def __init__(self, engine: Engine, clock: Clock, feed: FactFeed) -> None:
        self._engine = engine
        self._clock = clock
        self._feed = feed

    async def write(self, work: Callable[[MemoryWriter], T]) -> T:
        """Run `work` in one transaction on the writer's thread; durable on return, undone as a whole where it raises.

        `work` may be called twice, so it touches nothing but the writer it is given, and does nothing slow.
        """

        def run(connection: Connection) -> tuple[T, set[FactId]]:
            writer = MemoryWriter(connection)
            return work(writer), set(writer.touched)

        result, _touched = await self._feed.following(self._engine.write(run), lambda done: done[1])
        return result

    async def watermark(self, projector: str, familiar: FamiliarId, scope: str = "") -> Watermark | None:
        """Return how far a projector has come. None: it begins at the beginning, as after its table was emptied."""
        return await self._engine.read(lambda c: ledger.watermark(c, projector, familiar, scope))

    async def watermarks(self, familiar: FamiliarId, *, scope: str | None = None) -> builtins.list[Watermark]:
        """Return every watermark of a familiar, or those of one scope."""
        return await self._engine.read(lambda c: ledger.watermarks(c, familiar, scope))

    async def answers(
        self,
        projector: str,
        familiar: FamiliarId,
        *,
        scope: str | None = None,
        after: AnswerId | None = None,
        limit: int = 100,
    ) -> builtins.list[Answer]:
        """Return kept answers to replay, in the order they were given."""
        return await self._engine.read(lambda c: ledger.answers(c, projector, familiar, scope, after or 0, limit))

    async def answer_for(
        self, projector: str, familiar: FamiliarId, first: int, last: int, *, scope: str = ""
    ) -> Answer | None:
        """Return the newest answer kept for exactly this input, or None."""
        return await self._engine.read(lambda c: ledger.answer_for(c, projector, familiar, scope, first, last))

    async def answers_of(
        self, projectors: Sequence[str], familiar: FamiliarId, *, after: int = 0, limit: int = 100
    ) -> builtins.list[Answer]:
        """Return kept answers of several projectors with higher ids than `after`, in the order they were given."""
        return await self._engine.read(lambda c: ledger.answers_of(c, projectors, familiar, after, limit))

    async def heard_after(
        self, familiar: FamiliarId, after: int, *, limit: int, channel: ChannelId | None = None
    ) -> builtins.list[Turn]:
        """Return the next turns a familiar has heard, oldest first; operator turns never."""
        return await self._engine.read(lambda c: heard.turns_after(c, familiar, after, limit, channel))

    async def newest_heard(
        self, familiar: FamiliarId, *, after: int = 0, limit: int, channel: ChannelId | None = None
    ) -> builtins.list[Turn]:
        """Return the newest turns a familiar has heard behind `after`, oldest first."""
        return await self._engine.read(lambda c: heard.newest_turns(c, familiar, after, limit, channel))

    async def reworded(self, familiar: FamiliarId, *, after: int, limit: int = 20) -> builtins.list[Reworded]:
        """Return edits of turns that had been read, behind the operator turn `after`, oldest first."""
        return await self._engine.read(lambda c: heard.reworded(c, familiar, after, limit))

    async def count_heard(self, familiar: FamiliarId, *, after: int = 0, channel: ChannelId | None = None) -> int:
        """Count the turns a familiar has heard behind `after`."""
        return await self._engine.read(lambda c: heard.count_after(c, familiar, after, channel))

    async def count_facts(self, familiar: FamiliarId, *, after: int = 0) -> int:
        """Count the facts behind `after`, retired and ended ones too."""
        return await self._engine.read(lambda c: heard.count_facts_after(c, familiar, after))

    async def heard_channels(self, familiar: FamiliarId) -> builtins.list[ChannelId]:
        """Return the channels a familiar has or had, archived ones too."""
        return await self._engine.read(lambda c: heard.heard_channels(c, familiar))

    async def recent_speakers(
        self, channels: Iterable[ChannelId], *, until: TurnId, limit: int
    ) -> builtins.list[PersonKey]:
        """Return who spoke last in some channels up to a turn, the last one first."""
        chosen = tuple(channels)
        return await self._engine.read(lambda c: heard.recent_speakers(c, chosen, until, limit))

    async def mentioned_in(self, turns: Sequence[TurnId]) -> builtins.list[PersonKey]:
        """Return who is mentioned in some turns, those of the last turn first."""
        return await self._engine.read(lambda c: heard.mentioned_in(c, turns))

    async def believed_about(
        self, familiar: FamiliarId, person: PersonKey, *, after: int = 0, until: int = 1 << 62
    ) -> builtins.list[FactId]:
        """Return the facts about somebody that are believed today, ended ones too, oldest first."""
        found = await self._engine.read(lambda c: heard.believed_about(c, familiar, person, after, until))
        return [FactId(number) for number in found]

    async def tokens_used(self, projector: str, familiar: FamiliarId) -> int:
        """Return the tokens that all answers of a projector took."""
        return await self._engine.read(lambda c: ledger.tokens_used(c, projector, familiar))

    async def dossier(self, familiar: FamiliarId, person: PersonKey) -> Dossier | None:
        """Return what a familiar knows about somebody."""
        return await self._engine.read(lambda c: dossier.read_dossier(c, familiar, person))

    async def dossiers(self, familiar: FamiliarId) -> builtins.list[Dossier]:
        """Return every dossier of a familiar."""
        return await self._engine.read(lambda c: dossier.read_dossiers(c, familiar))

    async def outdated_dossiers(
        self, familiar: FamiliarId, *, limit: int = 100
    ) -> builtins.list[tuple[PersonKey, int]]:
        """Return people with current facts newer than their dossier, and the fact it was folded up to (0: none yet)."""
        now = self._clock.now()
        return await self._engine.read(lambda c: dossier.outdated_dossiers(c, familiar, now, limit))

    async def lost_dossiers(self, familiar: FamiliarId) -> builtins.list[PersonKey]:
        """Return people something is believed about who have no dossier although one was written."""
        return await self._engine.read(lambda c: dossier.lost_dossiers(c, familiar))

    async def summary(
        self, familiar: FamiliarId, channel: ChannelId, *, known_at: datetime | None = None, moment: Moment = NOW
    ) -> Summary | None:
        """Return a channel's summary as it is, or as it stood at an instant or a moment."""
        then = moment if known_at is None else Moment(known_at)
        return await self._engine.read(lambda c: dossier.newest_summary(c, familiar, channel, then))

    async def reflections(
        self,
        familiar: FamiliarId,
        *,
        channel: ChannelId | None = None,
        moment: Moment = NOW,
        audience: Audience | None = None,
        limit: int = 100,
    ) -> builtins.list[Reflection]:
        """Return the newest reflections, pinned ones before others: with a channel, those of it and those of none.

        What the owner hid is left out. An `audience` is told only what it may hear, and nothing that rests on people
        who want nothing drawn from what they say.
        """
        if audience is not None:
            return (await self.told_reflections(familiar, channel, moment, audience, limit=limit))[0]
        question = reflection.ReflectionQuestion(familiar, channel, moment, limit=limit)
        return await self._engine.read(lambda connection: reflection.list_reflections(connection, question))

    async def told_reflections(
        self,
        familiar: FamiliarId,
        channel: ChannelId | None,
        moment: Moment,
        audience: Audience,
        *,
        limit: int,
        held: int = 0,
    ) -> tuple[builtins.list[Reflection], builtins.list[Reflection]]:
        """Return what `reflections` has for an audience, and up to `held` of those that it may not hear."""

        def work(connection: Connection) -> tuple[builtins.list[Reflection], builtins.list[Reflection]]:
            private = frozenset(read_levels(connection))
            question = reflection.ReflectionQuestion(familiar, channel, moment, audience, False, limit, private)
            heard = reflection.list_reflections(connection, question)
            closed = replace(question, held=True, limit=held)
            return heard, reflection.list_reflections(connection, closed) if held else []

        return await self._engine.read(work)

    async def retirements(
        self,
        familiar: FamiliarId,
        *,
        state: RetirementState | None = None,
        limit: int = 100,
        before: RetirementId | None = None,
    ) -> builtins.list[Retirement]:
        """Return proposed retirements, newest first. The owner decides about them through `Facts`."""
        return await self._engine.read(lambda c: retirement.list_retirements(c, familiar, state, limit, before))

    async def is_barred(self, prior: FactId, successor: FactId) -> bool:
        """Tell whether the owner has undone or refused this retirement."""
        return await self._engine.read(lambda c: retirement.is_barred(c, prior, successor))
