"""Retrieval: brings back what fits a cue, best first, from the index, the vectors and the vault.

What the index says is always checked against the vault, so nothing that was hidden, scrubbed or retired comes back. A
search costs one stay in a reader's thread; the loop is never held.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from familiar_app.domain.clock import Clock
from familiar_app.domain.embedding import Embedder, Vector
from familiar_app.domain.fact import Fact
from familiar_app.domain.ids import TurnId
from familiar_app.domain.name_cue import NameCue
from familiar_app.domain.ranking import Candidate, Kind, Ranked, effective_speakers, rank
from familiar_app.domain.recall import CANDIDATES_PER_RESULT, Hit, Recall
from familiar_app.domain.turn import Turn
from familiar_app.store.candidate import (
    Cue,
    Found,
    fact_candidates,
    facts_in_scope,
    in_scope,
    look_up,
    places,
    turn_candidates,
    with_neighbours,
)
from familiar_app.store.engine import Engine
from familiar_app.store.index.search_index import SearchIndex, View
from familiar_app.store.index.text_index import Scope
from familiar_app.store.index.turn_source import TurnSource
from familiar_app.store.recall_scope import NameShelf, scope_of
from familiar_app.store.turn_row import read_turns
from familiar_app.store.vector import VectorKind, Vectors
from familiar_app.store.vector_matrix import VectorMatrix

if TYPE_CHECKING:
    from sqlite3 import Connection

LATEST_FOR_SPEAKERS = 500


@dataclass(frozen=True, slots=True)
class Meaning:
    """The cue as a vector, and whose."""

    model: str
    vector: Vector


class Retrieval:
    """Retrieval over one vault. Needs its index to have been started."""

    def __init__(self, engine: Engine, index: SearchIndex, vectors: Vectors, clock: Clock) -> None:
        self._engine = engine
        self._index = index
        self._vectors = vectors
        self._clock = clock
        self._source = TurnSource()
        self._names = NameShelf()
        self._speaking: dict[tuple[int, ...] | None, tuple[int, float]] = {}

    async def recall(self, request: Recall, embedder: Embedder | None = None) -> list[Hit]:
        """Return up to `request.limit` hits, best first. Empty where nothing is indexed yet.

        The cue is embedded only where that counts and something has a vector. Raises OutsideError where it fails.
        """
        if not request.cue.strip() or request.limit < 1:
            return []
        named, meaning = await self._read_cue(request, embedder)
        view = self._index.view
        if view is None:
            return []
        return await self._engine.read(lambda connection: self._recall(connection, view, request, named, meaning))

    async def _read_cue(self, request: Recall, embedder: Embedder | None) -> tuple[NameCue | None, Meaning | None]:
        if embedder is None or request.weights.embedding <= 0:
            return None, None
        model = embedder.name

        def work(connection: Connection) -> tuple[NameCue, bool]:
            kinds: tuple[VectorKind, ...] = ("turn", "fact")
            some = [bool(self._vectors.matrix(connection, kind, model)) for kind in kinds]
            return self._names.book(connection).read(request.cue), any(some)

        named, some = await self._engine.read(work)
        return named, Meaning(model, (await embedder.embed([named.rest]))[0]) if some else None

    def _recall(
        self, connection: Connection, view: View, request: Recall, named: NameCue | None, meaning: Meaning | None
    ) -> list[Hit]:
        named = named or self._names.book(connection).read(request.cue)
        cue = Cue(tuple(view.searcher.terms(request.cue)), named.people)
        scope = scope_of(connection, request, self._clock.now())
        found = look_up(connection, view, self._source, cue, scope, request.limit * CANDIDATES_PER_RESULT)
        look = _Look(connection, request, scope, cue, found, meaning)
        facts, candidates = self._facts(look)
        candidates += self._turns(look, {number for one in candidates for _kind, number in one.sources})
        speakers = self._speakers(connection, scope, view.newest)
        ranked = rank(candidates, request.weights, speakers=speakers, limit=request.limit, kinds=request.kinds)
        return _hits(connection, ranked, facts, request)

    def _turns(self, look: _Look, sources: set[int]) -> list[Candidate]:
        """Return candidates among the turns: found by words, by meaning, as a source, and what is beside them."""
        chosen = look.best("turn") | sources
        matrix = self._matrix(look, "turn")
        if matrix is not None:
            chosen |= set(matrix.nearest(look.vector, look.wanted, look.scope.channels))
        if look.request.weights.neighbours > 0:
            known = with_neighbours(look.connection, chosen, look.scope)
        else:
            known = in_scope(places(look.connection, chosen), look.scope)
        cosines = {} if matrix is None else matrix.cosines(look.vector, known)
        return turn_candidates(known, look.found.scores, cosines, look.cue.people)

    def _facts(self, look: _Look) -> tuple[dict[int, Fact], list[Candidate]]:
        """Return the facts found by words or by meaning. Where only turns are wanted, they lend to their sources."""
        if "fact" not in look.request.kinds and look.request.weights.facts <= 0:
            return {}, []
        now = self._clock.now()
        facts = facts_in_scope(look.connection, sorted(look.best("fact")), look.request, now)
        matrix = self._matrix(look, "fact")
        cosines: dict[int, float] = {}
        if matrix is not None:
            facts |= _nearest_facts(look, matrix.nearest(look.vector, len(matrix)), now)
            cosines = matrix.cosines(look.vector, facts)
        return facts, fact_candidates(facts, look.found.scores, cosines, look.cue.people)

    def _speakers(self, connection: Connection, scope: Scope, newest: int) -> float:
        """Return how many people effectively speak in the places that are searched, by their latest turns."""
        known = self._speaking.get(scope.channels)
        if known is None or newest - known[0] >= LATEST_FOR_SPEAKERS // 4:
            known = self._speaking[scope.channels] = (newest, _speakers(connection, scope))
        return known[1]

    def _matrix(self, look: _Look, kind: VectorKind) -> VectorMatrix | None:
        return None if look.meaning is None else self._vectors.matrix(look.connection, kind, look.meaning.model)


@dataclass(frozen=True, slots=True)
class _Look:
    """One look into memory, as far as it has come."""

    connection: Connection
    request: Recall
    scope: Scope
    cue: Cue
    found: Found
    meaning: Meaning | None

    @property
    def wanted(self) -> int:
        return self.request.limit * CANDIDATES_PER_RESULT

    @property
    def vector(self) -> bytes:
        return b"" if self.meaning is None else self.meaning.vector.data

    def best(self, kind: Kind) -> set[int]:
        return {number for of, number in self.found.best if of == kind}


def _nearest_facts(look: _Look, order: Sequence[int], now: datetime) -> dict[int, Fact]:
    """Take the nearest facts that are in scope, however many others are nearer."""
    facts: dict[int, Fact] = {}
    start, step = 0, look.wanted
    while len(facts) < look.wanted and start < len(order):
        facts |= facts_in_scope(look.connection, order[start : start + step], look.request, now)
        start, step = start + step, step * 2
    return dict(list(facts.items())[: look.wanted])


def _speakers(connection: Connection, scope: Scope) -> float:
    where, values = "", "[]"
    if scope.channels is not None:
        where, values = "AND channel IN (SELECT value FROM json_each(?1))", json.dumps(scope.channels)
    rows = connection.execute(
        f"""SELECT speaker FROM turns WHERE shown = 1 AND ?1 IS NOT NULL {where}
        ORDER BY id DESC LIMIT {LATEST_FOR_SPEAKERS}""",
        (values,),
    )
    return effective_speakers(row[0] for row in rows)


def _hits(connection: Connection, ranked: list[Ranked], facts: dict[int, Fact], request: Recall) -> list[Hit]:
    turns = _turns(connection, [one.key[1] for one in ranked if one.key[0] == "turn"])
    hits = []
    for one in ranked:
        kind, number = one.key
        fact = facts.get(number) if kind == "fact" else None
        turn = turns.get(TurnId(number)) if kind == "turn" else None
        if fact is not None:
            hits.append(Hit(kind, number, fact.text, one.score, one.signals, fact=fact))
        elif turn is not None and (request.known_at is None or turn.arrived_at <= request.known_at):
            hits.append(Hit(kind, number, turn.content, one.score, one.signals, turn=turn))
    return hits


def _turns(connection: Connection, ids: Collection[int]) -> dict[TurnId, Turn]:
    where = f"t.shown = 1 AND t.id IN ({','.join('?' * len(ids))})"
    return {turn.id: turn for turn in read_turns(connection, where, ids)}
