"""Reads the times of all facts of a familiar at once, as columns for a picture that is never to ask the database.

Times are microseconds since 1970 in int64; an open end is `EVER` or `NEVER`. A row is the place of a fact in `ids`.
Texts come in a read of their own, because times are enough for the first picture.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from familiar_app.domain.ids import FamiliarId, PersonKey
from familiar_app.store.person import labels_of
from familiar_app.store.privacy import facts_about, read_levels
from familiar_app.store.schema_memory import EVER, NEVER

if TYPE_CHECKING:
    from sqlite3 import Connection

Column = NDArray[np.int64]

# Columns come joined into one text each: numpy reads that some times faster than Python makes a million numbers.
_FACTS = f"""SELECT group_concat(id, ' '), group_concat(coalesce(valid_from, {EVER}), ' '),
    group_concat(coalesce(valid_to, {NEVER}), ' '), group_concat(created_at, ' '),
    group_concat(coalesce(superseded_at, {NEVER}), ' '), group_concat(beliefs, ' ')
    FROM (SELECT id, valid_from, valid_to, created_at, superseded_at, beliefs FROM facts INDEXED BY facts_time
        WHERE familiar = ? AND hidden = 0 AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY id)"""
_SUCCESSORS = """SELECT group_concat(id, ' '), group_concat(superseded_by, ' ') FROM facts INDEXED BY facts_successor
    WHERE superseded_by IS NOT NULL AND familiar = ? AND beliefs = 1 AND hidden = 0
    AND id NOT IN (SELECT value FROM json_each(?))"""
_MANY_BELIEFS = f"""SELECT b.fact, b.since, coalesce(b.until, {NEVER}), coalesce(b.successor, 0)
    FROM facts f JOIN fact_beliefs b ON b.fact = f.id
    WHERE f.familiar = ? AND f.hidden = 0 AND f.beliefs > 1
    AND f.id NOT IN (SELECT value FROM json_each(?)) ORDER BY b.fact, b.number"""
_ABOUT = """SELECT key, count(*), group_concat(fact, ' ') FROM fact_subjects INDEXED BY fact_subjects_time
    WHERE familiar = ? AND hidden = 0 AND fact NOT IN (SELECT value FROM json_each(?)) GROUP BY key ORDER BY key"""
# A fact about people none of whom said it, known by the word of others: `domain.claim` in SQL.
_CLAIMS = """SELECT s.fact FROM fact_sources s JOIN facts f ON f.id = s.fact
    JOIN turns t ON t.id = s.turn JOIN speakers p ON p.id = t.speaker
    WHERE f.familiar = ? AND f.hidden = 0 AND EXISTS (SELECT 1 FROM fact_subjects a WHERE a.fact = s.fact)
    GROUP BY s.fact HAVING max(EXISTS (SELECT 1 FROM fact_subjects a WHERE a.fact = s.fact AND a.key = p.key)) = 0"""


@dataclass(frozen=True, slots=True, eq=False)
class FactSpans:
    """All facts of a familiar that are not hidden, by rising id, as columns of equal length `n`.

    Belief intervals are `m >= n` rows, by fact and in order: `belief_row` is the fact's row and `belief_successor` the
    row of the fact that ended the interval, -1 where none did. `about_row` and `about_person` pair facts with
    `people`; a fact about several stands there several times, one about nobody not at all.
    """

    ids: Column
    valid_from: Column
    valid_to: Column
    belief_row: Column
    belief_since: Column
    belief_until: Column
    belief_successor: Column
    about_row: Column
    about_person: Column
    people: tuple[PersonKey, ...]
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True, eq=False)
class FactWording:
    """What the facts of `ids` say, and which of them are known only by the word of others."""

    ids: Column
    texts: tuple[str, ...]
    claims: NDArray[np.bool_]


def read_spans(connection: Connection, familiar: FamiliarId) -> FactSpans:
    """Return the times of all facts of a familiar."""
    # Nothing is shown of those who want nothing remembered.
    asked = (familiar, json.dumps(facts_about(connection, familiar, read_levels(connection))))
    facts = _columns(connection.execute(_FACTS, asked).fetchone())
    facts = facts[np.argsort(facts[:, 0], kind="stable")]
    ids = facts[:, 0].copy()
    beliefs = _beliefs(connection, asked, facts)
    counted = connection.execute(_ABOUT, asked).fetchall()
    about = _columns((" ".join(joined for _, _, joined in counted),))[:, 0]
    people = tuple(PersonKey(key) for key, _, _ in counted)
    labels = labels_of(connection, people)
    return FactSpans(
        ids=ids,
        valid_from=facts[:, 1].copy(),
        valid_to=facts[:, 2].copy(),
        belief_row=rows_among(ids, beliefs[:, 0]),
        belief_since=beliefs[:, 1].copy(),
        belief_until=beliefs[:, 2].copy(),
        belief_successor=rows_among(ids, beliefs[:, 3]),
        about_row=rows_among(ids, about),
        about_person=np.repeat(
            np.arange(len(people), dtype=np.int64), np.array([count for _, count, _ in counted], np.int64)
        ),
        people=people,
        labels=tuple(labels[key] for key in people),
    )


def rows_among(ids: Column, wanted: Column) -> Column:
    """Return the place of each wanted id among rising `ids`, -1 where it is not there."""
    if not len(ids):
        return np.full(len(wanted), -1, dtype=np.int64)
    at = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    return np.where(ids[at] == wanted, at, -1).astype(np.int64)


def read_wording(connection: Connection, familiar: FamiliarId) -> FactWording:
    """Return the texts of all facts of a familiar, by rising id."""
    private = json.dumps(facts_about(connection, familiar, read_levels(connection)))
    rows = connection.execute(
        """SELECT id, text FROM facts WHERE familiar = ? AND hidden = 0
        AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY id""",
        (familiar, private),
    ).fetchall()
    ids = np.fromiter((number for number, _ in rows), np.int64, len(rows))
    claimed = [number for (number,) in connection.execute(_CLAIMS, (familiar,))]
    return FactWording(ids, tuple(text for _, text in rows), np.isin(ids, np.array(claimed, np.int64)))


def _beliefs(connection: Connection, asked: tuple[str, str], facts: Column) -> Column:
    """Return (fact, since, until, successor's id or 0), by fact and in order; the stamps do where there is one."""
    successor = np.zeros(len(facts), np.int64)
    known = _columns(connection.execute(_SUCCESSORS, asked).fetchone())
    successor[np.searchsorted(facts[:, 0], known[:, 0])] = known[:, 1]
    once = facts[:, 5] == 1
    single = np.column_stack((facts[:, 0], facts[:, 3], facts[:, 4], successor))[once]
    rows = connection.execute(_MANY_BELIEFS, asked).fetchall()
    whole: Column = np.concatenate((single, np.array(rows, dtype=np.int64).reshape(len(rows), 4)))
    return whole[np.argsort(whole[:, 0], kind="stable")]


def _columns(joined: tuple[str | None, ...]) -> Column:
    """Return texts of numbers as the columns of an array; None stands for no number at all."""
    parts = [np.fromstring(text or "", dtype=np.int64, sep=" ") for text in joined]
    return np.column_stack(parts)
