"""Reads facts with their subjects, sources and belief intervals: the one place that knows their columns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from familiar_app.domain.errors import UserError
from familiar_app.domain.fact import Belief, Cause, Fact, FactId, Subject, as_known_at
from familiar_app.domain.ids import ChannelId, ChannelKey, FamiliarId, PersonKey, TurnId
from familiar_app.domain.interval import Interval
from familiar_app.domain.text import tr
from familiar_app.store.moment import from_micros, to_micros
from familiar_app.store.person import label_of, names_of_each

if TYPE_CHECKING:
    from sqlite3 import Connection

# One statement for any number of facts, so that it is prepared once.
_ONE_OF = "IN (SELECT value FROM json_each(?))"
_FACTS = f"""SELECT f.id, f.familiar, f.text, f.channel, c.key, f.importance, f.origin, f.valid_from, f.valid_to,
    f.hidden FROM facts f LEFT JOIN channels c ON c.id = f.channel WHERE f.id {_ONE_OF}"""
_SUBJECTS = f"SELECT fact, key, display_at_write FROM fact_subjects WHERE fact {_ONE_OF}"
_SOURCES = f"SELECT fact, turn FROM fact_sources WHERE fact {_ONE_OF} AND since <= ?"
_BELIEFS = f"""SELECT fact, since, until, cause, begun_by, end_cause, ended_by, successor FROM fact_beliefs
    WHERE fact {_ONE_OF} ORDER BY fact, number"""


def read_facts(connection: Connection, ids: Sequence[FactId], known_at: datetime | None = None) -> list[Fact]:
    """Return facts in the order of `ids`, those that do not exist left out.

    With `known_at`, stamps, beliefs and sources are as they stood then, and what was learned later is left out.
    """
    found = _read(connection, ids, known_at)
    facts = (found.get(number) for number in ids)
    if known_at is None:
        return [fact for fact in facts if fact is not None]
    return [known for fact in facts if fact is not None and (known := as_known_at(fact, known_at)) is not None]


def read_fact(connection: Connection, fact: FactId) -> Fact | None:
    """Return one fact as it is today, hidden or not."""
    found = read_facts(connection, (fact,))
    return found[0] if found else None


def existing_fact(connection: Connection, fact: FactId) -> Fact:
    """Return a fact that must be there. Raises UserError where it is not."""
    found = read_fact(connection, fact)
    if found is None:
        raise UserError(tr("There is no fact {fact}.", fact=str(fact)), tr("Look up its number with `familiar facts`."))
    return found


def read_labels(connection: Connection, facts: Iterable[Fact]) -> dict[FactId, dict[PersonKey, str]]:
    """Return what the subjects of each fact are called today where the fact was learned."""
    chosen = list(facts)
    channels = {fact.channel for fact in chosen if fact.channel is not None}
    guilds: dict[int | None, str | None] = dict(
        connection.execute(f"SELECT id, guild FROM channels WHERE id {_ONE_OF}", (json.dumps(list(channels)),))
    )
    people = {subject.key for fact in chosen for subject in fact.subjects}
    names = names_of_each(connection, people)
    return {
        fact.id: {s.key: label_of(s.key, names[s.key], guilds.get(fact.channel)) for s in fact.subjects}
        for fact in chosen
    }


def _read(connection: Connection, ids: Sequence[FactId], known_at: datetime | None) -> dict[FactId, Fact]:
    numbers = json.dumps(list(ids))
    subjects: dict[int, list[Subject]] = {}
    for fact, key, display in connection.execute(_SUBJECTS, (numbers,)):
        subjects.setdefault(fact, []).append(Subject(PersonKey(key), display))
    sources: dict[int, list[TurnId]] = {}
    until = 1 << 62 if known_at is None else to_micros(known_at)
    for fact, turn in connection.execute(_SOURCES, (numbers, until)):
        sources.setdefault(fact, []).append(TurnId(turn))
    beliefs: dict[int, list[Belief]] = {}
    for row in connection.execute(_BELIEFS, (numbers,)):
        beliefs.setdefault(row[0], []).append(_belief(row))
    return {
        row[0]: _fact(row, subjects.get(row[0], ()), sources.get(row[0], ()), beliefs.get(row[0], ()))
        for row in connection.execute(_FACTS, (numbers,))
    }


def _fact(row: tuple[Any, ...], subjects: Iterable[Subject], sources: Iterable[TurnId], held: Iterable[Belief]) -> Fact:
    return Fact(
        id=FactId(row[0]),
        familiar=FamiliarId(row[1]),
        text=row[2],
        subjects=tuple(subjects),
        source_turns=tuple(sources),
        channel=None if row[3] is None else ChannelId(row[3]),
        importance=row[5],
        origin=row[6],
        valid=Interval(_instant(row[7]), _instant(row[8])),
        beliefs=tuple(held),
        channel_key=None if row[4] is None else ChannelKey(row[4]),
        hidden=bool(row[9]),
    )


def _belief(row: tuple[Any, ...]) -> Belief:
    return Belief(
        held=Interval(from_micros(row[1]), _instant(row[2])),
        cause=Cause(row[3]),
        begun_by=row[4],
        end_cause=None if row[5] is None else Cause(row[5]),
        ended_by=row[6],
        by=None if row[7] is None else FactId(row[7]),
    )


def _instant(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)
