"""`turn_embedding`: gives each turn that can be searched a vector of the active model, with its speaker and date.

Turns belong to channels and not to a familiar, so familiars with the same model share their vectors.
"""

from __future__ import annotations

from familiar_app.projectors.belief import BeliefReplay
from familiar_app.projectors.port import Desk, Progress, Tick
from familiar_app.projectors.vectoring import embed_all, embed_batch, progress_of
from familiar_app.store.memory_writer import MemoryWriter

TURN_EMBEDDING = "turn_embedding"


class TurnEmbedding:
    """Embeds one batch a tick, newest turns first. Without an embedder it rests."""

    name = TURN_EMBEDDING

    def __init__(self, desk: Desk, beliefs: BeliefReplay) -> None:  # noqa: ARG002 - it rests on turns alone
        self._desk = desk
        self._settings = desk.config.memory.turn_embedding

    @property
    def interval_s(self) -> float:
        return self._settings.tick_s

    async def tick(self, *, flush: bool) -> Tick:  # noqa: ARG002 - a single turn is a batch too
        """Embed the next turns. Raises OutsideError where the embedder failed; then nothing is stored."""
        return await embed_batch(self._desk, "turn", self._settings.batch_turns)

    async def replay(self) -> None:
        await embed_all(self._desk, "turn", self._settings.batch_turns)

    async def progress(self) -> Progress:
        return await progress_of(self._desk, "turn")

    def empty(self, writer: MemoryWriter, *, fresh: bool) -> None:  # noqa: ARG002 - no answer of a model is kept
        """Take out the vectors of the active model; those of others stay until they are removed by hand."""
        if self._desk.embedder is not None:
            writer.empty_turn_vectors(self._desk.embedder.name)
