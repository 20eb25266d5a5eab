"""People as the owner looks through them: who there is, and which identities count as one person."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from familiar_app.domain.clock import Clock
from familiar_app.domain.errors import UserError
from familiar_app.domain.fact import Fact
from familiar_app.domain.ids import FamiliarId, Lineage, PersonKey, TurnId
from familiar_app.domain.saved_memory.memory import GLOBAL_LINEAGE
from familiar_app.domain.text import tr
from familiar_app.domain.turn import Turn
from familiar_app.store.engine import Engine
from familiar_app.store.moment import to_micros
from familiar_app.store.owner_act import log_act
from familiar_app.store.person import label_of, own_names_of
from familiar_app.store.person_alias import MERGE, PART, identities_of, kept_of, read_aliases
from familiar_app.store.person_count import (
    MonthCount,
    Order,
    PersonRow,
    count_everybody,
    count_months,
    count_one,
    in_order,
    last_said,
    weightiest,
)
from familiar_app.store.privacy import veil_by_levels

if TYPE_CHECKING:
    from sqlite3 import Connection


@dataclass(frozen=True, slots=True)
class OnePerson:
    """An identity that others count as or that counts as another: all of them, the shown one first.

    `also` has what the others are called themselves, where that is something else.
    """

    identities: tuple[PersonKey, ...]
    also: tuple[str, ...]


class PersonPages:
    """People of one vault as a familiar knows them."""

    def __init__(self, engine: Engine, clock: Clock, announce: Callable[[Sequence[TurnId]], None]) -> None:
        self._engine = engine
        self._clock = clock
        self._announce = announce

    async def list(
        self, familiar: FamiliarId, *, search: str = "", order: Order = "last_seen", descending: bool = True
    ) -> builtins.list[PersonRow]:
        """Return everybody who spoke, was mentioned or is the subject of a fact; the familiar itself too.

        `search` finds those with it in a key or in any name they ever had. Costs a walk over all turns' speakers.
        """
        needle, now = search.strip().casefold(), to_micros(self._clock.now())
        rows = await self._engine.read(lambda connection: count_everybody(connection, familiar, needle, now))
        return in_order(rows, order, descending=descending)

    async def get(self, familiar: FamiliarId, person: PersonKey) -> PersonRow | None:
        """Return one person, whichever of their identities is named; None where nobody is known by it."""
        now = to_micros(self._clock.now())
        return await self._engine.read(lambda connection: count_one(connection, familiar, person, now))

    async def months(self, identities: Sequence[PersonKey]) -> builtins.list[MonthCount]:
        """Return how much was written in each month that has messages, the oldest first."""
        return await self._engine.read(lambda connection: count_months(connection, identities))

    async def last_said(self, identities: Sequence[PersonKey], *, limit: int) -> builtins.list[Turn]:
        """Return what somebody said last, the newest first."""
        return await self._engine.read(lambda connection: last_said(connection, identities, limit))

    async def weightiest(
        self, familiar: FamiliarId, identities: Sequence[PersonKey], *, limit: int
    ) -> builtins.list[Fact]:
        """Return what is believed of somebody today, the most important first."""
        now = to_micros(self._clock.now())
        return await self._engine.read(lambda connection: weightiest(connection, familiar, identities, now, limit))

    async def memories(self, identities: Sequence[PersonKey], lineage: Lineage) -> int:
        """Count the saved memories about somebody that a familiar of a lineage has and that are not retired."""
        sql = f"""SELECT count(*) FROM saved_memories WHERE scope = 'personal' AND retired_at IS NULL
            AND persona_lineage_id IN (?, ?) AND owner IN ({",".join("?" for _ in identities)})"""

        def work(connection: Connection) -> int:
            return int(connection.execute(sql, (lineage, GLOBAL_LINEAGE, *identities)).fetchone()[0])

        return await self._engine.read(work)

    async def merged(self, people: Sequence[PersonKey]) -> dict[PersonKey, OnePerson]:
        """Return those who are one person with other identities."""
        return await self._engine.read(lambda connection: _merged(connection, people))

    async def merge(self, alias: PersonKey, kept: PersonKey, *, familiar: FamiliarId) -> None:
        """Let an identity count as another one. Raises UserError where it counts as one already, or would as itself."""

        def work(connection: Connection) -> builtins.list[TurnId]:
            aliases = read_aliases(connection)
            if alias.startswith("ego:") or kept.startswith("ego:"):
                raise UserError(tr("A familiar is nobody else."), tr("Choose two people."))
            if alias in aliases:
                raise UserError(tr("This identity is merged already."), tr("Take it apart first."))
            if kept_of(aliases, kept) == alias:
                raise UserError(tr("These are one person already."), tr("Choose two people."))
            act = {"act": MERGE, "alias": alias, "kept": kept}
            log_act(connection, familiar, act, to_micros(self._clock.now()))
            return veil_by_levels(connection)

        if changed := await self._engine.write(work):
            self._announce(changed)

    async def part(self, alias: PersonKey, *, familiar: FamiliarId) -> PersonKey:
        """Let a merged identity stand for itself again, and return whom it counted as. Raises UserError if it does."""

        def work(connection: Connection) -> tuple[PersonKey, builtins.list[TurnId]]:
            aliases = read_aliases(connection)
            if alias not in aliases:
                raise UserError(
                    tr("This identity is not merged into another one."), tr("There is nothing to take apart.")
                )
            log_act(connection, familiar, {"act": PART, "alias": alias}, to_micros(self._clock.now()))
            return aliases[alias], veil_by_levels(connection)

        before, changed = await self._engine.write(work)
        if changed:
            self._announce(changed)
        return before


def _merged(connection: Connection, people: Sequence[PersonKey]) -> dict[PersonKey, OnePerson]:
    aliases = read_aliases(connection)
    if not aliases:
        return {}
    found: dict[PersonKey, OnePerson] = {}
    for person in people:
        identities = identities_of(aliases, person)
        if len(identities) > 1:
            label, *others = (label_of(one, own_names_of(connection, one)) for one in identities)
            found[person] = OnePerson(identities, tuple(dict.fromkeys(other for other in others if other != label)))
    return found
