"""The record of what held the event loop, for the log panel and the benchmarks. Holds names and times, no values."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass

HELD_S = 0.025
"""Whatever holds the loop this long is kept among the latest."""
KEPT_HOLDS = 50


@dataclass(frozen=True, slots=True)
class Hold:
    """One thing that held the loop: what it was, and for how many milliseconds."""

    name: str
    ms: float


class HoldRecord:
    """The longest hold since the last reset, and the latest of the long ones, oldest first."""

    def __init__(self) -> None:
        self.longest = Hold("", 0.0)
        self.latest: deque[Hold] = deque(maxlen=KEPT_HOLDS)

    def reset(self) -> None:
        """Forget everything."""
        self.longest = Hold("", 0.0)
        self.latest.clear()

    def add(self, source: asyncio.Handle | str, seconds: float) -> None:
        """Take note that a callback, or what the text names, ran for `seconds`."""
        ms = seconds * 1000
        if ms <= self.longest.ms and seconds < HELD_S:
            return
        hold = Hold(source if isinstance(source, str) else handle_name(source), ms)
        if ms > self.longest.ms:
            self.longest = hold
        if seconds >= HELD_S:
            self.latest.append(hold)


def handle_name(handle: asyncio.Handle) -> str:
    """Name the task or function behind a handle, without its arguments."""
    callback = handle._callback  # type: ignore[attr-defined]
    while hasattr(callback, "func"):
        callback = callback.func
    owner = getattr(callback, "__self__", None)
    if isinstance(owner, asyncio.Task):
        return owner.get_name()
    return str(getattr(callback, "__qualname__", type(callback).__name__))
