"""`saved_memory`: brings memories back that the log has and the table has lost. It asks no model."""

from __future__ import annotations

from familiar_app.projectors.belief import BeliefReplay
from familiar_app.projectors.port import IDLE, Desk, Progress, Tick
from familiar_app.store.memory_writer import MemoryWriter

SAVED_MEMORY = "saved_memory"
INTERVAL_S = 60.0


class SavedMemory:
    """Whoever saves a memory writes the row at once, so a tick finds work only where rows went by hand.

    The memories of all familiars are one projection, since copies of a character share them; whichever ticks first
    does the work.
    """

    name = SAVED_MEMORY

    def __init__(self, desk: Desk, beliefs: BeliefReplay) -> None:  # noqa: ARG002 - made as all projectors are
        self._memories = desk.vault.saved_memories

    @property
    def interval_s(self) -> float:
        return INTERVAL_S

    async def tick(self, *, flush: bool) -> Tick:  # noqa: ARG002 - there is no batch to fill
        """Bring back what is missing, all at once."""
        return Tick(worked=True) if await self._memories.bring_back() else IDLE

    async def replay(self) -> None:
        await self._memories.bring_back()

    async def progress(self) -> Progress:
        return Progress(*await self._memories.lag())

    def empty(self, writer: MemoryWriter, *, fresh: bool) -> None:  # noqa: ARG002 - no answer of a model is kept
        """Take out every memory and every level of privacy; the log has them."""
        writer.empty_saved_memories()
