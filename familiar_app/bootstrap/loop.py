"""The one event loop of the window: asyncio served by Qt, made for thousands of short time-outs and streamed tokens.

qasync starts a Qt timer for each callback and leaves it running after a cancel. Here callbacks wait in one queue that
one posted event drains, and timers wait in one heap that one precise Qt timer serves; what is cancelled is dropped.
Sockets, pipes and child processes stay with qasync.

A callback that opens a nested Qt loop stops the other callbacks until that loop ends; it cannot break them.
"""

from __future__ import annotations

import asyncio
import heapq
import logging
import math
import os
import signal
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor, ThreadPoolExecutor
from contextvars import Context
from itertools import count
from typing import Any, TypeVar

from familiar_app.bootstrap.hold import HoldRecord, handle_name

os.environ["QT_API"] = "pyside6"

from PySide6.QtCore import QBasicTimer, QCoreApplication, QEvent, QObject, Qt, QTimerEvent
from PySide6.QtWidgets import QApplication

import qasync  # isort: skip  (takes the Qt that is already imported)

T = TypeVar("T")
ErrorHandler = Callable[[dict[str, Any]], None]

DRAIN_LIMIT_S = 0.008
"""How long one posted event may run callbacks before Qt gets its turn: half a frame of a 60 Hz screen."""
LONGEST_TIMER_MS = 3_600_000
CANCELLED_KEPT = 64
"""Cancelled timers that may wait in the heap before it is cleaned, if they are also more than half of it."""
THREADS = 4

_DRAIN = QEvent.Type(QEvent.registerEventType())
_log = logging.getLogger(__name__)


class _Pump(QObject):
    """Stands in Qt's event queue for the loop: turns the posted event and the timers into calls."""

    def __init__(self, drain: Callable[[], None], timers: dict[QBasicTimer, Callable[[], None]]) -> None:
        super().__init__()
        self._drain = drain
        self._timers = timers

    def customEvent(self, event: QEvent) -> None:  # noqa: N802
        if event.type() == _DRAIN:
            self._drain()

    def timerEvent(self, event: QTimerEvent) -> None:  # noqa: N802
        for timer, due in self._timers.items():
            if timer.timerId() == event.timerId():
                due()


class _Timer(asyncio.TimerHandle):
    """A timer that tells its loop once it is cancelled, so that its place in the heap can be given back."""

    def cancel(self) -> None:
        if not self.cancelled():
            super().cancel()
            self._loop._timer_cancelled()  # type: ignore[attr-defined]


