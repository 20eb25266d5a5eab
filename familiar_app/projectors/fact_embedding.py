"""`fact_embedding`: gives each fact that is believed a vector of the active model."""

from __future__ import annotations

from familiar_app.projectors.belief import BeliefReplay
from familiar_app.projectors.port import Desk, Progress, Tick
from familiar_app.projectors.vectoring import embed_all, embed_batch, progress_of
from familiar_app.store.memory_writer import MemoryWriter

FACT_EMBEDDING = "fact_embedding"


class FactEmbedding:
    """Embeds one batch a tick, newest facts first. Without an embedder it rests."""

    name = FACT_EMBEDDING

    def __init__(self, desk: Desk, beliefs: BeliefReplay) -> None:
        self._desk = desk
        self._beliefs = beliefs
        self._settings = desk.config.memory.fact_embedding

    @property
    def interval_s(self) -> float:
        return self._settings.tick_s

    async def tick(self, *, flush: bool) -> Tick:  # noqa: ARG002 - a single fact is a batch too
        """Embed the next facts. Raises OutsideError where the embedder failed; then nothing is stored."""
        await self._beliefs.bring_back()
        return await embed_batch(self._desk, "fact", self._settings.batch_facts)

    async def replay(self) -> None:
        await self._beliefs.bring_back()
        await embed_all(self._desk, "fact", self._settings.batch_facts)

    async def progress(self) -> Progress:
        return await progress_of(self._desk, "fact")

    def empty(self, writer: MemoryWriter, *, fresh: bool) -> None:  # noqa: ARG002 - no answer of a model is kept
        """Take out the vectors of the active model; those of others stay until they are removed by hand."""
        if self._desk.embedder is not None:
            writer.empty_vectors(self._desk.familiar, self._desk.embedder.name)
