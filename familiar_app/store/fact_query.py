"""Answers the four questions about facts in SQL: what is true, what was true, what was believed, and both at once.

Every question is one walk along an index, newest first, in which all that decides stands; texts are read only for the
facts of the page (and, in a search, for those the times let through). `domain.fact` says the same in plain Python.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from familiar_app.domain.audience import Audience
from familiar_app.domain.fact import Fact, FactId
from familiar_app.domain.ids import FamiliarId, PersonKey
from familiar_app.store.fact_row import read_facts
from familiar_app.store.moment import to_micros
from familiar_app.store.privacy import read_levels
from familiar_app.store.provenance import closed_to

if TYPE_CHECKING:
    from sqlite3 import Connection

NO_IMPORTANCE = 5
"""The weight of a fact that was given none."""
# How many texts a search reads at once.
_BLOCK = 500
_WAS_BELIEVED = """(m.beliefs = 1 OR EXISTS (SELECT 1 FROM fact_beliefs b WHERE b.fact = m.{number} AND b.since <= ?
    AND (b.until IS NULL OR b.until > ?)))"""


_NOT_ABOUT = """NOT EXISTS (SELECT 1 FROM fact_subjects p WHERE p.fact = m.{number}
    AND p.key IN (SELECT value FROM json_each(?)))"""


@dataclass(frozen=True, slots=True)
class FactQuestion:
    """Which facts are wanted: see `Facts.page`."""

    familiar: FamiliarId
    now: datetime
    as_of: datetime | None = None
    known_at: datetime | None = None
    subject: PersonKey | None = None
    search: str = ""
    include_retired: bool = False
    limit: int = 100
    before: FactId | None = None
    audience: Audience | None = None


def page(connection: Connection, question: FactQuestion) -> list[Fact]:
    """Return a page of facts, newest first."""
    found = _matching(connection, question)
    chosen = list(islice(found, max(question.limit, 0)))
    return read_facts(connection, chosen, question.known_at)


def weightiest(connection: Connection, question: FactQuestion, most: int) -> list[Fact]:
    """Return the `most` weightiest of the facts that `page` would show, of equal ones the newest first."""
    found = list(islice(_matching(connection, question), max(question.limit, 0)))
    rows = connection.execute(
        "SELECT f.id, f.importance FROM json_each(?) j JOIN facts f ON f.id = j.value", (json.dumps(found),)
    )
    weight = {number: NO_IMPORTANCE if importance is None else importance for number, importance in rows}
    return read_facts(connection, sorted(found, key=lambda one: (-weight[one], -one))[:most], question.known_at)


def count(connection: Connection, question: FactQuestion) -> int:
    """Count the facts that `page` would show without a limit."""
    return sum(1 for _ in _matching(connection, question))


def _matching(connection: Connection, question: FactQuestion) -> Iterator[FactId]:
    if question.search.strip():
        yield from _searched(connection, question)
        return
    sql, values = _statement(question, read_levels(connection))
    for (number,) in connection.execute(sql, values):
        yield FactId(number)


def _searched(connection: Connection, question: FactQuestion) -> Iterator[FactId]:
    needle = question.search.strip().casefold()
    sql, values = _statement(question, read_levels(connection))
    numbers = connection.execute(sql, values)
    while block := numbers.fetchmany(_BLOCK):
        marks = ",".join("?" for _ in block)
        rows = connection.execute(
            f"SELECT id, text FROM facts WHERE id IN ({marks}) ORDER BY id DESC", [number for (number,) in block]
        )
        for number, text in rows.fetchall():
            if needle in text.casefold():
                yield FactId(number)


def _statement(question: FactQuestion, private: Collection[PersonKey] = ()) -> tuple[str, list[object]]:
    """Return a statement that gives the numbers of the facts asked for, newest first."""
    table, number = ("facts", "id") if question.subject is None else ("fact_subjects", "fact")
    terms: list[str] = ["m.hidden = 0", "m.familiar = ?"]
    values: list[object] = [question.familiar]
    if question.subject is not None:
        terms.append("m.key = ?")
        values.append(question.subject)
    if question.before is not None:
        terms.append(f"m.{number} < ?")
        values.append(question.before)
    if private:
        terms.append(_NOT_ABOUT.format(number=number))
        values.append(json.dumps(sorted(private)))
    if question.audience is not None and not question.audience.everything:
        closed, places = closed_to(question.audience, f"m.{number}")
        terms.append(f"NOT {closed}")
        values.extend(places)
    # Named, so that retired facts by the thousand are not walked through.
    index = "" if question.include_retired else f"INDEXED BY {table}_current"
    source, order = f"{table} m {index}", f"m.{number} DESC"
    if question.as_of is not None or question.known_at is not None:
        source, order = f"fact_blocks k CROSS JOIN {table} m", f"k.block DESC, m.{number} DESC"
        terms.append(f"m.{number} BETWEEN k.block << 8 AND k.block << 8 | 255")
    for term, instants in _clocks(question, number):
        terms.append(term)
        values.extend(to_micros(instant) for instant in instants)
    return f"SELECT m.{number} AS number FROM {source} WHERE {' AND '.join(terms)} ORDER BY {order}", values


def _clocks(question: FactQuestion, number: str) -> Iterator[tuple[str, tuple[datetime, ...]]]:
    as_of, known_at = question.as_of, question.known_at
    if as_of is None and known_at is None and not question.include_retired:
        yield "m.superseded_at IS NULL", ()
        yield "(m.valid_to IS NULL OR m.valid_to > ?)", (question.now,)
    if as_of is not None:
        yield "k.valid_from <= ? AND k.valid_to > ?", (as_of, as_of)
        yield "(m.valid_from IS NULL OR m.valid_from <= ?)", (as_of,)
        yield "(m.valid_to IS NULL OR m.valid_to > ?)", (as_of,)
    if known_at is not None:
        yield "k.created_from <= ? AND m.created_at <= ?", (known_at, known_at)
        if not question.include_retired:
            yield "k.believed_to > ? AND (m.superseded_at IS NULL OR m.superseded_at > ?)", (known_at, known_at)
            yield _WAS_BELIEVED.format(number=number), (known_at, known_at)
