"""Checks the tables of facts: identities, stamps against belief intervals, repeated times, bounds, references.

Yields the place and what is wrong there; texts are never named.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from familiar_app.domain.fact_text import identity
from familiar_app.domain.text import tr, tr_later
from familiar_app.store.schema_memory import EVER, NEVER

if TYPE_CHECKING:
    from sqlite3 import Connection

_PER_QUERY = 20

# Each query returns the ids that break its rule.
_RULES = (
    ("facts", tr_later("begins at another time than its first belief"),
     """SELECT f.id FROM facts f LEFT JOIN fact_beliefs b
        ON b.fact = f.id AND b.number = 1 WHERE b.since IS NULL OR b.since <> f.created_at"""),
    ("facts", tr_later("ends otherwise than its last belief"),
     """SELECT f.id FROM facts f JOIN fact_beliefs b ON b.fact = f.id
        AND b.number = f.beliefs WHERE b.until IS NOT f.superseded_at OR b.successor IS NOT f.superseded_by"""),
    ("facts", tr_later("has another number of beliefs than it says"),
     """SELECT f.id FROM facts f WHERE f.beliefs <>
        (SELECT count(*) FROM fact_beliefs b WHERE b.fact = f.id)"""),
    ("facts", tr_later("ends in the world before it begins"),
     "SELECT id FROM facts WHERE valid_to <= valid_from"),
    ("facts", tr_later("was replaced by itself"),
     "SELECT id FROM facts WHERE superseded_by = id"),
    ("facts", tr_later("was replaced by a fact of another familiar"),
     """SELECT f.id FROM facts f JOIN facts s
        ON s.id = f.superseded_by WHERE s.familiar <> f.familiar"""),
    ("facts", tr_later("is replaced but not retired"),
     """SELECT id FROM facts WHERE superseded_by IS NOT NULL
        AND superseded_at IS NULL"""),
    ("facts", tr_later("is hidden but still believed"),
     "SELECT id FROM facts WHERE hidden AND superseded_at IS NULL"),
    ("facts", "lies outside the bounds of its block", f"""SELECT f.id FROM facts f LEFT JOIN fact_blocks k
        ON k.block = f.id >> 8 WHERE k.block IS NULL OR k.created_from > f.created_at
        OR k.believed_to < coalesce(f.superseded_at, {NEVER}) OR k.valid_from > coalesce(f.valid_from, {EVER})
        OR k.valid_to < coalesce(f.valid_to, {NEVER})"""),
    ("fact_subjects", tr_later("has other times than its fact"),
     """SELECT s.fact FROM fact_subjects s JOIN facts f
        ON f.id = s.fact WHERE s.familiar <> f.familiar OR s.valid_from IS NOT f.valid_from OR s.valid_to IS NOT
        f.valid_to OR s.created_at <> f.created_at OR s.superseded_at IS NOT f.superseded_at
        OR s.beliefs <> f.beliefs OR s.hidden <> f.hidden"""),
    ("fact_sources", tr_later("cites a deleted turn"),
     """SELECT s.fact FROM fact_sources s JOIN turns t ON t.id = s.turn
        WHERE t.deleted"""),
    ("fact_beliefs", tr_later("ends before it begins"),
     "SELECT fact FROM fact_beliefs WHERE until < since"),
    ("fact_beliefs", tr_later("is open before the last one"),
     """SELECT b.fact FROM fact_beliefs b WHERE b.until IS NULL
        AND EXISTS (SELECT 1 FROM fact_beliefs n WHERE n.fact = b.fact AND n.number > b.number)"""),
    ("fact_beliefs", tr_later("is open although its end has a cause"),
     """SELECT fact FROM fact_beliefs
        WHERE (until IS NULL) <> (end_cause IS NULL) OR (until IS NULL AND successor IS NOT NULL)"""),
    ("fact_beliefs", tr_later("begins before the one before it ends"),
     """SELECT b.fact FROM fact_beliefs b JOIN fact_beliefs n
        ON n.fact = b.fact AND n.number = b.number + 1 WHERE n.since < b.until"""),
    ("reflections", tr_later("cites nothing"),
     """SELECT id FROM reflections r WHERE NOT EXISTS (SELECT 1 FROM reflection_turns t
        WHERE t.reflection = r.id) AND NOT EXISTS (SELECT 1 FROM reflection_facts c WHERE c.reflection = r.id)"""),
    ("retirements", tr_later("retires a fact for itself"),
     "SELECT id FROM retirements WHERE prior = successor"),
)  # fmt: skip


def fact_problems(connection: Connection) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the facts and what is drawn from them. Reads every fact."""
    for table, what, query in _RULES:
        for (number,) in connection.execute(query).fetchmany(_PER_QUERY):
            yield f"{table} {number}", tr(what)
    yield from _circles(connection)
    yield from _identities(connection)


def _circles(connection: Connection) -> Iterator[tuple[str, str]]:
    rows = connection.execute("SELECT id, superseded_by FROM facts WHERE superseded_by IS NOT NULL ORDER BY id")
    pointers: dict[int, int] = dict(rows)
    settled: set[int] = set()
    for start in pointers:
        path: dict[int, None] = {}
        here: int | None = start
        while here is not None and here not in settled and here not in path:
            path[here] = None
            here = pointers.get(here)
        if here in path:
            yield f"facts {here}", tr("is replaced in a circle")
        settled.update(path)


def _identities(connection: Connection) -> Iterator[tuple[str, str]]:
    rows = connection.execute(
        """SELECT f.id, f.text, f.identity, (SELECT json_group_array(s.key) FROM fact_subjects s WHERE s.fact = f.id)
        FROM facts f"""
    )
    wrong = (number for number, text, marked, keys in rows if identity(text, json.loads(keys)) != marked)
    for _, number in zip(range(_PER_QUERY), wrong, strict=False):
        yield f"facts {number}", tr("is filed under another identity than its text and subjects have")
