"""Vectors of turns and facts: stored beside their model's name, and kept in memory for the model in use.

Nothing here embeds; `vector_fill` does. A vector goes with its text: the database sees to that, and what changed is
read again before the next search.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal

from familiar_app.domain.clock import Clock
from familiar_app.domain.embedding import Vector, passage
from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import TurnId
from familiar_app.store.engine import Engine
from familiar_app.store.fact_feed import FactFeed
from familiar_app.store.index.analysis import day_words
from familiar_app.store.index.turn_source import INDEXED
from familiar_app.store.moment import to_micros
from familiar_app.store.turn import Turns
from familiar_app.store.turn_row import TEXT
from familiar_app.store.vector_matrix import VectorMatrix

if TYPE_CHECKING:
    from sqlite3 import Connection

VectorKind = Literal["turn", "fact"]
_READ_ROWS = 2000
_TABLES: dict[VectorKind, tuple[str, str, str]] = {
    "turn": ("turn_embeddings", "turn_id", "SELECT channel FROM turns WHERE id = e.turn_id"),
    "fact": ("fact_embeddings", "fact_id", "0"),
}
_MISSING_TURNS = f"""SELECT t.id, coalesce(s.name, ''), t.at, {TEXT}
    FROM turns t LEFT JOIN speakers s ON s.id = t.speaker WHERE {INDEXED} AND t.id < ?1 AND NOT EXISTS (
        SELECT 1 FROM turn_embeddings e WHERE e.turn_id = t.id AND e.model = ?2)
    ORDER BY t.id DESC LIMIT ?3"""
_MISSING_FACTS = """SELECT f.id, '', NULL, f.text FROM facts f
    WHERE f.superseded_at IS NULL AND f.hidden = 0 AND f.id < ?1 AND NOT EXISTS (
        SELECT 1 FROM fact_embeddings e WHERE e.fact_id = f.id AND e.model = ?2)
    ORDER BY f.id DESC LIMIT ?3"""


@dataclass(slots=True)
class _Loaded:
    """The vectors of one kind and model, and the numbers of those to be read again."""

    matrix: VectorMatrix | None = None
    outdated: set[int] = field(default_factory=set)


class Vectors:
    """The vectors of one vault."""

    def __init__(self, engine: Engine, clock: Clock, turns: Turns, feed: FactFeed) -> None:
        self._engine = engine
        self._clock = clock
        self._loaded: dict[tuple[VectorKind, str], _Loaded] = {}
        self._reading = threading.Lock()
        turns.watch(self._turns_changed)
        feed.listen(self._facts_changed)

    async def missing(self, kind: VectorKind, model: str, limit: int, *, below: int = 1 << 62) -> list[tuple[int, str]]:
        """Return the newest texts with lower numbers than `below` that have no vector of a model, newest first."""

        def work(connection: Connection) -> list[tuple[int, str]]:
            statement = _MISSING_TURNS if kind == "turn" else _MISSING_FACTS
            rows = connection.execute(statement, (below, model, limit))
            return [
                (number, text if at is None else passage(name, day_words(at), text)) for number, name, at, text in rows
            ]

        return await self._engine.read(work)

    async def count(self, kind: VectorKind, model: str) -> int:
        """Count the vectors of a model."""
        table, _key, _place = _TABLES[kind]
        found = await self._engine.read(
            lambda c: c.execute(f"SELECT count(*) FROM {table} WHERE model = ?", (model,)).fetchone()
        )
        return int(found[0])

    async def put(self, kind: VectorKind, model: str, vectors: Iterable[tuple[int, str, Vector]]) -> None:
        """Store vectors of `(number, the text that was embedded, vector)`; none where that text has changed since."""
        chosen = list(vectors)
        now = to_micros(self._clock.now())

        def work(connection: Connection) -> list[int]:
            return [
                number
                for number, text, vector in chosen
                if _store(connection, kind, model, (number, text, vector), now)
            ]

        stored = await self._engine.write(work)
        loaded = self._loaded.get((kind, model))
        if loaded is not None:
            loaded.outdated.update(stored)

    async def forget(self, kind: VectorKind, model: str) -> int:
        """Remove all vectors of a model that is no longer in use. Returns how many."""
        table, _key, _place = _TABLES[kind]
        self._loaded.pop((kind, model), None)
        return await self._engine.write(lambda c: c.execute(f"DELETE FROM {table} WHERE model = ?", (model,)).rowcount)

    def matrix(self, connection: Connection, kind: VectorKind, model: str) -> VectorMatrix | None:
        """Return the vectors of a model as they stand, None where there are none. For a reader's thread.

        The first call reads them all, and who asks meanwhile waits for it: see `load`.
        """
        key = (kind, model)
        with self._reading:
            loaded = self._loaded.get(key)
            if loaded is None:
                # It stands there before it is read, so that what changes meanwhile is read again.
                loaded = self._loaded[key] = _Loaded()
                try:
                    loaded.matrix = _load(connection, kind, model)
                finally:
                    if loaded.matrix is None:
                        self._loaded.pop(key, None)
            if loaded.matrix is not None and loaded.outdated:
                again, loaded.outdated = loaded.outdated, set()
                _read_again(connection, kind, model, loaded.matrix, again)
            return loaded.matrix

    async def load(self, kinds: Iterable[VectorKind], model: str) -> None:
        """Read all vectors of a model into memory, so that no search has to: some seconds for a million."""
        for kind in kinds:
            await self._engine.read(partial(self.matrix, kind=kind, model=model))

    def _turns_changed(self, ids: Sequence[TurnId]) -> None:
        for (kind, _model), loaded in list(self._loaded.items()):
            if kind == "turn":
                loaded.outdated.update(ids)

    def _facts_changed(self, facts: frozenset[FactId]) -> None:
        for kind, model in list(self._loaded):
            if kind == "fact" and not facts:
                del self._loaded[kind, model]
            elif kind == "fact":
                self._loaded[kind, model].outdated.update(facts)


def _store(connection: Connection, kind: VectorKind, model: str, item: tuple[int, str, Vector], now: int) -> bool:
    number, text, vector = item
    table, key, _place = _TABLES[kind]
    statement = _MISSING_TURNS if kind == "turn" else _MISSING_FACTS
    row = connection.execute(statement, (number + 1, model, 1)).fetchone()
    if row is None or row[0] != number:
        return False
    current = row[3] if row[2] is None else passage(row[1], day_words(row[2]), row[3])
    if current != text:
        return False
    connection.execute(
        f"INSERT INTO {table} ({key}, model, dim, vector, created_at) VALUES (?, ?, ?, ?, ?)",
        (number, model, vector.dim, vector.data, now),
    )
    return True


def _load(connection: Connection, kind: VectorKind, model: str) -> VectorMatrix | None:
    table, key, place = _TABLES[kind]
    first = connection.execute(
        f"SELECT dim, count(*) FROM {table} WHERE model = ? GROUP BY dim ORDER BY 2 DESC LIMIT 1", (model,)
    ).fetchone()
    if first is None:
        return None
    matrix = VectorMatrix(first[0])
    matrix.reserve(first[1])
    rows = connection.execute(f"SELECT e.{key}, ({place}), e.vector FROM {table} e WHERE e.model = ?", (model,))
    while chunk := rows.fetchmany(_READ_ROWS):
        matrix.put_many(chunk)
    return matrix


def _read_again(connection: Connection, kind: VectorKind, model: str, matrix: VectorMatrix, ids: Iterable[int]) -> None:
    table, key, place = _TABLES[kind]
    left = set(ids)
    rows = connection.execute(
        f"""SELECT e.{key}, ({place}), e.vector FROM json_each(?) j JOIN {table} e ON e.{key} = j.value
        WHERE e.model = ?""",
        (json.dumps(list(left)), model),
    ).fetchall()
    matrix.drop(left - {row[0] for row in rows})
    for row in rows:
        matrix.put(*row)
