"""The event loop: order, fairness, timers without residue, threads, errors, a clean end."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import anyio
import anyio.to_thread
import httpx
import pytest
from PySide6.QtCore import QEventLoop, QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from familiar_app.bootstrap.loop import DRAIN_LIMIT_S, FamiliarLoop, run
from tests.doubles.waiting import PATIENCE_S, until


@pytest.fixture(autouse=True)
def app(qapp: QApplication) -> Iterator[QApplication]:
    """One Qt application for all tests of this file."""
    return qapp


def this_loop() -> FamiliarLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, FamiliarLoop)
    return loop


def test_callbacks_run_in_the_order_they_were_asked_for() -> None:
    async def main() -> list[int]:
        seen: list[int] = []
        for number in range(200):
            this_loop().call_soon(seen.append, number)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return seen

    assert run(main()) == list(range(200))


def test_cancelled_callback_does_not_run() -> None:
    async def main() -> list[str]:
        seen: list[str] = []
        this_loop().call_soon(seen.append, "dropped").cancel()
        this_loop().call_later(0.001, seen.append, "dropped too").cancel()
        this_loop().call_soon(seen.append, "kept")
        await asyncio.sleep(0.01)
        return seen

    assert run(main()) == ["kept"]


def test_ten_thousand_finished_timeouts_leave_no_timer() -> None:
    async def main() -> tuple[int, int, bool, int]:
        loop, highest = this_loop(), 0
        for _ in range(10_000):
            async with asyncio.timeout(60):  # noqa: ASYNC100
                highest = max(highest, loop.waiting_timers)
        return highest, loop.waiting_timers, loop.timer_is_running, len(loop._queue)

    highest, left, running, queued = run(main())
    assert highest == 1
    assert (left, running, queued) == (0, False, 0)


def test_cancelled_timeouts_behind_a_live_one_do_not_pile_up() -> None:
    async def main() -> tuple[int, int]:
        loop, highest = this_loop(), 0
        keeper = loop.call_later(1.0, lambda: None)
        for _ in range(10_000):
            await asyncio.wait_for(asyncio.sleep(0), 60)
            highest = max(highest, loop.waiting_timers)
        keeper.cancel()
        return highest, loop.waiting_timers

    highest, left = run(main())
    assert highest < 150
    assert left == 0


def test_timers_fire_in_order_and_never_early() -> None:
    async def main() -> list[tuple[int, float]]:
        loop, fired = this_loop(), []
        done = loop.create_future()
        delays = (40, 5, 30, 1, 20, 10, 60)
        begun = loop.time()
        for ms in delays:
            loop.call_at(begun + ms / 1000, lambda ms=ms: fired.append((ms, (loop.time() - begun) * 1000 - ms)))
        loop.call_at(begun + 0.08, done.set_result, None)
        await done
        return fired

    fired = run(main())  # how late they are, a benchmark compares with asyncio's own loop
    assert [ms for ms, _ in fired] == [1, 5, 10, 20, 30, 40, 60]
    assert all(late >= 0 for _, late in fired)


def test_an_earlier_timer_overtakes_the_armed_one() -> None:
    async def main() -> float:
        slow = this_loop().call_later(90, lambda: None)
        begun = time.monotonic()
        await asyncio.sleep(0.005)
        slow.cancel()
        return time.monotonic() - begun

    assert 0.005 <= run(main()) < 90


def test_qt_is_served_while_tasks_spin() -> None:
    async def main() -> tuple[int, int]:
        ticks, turns, stop = 0, 0, False
        timer = QTimer()

        def tick() -> None:
            nonlocal ticks, stop
            ticks += 1
            stop = ticks >= 20

        timer.timeout.connect(tick)
        timer.start(1)

        async def spin() -> None:
            nonlocal turns
            while not stop:
                turns += 1
                await asyncio.sleep(0)

        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(spin(), spin(), spin())
        timer.stop()
        return ticks, turns

    ticks, turns = run(main())
    assert ticks >= 20
    assert turns > 60


def test_a_crowd_of_callbacks_is_cut_into_bounded_rounds() -> None:
    async def main() -> list[int]:
        done, at_ticks = 0, [0]
        timer = QTimer()

        def callback() -> None:
            nonlocal done
            time.sleep(0.001)
            done += 1

        timer.timeout.connect(lambda: at_ticks.append(done))
        timer.start(0)
        for _ in range(200):
            this_loop().call_soon(callback)
        await until(lambda: at_ticks[-1] == 200)
        timer.stop()
        return at_ticks

    # Each takes a millisecond or more, so that no round has room for more of them than it has milliseconds.
    most = max(after - before for before, after in itertools.pairwise(run(main())))
    assert most <= DRAIN_LIMIT_S * 1000 + 1


def test_threads_may_call_in_while_the_loop_sleeps() -> None:
    async def main() -> tuple[int, float]:
        loop, seen = this_loop(), 0
        done = asyncio.Event()

        def note(last: bool) -> None:
            nonlocal seen
            seen += 1
            assert threading.current_thread() is threading.main_thread()
            if seen == 4000:
                done.set()

        def work() -> None:
            for number in range(1000):
                loop.call_soon_threadsafe(note, number == 999)

        threads = [threading.Thread(target=work) for _ in range(4)]
        begun = time.monotonic()
        for thread in threads:
            thread.start()
        async with asyncio.timeout(PATIENCE_S):
            await done.wait()
        for thread in threads:
            thread.join()
        return seen, time.monotonic() - begun

    seen, _ = run(main())
    assert seen == 4000


def test_blocking_work_runs_in_named_threads_which_end_with_the_loop() -> None:
    async def main() -> str:
        await asyncio.gather(*(asyncio.to_thread(time.sleep, 0.01) for _ in range(8)))
        return await this_loop().run_in_executor(None, lambda: threading.current_thread().name)

    assert run(main()).startswith("familiar")
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("familiar")]


def test_anyio_works_on_it() -> None:
    async def main() -> tuple[int, bool]:
        results: list[int] = []

        async def work(number: int) -> None:
            results.append(await anyio.to_thread.run_sync(lambda: number * 2))

        async with anyio.create_task_group() as group:
            for number in range(10):
                group.start_soon(work, number)
        with anyio.move_on_after(0.01) as scope:
            await anyio.sleep(5)
        return sum(results), scope.cancelled_caught

    assert run(main()) == (90, True)


def test_http_streams_through_it() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n")
        for number in range(50):
            piece = f"piece {number};".encode()
            writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async def main() -> str:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with (
            server,
            httpx.AsyncClient(trust_env=False) as client,
            client.stream("GET", f"http://127.0.0.1:{port}/") as answer,
        ):
            return "".join([text async for text in answer.aiter_text()])

    assert run(main()).split(";")[49] == "piece 49"


def test_child_processes_talk_over_pipes() -> None:
    async def main() -> tuple[bytes, int | None]:
        code = "import sys; sys.stdout.write(sys.stdin.read().upper())"
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        out, _ = await child.communicate(b"spoken over a pipe")
        return out, child.returncode

    assert run(main()) == (b"SPOKEN OVER A PIPE", 0)


def test_timeout_wait_for_gather_and_cancellation_behave_as_in_asyncio() -> None:
    async def main() -> list[str]:
        seen: list[str] = []
        try:
            async with asyncio.timeout(0.01):
                await asyncio.sleep(5)
        except TimeoutError:
            seen.append("timeout")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), 0.01)
        results = await asyncio.gather(asyncio.sleep(0.001, "a"), asyncio.sleep(0, "b"), return_exceptions=True)
        seen.extend(results)
        task = asyncio.create_task(asyncio.sleep(5))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        seen.append("cancelled" if task.cancelled() else "not cancelled")
        return seen

    assert run(main()) == ["timeout", "a", "b", "cancelled"]


def test_errors_of_callbacks_reach_the_handler() -> None:
    errors: list[BaseException] = []

    async def main() -> None:
        this_loop().call_soon(int, "no number")
        await asyncio.sleep(0.005)

    run(main(), on_error=lambda context: errors.append(context["exception"]))
    assert [type(error) for error in errors] == [ValueError]


def test_without_a_handler_errors_are_logged_without_their_values(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        this_loop().call_soon(int, "words of a conversation")
        await asyncio.sleep(0.005)

    with caplog.at_level(logging.ERROR):
        run(main())
    assert "ValueError" in caplog.text
    assert "conversation" not in caplog.text


def test_what_main_raises_comes_out() -> None:
    async def main() -> None:
        raise LookupError("of main")

    with pytest.raises(LookupError, match="of main"):
        run(main())


@pytest.mark.leaves_tasks
def test_system_exit_of_a_callback_ends_the_loop() -> None:
    async def main() -> None:
        this_loop().call_soon(sys.exit, 3)
        await asyncio.sleep(5)

    with pytest.raises(SystemExit) as ending:
        run(main())
    assert ending.value.code == 3


@pytest.mark.leaves_tasks
def test_tasks_left_at_the_end_are_cancelled_and_see_a_running_loop() -> None:
    seen: list[str] = []

    async def linger() -> None:
        try:
            while True:  # noqa: ASYNC110
                await asyncio.sleep(0)
        finally:
            await asyncio.sleep(0.002)
            seen.append("ended")

    async def main() -> None:
        main.task = asyncio.create_task(linger())  # type: ignore[attr-defined]
        await asyncio.sleep(0.01)

    run(main())
    assert seen == ["ended"]


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupt_cancels_main_at_once() -> None:
    async def main() -> str:
        this_loop().run_in_executor(None, _interrupt_soon)
        try:
            await asyncio.sleep(PATIENCE_S)
        except asyncio.CancelledError:
            return "stopped"
        return "slept on"

    assert run(main()) == "stopped"


def _interrupt_soon() -> None:
    time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_signal_handlers_of_the_loop_run() -> None:
    async def main() -> bool:
        called = asyncio.Event()
        this_loop().add_signal_handler(signal.SIGTERM, called.set)
        os.kill(os.getpid(), signal.SIGTERM)
        async with asyncio.timeout(PATIENCE_S):
            await called.wait()
        return this_loop().remove_signal_handler(signal.SIGTERM)

    assert run(main()) is True


def test_a_nested_qt_loop_delays_other_tasks_but_breaks_none() -> None:
    async def main() -> tuple[bool, int]:
        turns = 0

        async def count() -> None:
            nonlocal turns
            for _ in range(50):
                turns += 1
                await asyncio.sleep(0)

        counting = asyncio.create_task(count())
        nested = QEventLoop()
        QTimer.singleShot(20, nested.quit)
        nested.exec()
        during = turns
        await counting
        return during <= 1, turns

    assert run(main()) == (True, 50)


def test_a_thread_that_calls_a_closed_loop_is_told() -> None:
    async def main() -> FamiliarLoop:
        return this_loop()

    loop = run(main())
    assert loop.is_closed()
    with pytest.raises(RuntimeError, match="closed"):
        loop.call_soon_threadsafe(print)
    loop.close()


def test_sockets_are_given_back_at_the_end() -> None:
    async def main() -> socket.socket:
        near, far = socket.socketpair()
        near.setblocking(False)
        far.setblocking(False)
        await this_loop().sock_sendall(near, b"x" * 10)
        assert await this_loop().sock_recv(far, 10) == b"x" * 10
        near.close()
        return far

    far = run(main())
    assert far.recv(1) == b""
    far.close()


def test_the_longest_hold_is_known_by_name() -> None:
    async def main() -> tuple[str, float, int]:
        async def greedy() -> None:
            time.sleep(0.03)  # noqa: ASYNC251

        holds = this_loop().holds
        holds.reset()
        await asyncio.create_task(greedy(), name="greedy task")
        return holds.longest.name, holds.longest.ms, len(holds.latest)

    name, ms, latest = run(main())
    assert name == "greedy task"
    assert ms >= 30
    assert latest == 1


def test_the_beat_sees_what_qt_handlers_hold() -> None:
    async def main() -> tuple[str, float]:
        loop = this_loop()
        loop.watch(0.005)
        QTimer.singleShot(10, lambda: time.sleep(0.06))
        await until(lambda: any(hold.name == "window" and hold.ms >= 45 for hold in loop.holds.latest))
        loop.watch(0)
        longest = max(loop.holds.latest, key=lambda hold: hold.ms)
        return longest.name, longest.ms

    name, ms = run(main())
    assert name == "window"
    assert ms >= 45


class Speaker(QObject):
    said = Signal(bool)


def test_two_thousand_emissions_keep_the_count_of_true() -> None:
    async def main() -> tuple[int, int]:
        speaker, heard = Speaker(), 0

        def hear(value: bool) -> None:
            nonlocal heard
            heard += value

        speaker.said.connect(hear)
        before = sys.getrefcount(True)
        for _ in range(2000):
            speaker.said.emit(True)
        return heard, sys.getrefcount(True) - before

    heard, drift = run(main())
    assert heard == 2000
    assert abs(drift) < 100
