"""Waits for what other tasks, threads and processes bring about, for as long as a slow and busy machine may need.

A wait ends as soon as it may, so that patience costs nothing but where a test fails anyway.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from familiar_app.store.vault import Vault

PATIENCE_S = 90.0


async def until(ready: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
    """Let the loop run until something is true."""
    async with asyncio.timeout(patience_s):
        while not ready():  # noqa: ASYNC110
            await asyncio.sleep(0.005)


async def until_told(ask: Callable[[], Awaitable[object]], patience_s: float = PATIENCE_S) -> None:
    """Ask again and again until the answer is yes."""
    async with asyncio.timeout(patience_s):
        while not await ask():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def until_seen(ready: Callable[[], object], what: str, patience_s: float = PATIENCE_S) -> None:
    """Look again and again, beside any loop, until something is true."""
    end = time.monotonic() + patience_s
    while not ready():
        assert time.monotonic() < end, f"this did not happen in {patience_s:.0f} s: {what}"
        time.sleep(0.02)


async def in_step(vault: Vault) -> None:
    """Wait until the index has taken in all that was written."""
    async with asyncio.timeout(PATIENCE_S):
        await vault.index.settled()
