"""Servers on which nothing is kept about people who have not agreed, and who has not. Runs inside a transaction.

Whoever spoke on such a server and has chosen no level counts as having said `partial`. Choosing `none` themselves is
the agreement; where the owner set it, it is none. Of identities that count as one person, a choice of any of them is a
choice of all.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from familiar_app.domain.ids import PersonKey
from familiar_app.store.person_alias import identities_of, read_aliases

if TYPE_CHECKING:
    from sqlite3 import Connection

OPT_IN = "server_opt_in"
_ACTS = """SELECT content FROM turns INDEXED BY turns_server WHERE role = 'operator' AND mode GLOB 'server_*'
    AND deleted = 0 ORDER BY id"""
_SPEAKERS = """SELECT DISTINCT key FROM speakers INDEXED BY speakers_guild
    WHERE guild IN (SELECT value FROM json_each(?)) AND guild IS NOT NULL AND key NOT GLOB 'ego:*'"""


def read_opt_in(connection: Connection) -> frozenset[str]:
    """Return the servers that ask first."""
    found: dict[str, bool] = {}
    for (content,) in connection.execute(_ACTS):
        act = json.loads(content)
        found[act["server"]] = act["on"]
    return frozenset(server for server, on in found.items() if on)


def read_chosen(connection: Connection) -> set[PersonKey]:
    """Return everybody who wants something left out, or has agreed that nothing is."""
    rows = connection.execute("SELECT person FROM person_privacy WHERE level <> 'none' OR agreed")
    return {PersonKey(person) for (person,) in rows}


def read_unasked(connection: Connection) -> frozenset[PersonKey]:
    """Return those who spoke on a server that asks first, and have not chosen."""
    servers = read_opt_in(connection)
    if not servers:
        return frozenset()
    spoke = {PersonKey(key) for (key,) in connection.execute(_SPEAKERS, (json.dumps(sorted(servers)),))}
    chosen = read_chosen(connection)
    aliases = read_aliases(connection)
    people: set[PersonKey] = set()
    for person in spoke - chosen:
        identities = identities_of(aliases, person)
        if chosen.isdisjoint(identities):
            people.update(identities)
    return frozenset(people)


def not_agreed(connection: Connection, people: Iterable[PersonKey], server: str | None) -> frozenset[PersonKey]:
    """Return those of some people who are on a server that asks first and have not chosen, if they never spoke either.

    Empty for any other server.
    """
    if server is None or server not in read_opt_in(connection):
        return frozenset()
    chosen, aliases = read_chosen(connection), read_aliases(connection)
    return frozenset(one for one in people if chosen.isdisjoint(identities_of(aliases, one)))
