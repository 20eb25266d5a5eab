"""Waits for time to pass, unless something happens before."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


async def pause_unless(pause: Callable[[float], Awaitable[None]], seconds: float, event: asyncio.Event) -> None:
    """Return after a pause, or as soon as an event is set."""
    waits = [asyncio.ensure_future(pause(seconds)), asyncio.ensure_future(event.wait())]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in waits:
            one.cancel()
        await asyncio.wait(waits)
