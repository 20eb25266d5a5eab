"""How far a download is, what came of it, and how long it goes on trying."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

_RATE_S = 5.0
Phase = Literal["asking", "fetching", "waiting", "checking", "done"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a download is. `host` is the computer spoken to; `total_bytes` and `left_s` are None where unknown."""

    phase: Phase
    host: str
    done_bytes: int = 0
    total_bytes: int | None = None
    bytes_per_s: float = 0.0

    @property
    def left_s(self) -> float | None:
        if self.total_bytes is None or self.bytes_per_s <= 0:
            return None
        return (self.total_bytes - self.done_bytes) / self.bytes_per_s

    @property
    def part(self) -> float | None:
        return min(self.done_bytes / self.total_bytes, 1.0) if self.total_bytes else None


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file that is whole. `checked`: a checksum of the host agreed; `was_here`: nothing was fetched."""

    path: Path
    size_bytes: int
    sha256: str
    checked: bool
    was_here: bool = False


@dataclass(frozen=True, slots=True)
class Persistence:
    """How long silence is borne, how often a broken connection is tried again without a byte gained, and how."""

    silence_s: float = 60.0
    max_retries: int = 6
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


@dataclass(slots=True)
class Pace:
    """Tells the speed of the last few seconds."""

    seen: deque[tuple[float, int]] = field(default_factory=deque)

    def rate(self, now: float, done: int) -> float:
        self.seen.append((now, done))
        while len(self.seen) > 2 and now - self.seen[0][0] > _RATE_S:
            self.seen.popleft()
        (then, before), passed = self.seen[0], now - self.seen[0][0]
        return max(0.0, (done - before) / passed) if passed > 0 and then != now else 0.0
