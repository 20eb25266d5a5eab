"""The registry keeps tasks alive, ends them with their owner and reports what they raise."""

from __future__ import annotations

import asyncio
import gc

import pytest

from familiar_app.domain.task import TaskRegistry
from tests.doubles.waiting import until

Reports = list[tuple[str, BaseException]]


@pytest.fixture
def reports() -> Reports:
    return []


@pytest.fixture
def registry(reports: Reports) -> TaskRegistry:
    return TaskRegistry(lambda name, error: reports.append((name, error)))


async def test_a_task_nobody_keeps_runs_to_its_end(registry: TaskRegistry) -> None:
    done: list[int] = []

    async def work() -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_later(0.01, future.set_result, None)
        await future
        done.append(1)

    registry.start(work(), name="work")
    gc.collect()
    await until(lambda: done and not len(registry))
    assert done == [1]


async def test_a_failure_is_reported_once_with_its_name(registry: TaskRegistry, reports: Reports) -> None:
    async def fail() -> None:
        raise ValueError("broken")

    task = registry.start(fail(), name="fail")
    await asyncio.wait([task])
    await asyncio.sleep(0)
    assert [(name, type(error), str(error)) for name, error in reports] == [("fail", ValueError, "broken")]


async def test_only_the_owners_tasks_are_ended(registry: TaskRegistry, reports: Reports) -> None:
    mine, other = object(), object()
    ended = registry.start(asyncio.sleep(60), name="mine", owner=mine)
    kept = registry.start(asyncio.sleep(60), name="other", owner=other)
    assert await registry.cancel(mine) == []
    assert (ended.cancelled(), kept.done(), len(registry)) == (True, False, 1)
    assert await registry.cancel() == []
    assert (kept.cancelled(), len(registry), reports) == (True, 0, [])


async def test_a_task_that_will_not_end_is_named(registry: TaskRegistry) -> None:
    release = asyncio.Event()

    async def stubborn() -> None:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue

    task = registry.start(stubborn(), name="stubborn")
    await asyncio.sleep(0)
    assert await registry.cancel(timeout_s=0.02) == ["stubborn"]
    release.set()
    await task


async def test_a_task_can_end_the_others_without_ending_itself(registry: TaskRegistry) -> None:
    sleeper = registry.start(asyncio.sleep(60), name="sleeper")

    async def closing() -> list[str]:
        return await registry.cancel()

    assert await registry.start(closing(), name="closing") == []
    assert sleeper.cancelled()
