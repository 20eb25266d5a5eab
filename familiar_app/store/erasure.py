"""Erasure: a plan of what would go, the act itself, its receipts, and the list by which nothing of it comes back.

Everything is done by one list of steps (`erasure_step`): the plan does them and undoes them again, so what it tells is
what will happen. An erasure that was cut off goes on with `resume`.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from familiar_app.domain.clock import Clock
from familiar_app.domain.erasure import ErasurePlan, OfChannel, OfFamiliar, OfMessage, OfPerson, Receipt, Target
from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import ChannelId, FamiliarId, TurnId
from familiar_app.store import erasure_list, erasure_step
from familiar_app.store.engine import Engine
from familiar_app.store.erasure_list import ErasedList
from familiar_app.store.erasure_step import STEPS, Job
from familiar_app.store.fact_feed import FactFeed
from familiar_app.store.moment import from_micros, to_micros
from familiar_app.store.turn import Turns

if TYPE_CHECKING:
    from sqlite3 import Connection

Progress = Callable[[float], None]


class Erasure:
    """Erasures of one vault, one after the other."""

    def __init__(self, engine: Engine, clock: Clock, turns: Turns, feed: FactFeed) -> None:
        self._engine = engine
        self._clock = clock
        self._turns = turns
        self._feed = feed
        self._at_work = asyncio.Lock()
        self.generation = 0
        """Grows with the beginning and the end of each erasure: what was asked of a model before is outdated."""

    async def plan(self, target: Target) -> ErasurePlan:
        """Return what an erasure would do. Writes wait meanwhile. Raises UserError where it is not possible."""
        now = to_micros(self._clock.now())

        def work(connection: Connection) -> Job:
            connection.execute("BEGIN IMMEDIATE")
            try:
                job = erasure_step.begin(connection, target, now)
                while not job.is_complete:
                    job = erasure_step.advance(connection, job)
                return job
            finally:
                connection.execute("ROLLBACK")

        async with self._at_work:
            job = await self._engine.write_alone(work)
        removed, redacted = _halves(job.counts)
        scope = job.scope
        return ErasurePlan(scope.kind, scope.label, scope.keys, removed, redacted, tuple(job.samples), scope.shared)

    async def erase(self, target: Target, progress: Progress | None = None) -> Receipt:
        """Erase, and return what went. One that was cut off before is completed first."""
        async with self._at_work:
            await self._complete(None)
            job = await self._begin(target, None)
            return await self._carry_out(job, progress)

    async def pending(self) -> bool:
        """Tell whether an erasure was cut off and has to go on."""
        question = "SELECT EXISTS (SELECT 1 FROM erasures WHERE finished_at IS NULL)"
        return bool(await self._engine.read(lambda connection: connection.execute(question).fetchone()[0]))

    async def resume(self, progress: Progress | None = None) -> list[Receipt]:
        """Complete what was cut off."""
        async with self._at_work:
            return await self._complete(progress)

    async def receipts(self) -> list[Receipt]:
        """Return what was erased, oldest first."""
        rows = await self._engine.read(
            lambda c: c.execute("SELECT id, kind, asked_at, finished_at, counts FROM erasures ORDER BY id").fetchall()
        )
        return [_receipt(*row) for row in rows]

    async def erased(self) -> ErasedList:
        """Return the list of what was erased."""
        return await self._engine.read(erasure_list.read_list)

    async def replay(self, others: ErasedList, progress: Progress | None = None) -> list[Receipt]:
        """Erase what another list tells and this vault still has, as where an older copy was restored."""
        async with self._at_work:
            await self._complete(None)
            targets = await self._engine.write(lambda connection: _targets(connection, others))
            receipts = []
            for target, before in targets:
                try:
                    job = await self._begin(target, before)
                except UserError:
                    # It went along with another identity of the same person.
                    continue
                receipts.append(await self._carry_out(job, progress))
            return receipts

    async def _begin(self, target: Target, before: int | None) -> Job:
        now = to_micros(self._clock.now())
        self.generation += 1
        return await self._engine.write(lambda c: erasure_step.begin(c, target, now, before=before))

    async def _complete(self, progress: Progress | None) -> list[Receipt]:
        done = []
        while (job := await self._engine.write(erasure_step.unfinished)) is not None:
            self.generation += 1
            done.append(await self._carry_out(job, progress))
        return done

    async def _carry_out(self, job: Job, progress: Progress | None) -> Receipt:
        while not job.is_complete:
            if progress is not None:
                progress(job.step / (len(STEPS) + 1))
            job = await self._engine.write(lambda connection, job=job: erasure_step.advance(connection, job))  # type: ignore[misc]
            if job.touched:
                self._turns.announce(job.touched)
        self._feed.tell_all()
        # What a message leaves behind is wiped where it lay; writing everything anew for it would take far too long.
        await self._engine.write_alone(_empty_log if job.scope.kind == "message" else _shrink)
        at = to_micros(self._clock.now())
        await self._engine.write(lambda connection: erasure_step.finish(connection, job, at))
        await self._engine.write_alone(_empty_log)
        self.generation += 1
        if progress is not None:
            progress(1.0)
        return _receipt(job.number, job.scope.kind, job.asked_at, at, json.dumps(job.counts))


def _shrink(connection: Connection) -> None:
    """Write the database anew without its free pages, and bring it into one file."""
    _empty_log(connection)
    connection.execute("VACUUM")
    _empty_log(connection)


def _empty_log(connection: Connection) -> None:
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _targets(connection: Connection, others: ErasedList) -> list[tuple[Target, int]]:
    """Take another list over, and return what of it is in this vault."""
    new = {one.digest: one for one in erasure_list.take_over(connection, others)}
    kinds = ("person", "channel", "message", "familiar")
    by_kind = {kind: [one.digest for one in new.values() if one.kind == kind] for kind in kinds}
    found: list[tuple[Target, int]] = []
    for digest, turn in erasure_list.messages_named(connection, others.key, by_kind["message"]).items():
        found.append((OfMessage(TurnId(turn)), new[digest].before))
    for digest, channel in erasure_list.channels_named(connection, others.key, by_kind["channel"]).items():
        found.append((OfChannel(ChannelId(channel)), new[digest].before))
    for digest, person in erasure_list.people_named(connection, others.key, by_kind["person"]).items():
        found.append((OfPerson(person), new[digest].before))
    for digest, familiar in erasure_list.familiars_named(connection, others.key, by_kind["familiar"]).items():
        found.append((OfFamiliar(FamiliarId(familiar)), new[digest].before))
    return found


def _halves(counts: Mapping[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    """Tell what was removed from what was only cleaned."""
    removed = {kind: count for kind, count in counts.items() if count and not kind.startswith("~")}
    return removed, {kind[1:]: count for kind, count in counts.items() if count and kind.startswith("~")}


def _receipt(number: int, kind: str, asked_at: int, finished_at: int | None, counts: str) -> Receipt:
    removed, redacted = _halves(Counter(json.loads(counts)))
    finished = None if finished_at is None else from_micros(finished_at)
    return Receipt(number, kind, from_micros(asked_at), finished, removed, redacted)  # type: ignore[arg-type]
