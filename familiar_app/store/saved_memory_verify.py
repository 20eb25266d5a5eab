"""Checks the tables of saved memories: rows against their last states, numbers of states, references, identities.

Yields the place and what is wrong there; texts are never named.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from familiar_app.domain.saved_memory.memory import content_identity
from familiar_app.domain.text import ntr, tr, tr_later
from familiar_app.store.saved_memory_log import pending

if TYPE_CHECKING:
    from sqlite3 import Connection

_PER_QUERY = 20

# Each query returns the ids that break its rule.
_RULES = (
    (tr_later("has another number of states than it says"),
     """SELECT m.id FROM saved_memories m WHERE m.states <>
        (SELECT count(*) FROM saved_memory_states s WHERE s.memory = m.id)"""),
    (tr_later("is not what its last act made of it"),
     """SELECT m.id FROM saved_memories m JOIN saved_memory_states s
        ON s.memory = m.id AND s.number = m.states WHERE s.content <> m.content OR s.tags <> m.tags
        OR s.scope <> m.scope OR s.owner <> m.owner OR s.persona_lineage_id <> m.persona_lineage_id
        OR s.retired <> (m.retired_at IS NOT NULL)"""),
    (tr_later("begins at another time than its first act"),
     """SELECT m.id FROM saved_memories m JOIN saved_memory_states s
        ON s.memory = m.id AND s.number = 1 WHERE s.at <> m.created_at"""),
    (tr_later("rests on an act that was removed"),
     """SELECT s.memory FROM saved_memory_states s JOIN turns t ON t.id = s.turn
        WHERE t.deleted OR t.role NOT IN ('tool', 'operator')"""),
    (tr_later("was learned from a turn that was removed"),
     """SELECT m.id FROM saved_memories m JOIN turns t
        ON t.id = m.source_turn WHERE t.deleted"""),
)  # fmt: skip


def saved_memory_problems(connection: Connection) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the saved memories. Reads every one of them."""
    for what, query in _RULES:
        for (number,) in connection.execute(query).fetchmany(_PER_QUERY):
            yield f"saved_memories {number}", tr(what)
    rows = connection.execute("SELECT id, content, identity FROM saved_memories")
    wrong = (number for number, content, marked in rows if content_identity(content) != marked)
    for _, number in zip(range(_PER_QUERY), wrong, strict=False):
        yield f"saved_memories {number}", tr("is filed under another identity than its content has")
    behind = pending(connection)
    if behind:
        yield (
            "saved_memories",
            ntr("{n} act of the log is not carried out", "{n} acts of the log are not carried out", behind),
        )
