"""Retrieval: brings back what fits a cue, best first, from the index, the vectors and the vault.

What the index says is always checked against the vault, so nothing that was hidden, scrubbed or retired comes back. A
search costs one stay in a reader's thread; the loop is never held.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from familiar_app.domain.clock import Clock
from familiar_app.domain.embedding import Embedder, Vector
from familiar_app.domain.fact import Fact
from familiar_app.domain.ids import TurnId
from familiar_app.domain.name_cue import NameCue
from familiar_app.domain.ranking import Candidate, Key, Kind, Ranked, effective_speakers, rank
from familiar_app.domain.recall import Hit, Recall, Recalled
from familiar_app.domain.saved_memory.memory import SavedMemory
from familiar_app.domain.turn import Turn
from familiar_app.store.candidate import (
    Cue,
    Found,
    fact_candidates,
    facts_in_scope,
    look_up,
    places,
    turn_candidates,
    with_neighbours,
)
from familiar_app.store.engine import Engine
from familiar_app.store.fact_row import read_labels
from familiar_app.store.heard import Hearing
from familiar_app.store.index.search_index import SearchIndex, View
from familiar_app.store.index.text_index import Scope
from familiar_app.store.index.turn_source import TurnSource
from familiar_app.store.memory_candidate import memory_candidates
from familiar_app.store.person import label_of, names_of_each
from familiar_app.store.provenance import Provenance, read_provenance, told_by
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

    @property
    def ready(self) -> bool:
        """Whether there is anything to search in yet."""
        return self._index.view is not None

    async def recall(self, request: Recall, embedder: Embedder | None = None) -> list[Hit]:
        """Return up to `request.limit` hits, best first. Empty where nothing is indexed yet.

        The cue is embedded only where that counts and something has a vector. Raises OutsideError where it fails.
        """
        return list((await self.look(request, embedder)).hits)

    async def look(
        self, request: Recall, embedder: Embedder | None = None, *, held: int = 0, beside: bool = False
    ) -> Recalled:
        """Return the hits, and up to `held` of what the audience may not hear; otherwise like `recall`.

        With `beside`, the turns beside the hits come too.
        """
        view = self._index.view
        if view is None:
            return Recalled(ready=False)
        if not request.cue.strip() or request.limit < 1:
            return Recalled()
        named, meaning = await self._read_cue(request, embedder)
        view, missing = self._index.view or view, self._index.status.missing

        def work(connection: Connection) -> Recalled:
            known = named or self._names.book(connection).read(request.cue)
            cue = Cue(tuple(view.searcher.terms(request.cue)), known.people)
            found = replace(self._recall(connection, view, request, cue, meaning), missing=missing)
            if beside:
                found = replace(found, beside=_turns(connection, found.neighbours))
            audience = request.audience
            if held < 1 or audience is None or audience.everything:
                return found
            # What stands beside it is nobody's concern here, and would take as long as all the rest.
            weights = replace(request.weights, neighbours=0)
            other = replace(request, limit=held, missed=0, weights=weights)
            closed = self._recall(connection, view, other, cue, meaning, held=True)
            return replace(found, held=closed.hits)

        return await self._engine.read(work)

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
        self,
        connection: Connection,
        view: View,
        request: Recall,
        cue: Cue,
        meaning: Meaning | None,
        *,
        held: bool = False,
    ) -> Recalled:
        scope = scope_of(connection, request, self._clock.now(), held=held)
        found = look_up(connection, view, self._source, cue, scope, request.candidates)
        look = _Look(connection, request, scope, cue, found, meaning, held)
        facts, candidates = self._facts(look)
        candidates += self._turns(look, {number for one in candidates for _kind, number in one.sources})
        memories: dict[int, SavedMemory] = {}
        if not held:
            memories, kept = memory_candidates(connection, request, cue.terms, view.searcher.terms, cue.people)
            candidates += kept
        speakers = self._speakers(connection, scope, view.newest)
        most = request.limit + request.missed
        ranked = rank(candidates, request.weights, speakers=speakers, limit=most, kinds=request.kinds)
        return Recalled(tuple(_hits(look, ranked, facts, memories, candidates)), speakers=speakers)

    def _turns(self, look: _Look, sources: set[int]) -> list[Candidate]:
        """Return candidates among the turns: found by words, by meaning, as a source, and what is beside them."""
        chosen = look.best("turn") | sources
        matrix = self._matrix(look, "turn")
        if matrix is not None:
            chosen |= set(matrix.nearest(look.vector, look.wanted, look.scope.channels))
        find = with_neighbours if look.request.weights.neighbours > 0 else places
        known = find(look.connection, chosen, look.scope, Hearing(look.connection, look.request.familiar))
        cosines = {} if matrix is None else matrix.cosines(look.vector, known)
        return turn_candidates(known, look.found.scores, cosines, look.cue.people)

    def _facts(self, look: _Look) -> tuple[dict[int, Fact], list[Candidate]]:
        """Return the facts found by words or by meaning. Where only turns are wanted, they lend to their sources."""
        if "fact" not in look.request.kinds and look.request.weights.facts <= 0:
            return {}, []
        now = self._clock.now()
        facts = facts_in_scope(
            look.connection, sorted(look.best("fact")), look.request, now, look.known, held=look.held
        )
        matrix = self._matrix(look, "fact")
        cosines: dict[int, float] = {}
        if matrix is not None:
            facts |= _nearest_facts(look, matrix, now)
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
    """One look into memory, as far as it has come. `known` has where facts were learned, as far as that was read."""

    connection: Connection
    request: Recall
    scope: Scope
    cue: Cue
    found: Found
    meaning: Meaning | None
    held: bool = False
    known: dict[int, Provenance] = field(default_factory=dict)

    @property
    def wanted(self) -> int:
        return self.request.candidates

    @property
    def vector(self) -> bytes:
        return b"" if self.meaning is None else self.meaning.vector.data

    def best(self, kind: Kind) -> set[int]:
        return {number for of, number in self.found.best if of == kind}


def _nearest_facts(look: _Look, matrix: VectorMatrix, now: datetime) -> dict[int, Fact]:
    """Take the nearest facts that are in scope, however many others are nearer."""
    facts: dict[int, Fact] = {}
    seen, upto = 0, look.wanted
    while len(facts) < look.wanted and seen < len(matrix):
        order = matrix.nearest(look.vector, upto)
        facts |= facts_in_scope(look.connection, order[seen:], look.request, now, look.known, held=look.held)
        if len(order) < upto:
            break
        seen, upto = len(order), upto * 4
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


def _hits(
    look: _Look,
    ranked: Sequence[Ranked],
    facts: dict[int, Fact],
    memories: dict[int, SavedMemory],
    candidates: Sequence[Candidate],
) -> Iterator[Hit]:
    connection, request = look.connection, look.request
    turns = _turns(connection, [one.key[1] for one in ranked if one.key[0] == "turn"])
    chosen = [facts[one.key[1]] for one in ranked if one.key[0] == "fact" and one.key[1] in facts]
    missing = [fact.id for fact in chosen if fact.id not in look.known]
    known = look.known | (read_provenance(connection, missing, request.known_at) if missing else {})
    # What is held back is told of by its number alone.
    named = [] if look.held else chosen
    labels = read_labels(connection, named)
    tellers = {fact.id: told_by(fact, known.get(fact.id)) for fact in named}
    names = names_of_each(connection, {key for keys in tellers.values() for key in keys})
    around = {one.key: one for one in candidates}
    for one in ranked:
        (kind, number), beside = one.key, around[one.key]
        fact = facts.get(number) if kind == "fact" else None
        turn = turns.get(TurnId(number)) if kind == "turn" else None
        memory = memories.get(number) if kind == "memory" else None
        hit = Hit(kind, number, "", one.score, one.signals, neighbours=_numbers(beside.neighbours))
        if fact is not None:
            teller = tellers.get(fact.id, ())
            yield replace(
                hit,
                text=fact.text,
                fact=fact,
                sources=_numbers(beside.sources),
                held=known[number].why_held(request.audience) if look.held else None,
                told_by=teller,
                labels=labels.get(fact.id, {}) | {key: label_of(key, names[key]) for key in teller},
            )
        elif memory is not None:
            yield replace(hit, text=memory.content, memory=memory)
        elif turn is not None and (request.known_at is None or turn.arrived_at <= request.known_at):
            why = request.audience.why_held((turn.channel,)) if look.held and request.audience is not None else None
            yield replace(hit, text=turn.content, turn=turn, held=why)


def _numbers(keys: Iterable[Key]) -> tuple[int, ...]:
    return tuple(number for _kind, number in keys)


def _turns(connection: Connection, ids: Collection[int]) -> dict[TurnId, Turn]:
    if not ids:
        return {}
    # In one parameter, so that the statement is the same for any number and prepared once.
    where = "t.shown = 1 AND t.id IN (SELECT value FROM json_each(?))"
    return {turn.id: turn for turn in read_turns(connection, where, (json.dumps(list(ids)),))}
