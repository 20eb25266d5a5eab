"""Vectors of what lorebook entries say, by the digest of the text: a text is embedded once for each model.

The newest are kept; what an entry said before it was changed goes in time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from familiar_app.domain.embedding import Vector
from familiar_app.store.engine import Engine

if TYPE_CHECKING:
    from sqlite3 import Connection

KEEP = 50_000
_ASKED_AT_ONCE = 500


class LoreVectors:
    """The vectors of one vault."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def get(self, model: str, digests: Iterable[bytes]) -> dict[bytes, Vector]:
        """Return the vectors that are there."""
        asked = list(dict.fromkeys(digests))

        def work(connection: Connection) -> dict[bytes, Vector]:
            found: dict[bytes, Vector] = {}
            for start in range(0, len(asked), _ASKED_AT_ONCE):
                part = asked[start : start + _ASKED_AT_ONCE]
                marks = ", ".join("?" * len(part))
                rows = connection.execute(
                    f"SELECT digest, dim, vector FROM lore_embeddings WHERE model = ? AND digest IN ({marks})",
                    (model, *part),
                )
                found.update((digest, Vector(dim, data)) for digest, dim, data in rows)
            return found

        return await self._engine.read(work)

    async def put(self, model: str, vectors: Mapping[bytes, Vector], *, keep: int = KEEP) -> None:
        """Store vectors, and forget the oldest beyond `keep`."""
        rows = [(digest, model, vector.dim, vector.data) for digest, vector in vectors.items()]

        def work(connection: Connection) -> None:
            connection.executemany("INSERT OR REPLACE INTO lore_embeddings VALUES (?, ?, ?, ?)", rows)
            connection.execute(
                """DELETE FROM lore_embeddings WHERE rowid <= (
                    SELECT rowid FROM lore_embeddings ORDER BY rowid DESC LIMIT 1 OFFSET ?)""",
                (max(keep, 0),),
            )

        await self._engine.write(work)
