"""Counts what was said by people and what is believed about them. Runs inside a transaction.

Everybody is counted in one pass over indexes; whoever is merged into somebody else counts as that person.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from familiar_app.domain.fact import Fact, FactId
from familiar_app.domain.ids import FamiliarId, PersonKey, TurnId, ego_key
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.turn import NameSpan, Turn
from familiar_app.store.fact_row import read_facts
from familiar_app.store.moment import from_micros
from familiar_app.store.person import all_names, label_of, names_of
from familiar_app.store.person_alias import Aliases, identities_of, kept_of, read_aliases
from familiar_app.store.privacy import facts_about, read_levels
from familiar_app.store.turn_row import read_turn

if TYPE_CHECKING:
    from sqlite3 import Connection

Order = Literal["name", "key", "turns", "facts", "last_seen", "privacy"]
_LEVELS = list(PrivacyLevel)
# Who was seen or named, has something saved about them, or has said what may be kept.
_RECORDED = """SELECT key FROM people UNION SELECT owner FROM saved_memories WHERE scope = 'personal'
    UNION SELECT person FROM person_privacy"""
_EVERYBODY = """SELECT s.key, max(s.bot), sum(t.number), max(t.last) FROM
    (SELECT speaker, count(*) AS number, max(at) AS last FROM turns INDEXED BY turns_speaker
        WHERE speaker IS NOT NULL GROUP BY speaker) t JOIN speakers s ON s.id = t.speaker GROUP BY s.key"""
_ONE = """SELECT s.key, max(s.bot), count(*), max(t.at) FROM speakers s
    JOIN turns t INDEXED BY turns_speaker ON t.speaker = s.id WHERE s.key = ? GROUP BY s.key"""
_FACTS = """SELECT key, fact FROM fact_subjects INDEXED BY fact_subjects_current WHERE familiar = ?
    AND superseded_at IS NULL AND hidden = 0 AND (valid_to IS NULL OR valid_to > ?)"""
_MONTHS = """SELECT strftime('%Y-%m', t.at / 1000000, 'unixepoch') AS month, count(*) FROM speakers s
    JOIN turns t INDEXED BY turns_speaker ON t.speaker = s.id WHERE s.key IN ({}) GROUP BY month ORDER BY month"""

_LAST_SAID = """SELECT t.id FROM speakers s JOIN turns t INDEXED BY turns_speaker ON t.speaker = s.id
    WHERE s.key IN ({}) AND t.shown = 1 ORDER BY t.at DESC, t.id DESC LIMIT ?"""
_WEIGHTIEST = """SELECT DISTINCT s.fact, f.importance FROM fact_subjects s INDEXED BY fact_subjects_current
    JOIN facts f ON f.id = s.fact WHERE s.familiar = ? AND s.key IN ({}) AND s.superseded_at IS NULL AND s.hidden = 0
    AND (s.valid_to IS NULL OR s.valid_to > ?) AND s.fact NOT IN (SELECT value FROM json_each(?))
    ORDER BY coalesce(f.importance, 5) DESC, s.fact DESC LIMIT ?"""


@dataclass(frozen=True, slots=True)
class PersonRow:
    """Somebody as a list shows them. `facts` counts what a familiar believes about them today.

    `identities` are all keys that count as this person, `key` first.
    """

    key: PersonKey
    label: str
    turns: int
    facts: int
    last_seen_at: datetime | None
    privacy: PrivacyLevel
    bot: bool
    identities: tuple[PersonKey, ...]


@dataclass(frozen=True, slots=True)
class MonthCount:
    """How many messages somebody wrote in one month (UTC)."""

    year: int
    month: int
    turns: int


@dataclass(frozen=True, slots=True)
class _Tally:
    """What one identity has said: how much, when last, and whether as a bot."""

    turns: int = 0
    last: int = 0
    bot: bool = False


@dataclass(frozen=True, slots=True)
class _Sheet:
    """What is known about identities, before it is summed up by person."""

    tallies: Mapping[PersonKey, _Tally]
    facts: Mapping[PersonKey, set[int]]
    levels: Mapping[PersonKey, PrivacyLevel]


def count_everybody(connection: Connection, familiar: FamiliarId, needle: str, now: int) -> list[PersonRow]:
    """Return a row for everybody who spoke, was mentioned or is the subject of a fact, and for the familiar itself.

    `needle` leaves only those with it in a key or in any name they ever had.
    """
    tallies = {PersonKey(key): _Tally() for (key,) in connection.execute(_RECORDED)}
    tallies.setdefault(ego_key(familiar), _Tally())
    tallies |= _tallies(connection.execute(_EVERYBODY))
    levels = read_levels(connection)
    facts = _facts(connection.execute(_FACTS, (familiar, now)), facts_about(connection, familiar, levels))
    for key in facts:
        tallies.setdefault(key, _Tally())
    aliases, names = read_aliases(connection), all_names(connection)
    sheet = _Sheet(tallies, facts, levels)
    return [
        _row(members, label_of(members[0], names.get(members[0], [])), sheet)
        for members in _groups(tallies, aliases)
        if any(_matches(one, names.get(one, ()), needle) for one in members)
    ]


def count_one(connection: Connection, familiar: FamiliarId, person: PersonKey, now: int) -> PersonRow | None:
    """Return the row of one person, whichever of their identities is named; None where nobody is known by it."""
    members = identities_of(read_aliases(connection), person)
    tallies = _tallies(row for one in members for row in connection.execute(_ONE, (one,)))
    levels = read_levels(connection)
    rows = (row for one in members for row in connection.execute(f"{_FACTS} AND key = ?", (familiar, now, one)))
    facts = _facts(rows, facts_about(connection, familiar, levels))
    known = bool(tallies or facts) or person == ego_key(familiar)
    if not known and not any(_is_recorded(connection, one) for one in members):
        return None
    label = label_of(members[0], names_of(connection, members[0]))
    return _row(members, label, _Sheet(tallies, facts, levels))


def count_months(connection: Connection, identities: Sequence[PersonKey]) -> list[MonthCount]:
    """Return how much was written in each month that has messages, the oldest first."""
    rows = connection.execute(_MONTHS.format(_marks(identities)), tuple(identities))
    return [MonthCount(int(month[:4]), int(month[5:]), number) for month, number in rows]


def last_said(connection: Connection, identities: Sequence[PersonKey], limit: int) -> list[Turn]:
    """Return what somebody said last, the newest first."""
    rows = connection.execute(_LAST_SAID.format(_marks(identities)), (*identities, limit)).fetchall()
    turns = [read_turn(connection, TurnId(number)) for (number,) in rows]
    return [turn for turn in turns if turn is not None]


def weightiest(
    connection: Connection, familiar: FamiliarId, identities: Sequence[PersonKey], now: int, limit: int
) -> list[Fact]:
    """Return what is believed of somebody today, the most important first."""
    private = facts_about(connection, familiar, read_levels(connection))
    values = (familiar, *identities, now, json.dumps(private), limit)
    rows = connection.execute(_WEIGHTIEST.format(_marks(identities)), values).fetchall()
    return read_facts(connection, [FactId(number) for number, _importance in rows])


def in_order(rows: Iterable[PersonRow], order: Order, *, descending: bool) -> list[PersonRow]:
    """Return rows in an order; equal ones by name, and whoever was never seen at the end."""
    chosen = sorted(rows, key=lambda row: (row.label.casefold(), row.key), reverse=descending and order == "name")
    if order == "last_seen":
        seen = [(row.last_seen_at, row) for row in chosen if row.last_seen_at is not None]
        seen.sort(key=lambda pair: pair[0], reverse=descending)
        return [row for _, row in seen] + [row for row in chosen if row.last_seen_at is None]
    if order == "turns":
        chosen.sort(key=lambda row: row.turns, reverse=descending)
    elif order == "facts":
        chosen.sort(key=lambda row: row.facts, reverse=descending)
    elif order == "privacy":
        chosen.sort(key=lambda row: _LEVELS.index(row.privacy), reverse=descending)
    elif order == "key":
        chosen.sort(key=lambda row: row.key, reverse=descending)
    return chosen


def _tallies(rows: Iterable[tuple[str, int, int, int]]) -> dict[PersonKey, _Tally]:
    return {PersonKey(key): _Tally(turns, last, bool(bot)) for key, bot, turns, last in rows}


def _facts(rows: Iterable[tuple[str, int]], private: Collection[int]) -> dict[PersonKey, set[int]]:
    left_out = frozenset(private)
    found: dict[PersonKey, set[int]] = {}
    for key, fact in rows:
        if fact not in left_out:
            found.setdefault(PersonKey(key), set()).add(fact)
    return found


def _groups(keys: Iterable[PersonKey], aliases: Aliases) -> list[list[PersonKey]]:
    """Put identities together that count as one person, the one they count as first."""
    groups: dict[PersonKey, list[PersonKey]] = {}
    for key in (*(key for key in keys if key not in aliases), *aliases):
        kept = kept_of(aliases, key)
        groups.setdefault(kept, [kept])
        if key != kept:
            groups[kept].append(key)
    return list(groups.values())


def _row(members: Sequence[PersonKey], label: str, sheet: _Sheet) -> PersonRow:
    tallies = [sheet.tallies.get(one, _Tally()) for one in members]
    last = max(tally.last for tally in tallies) if any(tally.turns for tally in tallies) else None
    return PersonRow(
        key=members[0],
        label=label,
        turns=sum(tally.turns for tally in tallies),
        facts=len(set[int]().union(*(sheet.facts.get(one, ()) for one in members))),
        last_seen_at=None if last is None else from_micros(last),
        privacy=sheet.levels.get(members[0], PrivacyLevel.NONE),
        bot=tallies[0].bot,
        identities=tuple(members),
    )


def _matches(key: PersonKey, names: Iterable[NameSpan], needle: str) -> bool:
    return needle in key.casefold() or any(needle in span.name.casefold() for span in names)


def _is_recorded(connection: Connection, key: PersonKey) -> bool:
    return connection.execute(f"SELECT 1 FROM ({_RECORDED}) WHERE key = ?", (key,)).fetchone() is not None


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" for _ in values)
