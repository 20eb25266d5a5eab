"""Lets one request at a time through to a local model; replies go ahead of work in the background."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import itertools
from collections.abc import AsyncGenerator

from familiar_app.domain.chat import Slot


class Turnstile:
    """A lock whose waiters are ordered: replies first, then by arrival."""

    def __init__(self) -> None:
        self._busy = False
        self._order = itertools.count()
        self._waiting: list[tuple[bool, int, asyncio.Future[None]]] = []

    @contextlib.asynccontextmanager
    async def turn(self, slot: Slot) -> AsyncGenerator[None, None]:
        """Wait for one's turn and hold it."""
        if self._busy:
            await self._wait(slot)
        self._busy = True
        try:
            yield
        finally:
            self._pass_on()

    @property
    def idle(self) -> bool:
        return not self._busy

    async def _wait(self, slot: Slot) -> None:
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (slot != "prose", next(self._order), ready))
        try:
            await ready
        except asyncio.CancelledError:
            if ready.done() and not ready.cancelled():
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Hand the turn to the next who still waits; `_busy` stays set in between, so that nobody slips in."""
        while self._waiting:
            *_, ready = heapq.heappop(self._waiting)
            if not ready.done():
                ready.set_result(None)
                return
        self._busy = False
