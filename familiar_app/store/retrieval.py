"""Retrieval: brings back what fits a cue, best first, from the index and the vault.

What the index says is always checked against the vault, so nothing that was hidden or scrubbed comes back. A search
costs one stay in a reader's thread; the loop is never held.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import TYPE_CHECKING

from familiar_app.domain.clock import Clock
from familiar_app.domain.ids import FamiliarId, PersonKey, TurnId
from familiar_app.domain.name_cue import NameBook
from familiar_app.domain.ranking import Ranked, effective_speakers, rank
from familiar_app.domain.recall import CANDIDATES_PER_RESULT, Hit, Recall
from familiar_app.domain.turn import Turn
from familiar_app.store.candidate import Cue, look_up, places, turn_candidates, with_neighbours
from familiar_app.store.engine import Engine
from familiar_app.store.index.search_index import SearchIndex, View
from familiar_app.store.index.text_index import TURN, Scope
from familiar_app.store.index.turn_source import TurnSource
from familiar_app.store.moment import to_micros
from familiar_app.store.turn_row import read_turns

if TYPE_CHECKING:
    from sqlite3 import Connection

LATEST_FOR_SPEAKERS = 500
_HEARD = """SELECT id FROM channels WHERE familiar = ?1
    UNION SELECT channel FROM subscriptions WHERE familiar = ?1"""


class Retrieval:
    """Retrieval over one vault. Needs its index to have been started."""

    def __init__(self, engine: Engine, index: SearchIndex, clock: Clock) -> None:
        self._engine = engine
        self._index = index
        self._clock = clock
        self._source = TurnSource()
        self._names: tuple[tuple[int, int], NameBook] | None = None

    async def recall(self, request: Recall) -> list[Hit]:
        """Return up to `request.limit` hits, best first. Empty where nothing is indexed yet."""
        view = self._index.view
        return await self._engine.read(lambda connection: self._recall(connection, view, request))

    def _recall(self, connection: Connection, view: View | None, request: Recall) -> list[Hit]:
        if view is None or not request.cue.strip() or request.limit < 1:
            return []
        named = self._name_book(connection).read(request.cue)
        cue = Cue(tuple(view.searcher.terms(request.cue)), named.people)
        scope = _scope(connection, request)
        wanted = request.limit * CANDIDATES_PER_RESULT
        found = look_up(connection, view, self._source, cue, scope, wanted)
        best = [number for kind, number in found.best if kind == "turn"]
        beside = request.weights.neighbours > 0
        turns = with_neighbours(connection, best, scope) if beside else places(connection, best)
        candidates = turn_candidates(turns, found.scores, {}, named.people)
        speakers = _speakers(connection, scope)
        ranked = rank(candidates, request.weights, speakers=speakers)
        return _hits(connection, ranked, request)

    def _name_book(self, connection: Connection) -> NameBook:
        """Return everybody's names, read again only where there are new ones."""
        count, newest = connection.execute("SELECT count(*), coalesce(max(id), 0) FROM names").fetchone()
        if self._names is None or self._names[0] != (count, newest):
            rows = connection.execute("SELECT DISTINCT person, name FROM names").fetchall()
            book = NameBook((PersonKey(person), name) for person, name in rows)
            self._names = ((count, newest), book)
        return self._names[1]


def _scope(connection: Connection, request: Recall) -> Scope:
    channels = _channels(connection, request)
    known_at = None if request.known_at is None else to_micros(request.known_at)
    last_turn = None
    if known_at is not None:
        # Turns are numbered as they arrive, so this ends at once unless the time lies far back.
        row = connection.execute(
            "SELECT id FROM turns WHERE arrived_at <= ? ORDER BY id DESC LIMIT 1", (known_at,)
        ).fetchone()
        last_turn = row[0] if row is not None else 0
    window = request.window
    return Scope(
        kinds=(TURN,),
        channels=channels,
        last_turn=last_turn,
        window_channel=window.channel if window else None,
        window_from=window.first if window else None,
    )


def _channels(connection: Connection, request: Recall) -> tuple[int, ...] | None:
    """Return the channels whose turns may be found; None where that is every channel with turns."""
    heard = _heard(connection, request.familiar)
    chosen = heard if request.channels is None else heard & set(request.channels)
    everything = {row[0] for row in connection.execute("SELECT id FROM channels")}
    return None if everything <= chosen else tuple(sorted(chosen))


def _heard(connection: Connection, familiar: FamiliarId) -> set[int]:
    return {row[0] for row in connection.execute(_HEARD, (familiar,))}


def _speakers(connection: Connection, scope: Scope) -> float:
    """Return how many people effectively speak in the places that are searched, by their latest turns."""
    where, values = "", "[]"
    if scope.channels is not None:
        where, values = "AND channel IN (SELECT value FROM json_each(?1))", json.dumps(scope.channels)
    rows = connection.execute(
        f"""SELECT speaker FROM turns WHERE shown = 1 AND ?1 IS NOT NULL {where}
        ORDER BY id DESC LIMIT {LATEST_FOR_SPEAKERS}""",
        (values,),
    )
    return effective_speakers(row[0] for row in rows)


def _hits(connection: Connection, ranked: list[Ranked], request: Recall) -> list[Hit]:
    best = [one for one in ranked if one.key[0] in request.kinds][: request.limit]
    turns = _turns(connection, [one.key[1] for one in best if one.key[0] == "turn"])
    hits = []
    for one in best:
        kind, number = one.key
        turn = turns.get(TurnId(number))
        if turn is not None and (request.known_at is None or turn.arrived_at <= request.known_at):
            hits.append(Hit(kind, number, turn.content, one.score, one.signals, turn))
    return hits


def _turns(connection: Connection, ids: Collection[int]) -> dict[TurnId, Turn]:
    where = f"t.shown = 1 AND t.id IN ({','.join('?' * len(ids))})"
    return {turn.id: turn for turn in read_turns(connection, where, ids)}
