"""How fast the loop schedules, how late its timers are, and how long it keeps Qt waiting under a stream of tokens.

Bounds are set against asyncio's own loop, measured in turns with ours: whatever else the machine does meets both.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from statistics import median
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from familiar_app.bootstrap.loop import FamiliarLoop, run
from tests.benchmarks.pace import Pace
from tests.doubles.waiting import PATIENCE_S

pytestmark = pytest.mark.slow


def best(main: Callable[[], Coroutine[Any, Any, float]], times: int = 4) -> tuple[float, float]:
    """Give the best of several results on our loop, and on asyncio's."""
    pairs = [(run(main()), asyncio.run(main())) for _ in range(times)]
    return min(ours for ours, _ in pairs), min(plain for _, plain in pairs)


def test_a_callback_costs_microseconds(qapp: QApplication, pace: Pace, record_property: pytest.RecordProperty) -> None:
    async def main() -> float:
        begun = time.perf_counter()
        for _ in range(10_000):
            await asyncio.sleep(0)
        return (time.perf_counter() - begun) / 10_000

    ours, plain = best(main)
    record_property("us_per_turn", (round(ours * 1e6, 1), round(plain * 1e6, 1)))
    assert ours < plain * 5 + pace.allow(300e-6)


def test_a_finished_timeout_costs_the_same_however_many_there_were(
    qapp: QApplication, pace: Pace, record_property: pytest.RecordProperty
) -> None:
    async def batch(count: int) -> float:
        begun = time.perf_counter()
        for _ in range(count):
            async with asyncio.timeout(60):
                await asyncio.sleep(0)
        return (time.perf_counter() - begun) / count

    async def after_many() -> float:
        await batch(5000)
        return await batch(1000)

    ours, plain = best(lambda: batch(1000))
    late, _ = best(after_many)
    record_property("us_per_timeout", (round(ours * 1e6, 1), round(late * 1e6, 1), round(plain * 1e6, 1)))
    assert ours < plain * 5 + pace.allow(300e-6)
    assert late < ours * 4 + pace.allow(300e-6)


def test_timers_are_exact_to_a_few_milliseconds(
    qapp: QApplication, pace: Pace, record_property: pytest.RecordProperty
) -> None:
    async def main() -> float:
        loop, late = asyncio.get_running_loop(), []
        for number in range(60):
            due = loop.time() + 0.003 + number * 0.0001
            await asyncio.sleep(due - loop.time())
            late.append(loop.time() - due)
        assert min(late) > -0.0001
        return median(late)

    ours, plain = best(main)
    record_property("median_late_ms", (round(ours * 1000, 2), round(plain * 1000, 2)))
    assert ours < plain * 3 + pace.allow(0.004)


def test_a_stream_of_tokens_keeps_nothing_waiting(
    qapp: QApplication, pace: Pace, record_property: pytest.RecordProperty
) -> None:
    async def main() -> float:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, FamiliarLoop)
        tokens: asyncio.Queue[str | None] = asyncio.Queue()
        text: list[str] = []

        async def write() -> None:
            while (token := await asyncio.wait_for(tokens.get(), PATIENCE_S)) is not None:
                text.append(token)

        writing = asyncio.create_task(write())
        loop.watch(0.005)
        loop.holds.reset()
        for number in range(3000):
            tokens.put_nowait(f"token {number} ")
            if number % 10 == 0:
                await asyncio.sleep(0.001)
        tokens.put_nowait(None)
        await writing
        loop.watch(0)
        assert len(text) == 3000
        return loop.holds.longest.ms

    longest = min(run(main()) for _ in range(5))
    record_property("longest_hold_ms", round(longest, 1))
    assert longest < pace.allow(100)
