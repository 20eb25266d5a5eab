"""The inbox of retirements: what was proposed and why, what hangs on it, and the owner's decisions about it.

Every decision is an operator turn (see `owner_act`), so it survives a rebuild and can be taken back by another one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from familiar_app.domain.fact import Fact, FactId
from familiar_app.domain.ids import FamiliarId, PersonKey
from familiar_app.domain.projection import Retirement, RetirementId, RetirementState
from familiar_app.store.engine import Engine
from familiar_app.store.fact import Facts
from familiar_app.store.fact_row import read_labels
from familiar_app.store.moment import to_micros
from familiar_app.store.retirement import list_retirements, read_retirement

if TYPE_CHECKING:
    from sqlite3 import Connection

_SEEN = "retirements_seen:{}"


@dataclass(frozen=True, slots=True)
class RetirementCase:
    """One proposal with what it takes to judge it.

    `labels` has today's names of the subjects of both facts. `reflections` counts those that cite the prior and would
    be stale without it; `dossiers` are the people whose portrait is written anew. `unseen` where it came after the
    owner last looked.
    """

    retirement: Retirement
    labels: Mapping[FactId, Mapping[PersonKey, str]]
    reflections: int
    dossiers: tuple[PersonKey, ...]
    unseen: bool


@dataclass(frozen=True, slots=True)
class RetirementCounts:
    """How many proposals wait for the owner, how many came since the owner looked, and how many there are."""

    waiting: int
    unseen: int
    total: int


class Retirements:
    """The inbox of one vault. Writes go through `Facts`, so that whoever follows facts hears of them."""

    def __init__(self, engine: Engine, facts: Facts) -> None:
        self._engine = engine
        self._facts = facts

    async def page(
        self,
        familiar: FamiliarId,
        *,
        state: RetirementState | None = None,
        limit: int = 50,
        before: RetirementId | None = None,
    ) -> list[RetirementCase]:
        """Return proposals, newest first, of one state or of all."""

        def work(connection: Connection) -> list[RetirementCase]:
            seen = _seen(connection, familiar)
            found = list_retirements(connection, familiar, state, limit, before)
            return [_case(connection, one, seen) for one in found]

        return await self._engine.read(work)

    async def get(self, number: RetirementId) -> RetirementCase | None:
        """Return one proposal, or None where it or one of its facts is gone."""

        def work(connection: Connection) -> RetirementCase | None:
            found = read_retirement(connection, number)
            return None if found is None else _case(connection, found, _seen(connection, found.familiar))

        return await self._engine.read(work)

    async def counts(self, familiar: FamiliarId) -> RetirementCounts:
        """Count what is in the inbox; cheap enough to be asked after every write."""

        def work(connection: Connection) -> RetirementCounts:
            row: tuple[Any, ...] = connection.execute(
                """SELECT coalesce(sum(state = 'waiting'), 0), coalesce(sum(proposed_at > ?), 0), count(*)
                FROM retirements WHERE familiar = ? AND proposed_by <> 'owner'""",
                (_seen(connection, familiar), familiar),
            ).fetchone()
            return RetirementCounts(*row)

        return await self._engine.read(work)

    async def mark_seen(self, familiar: FamiliarId, at: datetime) -> None:
        """Remember that the owner has looked at everything proposed up to `at`."""
        await self._engine.write(
            lambda c: c.execute(
                "INSERT INTO state VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2",
                (_SEEN.format(familiar), str(to_micros(at))),
            ).close()
        )

    async def accept(self, number: RetirementId) -> Fact:
        """Carry out a proposal that waits. Raises UserError where it does not wait any more."""
        return await self._facts.accept_retirement(number)

    async def refuse(self, number: RetirementId) -> Fact:
        """Turn down a proposal that waits; the same is not proposed again."""
        return await self._facts.refuse_retirement(number)

    async def undo(self, number: RetirementId) -> Fact:
        """Take back a retirement: the prior is believed again, and the same is not proposed again."""
        return await self._facts.undo_retirement(number)

    async def never(self, number: RetirementId) -> Fact:
        """Take back or turn down, whichever is due, and let neither of the two ever retire the other."""
        return await self._facts.never_retire(number)

    async def reopen(self, number: RetirementId) -> Fact:
        """Take back the owner's last decision: what was accepted or refused waits again, what was undone acts again."""
        return await self._facts.reopen_retirement(number)


def _case(connection: Connection, found: Retirement, seen: int) -> RetirementCase:
    prior = found.prior
    cited = connection.execute("SELECT count(*) FROM reflection_facts WHERE fact = ?", (prior.id,)).fetchone()[0]
    people = tuple(subject.key for subject in prior.subjects)
    return RetirementCase(
        retirement=found,
        labels=read_labels(connection, (prior, found.successor)),
        reflections=cited,
        dossiers=people,
        unseen=found.proposed_by != "owner" and to_micros(found.proposed_at) > seen,
    )


def _seen(connection: Connection, familiar: FamiliarId) -> int:
    row = connection.execute("SELECT value FROM state WHERE key = ?", (_SEEN.format(familiar),)).fetchone()
    return -(1 << 62) if row is None else int(row[0])
