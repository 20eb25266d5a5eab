"""Lets a bounded number of requests through to a model; replies go ahead of work in the background."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import itertools
from collections.abc import AsyncGenerator

from familiar_app.domain.chat import Slot


class Turnstile:
    """A semaphore whose waiters are ordered: replies first, then by arrival."""

    def __init__(self, places: int = 1) -> None:
        self._free = places
        self._order = itertools.count()
        self._waiting: list[tuple[bool, int, asyncio.Future[None]]] = []

    @contextlib.asynccontextmanager
    async def turn(self, slot: Slot) -> AsyncGenerator[None, None]:
        """Wait for a place and hold it."""
        if self._free:
            self._free -= 1
        else:
            await self._wait(slot)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, slot: Slot) -> None:
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (slot != "prose", next(self._order), ready))
        try:
            await ready
        except asyncio.CancelledError:
            # The place may have been handed over at the same moment; then the next in line gets it.
            if ready.done() and not ready.cancelled():
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Hand the place to the next who still waits; it counts as taken in between, so that nobody slips in."""
        while self._waiting:
            *_, ready = heapq.heappop(self._waiting)
            if not ready.done():
                ready.set_result(None)
                return
        self._free += 1
