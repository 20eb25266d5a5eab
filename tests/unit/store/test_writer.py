"""The writer thread: shared commits, jobs that fail alone, cancelled waits, defects that do not end it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import LockedError, UserError
from familiar_app.domain.turn import NewTurn
from familiar_app.store.vault import Vault
from tests.doubles.waiting import PATIENCE_S, until

if TYPE_CHECKING:
    from sqlite3 import Connection


async def hold(vault: Vault) -> tuple[asyncio.Task[None], threading.Event]:
    """Keep the writer busy until the event is set, so that jobs pile up behind it."""
    begun, gate = threading.Event(), threading.Event()

    def work(_connection: Connection) -> None:
        begun.set()
        gate.wait(PATIENCE_S)

    holder = asyncio.create_task(vault._opened.engine.write(work))
    assert await asyncio.to_thread(begun.wait, PATIENCE_S)
    return holder, gate


async def queued(vault: Vault, jobs: int) -> None:
    """Wait until so many jobs stand behind the one that runs."""
    await until(lambda: vault._opened.engine._writer._pending.qsize() == jobs)


async def test_waiting_appends_share_a_commit(vault: Vault, said: Callable[..., NewTurn]) -> None:
    commits: list[int] = []
    engine = vault._opened.engine
    await engine.write_alone(lambda c: c.set_trace_callback(lambda s: commits.append(1) if s == "COMMIT" else None))
    holder, gate = await hold(vault)
    appends = [asyncio.create_task(vault.turns.append(said(str(n)))) for n in range(50)]
    await queued(vault, 50)
    gate.set()
    await asyncio.gather(holder, *appends)
    await engine.write_alone(lambda c: c.set_trace_callback(None))
    assert len(commits) == 2, "one for the holder, one for all fifty"
    assert await vault.turns.count() == 50


async def test_a_cancelled_append_happens_wholly_or_not_at_all(vault: Vault, said: Callable[..., NewTurn]) -> None:
    holder, gate = await hold(vault)
    waiting = asyncio.create_task(vault.turns.append(said("never started")))
    await queued(vault, 1)
    waiting.cancel()
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await holder
    assert await vault.turns.count() == 0

    running, gate = threading.Event(), threading.Event()

    def work(connection: Connection) -> None:
        connection.execute("INSERT INTO state VALUES ('half', '1')")
        running.set()
        gate.wait(PATIENCE_S)
        connection.execute("INSERT INTO state VALUES ('whole', '1')")

    started = asyncio.create_task(vault._opened.engine.write(work))
    await asyncio.to_thread(running.wait)
    started.cancel()
    with pytest.raises(asyncio.CancelledError):
        await started
    gate.set()
    await vault.state.set("after", 1)
    assert [await vault.state.get(key) for key in ("half", "whole", "after")] == [1, 1, 1]


async def test_random_cancelling_loses_no_acknowledged_turn(vault: Vault, said: Callable[..., NewTurn]) -> None:
    acknowledged: set[str] = set()

    async def append(number: int) -> None:
        turn, _ = await vault.turns.append(said(str(number)))
        acknowledged.add(turn.content)

    tasks = [asyncio.create_task(append(number)) for number in range(200)]
    for number, task in enumerate(tasks):
        if number % 3 == 0:
            await asyncio.sleep(0.0005)
            task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    stored = {turn.content async for turns in vault.turns.stream() for turn in turns}
    assert acknowledged <= stored
    assert len(acknowledged) >= 133
    assert await vault.verify() == []


async def test_a_defect_in_a_job_reaches_its_caller_and_the_writer_goes_on(vault: Vault) -> None:
    def defect(connection: Connection) -> None:
        connection.execute("INSERT INTO state VALUES ('half', '1')")
        raise ZeroDivisionError

    holder, gate = await hold(vault)
    together = [asyncio.create_task(vault._opened.engine.write(defect)), asyncio.create_task(vault.state.set("a", 1))]
    await queued(vault, 2)
    gate.set()
    results = await asyncio.gather(holder, *together, return_exceptions=True)
    assert [type(result) for result in results] == [type(None), ZeroDivisionError, type(None)]
    with pytest.raises(ZeroDivisionError):
        await vault._opened.engine.write(defect)
    assert await vault.state.get("half") is None
    assert await vault.state.get("a") == 1


async def test_a_job_that_fails_in_a_group_is_undone_alone(vault: Vault) -> None:
    def refuse(connection: Connection) -> None:
        connection.execute("INSERT INTO state VALUES ('half', '1')")
        raise UserError("no")

    holder, gate = await hold(vault)
    tasks = [
        asyncio.create_task(vault.state.set("a", 1)),
        asyncio.create_task(vault._opened.engine.write(refuse)),
        asyncio.create_task(vault.state.set("b", 2)),
    ]
    await queued(vault, 3)
    gate.set()
    results = await asyncio.gather(holder, *tasks, return_exceptions=True)
    assert [type(result) for result in results] == [type(None), type(None), UserError, type(None)]
    assert [await vault.state.get(key) for key in ("a", "half", "b")] == [1, None, 2]


async def test_closing_finishes_what_is_queued(vault: Vault, vault_path: Path, clock: FixedClock) -> None:
    key = vault.data_key()
    holder, gate = await hold(vault)
    waiting = asyncio.create_task(vault.state.set("last words", "kept"))
    await queued(vault, 1)
    closing = asyncio.create_task(vault.close())
    await until(lambda: vault._opened.engine._writer._closing)
    with pytest.raises(LockedError):
        await vault.state.set("too", "late")
    gate.set()
    await asyncio.gather(holder, waiting, closing)
    again = await Vault.open(vault_path, clock=clock, data_key=key)
    assert await again.state.get("last words") == "kept"
    await again.close()


async def test_a_read_sees_one_state_while_turns_arrive(vault: Vault, said: Callable[..., NewTurn]) -> None:
    begun, gate = threading.Event(), threading.Event()

    def count_twice(connection: Connection) -> tuple[int, int]:
        first = connection.execute("SELECT count(*) FROM turns").fetchone()[0]
        begun.set()
        gate.wait(PATIENCE_S)
        return first, connection.execute("SELECT count(*) FROM turns").fetchone()[0]

    reading = asyncio.create_task(vault._opened.engine.read(count_twice))
    await asyncio.to_thread(begun.wait)
    await vault.turns.append(said("meanwhile"))
    gate.set()
    assert await reading == (0, 0)
    assert await vault.turns.count() == 1
