"""Embeds what has no vector yet, newest first, in small batches between which everything else goes on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from familiar_app.domain.embedding import Embedder
from familiar_app.domain.errors import LockedError, OutsideError
from familiar_app.domain.ids import TurnId
from familiar_app.store.turn import Turns
from familiar_app.store.vector import VectorKind, Vectors

log = logging.getLogger(__name__)

BATCH_TEXTS = 32
PAUSE_S = 2.0
"""How long to let new turns gather; embedding is never urgent."""
RETRY_S = 60.0
KINDS: tuple[VectorKind, ...] = ("turn", "fact")


@dataclass(slots=True)
class VectorFill:
    """Fills in the vectors of one model."""

    vectors: Vectors
    embedder: Embedder
    kinds: Sequence[VectorKind] = KINDS

    async def until_idle(self, progress: Callable[[int], None] | None = None) -> int:
        """Embed everything that has no vector. Returns how many. Raises OutsideError where the model fails."""
        done = 0
        for kind in self.kinds:
            below = 1 << 62
            while batch := await self.vectors.missing(kind, self.embedder.name, BATCH_TEXTS, below=below):
                found = await self.embedder.embed([text for _number, text in batch])
                rows = [(number, text, vector) for (number, text), vector in zip(batch, found, strict=True)]
                await self.vectors.put(kind, self.embedder.name, rows)
                below = batch[-1][0]
                done += len(batch)
                if progress is not None:
                    progress(done)
        return done

    async def run(self, turns: Turns) -> None:
        """Read what there is, then follow the vault until cancelled; a model that fails is tried again later."""
        changed = asyncio.Event()

        def notice(_ids: Sequence[TurnId]) -> None:
            changed.set()

        turns.watch(notice)
        loaded = False
        try:
            while True:
                changed.clear()
                try:
                    if not loaded:
                        await self.vectors.load(self.kinds, self.embedder.name)
                        loaded = True
                    await self.until_idle()
                except LockedError:
                    return  # the vault was closed
                except OutsideError as error:
                    log.warning("the embedder failed", exc_info=error)
                    await asyncio.sleep(RETRY_S)
                    continue
                await changed.wait()
                await asyncio.sleep(PAUSE_S)
        finally:
            turns.unwatch(notice)
