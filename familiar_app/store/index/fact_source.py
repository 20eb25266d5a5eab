"""Reads facts for the index, one document for each stretch of time in which a fact was believed."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import TYPE_CHECKING

from familiar_app.store.index.text_index import FACT, NEVER, FactDocument

if TYPE_CHECKING:
    from sqlite3 import Connection

_SELECT = """SELECT f.id, f.familiar, f.channel, (SELECT json_group_array(DISTINCT t.channel) FROM fact_sources o
        JOIN turns t ON t.id = o.turn WHERE o.fact = f.id), f.text, f.valid_from, f.valid_to, b.since, b.until,
    (SELECT json_group_array(s.key) FROM fact_subjects s WHERE s.fact = f.id)
    FROM facts f JOIN fact_beliefs b ON b.fact = f.id WHERE f.hidden = 0"""


def facts_of(connection: Connection, ids: Collection[int]) -> list[FactDocument]:
    """Return the documents of some facts; those that are hidden or gone have none."""
    rows = f"{_SELECT} AND f.id IN (SELECT value FROM json_each(?))"
    return _documents(connection, rows, (json.dumps(list(ids)),))


def facts_before(connection: Connection, below: int, limit: int) -> list[FactDocument]:
    """Return all documents of the newest `limit` facts with lower numbers than `below`, newest first."""
    chosen = "SELECT n.id FROM facts n WHERE n.id < ? AND n.hidden = 0 ORDER BY n.id DESC LIMIT ?"
    return _documents(connection, f"{_SELECT} AND f.id IN ({chosen}) ORDER BY f.id DESC, b.number", (below, limit))


def _documents(connection: Connection, statement: str, values: tuple[object, ...]) -> list[FactDocument]:
    return [
        FactDocument(
            id=row[0],
            kind=FACT,
            familiar=row[1],
            channels=sorted({one for one in (row[2], *json.loads(row[3])) if one is not None}),
            people=tuple(json.loads(row[9])),
            text=row[4],
            true_from=-NEVER if row[5] is None else row[5],
            true_until=NEVER if row[6] is None else row[6],
            believed_from=row[7],
            believed_until=NEVER if row[8] is None else row[8],
        )
        for row in connection.execute(statement, values)
    ]
