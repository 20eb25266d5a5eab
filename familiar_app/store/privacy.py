"""The privacy levels of people: set by operator turns, read before anything about somebody is written or shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from familiar_app.domain.clock import Clock
from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import FamiliarId, PersonKey, TurnId
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.store.engine import Engine
from familiar_app.store.moment import to_micros
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

        Raises UserError for the key of a familiar.
        """
        if person.startswith("ego:"):
            raise UserError("A familiar is no person, so it has no level of privacy.", "Choose a person.")

        def work(connection: Connection) -> list[TurnId] | None:
            catch_up(connection)
            if _own_levels(connection).get(person, PrivacyLevel.NONE) is level:
                return None
            act = Act("privacy", by, [{"op": "privacy", "person": person, "level": str(level)}])
            log_act(connection, ActPlace(familiar), act, to_micros(self._clock.now()))
            return veil_by_levels(connection)

        changed = await self._engine.write(work)
        if changed:
            self._announce(changed)
        return changed is not None


def read_levels(connection: Connection) -> dict[PersonKey, PrivacyLevel]:
    """Return everybody who wants something left out, with their level.

    Identities that count as one person have the strictest level of any of them.
    """
    own = _own_levels(connection)
    aliases = read_aliases(connection) if own else {}
    levels = dict(own)
    for person, level in own.items():
        for one in identities_of(aliases, person):
            levels[one] = max(level, levels.get(one, level), key=_ORDER.index)
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
                f"Nothing may be remembered about {person}, whose privacy level is '{levels[person]}'.",
                f"Leave {person} out, or lower the level with 'familiar person privacy {person} none'.",
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


def _own_levels(connection: Connection) -> dict[PersonKey, PrivacyLevel]:
    rows = connection.execute("SELECT person, level FROM person_privacy WHERE level <> 'none'")
    return {PersonKey(person): PrivacyLevel(level) for person, level in rows}
