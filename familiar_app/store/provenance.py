"""Tells where and from whom facts were learned. Runs inside a transaction.

A fact that was learned several times has one set of places for each time: what was drawn from several channels at once
may have come from any of them, also from those where it was deleted since; but what was said again elsewhere may be
used by what was said there alone.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from familiar_app.domain.audience import Audience, Held
from familiar_app.domain.claim import claimants
from familiar_app.domain.fact import Fact
from familiar_app.domain.ids import ChannelId, PersonKey
from familiar_app.store.moment import to_micros

if TYPE_CHECKING:
    from datetime import datetime
    from sqlite3 import Connection

Places = frozenset[ChannelId | None]
_SOURCES = """SELECT f.id, f.channel, s.since = f.created_at, s.since, t.channel,
    coalesce(p.key, 'ego:' || t.familiar),
    (SELECT group_concat(l.channel) FROM fact_lost_places l WHERE l.fact = f.id AND l.since = s.since)
    FROM json_each(?1) j CROSS JOIN facts f ON f.id = j.value
    LEFT JOIN fact_sources s ON s.fact = f.id AND s.since <= ?2
    LEFT JOIN turns t ON t.id = s.turn LEFT JOIN speakers p ON p.id = t.speaker"""
# A fact is closed unless one of the times it was learned lies in open places altogether. What no turn supports any
# more, or never did, goes by its own place.
_CLOSED = """EXISTS (SELECT 1 FROM facts f WHERE f.id = {fact} AND NOT EXISTS (
        SELECT 1 FROM fact_sources a WHERE a.fact = f.id
        AND (a.since <> f.created_at OR f.channel IN (SELECT value FROM json_each(?)))
        AND NOT EXISTS (SELECT 1 FROM fact_sources b JOIN turns t ON t.id = b.turn
            WHERE b.fact = a.fact AND b.since = a.since AND t.channel NOT IN (SELECT value FROM json_each(?)))
        AND NOT EXISTS (SELECT 1 FROM fact_lost_places l
            WHERE l.fact = a.fact AND l.since = a.since AND l.channel NOT IN (SELECT value FROM json_each(?))))
    AND (EXISTS (SELECT 1 FROM fact_sources a WHERE a.fact = f.id)
        OR CASE WHEN f.channel IS NULL THEN NOT ? ELSE f.channel NOT IN (SELECT value FROM json_each(?)) END))"""


@dataclass(slots=True)
class Provenance:
    """Where one fact was learned, a set of places for each time, and who said it."""

    times: list[Places] = field(default_factory=list)
    said_by: set[PersonKey] = field(default_factory=set)

    def why_held(self, audience: Audience | None) -> Held | None:
        """Tell why an audience may not hear it; None where one of the times it was learned was open to them."""
        if audience is None or audience.everything:
            return None
        reasons = [audience.why_held(places) for places in self.times]
        return None if None in reasons else next((one for one in reasons if one is not None), Held.GONE)


def read_provenance(
    connection: Connection, facts: Collection[int], known_at: datetime | None = None
) -> dict[int, Provenance]:
    """Return the provenance of facts; with `known_at`, as far as it went back then."""
    until = 1 << 62 if known_at is None else to_micros(known_at)
    found: dict[int, Provenance] = {}
    places: dict[tuple[int, int | None], set[ChannelId | None]] = {}
    for fact, own, first, since, channel, author, lost in connection.execute(
        _SOURCES, (json.dumps(list(facts)), until)
    ):
        known = found.setdefault(fact, Provenance())
        here = places.setdefault((fact, since), set())
        if since is None or first:
            # Where a source is gone, its place is not.
            here.add(None if own is None else ChannelId(own))
        if since is not None:
            here.add(ChannelId(channel))
            here |= {ChannelId(int(one)) for one in lost.split(",")} if lost else set()
        if author is not None:
            known.said_by.add(PersonKey(author))
    for (fact, _since), chosen in places.items():
        found[fact].times.append(frozenset(chosen))
    return found


def told_by(fact: Fact, provenance: Provenance | None) -> tuple[PersonKey, ...]:
    """Return those by whose word alone a fact is known; nobody where one of its subjects said it too."""
    return () if provenance is None else claimants((one.key for one in fact.subjects), provenance.said_by)


def closed_to(audience: Audience, fact: str) -> tuple[str, list[object]]:
    """Return the condition that the fact with the number `fact` (a column) is closed to an audience, and its values."""
    places = json.dumps(sorted(audience.open_to))
    return _CLOSED.format(fact=fact), [places, places, places, audience.unplaced, places]
