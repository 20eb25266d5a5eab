"""Runs one projector: a tick now and then, with back-off after errors, until the task is cancelled."""

from __future__ import annotations

import asyncio
import logging

from familiar_app.domain.errors import FamiliarError
from familiar_app.projectors.port import Desk, Progress, Tick, TickingProjector
from familiar_app.projectors.status import RunRecords

log = logging.getLogger(__name__)

BREATH_S = 0.5
FIRST_PAUSE_S = 5.0
LONGEST_PAUSE_S = 600.0


class ProjectorLoop:
    """The loop around a projector that works in ticks. An error in one tick is recorded, and the next one comes later.

    One tick at a time, whoever asks for it.
    """

    def __init__(self, ticking: TickingProjector, desk: Desk) -> None:
        self.ticking = ticking
        self._desk = desk
        self._records = RunRecords(desk.vault, desk.familiar)
        self._failures = 0
        self._awake = asyncio.Event()
        self._one_at_a_time = asyncio.Lock()

    @property
    def name(self) -> str:
        return self.ticking.name

    async def run(self) -> None:
        """Tick for ever."""
        while True:
            pause_s = await self._step()
            try:
                await asyncio.wait_for(self._awake.wait(), pause_s)
            except TimeoutError:
                continue
            self._awake.clear()

    def wake(self) -> None:
        """Let the next tick come at once, also after errors."""
        self._failures = 0
        self._awake.set()

    async def tick(self, *, flush: bool) -> Tick:
        """Do one piece of work and record it. Raises what went wrong, after it was recorded."""
        try:
            async with self._one_at_a_time:
                done = await self.ticking.tick(flush=flush)
        except Exception as error:
            self._failures += 1
            await self._records.ran(self.name, self._desk.clock.now(), told(error))
            raise
        if done.worked or self._failures:
            await self._records.ran(self.name, self._desk.clock.now(), None)
        self._failures = self._failures + 1 if done.stalled else 0
        return done

    async def progress(self) -> Progress:
        """Return how far the projector is."""
        return await self.ticking.progress()

    async def _step(self) -> float:
        """Tick unless paused; return how long to wait, in seconds. Whatever a tick raises ends here."""
        interval_s = self.ticking.interval_s
        try:
            if (await self._records.get(self.name)).paused:
                return interval_s
            done = await self.tick(flush=False)
        except Exception as error:
            # One projector's failure stays its own; it is in the status, and the log gets no text of turns.
            log.warning("the projector %s failed: %s", self.name, type(error).__name__)
            if not isinstance(error, FamiliarError):
                log.exception("a defect in the projector %s", self.name)
            return max(interval_s, pause_after(self._failures))
        if done.stalled:
            return max(interval_s, pause_after(self._failures))
        return min(interval_s, BREATH_S) if done.more else interval_s


def pause_after(failures: int) -> float:
    """Return how long to wait after so many failures in a row, in seconds."""
    return min(LONGEST_PAUSE_S, FIRST_PAUSE_S * float(2 ** max(0, min(failures, 16) - 1)))


def told(error: Exception) -> str:
    """Return what the status says about an error."""
    if isinstance(error, FamiliarError):
        return error.public
    return f"A defect in the program ({type(error).__name__})."
