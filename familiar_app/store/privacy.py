"""The privacy levels of people: set by operator turns, read before anything about somebody is written or shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from familiar_app.domain.clock import Clock
from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import FamiliarId, PersonKey, TurnId
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.text import tr
from familiar_app.store.engine import Engine
from familiar_app.store.erasure_list import forget_wish, wishes
from familiar_app.store.moment import to_micros
from familiar_app.store.opt_in import OPT_IN, read_chosen, read_opt_in, read_unasked
from familiar_app.store.owner_act import log_act as log_decision
from familiar_app.store.person_alias import identities_of, read_aliases
from familiar_app.store.saved_memory_log import Act, ActPlace, catch_up, log_act
from familiar_app.store.veil import draw

if TYPE_CHECKING:
    from sqlite3 import Connection

_ORDER = list(PrivacyLevel)


class Privacy:
    """The levels of one vault. Whoever has none set keeps everything."""

    def __init__(self, engine: Engine, clock: Clock, announce: Callable[[Sequence[TurnId]], None]) -> None:
        self._engine = engine
        self._clock = clock
        self._announce = announce

    async def get(self, person: PersonKey) -> PrivacyLevel:
        """Return somebody's level."""
        return (await self.levels()).get(person, PrivacyLevel.NONE)

    async def levels(self) -> dict[PersonKey, PrivacyLevel]:
        """Return everybody who wants something left out, with their level."""
        return await self._engine.read(read_levels)

    async def own_levels(self) -> dict[PersonKey, PrivacyLevel]:
        """Return the levels that were set, identity by identity."""
        return await self._engine.read(_own_levels)

    async def set(self, person: PersonKey, level: PrivacyLevel, *, familiar: FamiliarId, by: PersonKey) -> bool:
        """Set somebody's level by an operator turn of a familiar. False where it was that already.

        What somebody says themselves is kept as their choice even where nothing changes: it is an agreement. Raises
        UserError for the key of a familiar, and where somebody else would agree for a person who was not asked yet.
        """
        if person.startswith("ego:"):
            raise UserError(tr("A familiar is no person, so it has no level of privacy."), tr("Choose a person."))

        def work(connection: Connection) -> list[TurnId] | None:
            catch_up(connection)
            if not forget_wish(connection, person) and _is_set(connection, person, level, by):
                _refuse_to_agree(connection, person, level)
                return None
            act = Act("privacy", by, [{"op": "privacy", "person": person, "level": str(level)}])
            log_act(connection, ActPlace(familiar), act, to_micros(self._clock.now()))
            return veil_by_levels(connection)

        changed = await self._engine.write(work)
        if changed:
            self._announce(changed)
        return changed is not None

    async def opt_in_servers(self) -> frozenset[str]:
        """Return the servers on which nothing is kept about people who have not agreed."""
        return await self._engine.read(read_opt_in)

    async def unasked(self) -> frozenset[PersonKey]:
        """Return those who spoke on such a server and have chosen nothing yet."""
        return await self._engine.read(read_unasked)

    async def has_chosen(self, person: PersonKey) -> bool:
        """Tell whether somebody, under any of their identities, has ever chosen a level."""

        def work(connection: Connection) -> bool:
            return not read_chosen(connection).isdisjoint(identities_of(read_aliases(connection), person))

        return await self._engine.read(work)

    async def set_opt_in(self, server: str, on: bool, *, familiar: FamiliarId, by: PersonKey) -> bool:
        """Let a server ask people first, or not, by an operator turn of a familiar. False where it was so already."""

        def work(connection: Connection) -> bool:
            if (server in read_opt_in(connection)) == on:
                return False
            act = {"act": OPT_IN, "server": server, "on": on, "by": by}
            log_decision(connection, familiar, act, to_micros(self._clock.now()))
            return True

        changed = await self._engine.write(work)
        if changed:
            self._announce(())
        return changed


def read_levels(connection: Connection) -> dict[PersonKey, PrivacyLevel]:
    """Return everybody who wants something left out, with their level.

    Identities that count as one person have the strictest level of any of them. Whoever was not asked yet on a server
    that asks first has `partial`.
    """
    own = _own_levels(connection)
    aliases = read_aliases(connection) if own else {}
    levels = dict(own)
    for person, level in own.items():
        for one in identities_of(aliases, person):
            levels[one] = max(level, levels.get(one, level), key=_ORDER.index)
    for person in read_unasked(connection):
        levels.setdefault(person, PrivacyLevel.PARTIAL)
    return levels


def facts_about(connection: Connection, familiar: FamiliarId, people: Iterable[PersonKey]) -> list[int]:
    """Return the numbers of all facts that a familiar ever had about any of some people, in rising order."""
    found: set[int] = set()
    for person in people:
        rows = connection.execute(
            "SELECT fact FROM fact_subjects WHERE familiar = ? AND key = ? AND hidden = 0", (familiar, person)
        )
        found.update(number for (number,) in rows)
    return sorted(found)


def refuse_private(connection: Connection, people: Iterable[PersonKey]) -> None:
    """Raise UserError where nothing may be written down about one of some people."""
    levels = read_levels(connection)
    for person in people:
        if not levels.get(person, PrivacyLevel.NONE).allows_memories:
            raise UserError(
                tr(
                    "Nothing may be remembered about {person}, whose privacy level is '{level}'.",
                    person=person,
                    level=levels[person],
                ),
                tr(
                    "Leave {person} out, or lower the level with 'familiar person privacy {person} none'.",
                    person=person,
                ),
            )


def veil_by_levels(connection: Connection) -> list[TurnId]:
    """Hide what those at level `full` have said and show what others have; to be called where levels change.

    Returns the turns that changed.
    """
    catch_up(connection)
    levels = read_levels(connection)
    return draw(connection, [person for person, level in levels.items() if level is PrivacyLevel.FULL])


def private_names(
    connection: Connection, levels: Iterable[PersonKey], also: Iterable[tuple[PersonKey | None, str | None]] = ()
) -> set[str]:
    """Return every name that people who want something left out have or had; `also` has names known from elsewhere."""
    wanted = set(levels)
    names = {name for key, name in also if key in wanted and name}
    for person in wanted:
        rows = connection.execute("SELECT DISTINCT name FROM names WHERE person = ?", (person,))
        names.update(name for (name,) in rows)
    return names


def _is_set(connection: Connection, person: PersonKey, level: PrivacyLevel, by: PersonKey) -> bool:
    """Tell whether setting a level would change nothing."""
    if by == person and level is PrivacyLevel.NONE and person not in read_chosen(connection):
        return False
    return _own_levels(connection).get(person, PrivacyLevel.NONE) is level


def _refuse_to_agree(connection: Connection, person: PersonKey, level: PrivacyLevel) -> None:
    """Raise UserError where a level reads `none` already, and what keeps things out is that nobody asked the person."""
    if level is PrivacyLevel.NONE and person in read_unasked(connection):
        raise UserError(
            tr("A server this person spoke on asks first, and only they themselves can agree."),
            tr("They do so with /privacy on Discord."),
        )


def _own_levels(connection: Connection) -> dict[PersonKey, PrivacyLevel]:
    levels = wishes(connection) | dict(connection.execute("SELECT person, level FROM person_privacy").fetchall())
    return {PersonKey(person): PrivacyLevel(level) for person, level in levels.items() if level != PrivacyLevel.NONE}
