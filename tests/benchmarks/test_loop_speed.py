"""How fast the loop schedules, how late its timers are, and how long it keeps Qt waiting under a stream of tokens."""

from __future__ import annotations

import asyncio
import time
from statistics import median

import pytest
from PySide6.QtWidgets import QApplication

from familiar_app.bootstrap.loop import FamiliarLoop, run

pytestmark = pytest.mark.slow


def test_callbacks_cost_microseconds(qapp: QApplication, record_property: pytest.RecordProperty) -> None:
    async def main() -> float:
        begun = time.perf_counter()
        for _ in range(20_000):
            await asyncio.sleep(0)
        return (time.perf_counter() - begun) / 20_000

    seconds = min(run(main()) for _ in range(3))
    record_property("us_per_turn", round(seconds * 1e6, 1))
    assert seconds < 300e-6


def test_a_finished_timeout_costs_microseconds_however_many_there_were(
    qapp: QApplication, record_property: pytest.RecordProperty
) -> None:
    async def batch(count: int) -> float:
        begun = time.perf_counter()
        for _ in range(count):
            async with asyncio.timeout(60):
                await asyncio.sleep(0)
        return (time.perf_counter() - begun) / count

    async def main() -> tuple[float, float]:
        first = await batch(3000)
        await batch(10_000)
        return first, await batch(3000)

    first, last = run(main())
    record_property("us_per_timeout", (round(first * 1e6, 1), round(last * 1e6, 1)))
    assert last < 600e-6
    assert last < first * 4 + 50e-6


def test_timers_are_exact_to_about_a_millisecond(qapp: QApplication, record_property: pytest.RecordProperty) -> None:
    async def main() -> list[float]:
        loop, late = asyncio.get_running_loop(), []
        for number in range(100):
            due = loop.time() + 0.003 + number * 0.0001
            await asyncio.sleep(due - loop.time())
            late.append(loop.time() - due)
        return late

    late = run(main())
    record_property("median_late_ms", round(median(late) * 1000, 2))
    assert min(late) > -0.0005
    assert median(late) < 0.003


def test_a_stream_of_tokens_keeps_nothing_waiting(qapp: QApplication, record_property: pytest.RecordProperty) -> None:
    async def main() -> float:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, FamiliarLoop)
        tokens: asyncio.Queue[str | None] = asyncio.Queue()
        text: list[str] = []

        async def write() -> None:
            while (token := await asyncio.wait_for(tokens.get(), 30)) is not None:
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

    longest = min(run(main()) for _ in range(3))
    record_property("longest_hold_ms", round(longest, 1))
    assert longest < 50