class FamiliarLoop(qasync.QEventLoop):  # type: ignore[misc]
    """asyncio on Qt's loop. `on_error` gets the context of whatever a callback raised; without it, it is logged."""

    def __init__(self, app: QApplication | None = None, on_error: ErrorHandler | None = None) -> None:
        self.holds = HoldRecord()
        self._queue: deque[asyncio.Handle] = deque()
        self._posted = False
        self._draining = False
        self._heap: list[tuple[float, int, _Timer]] = []
        self._cancelled_timers = 0
        self._order = count()
        self._armed_for = math.inf
        self._beat_s = 0.0
        self._beat_due = 0.0
        self._fatal: BaseException | None = None
        self._clock, self._beat_clock = QBasicTimer(), QBasicTimer()
        self._pump = _Pump(self._drain, {self._clock: self._tick, self._beat_clock: self._beat})
        super().__init__(app)
        self.set_default_executor(ThreadPoolExecutor(THREADS, thread_name_prefix="familiar"))
        if on_error is not None:
            self.set_exception_handler(lambda _, context: on_error(context))

    # Callbacks

    def call_soon(self, callback: Callable[..., object], *args: Any, context: Context | None = None) -> asyncio.Handle:
        """Run `callback` in the next round."""
        self._check_closed()
        if self.get_debug():
            self._check_thread()
        return self._enqueue(asyncio.Handle(callback, args, self, context))

    def call_soon_threadsafe(
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """Run `callback` in the next round; any thread may ask for it. Raises RuntimeError on a closed loop."""
        self._check_closed()
        return self._enqueue(asyncio.Handle(callback, args, self, context))

    def _add_callback(self, handle: asyncio.Handle) -> asyncio.Handle:
        """Take a handle that asyncio made itself, as for a signal."""
        return handle if handle.cancelled() else self._enqueue(handle)

    def _enqueue(self, handle: asyncio.Handle) -> asyncio.Handle:
        self._queue.append(handle)
        if not self._posted:
            self._post()
        return handle

    def _post(self) -> None:
        self._posted = True
        QCoreApplication.postEvent(self._pump, QEvent(_DRAIN))

    def _drain(self) -> None:
        """Run what waits at this moment, for a bounded time; what comes in meanwhile waits for the next event."""
        self._posted = False
        if self._draining or not self.is_running():  # a nested Qt loop, or between two runs: somebody posts again
            return
        self._draining = True
        try:
            self._run_waiting()
        except (SystemExit, KeyboardInterrupt) as ending:  # must not pass through Qt, which would swallow it
            self._fatal = ending
            self.stop()
        finally:
            self._draining = False
            if self._queue and not self._posted:
                self._post()

    def _run_waiting(self) -> None:
        started = before = time.perf_counter()
        for _ in range(len(self._queue)):
            handle = self._queue.popleft()
            if handle.cancelled():
                continue
            handle._run()
            after = time.perf_counter()
            self.holds.add(handle, after - before)
            before = after
            if after - started > DRAIN_LIMIT_S:
                return

    # Timers

    def call_later(
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Run `callback` after `delay` seconds."""
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Run `callback` at `when`, in seconds of the loop's clock; never before, about a millisecond after."""
        self._check_closed()
        if self.get_debug():
            self._check_thread()
        timer = _Timer(when, callback, args, self, context)
        heapq.heappush(self._heap, (when, next(self._order), timer))
        if when < self._armed_for:
            self._arm()
        return timer

    @property
    def waiting_timers(self) -> int:
        """How many entries the heap of timers holds, cancelled ones that wait for the next cleaning included."""
        return len(self._heap)

    @property
    def timer_is_running(self) -> bool:
        """Whether the one Qt timer runs at the moment."""
        return self._clock.isActive()

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Do nothing yet: asyncio says so before the handle counts as cancelled."""

    def _timer_cancelled(self) -> None:
        self._cancelled_timers += 1
        if self._cancelled_timers > max(CANCELLED_KEPT, len(self._heap) // 2):
            self._heap = [entry for entry in self._heap if not entry[2].cancelled()]
            heapq.heapify(self._heap)
            self._cancelled_timers = 0
        self._drop_cancelled()
        if not self._heap:
            self._arm()

    def _drop_cancelled(self) -> None:
        while self._heap and self._heap[0][2].cancelled():
            heapq.heappop(self._heap)
            self._cancelled_timers = max(0, self._cancelled_timers - 1)

    def _arm(self) -> None:
        """Let the Qt timer run until the first entry is due, or not at all."""
        if not self._heap:
            self._clock.stop()
            self._armed_for = math.inf
            return
        self._armed_for = self._heap[0][0]
        left_ms = (self._armed_for - self.time()) * 1000
        wait_ms = math.ceil(min(max(0.0, left_ms), LONGEST_TIMER_MS))
        self._clock.start(wait_ms, Qt.TimerType.PreciseTimer, self._pump)

    def _tick(self) -> None:
        """Queue every timer that is due and arm for the next."""
        now = self.time()
        self._drop_cancelled()
        while self._heap and self._heap[0][0] <= now:
            self._enqueue(heapq.heappop(self._heap)[2])
            self._drop_cancelled()
        self._arm()

    def watch(self, interval_s: float) -> None:
        """Also record how late a beat comes, which shows what Qt's own handlers hold; 0 ends the beat."""
        self._beat_s = interval_s
        if interval_s <= 0:
            self._beat_clock.stop()
            return
        self._beat_due = self.time() + interval_s
        self._beat_clock.start(math.ceil(interval_s * 1000), Qt.TimerType.PreciseTimer, self._pump)

    def _beat(self) -> None:
        now = self.time()
        self.holds.add("window", now - self._beat_due)
        self._beat_due = now + self._beat_s

    # Threads

    def set_default_executor(self, executor: Executor) -> None:
        """Use `executor` for work that names none; it is shut down with the loop."""
        super().set_default_executor(executor)
        self._default_executor = executor  # where asyncio's own shutdown looks

    def run_in_executor(self, executor: Executor | None, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:
        """Run blocking work in `executor`, or in the loop's own small pool."""
        self._check_closed()
        chosen = self._default_executor if executor is None else executor
        return asyncio.wrap_future(chosen.submit(func, *args), loop=self)

    # Life

    def run_forever(self) -> int:
        """Run until `stop`. Raises the SystemExit or KeyboardInterrupt that a callback let out."""
        if self._queue and not self._posted:
            self._post()
        wakes = self._wake_on_signals()
        try:
            result: int = super().run_forever()
        finally:
            if wakes:
                signal.set_wakeup_fd(-1)
        if self._fatal is not None:
            ending, self._fatal = self._fatal, None
            raise ending
        return result

    def close(self) -> None:
        """Drop what still waits and give everything back. Closing twice is allowed."""
        if not self.is_closed() and not self.is_running():
            self._clock.stop()
            self._beat_clock.stop()
            self._heap.clear()
            self._queue.clear()
            QCoreApplication.removePostedEvents(self._pump)
        super().close()

    def _wake_on_signals(self) -> bool:
        """Let a signal end Qt's sleep, so that Python's handlers run at once."""
        if os.name != "posix" or threading.current_thread() is not threading.main_thread():
            return False
        earlier = signal.set_wakeup_fd(self._csock.fileno())
        if earlier != -1:
            signal.set_wakeup_fd(earlier)
        return earlier == -1

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        """Log what failed and where, but no values: they could be words of a conversation."""
        error = context.get("exception")
        where = "".join(traceback.format_tb(error.__traceback__)) if error is not None else ""
        handle, task = context.get("handle"), context.get("task") or context.get("future")
        name = handle_name(handle) if isinstance(handle, asyncio.Handle) else ""
        if isinstance(task, asyncio.Task):
            name = task.get_name()
        what = type(error).__name__ if error is not None else context.get("message")
        _log.error("%s in %s\n%s", what, name or "a callback", where)


def run(main: Coroutine[Any, Any, T], *, app: QApplication | None = None, on_error: ErrorHandler | None = None) -> T:
    """Run `main` to its end on Qt's loop, then end what is left of tasks, generators and threads.

    Returns what `main` returns, and raises what it raises.
    """
    application = app or QApplication.instance() or QApplication([])
    with asyncio.Runner(loop_factory=lambda: FamiliarLoop(application, on_error)) as runner:  # type: ignore[arg-type]
        return runner.run(main)
