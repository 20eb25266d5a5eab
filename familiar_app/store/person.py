"""People: everybody who spoke or was mentioned, and what they were called when."""

from __future__ import annotations

import builtins
import json
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from familiar_app.domain.ids import PersonKey
from familiar_app.domain.turn import NameSpan, Person
from familiar_app.store.engine import Engine
from familiar_app.store.moment import from_micros
from familiar_app.store.person_alias import kept_of, read_aliases

if TYPE_CHECKING:
    from sqlite3 import Connection

# What somebody is called today: the first of these kinds that is known, else the bare id.
_LABEL_ORDER = ("nickname", "global_name", "name", "username")
_STATISTICS = """SELECT p.key, p.bot, count(t.id), min(t.at), max(t.at)
    FROM people p LEFT JOIN speakers s ON s.key = p.key LEFT JOIN turns t ON t.speaker = s.id"""


class People:
    """People of one vault. They are recorded when turns are appended; here they are read."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def list(self, *, search: str = "") -> builtins.list[Person]:
        """Return people, the one who spoke last first; with `search`, those with it in their key or any name."""

        def work(connection: Connection) -> builtins.list[Person]:
            names = all_names(connection)
            rows = connection.execute(f"{_STATISTICS} GROUP BY p.key ORDER BY max(t.at) IS NULL, max(t.at) DESC, p.key")
            people = [_person(row, names.get(row[0], [])) for row in rows]
            needle = search.casefold()
            return [person for person in people if _matches(person, needle)]

        return await self._engine.read(work)

    async def get(self, key: PersonKey) -> Person | None:
        """Return one person with their names over time, or None."""

        def work(connection: Connection) -> Person | None:
            row = connection.execute(f"{_STATISTICS} WHERE p.key = ? GROUP BY p.key", (key,)).fetchone()
            return None if row is None else _person(row, _names(connection, {key}).get(key, []))

        return await self._engine.read(work)

    async def spelt(self, key: PersonKey) -> PersonKey:
        """Return the key of somebody known that differs in the case or form of its letters alone, the oldest one.

        Where there is nobody, it is `key`; somebody of exactly this key comes first.
        """

        def work(connection: Connection) -> PersonKey:
            platform = key.partition(":")[0]
            rows = connection.execute(
                """SELECT key FROM people p WHERE key >= ? AND key < ?
                ORDER BY (SELECT min(id) FROM names n WHERE n.person = p.key), key""",
                (f"{platform}:", f"{platform};"),
            )
            known = [PersonKey(row[0]) for row in rows]
            alike = [one for one in known if _letters(one) == _letters(key)]
            return key if key in alike or not alike else alike[0]

        return await self._engine.read(work)

    async def label(self, key: PersonKey, *, guild: str | None = None) -> str:
        """Return what somebody is called today, in a guild or in general."""
        return (await self.labels((key,), guild=guild))[key]

    async def labels(self, keys: Sequence[PersonKey], *, guild: str | None = None) -> dict[PersonKey, str]:
        """Return what several people are called today, in a guild or in general."""

        def work(connection: Connection) -> dict[PersonKey, str]:
            return {key: label_of(key, spans, guild) for key, spans in names_of_each(connection, keys).items()}

        return await self._engine.read(work)

    async def called(self) -> dict[PersonKey, str]:
        """Return what everybody is called today who spoke or was mentioned; of merged identities, the kept one.

        Reads names, and no turns.
        """

        def work(connection: Connection) -> dict[PersonKey, str]:
            aliases = read_aliases(connection)
            keys = [PersonKey(key) for (key,) in connection.execute("SELECT key FROM people ORDER BY key")]
            return labels_of(connection, [key for key in keys if key not in aliases])

        return await self._engine.read(work)


def _letters(key: PersonKey) -> str:
    return unicodedata.normalize("NFKC", key).casefold()


def label_of(key: PersonKey, names: builtins.list[NameSpan], guild: str | None = None) -> str:
    """Choose among the names that still hold: guild nickname, global name, newest display name, username, bare id."""
    current = [span for span in names if span.until is None]
    for kind in _LABEL_ORDER:
        for span in current:
            if span.kind == kind and (kind != "nickname" or (guild is not None and span.guild == guild)):
                return span.name
    return key.partition(":")[2] or key


def names_of(connection: Connection, key: PersonKey) -> builtins.list[NameSpan]:
    """Return every name of whom somebody counts as (see `person_alias`), the oldest first."""
    return names_of_each(connection, (key,))[key]


def names_of_each(connection: Connection, keys: Iterable[PersonKey]) -> dict[PersonKey, builtins.list[NameSpan]]:
    """Return the same for several people, by one question."""
    aliases = read_aliases(connection)
    kept = {key: kept_of(aliases, key) for key in keys}
    names = _names(connection, set(kept.values())) if kept else {}
    return {key: names.get(one, []) for key, one in kept.items()}


def labels_of(connection: Connection, keys: Iterable[PersonKey]) -> dict[PersonKey, str]:
    """Return what these people are called today, in general."""
    names, aliases = all_names(connection), read_aliases(connection)
    return {key: label_of(key, names.get(kept_of(aliases, key), [])) for key in keys}


def own_names_of(connection: Connection, key: PersonKey) -> builtins.list[NameSpan]:
    """Return every name an identity has had itself, the oldest first."""
    return _names(connection, {key}).get(key, [])


def all_names(connection: Connection) -> dict[PersonKey, builtins.list[NameSpan]]:
    """Return every name of everybody, the oldest first."""
    return _names(connection, None)


def _names(connection: Connection, keys: Collection[PersonKey] | None) -> dict[PersonKey, builtins.list[NameSpan]]:
    where = "" if keys is None else "WHERE person IN (SELECT value FROM json_each(?))"
    values = () if keys is None else (json.dumps(list(keys)),)
    rows = connection.execute(
        f"SELECT person, name, kind, since, until, guild FROM names {where} ORDER BY since, id", values
    )
    found: dict[PersonKey, builtins.list[NameSpan]] = {}
    for person, name, kind, since, until, guild in rows:
        end = None if until is None else from_micros(until)
        found.setdefault(PersonKey(person), []).append(NameSpan(name, kind, from_micros(since), end, guild or None))
    return found


def _person(row: tuple[Any, ...], names: builtins.list[NameSpan]) -> Person:
    key = PersonKey(row[0])
    return Person(
        key=key,
        label=label_of(key, names),
        bot=bool(row[1]),
        turns=row[2],
        first_seen_at=None if row[3] is None else from_micros(row[3]),
        last_seen_at=None if row[4] is None else from_micros(row[4]),
        names=tuple(names),
    )


def _matches(person: Person, needle: str) -> bool:
    return needle in person.key.casefold() or any(needle in span.name.casefold() for span in person.names)
