"""Stores and reads reflections with what they cite. Runs inside a transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from familiar_app.domain.audience import Audience
from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import ChannelId, FamiliarId, PersonKey, TurnId
from familiar_app.domain.projection import NewReflection, Reflection, ReflectionId
from familiar_app.store.moment import from_micros, to_micros
from familiar_app.store.provenance import closed_to
from familiar_app.store.reflection_mark import read_marks
from familiar_app.store.written import NOW, WRITTEN_BY, Moment

if TYPE_CHECKING:
    from datetime import datetime
    from sqlite3 import Connection

_SELECT = """SELECT r.id, r.familiar, r.channel, r.text, r.last_turn_id, r.last_fact_id, r.created_at,
    (SELECT group_concat(turn) FROM reflection_turns t WHERE t.reflection = r.id),
    (SELECT group_concat(fact) FROM reflection_facts c WHERE c.reflection = r.id),
    EXISTS (SELECT 1 FROM reflection_facts c JOIN facts f ON f.id = c.fact
        WHERE c.reflection = r.id AND {lapsed})
    FROM reflections r"""
_LAPSED_NOW = "f.superseded_at IS NOT NULL"
_LAPSED_THEN = """NOT EXISTS (SELECT 1 FROM fact_beliefs b WHERE b.fact = f.id AND b.since <= {known}
            AND (b.until IS NULL OR b.until > {known}))"""
# What a reflection rests on that an audience may not hear. A fact that is gone may have come from anywhere.
_CLOSED = """(coalesce(r.channel NOT IN (SELECT value FROM json_each(?)), 0)
    OR EXISTS (SELECT 1 FROM reflection_turns c JOIN turns t ON t.id = c.turn
        WHERE c.reflection = r.id AND t.channel NOT IN (SELECT value FROM json_each(?)))
    OR EXISTS (SELECT 1 FROM reflection_facts c LEFT JOIN facts g ON g.id = c.fact
        WHERE c.reflection = r.id AND (g.id IS NULL OR {fact})))"""

# What rests on words of somebody who wants nothing drawn from them, or on a belief about them.
_OF_NOBODY = """NOT EXISTS (SELECT 1 FROM reflection_turns c JOIN turns t ON t.id = c.turn
        JOIN speakers s ON s.id = t.speaker WHERE c.reflection = r.id AND s.key IN (SELECT value FROM json_each(?)))
    AND NOT EXISTS (SELECT 1 FROM reflection_facts c JOIN fact_subjects p ON p.fact = c.fact
        WHERE c.reflection = r.id AND p.key IN (SELECT value FROM json_each(?)))"""


def add_reflection(connection: Connection, new: NewReflection, at: datetime) -> Reflection | None:
    """Store a reflection. Citations of turns and facts that are gone are dropped; None where none is left."""
    turns = [t for t in dict.fromkeys(new.cited_turns) if _is_there(connection, "turns WHERE deleted = 0 AND", t)]
    # In a replay, what was hidden later was there when it was cited.
    seen = f"facts WHERE (hidden = 0 OR superseded_at > {to_micros(at)}) AND"
    facts = [f for f in dict.fromkeys(new.cited_facts) if _is_there(connection, seen, f)]
    if not turns and not facts:
        return None
    number = connection.execute(
        """INSERT INTO reflections (familiar, channel, text, last_turn_id, last_fact_id, created_at)
        VALUES (?, ?, ?, ?, ?, ?) RETURNING id""",
        (new.familiar, new.channel, new.text, new.last_turn_id, new.last_fact_id, to_micros(at)),
    ).fetchone()[0]
    connection.executemany("INSERT INTO reflection_turns VALUES (?, ?)", [(number, turn) for turn in turns])
    connection.executemany("INSERT INTO reflection_facts VALUES (?, ?)", [(number, fact) for fact in facts])
    return read_reflections(connection, "r.id = ?", (number,))[0]


@dataclass(frozen=True, slots=True)
class ReflectionQuestion:
    """Which reflections are wanted: with a channel, those of it and those of none; with an audience, what it may hear.

    `held` asks for what the audience may not hear instead. What rests on anybody `private` is left out.
    """

    familiar: FamiliarId
    channel: ChannelId | None = None
    moment: Moment = NOW
    audience: Audience | None = None
    held: bool = False
    limit: int = 100
    private: frozenset[PersonKey] = frozenset()


def list_reflections(connection: Connection, question: ReflectionQuestion) -> list[Reflection]:
    """Return the pinned reflections, then the others, each the newest first; never those that the owner hid."""
    marks = read_marks(connection, question.familiar, question.moment.known_at)
    terms: list[str] = ["r.familiar = ?"]
    values: list[object] = [question.familiar]
    if question.channel is not None:
        terms.append("(r.channel IS NULL OR r.channel = ?)")
        values.append(question.channel)
    if question.moment != NOW:
        terms.append(WRITTEN_BY)
        values.extend(question.moment.bounds())
    if question.audience is not None and not question.audience.everything:
        places = json.dumps(sorted(question.audience.open_to))
        fact, more = closed_to(question.audience, "c.fact")
        closed = _CLOSED.format(fact=fact)
        terms.append(closed if question.held else f"NOT {closed}")
        values.extend((places, places, *more))
    elif question.held:
        return []
    if question.private:
        people = json.dumps(sorted(question.private))
        terms.append(_OF_NOBODY)
        values.extend((people, people))
    wanted = max(question.limit, 0)
    groups = [("IN", marks.pinned)] if marks.pinned else []
    groups.append(("NOT IN", marks.pinned | marks.hidden))
    found: list[Reflection] = []
    for sign, numbers in groups:
        where = f"{' AND '.join(terms)} AND r.id {sign} (SELECT value FROM json_each(?)) ORDER BY r.id DESC LIMIT ?"
        asked = (*values, json.dumps(sorted(numbers)), wanted - len(found))
        found += read_reflections(connection, where, asked, question.moment.known_at)
    return found


def reflections_citing(connection: Connection, fact: FactId) -> list[Reflection]:
    """Return the reflections that cite a fact, newest first."""
    where = "r.id IN (SELECT reflection FROM reflection_facts WHERE fact = ?) ORDER BY r.id DESC"
    return read_reflections(connection, where, (fact,))


def drop_citations(connection: Connection, turns: Sequence[TurnId]) -> None:
    """Take back the citations of deleted turns; a reflection that rests on nothing else goes."""
    for turn in turns:
        sql = "DELETE FROM reflection_turns WHERE turn = ? RETURNING reflection"
        rows = connection.execute(sql, (turn,)).fetchall()
        for (number,) in rows:
            connection.execute(
                """DELETE FROM reflections WHERE id = ?1
                AND NOT EXISTS (SELECT 1 FROM reflection_turns WHERE reflection = ?1)
                AND NOT EXISTS (SELECT 1 FROM reflection_facts WHERE reflection = ?1)""",
                (number,),
            )


def _is_there(connection: Connection, where: str, number: int) -> bool:
    return connection.execute(f"SELECT 1 FROM {where} id = ?", (number,)).fetchone() is not None


def read_reflections(
    connection: Connection, where: str, values: tuple[Any, ...], known_at: datetime | None = None
) -> list[Reflection]:
    """Return the reflections (called `r`) that fit a condition, stale or not as of a moment."""
    # A fact can be believed again later, so at an earlier moment its intervals decide.
    lapsed = _LAPSED_NOW if known_at is None else _LAPSED_THEN.format(known=to_micros(known_at))
    select = _SELECT.format(lapsed=lapsed)
    return [
        Reflection(
            id=ReflectionId(row[0]),
            familiar=FamiliarId(row[1]),
            channel=None if row[2] is None else ChannelId(row[2]),
            text=row[3],
            last_turn_id=TurnId(row[4]),
            last_fact_id=row[5],
            created_at=from_micros(row[6]),
            cited_turns=tuple(TurnId(number) for number in _numbers(row[7])),
            cited_facts=tuple(FactId(number) for number in _numbers(row[8])),
            stale=bool(row[9]),
        )
        for row in connection.execute(f"{select} WHERE {where}", values)
    ]


def _numbers(joined: str | None) -> list[int]:
    return sorted(int(number) for number in joined.split(",")) if joined else []
