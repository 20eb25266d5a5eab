"""How a familiar's memory does: what is said twice, what is never used, and what its projectors got and dropped.

Reads only. Facts are compared word by word, so `duplicates` reads the text of every fact that is believed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from familiar_app.domain.clock import Clock
from familiar_app.domain.duplicate import duplicates_of
from familiar_app.domain.fact import Fact, FactId
from familiar_app.domain.ids import FamiliarId, PersonKey
from familiar_app.store.engine import Engine
from familiar_app.store.fact_row import read_facts
from familiar_app.store.moment import from_micros, to_micros

if TYPE_CHECKING:
    from sqlite3 import Connection

_CURRENT = """FROM facts f INDEXED BY facts_current WHERE f.familiar = ?1 AND f.superseded_at IS NULL AND f.hidden = 0
    AND (f.valid_to IS NULL OR f.valid_to > ?2)"""
_UNUSED = (
    """AND NOT EXISTS (SELECT 1 FROM recalled r WHERE r.familiar = f.familiar AND r.kind = 'fact' AND r.id = f.id)"""
)

_DRAWN = """SELECT
    (SELECT count(*) FROM facts INDEXED BY facts_time WHERE familiar = ?1 AND hidden = 0),
    (SELECT count(*) FROM retirements WHERE familiar = ?1),
    (SELECT count(*) FROM ledger WHERE familiar = ?1 AND projector = 'people_dossier' AND NOT malformed),
    (SELECT count(*) FROM summaries WHERE familiar = ?1),
    (SELECT count(*) FROM reflections WHERE familiar = ?1),
    (SELECT count(*) FROM ledger WHERE familiar = ?1 AND malformed)"""


@dataclass(frozen=True, slots=True)
class ProjectorFigures:
    """What a projector got from models so far, answers that are no longer replayed included.

    `malformed` answers counted as empty, `last_malformed` tells whether the newest is one of them; `rejected` tells how
    often each guard dropped an item of an answer.
    """

    name: str
    answers: int
    malformed: int
    rejected: Mapping[str, int]
    tokens: int
    ms: float
    last_at: datetime
    last_malformed: bool = False


@dataclass(frozen=True, slots=True)
class MemoryHealth:
    """The figures of one familiar's memory. Facts are those that hold now; `duplicates` counts groups."""

    facts: int
    never_recalled: int
    duplicates: int
    projectors: tuple[ProjectorFigures, ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """How much was drawn from what was said, ever: two of these tell what a run brought. `portraits` were written."""

    facts: int
    proposals: int
    portraits: int
    stories: int
    thoughts: int
    malformed: int


@dataclass(frozen=True, slots=True)
class Use:
    """How often something was recalled into a prompt, and when last."""

    times: int
    last_at: datetime


class Health:
    """The figures of one vault."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    async def of(self, familiar: FamiliarId) -> MemoryHealth:
        """Return all figures. Reads the text of every fact that holds now: some 100 ms for 20,000."""

        def work(connection: Connection) -> MemoryHealth:
            values = (familiar, to_micros(self._clock.now()))
            facts = int(connection.execute(f"SELECT count(*) {_CURRENT}", values).fetchone()[0])
            unused = int(connection.execute(f"SELECT count(*) {_CURRENT} {_UNUSED}", values).fetchone()[0])
            groups = _duplicates(connection, *values)
            return MemoryHealth(facts, unused, len(groups), tuple(_figures(connection, familiar)))

        return await self._engine.read(work)

    async def drawn(self, familiar: FamiliarId) -> Drawn:
        """Return how much was drawn so far. Counts rows by their indexes."""

        def work(connection: Connection) -> Drawn:
            row = connection.execute(_DRAWN, (familiar,)).fetchone()
            return Drawn(*row)

        return await self._engine.read(work)

    async def duplicates(self, familiar: FamiliarId, *, limit: int = 100) -> list[tuple[Fact, ...]]:
        """Return groups of facts that say the same, oldest group first."""

        def work(connection: Connection) -> list[tuple[Fact, ...]]:
            groups = _duplicates(connection, familiar, to_micros(self._clock.now()))
            return [tuple(read_facts(connection, group)) for group in groups[:limit]]

        return await self._engine.read(work)

    async def never_recalled(
        self, familiar: FamiliarId, *, limit: int = 100, before: FactId | None = None
    ) -> list[Fact]:
        """Return facts that hold now and never stood in a prompt because they were recalled, newest first."""

        def work(connection: Connection) -> list[Fact]:
            rows = connection.execute(
                f"SELECT f.id {_CURRENT} {_UNUSED} AND f.id < ?3 ORDER BY f.id DESC LIMIT ?4",
                (familiar, to_micros(self._clock.now()), 1 << 62 if before is None else before, max(limit, 0)),
            )
            return read_facts(connection, [FactId(number) for (number,) in rows])

        return await self._engine.read(work)

    async def use(self, familiar: FamiliarId, kind: str, number: int) -> Use | None:
        """Return how often a fact, turn or memory was recalled into a prompt; None where it never was."""

        def work(connection: Connection) -> Use | None:
            row = connection.execute(
                "SELECT times, last_at FROM recalled WHERE familiar = ? AND kind = ? AND id = ?",
                (familiar, kind, number),
            ).fetchone()
            return None if row is None else Use(row[0], from_micros(row[1]))

        return await self._engine.read(work)


def _duplicates(connection: Connection, familiar: FamiliarId, now: int) -> list[tuple[FactId, ...]]:
    rows = connection.execute(
        f"""SELECT f.id, f.text, (SELECT json_group_array(s.key) FROM fact_subjects s WHERE s.fact = f.id)
        {_CURRENT}""",
        (familiar, now),
    )
    return duplicates_of(
        (FactId(number), text, frozenset(PersonKey(key) for key in json.loads(keys))) for number, text, keys in rows
    )


def _figures(connection: Connection, familiar: FamiliarId) -> list[ProjectorFigures]:
    rejected: dict[str, dict[str, int]] = {}
    for name, guard, count in connection.execute(
        """SELECT l.projector, j.key, sum(j.value) FROM ledger l, json_each(l.rejected) j
        WHERE l.familiar = ? AND l.rejected IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2""",
        (familiar,),
    ):
        rejected.setdefault(name, {})[guard] = count
    rows = connection.execute(
        """SELECT projector, count(*), sum(malformed), sum(tokens), sum(ms), max(at),
            sum(malformed AND id IN (SELECT max(id) FROM ledger WHERE familiar = ?1 GROUP BY projector))
        FROM ledger WHERE familiar = ?1 GROUP BY projector ORDER BY projector""",
        (familiar,),
    )
    return [
        ProjectorFigures(name, answers, malformed, rejected.get(name, {}), tokens, ms, from_micros(at), bool(last))
        for name, answers, malformed, tokens, ms, at, last in rows
    ]
