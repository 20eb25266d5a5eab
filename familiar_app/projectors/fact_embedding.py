"""`fact_embedding`: gives each fact that is believed a vector of the active model; what has none is what is left."""

from __future__ import annotations

from familiar_app.projectors.belief import BeliefReplay
from familiar_app.projectors.port import IDLE, Desk, Progress, Tick
from familiar_app.store.memory_writer import MemoryWriter

FACT_EMBEDDING = "fact_embedding"
_MOST_COUNTED = 100_000


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
        embedder, vectors, size = self._desk.embedder, self._desk.vault.vectors, self._settings.batch_facts
        if embedder is None:
            return IDLE
        batch = await vectors.missing("fact", embedder.name, size)
        if not batch:
            return IDLE
        found = await embedder.embed([text for _, text in batch])
        rows = [(number, text, vector) for (number, text), vector in zip(batch, found, strict=True)]
        await vectors.put("fact", embedder.name, rows)
        return Tick(worked=True, more=len(batch) == size)

    async def replay(self) -> None:
        """Embed everything again: that asks no language model."""
        while (await self.tick(flush=True)).worked:
            continue

    async def progress(self) -> Progress:
        embedder = self._desk.embedder
        if embedder is None:
            return Progress(None, 0)
        return Progress(None, len(await self._desk.vault.vectors.missing("fact", embedder.name, _MOST_COUNTED)))

    def empty(self, writer: MemoryWriter, *, fresh: bool) -> None:  # noqa: ARG002 - no answer of a model is kept
        """Take out the vectors of the active model; those of others stay until they are removed by hand."""
        if self._desk.embedder is not None:
            writer.empty_vectors(self._desk.familiar, self._desk.embedder.name)
