"""Several identities that the owner knows to be one person: who counts as whom, read from the owner's acts in the log.

Merging changes no turn and no fact. It only says under whose name an identity is shown, so taking it back leaves
everything as it was. Runs inside a transaction.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from familiar_app.domain.ids import PersonKey

if TYPE_CHECKING:
    from sqlite3 import Connection

MERGE, PART = "person_merge", "person_part"
Aliases = Mapping[PersonKey, PersonKey]
_ACTS = """SELECT content FROM turns INDEXED BY turns_person WHERE role = 'operator' AND mode GLOB 'person_*'
    AND deleted = 0 ORDER BY id"""


def read_aliases(connection: Connection) -> dict[PersonKey, PersonKey]:
    """Return which identity was merged into which, in the order in which that was done."""
    found: dict[PersonKey, PersonKey] = {}
    for (content,) in connection.execute(_ACTS):
        act = json.loads(content)
        alias = PersonKey(act["alias"])
        found.pop(alias, None)
        if act["act"] == MERGE:
            found[alias] = PersonKey(act["kept"])
    return found


def kept_of(aliases: Aliases, person: PersonKey) -> PersonKey:
    """Return the identity under which somebody is shown."""
    while person in aliases:
        person = aliases[person]
    return person


def identities_of(aliases: Aliases, person: PersonKey) -> tuple[PersonKey, ...]:
    """Return all identities of somebody: the one under which they are shown, then those merged into it."""
    kept = kept_of(aliases, person)
    return kept, *(alias for alias in aliases if kept_of(aliases, alias) == kept)
