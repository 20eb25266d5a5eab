"""How long the link waits, and waiting for time to pass unless something happens before."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the link waits. At most one connection in `longest_s` stays far below what Discord allows in a day."""

    shortest_s: float = 1.0
    longest_s: float = 120.0
    steady_s: float = 300.0
    watch_s: float = 2.0
    asleep_s: float = 30.0
    ready_s: float = 60.0
    guild_ready_s: float = 2.0
    most_breaks: int = 5
    breaks_within_s: float = 60.0


class Breaks:
    """The breaks of one connection. The library connects again at once, and identifying is rationed."""

    def __init__(self, patience: Patience) -> None:
        self._at_s: deque[float] = deque(maxlen=patience.most_breaks)
        self._within_s = patience.breaks_within_s

    def one_more(self, now_s: float) -> bool:
        """Note a break, and tell whether there were too many lately."""
        self._at_s.append(now_s)
        return len(self._at_s) == self._at_s.maxlen and now_s - self._at_s[0] < self._within_s


async def pause_unless(pause: Callable[[float], Awaitable[None]], seconds: float, event: asyncio.Event) -> None:
    """Return after a pause, or as soon as an event is set."""
    waits = [asyncio.ensure_future(pause(seconds)), asyncio.ensure_future(event.wait())]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in waits:
            one.cancel()
        await asyncio.wait(waits)
