"""Reflections as the owner looks through them: page by page, with what became of the facts behind stale ones."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from familiar_app.domain.clock import Clock
from familiar_app.domain.fact import Fact, FactId
from familiar_app.domain.ids import ChannelId, FamiliarId
from familiar_app.domain.projection import Reflection, ReflectionId
from familiar_app.store.engine import Engine
from familiar_app.store.fact_row import read_facts
from familiar_app.store.reflection import read_reflections
from familiar_app.store.reflection_mark import MarkAct, ReflectionMarks, mark, read_marks

if TYPE_CHECKING:
    from sqlite3 import Connection

Which = Literal["shown", "pinned", "stale", "hidden"]
_STALE = """EXISTS (SELECT 1 FROM reflection_facts c JOIN facts f ON f.id = c.fact
    WHERE c.reflection = r.id AND f.superseded_at IS NOT NULL)"""
_AMONG = "IN (SELECT value FROM json_each(?))"


@dataclass(frozen=True, slots=True)
class Lapsed:
    """A cited fact that is not believed any more: since when, and what took its place."""

    fact: Fact
    at: datetime
    by: Fact | None


@dataclass(frozen=True, slots=True)
class ReflectionCase:
    """A reflection with the owner's marks and the cited facts that have lapsed."""

    reflection: Reflection
    pinned: bool
    hidden: bool
    lapsed: tuple[Lapsed, ...]


@dataclass(frozen=True, slots=True)
class ReflectionFilter:
    """Which reflections are wanted. Without a channel those of all; `anywhere` asks for those of no channel."""

    which: Which = "shown"
    channel: ChannelId | None = None
    anywhere: bool = False


ALL = ReflectionFilter()


class ReflectionPages:
    """Reflections of one vault, newest first, with the owner's marks on them."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    async def page(
        self,
        familiar: FamiliarId,
        wanted: ReflectionFilter = ALL,
        *,
        before: ReflectionId | None = None,
        limit: int = 25,
    ) -> list[ReflectionCase]:
        """Return a page of reflections."""

        def work(connection: Connection) -> list[ReflectionCase]:
            marks = read_marks(connection, familiar)
            where, values = _where(familiar, wanted, marks)
            if before is not None:
                where, values = f"{where} AND r.id < ?", [*values, before]
            found = read_reflections(connection, f"{where} ORDER BY r.id DESC LIMIT ?", (*values, max(limit, 0)))
            return _cases(connection, found, marks)

        return await self._engine.read(work)

    async def around(self, reflection: ReflectionId) -> ReflectionCase | None:
        """Return one reflection, hidden or not; None where it is gone."""

        def work(connection: Connection) -> ReflectionCase | None:
            found = read_reflections(connection, "r.id = ?", (reflection,))
            return _cases(connection, found, read_marks(connection, found[0].familiar))[0] if found else None

        return await self._engine.read(work)

    async def down_to(
        self, familiar: FamiliarId, wanted: ReflectionFilter, reflection: ReflectionId
    ) -> list[ReflectionId]:
        """Return the numbers from the newest one down to a reflection."""

        def work(connection: Connection) -> list[ReflectionId]:
            where, values = _where(familiar, wanted, read_marks(connection, familiar))
            sql = f"SELECT r.id FROM reflections r WHERE {where} AND r.id >= ? ORDER BY r.id DESC"
            return [ReflectionId(number) for (number,) in connection.execute(sql, (*values, reflection))]

        return await self._engine.read(work)

    async def count(self, familiar: FamiliarId, wanted: ReflectionFilter = ALL) -> int:
        """Count the reflections that all pages together have."""

        def work(connection: Connection) -> int:
            where, values = _where(familiar, wanted, read_marks(connection, familiar))
            return int(connection.execute(f"SELECT count(*) FROM reflections r WHERE {where}", values).fetchone()[0])

        return await self._engine.read(work)

    async def channels(self, familiar: FamiliarId) -> list[ChannelId | None]:
        """Return the channels that have reflections, None for those of no channel, the newest first."""
        sql = "SELECT channel FROM reflections WHERE familiar = ? GROUP BY channel ORDER BY max(id) DESC"

        def work(connection: Connection) -> list[ChannelId | None]:
            return [None if row[0] is None else ChannelId(row[0]) for row in connection.execute(sql, (familiar,))]

        return await self._engine.read(work)

    async def mark(self, reflection: ReflectionId, act: MarkAct) -> None:
        """Pin or hide a reflection, or take that back; it is logged. Raises UserError where it is gone."""
        await self._engine.write(lambda connection: mark(connection, reflection, act, self._clock.now()))


def _where(familiar: FamiliarId, wanted: ReflectionFilter, marks: ReflectionMarks) -> tuple[str, list[object]]:
    terms, values = ["r.familiar = ?"], list[object]((familiar,))
    if wanted.anywhere:
        terms.append("r.channel IS NULL")
    elif wanted.channel is not None:
        terms.append("r.channel = ?")
        values.append(wanted.channel)
    if wanted.which == "pinned":
        terms.append(f"r.id {_AMONG}")
        values.append(json.dumps(sorted(marks.pinned)))
    elif wanted.which == "hidden" or marks.hidden:
        terms.append(f"r.id {'' if wanted.which == 'hidden' else 'NOT '}{_AMONG}")
        values.append(json.dumps(sorted(marks.hidden)))
    if wanted.which == "stale":
        terms.append(_STALE)
    return " AND ".join(terms), values


def _cases(connection: Connection, found: Sequence[Reflection], marks: ReflectionMarks) -> list[ReflectionCase]:
    cited = _by_number(connection, (fact for one in found if one.stale for fact in one.cited_facts))
    others = _by_number(connection, (fact.superseded_by for fact in cited.values()))
    return [
        ReflectionCase(
            reflection=one,
            pinned=one.id in marks.pinned,
            hidden=one.id in marks.hidden,
            lapsed=tuple(
                Lapsed(fact, fact.superseded_at, others.get(fact.superseded_by))
                for fact in (cited.get(number) for number in one.cited_facts)
                if fact is not None and fact.superseded_at is not None
            ),
        )
        for one in found
    ]


def _by_number(connection: Connection, numbers: Iterable[FactId | None]) -> dict[FactId | None, Fact]:
    wanted = list(dict.fromkeys(number for number in numbers if number is not None))
    return {fact.id: fact for fact in read_facts(connection, wanted)} if wanted else {}
