"""Gathers the candidates of one look into memory: from the index, from the newest turns, from beside both."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from familiar_app.domain.fact import Fact, FactId, is_current, was_believed, was_believed_about, was_true
from familiar_app.domain.ids import PersonKey
from familiar_app.domain.ranking import NEIGHBOUR_GAP_S, Candidate, Key
from familiar_app.domain.recall import Recall
from familiar_app.domain.record import record
from familiar_app.store.fact_row import read_facts
from familiar_app.store.heard import Hearing
from familiar_app.store.index.search_index import View
from familiar_app.store.index.text_index import KINDS, TURN, Scope
from familiar_app.store.index.turn_source import INDEXED, Row, TurnSource
from familiar_app.store.privacy import read_levels
from familiar_app.store.provenance import Provenance, read_provenance

if TYPE_CHECKING:
    from sqlite3 import Connection

MOST_RECENT = 256
"""Turns newer than the index that a search reads from the vault."""
DEEPER = 4
"""How many times more hits than candidates are taken, for the scores of what stands beside candidates."""
_GAP_MICROS = int(NEIGHBOUR_GAP_S * 1_000_000)
_WHERE = "SELECT t.id, t.channel, coalesce(s.key, 'ego:' || t.familiar, ''), t.at, t.arrived_at"
_FROM = f"""FROM json_each(?) j JOIN turns t ON t.id = j.value LEFT JOIN speakers s ON s.id = t.speaker
    WHERE {INDEXED}"""
_PLACES = f"""{_WHERE},
    (SELECT max(b.id) FROM turns b WHERE b.channel = t.channel AND b.shown = 1 AND b.id < t.id),
    (SELECT min(a.id) FROM turns a WHERE a.channel = t.channel AND a.shown = 1 AND a.id > t.id) {_FROM}"""
_PLACES_BARE = f"{_WHERE} {_FROM}"


@dataclass(frozen=True, slots=True)
class Cue:
    """What is looked for: the terms of the text, and the people it names."""

    terms: tuple[str, ...]
    people: tuple[PersonKey, ...]


@record(frozen=True, slots=True)
class Place:
    """Where a turn stands in its channel."""

    channel: int
    author: str
    at: int
    around: tuple[int, ...]


@dataclass(slots=True)
class Found:
    """Scores of everything that matched, and the keys of the best of each kind."""

    scores: dict[Key, float] = field(default_factory=dict)
    best: list[Key] = field(default_factory=list)


def look_up(connection: Connection, view: View, source: TurnSource, cue: Cue, scope: Scope, wanted: int) -> Found:
    """Search the index, and what it does not hold yet, for the `wanted` best of each kind."""
    found: dict[Key, float] = {}
    for kind, number, score in view.searcher.search(cue.terms, cue.people, scope, wanted * DEEPER):
        if kind != TURN or number not in view.changed:
            key: Key = (KINDS[kind], number)  # type: ignore[assignment]
            found[key] = max(score, found.get(key, 0.0))
    if TURN in scope.kinds:
        for row in _not_indexed(connection, view, source):
            score = (
                view.searcher.score(cue.terms, cue.people, row[3], (row[2],))
                if _in_scope(row[0], row[1], scope)
                else 0.0
            )
            if score > 0:
                found[("turn", row[0])] = score
    ordered = sorted(found, key=lambda key: (-found[key], -key[1]))
    best = [key for kind in KINDS for key in [one for one in ordered if one[0] == kind][:wanted]]
    return Found(found, best)


def places(connection: Connection, turns: Iterable[int], scope: Scope, hearing: Hearing) -> dict[int, Place]:
    """Return where those of the turns stand that lie in scope, are shown, and were heard when they came."""
    rows = connection.execute(_PLACES, (json.dumps(list(turns)),))
    return {
        number: Place(channel, author, at, tuple(one for one in (before, after) if one is not None))
        for number, channel, author, at, arrived_at, before, after in rows
        if _in_scope(number, channel, scope) and hearing.of(channel, arrived_at)
    }


def with_neighbours(connection: Connection, turns: Collection[int], scope: Scope, hearing: Hearing) -> dict[int, Place]:
    """Return turns and those directly beside them, where that is the same conversation and in scope."""
    first = places(connection, turns, scope, hearing)
    around: dict[int, list[int]] = {}
    for number, place in first.items():
        for one in place.around:
            if one not in first:
                around.setdefault(one, []).append(number)
    known = first | _places_of(connection, around, scope, hearing)
    return {number: _cut(place, known) for number, place in known.items()}


def _places_of(
    connection: Connection, around: Mapping[int, Sequence[int]], scope: Scope, hearing: Hearing
) -> dict[int, Place]:
    """Do the same as `places` for turns of which it is known what they are beside."""
    return {
        number: Place(channel, author, at, tuple(around[number]))
        for number, channel, author, at, arrived_at in connection.execute(_PLACES_BARE, (json.dumps(list(around)),))
        if _in_scope(number, channel, scope) and hearing.of(channel, arrived_at)
    }


def turn_candidates(
    found: Mapping[int, Place], scores: Mapping[Key, float], cosines: Mapping[int, float], people: Sequence[PersonKey]
) -> list[Candidate]:
    """Put together what is known of each turn."""
    return [
        Candidate(
            key=("turn", number),
            order=number,
            bm25=scores.get(("turn", number)),
            cosine=cosines.get(number),
            named=place.author in people,
            neighbours=tuple(("turn", one) for one in place.around),
        )
        for number, place in found.items()
    ]


def _cut(place: Place, known: Mapping[int, Place]) -> Place:
    near = [one for one in place.around if one in known and abs(known[one].at - place.at) <= _GAP_MICROS]
    return Place(place.channel, place.author, place.at, tuple(near))


def _not_indexed(connection: Connection, view: View, source: TurnSource) -> list[Row]:
    changed = source.of(connection, view.changed) if view.changed else []
    return [row for row in changed if row[0] <= view.newest] + source.latest(connection, view.newest, MOST_RECENT)


def fact_candidates(
    facts: Mapping[int, Fact], scores: Mapping[Key, float], cosines: Mapping[int, float], people: Sequence[PersonKey]
) -> list[Candidate]:
    """Put together what is known of each fact."""
    return [
        Candidate(
            key=("fact", number),
            order=number,
            bm25=scores.get(("fact", number)),
            importance=fact.importance,
            cosine=cosines.get(number),
            named=any(subject.key in people for subject in fact.subjects),
            sources=tuple(("turn", turn) for turn in fact.source_turns),
        )
        for number, fact in facts.items()
    ]


def facts_in_scope(
    connection: Connection,
    ids: Sequence[int],
    request: Recall,
    now: datetime,
    known: dict[int, Provenance],
    *,
    held: bool = False,
) -> dict[int, Fact]:
    """Return those of the facts that the request may see, as they stood at the time it asks for, in the given order.

    With `held`, those that it might see if its audience could hear them. Where provenance is read it goes into `known`.
    """
    found = read_facts(connection, [FactId(number) for number in ids], request.known_at)
    if request.audience is not None and not request.audience.everything:
        known |= read_provenance(connection, [fact.id for fact in found], request.known_at)
        found = [fact for fact in found if (known[fact.id].why_held(request.audience) is None) != held]
    elif held:
        return {}
    private = read_levels(connection)
    chosen = set(request.channels) if request.channels is not None else None
    return {
        fact.id: fact
        for fact in found
        if fact.familiar == request.familiar
        and not fact.hidden
        and not any(subject.key in private for subject in fact.subjects)
        and (chosen is None or fact.channel in chosen)
        and _holds(fact, request, now)
    }


def _holds(fact: Fact, request: Recall, now: datetime) -> bool:
    if request.known_at is not None and request.as_of is not None:
        return was_believed_about(fact, request.known_at, request.as_of)
    if request.known_at is not None:
        return was_believed(fact, request.known_at)
    return is_current(fact, now) if request.as_of is None else was_true(fact, request.as_of)


def _in_scope(number: int, channel: int, scope: Scope) -> bool:
    if scope.channels is not None and channel not in scope.channels:
        return False
    if scope.last_turn is not None and number > scope.last_turn:
        return False
    in_window = channel == scope.window_channel and scope.window_from is not None and number >= scope.window_from
    return not in_window
