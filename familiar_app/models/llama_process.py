"""One llama.cpp worker process: starts it, exchanges frames with it, and notices its end.

Pipes are read and written in threads of their own, so that any event loop will do.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, BinaryIO

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.text import tr
from familiar_app.models.llama_worker.frames import Frame, FrameError, read_frame, write_frame
from familiar_app.models.llama_worker.private_folder import remove_folders_of

log = logging.getLogger(__name__)

_END_TIMEOUT_S = 3.0
_KEPT_LINES = 50


def worker_command() -> list[str]:
    """Return the command that starts a worker, from source or out of a packed program."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "--llama-worker"]
    return [sys.executable, "-P", "-m", "familiar_app.models.llama_worker"]


def _environment() -> dict[str, str]:
    # The worker needs to find the package; it needs no passphrase and no other setting of the program.
    env = {key: value for key, value in os.environ.items() if not key.startswith("FAMILIAR_")}
    root = str(Path(__file__).resolve().parents[2])
    # Threads that spin while they wait for each other are slower by far once another program needs a core.
    env.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    env["PYTHONPATH"] = os.pathsep.join(part for part in (root, env.get("PYTHONPATH", "")) if part)
    return env


class WorkerGoneError(OutsideError):
    """The worker ended before it had answered."""

    def __init__(self) -> None:
        super().__init__(
            tr("The local model stopped working before it had answered."),
            tr("Try again; if it happens each time, choose a smaller model or a smaller context."),
            retryable=True,
        )


class WorkerProcess:
    """A running worker. Its methods are called from the loop it was started on."""

    def __init__(self, process: subprocess.Popen[bytes], loop: asyncio.AbstractEventLoop) -> None:
        self._process = process
        self._loop = loop
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Queue[Frame | None]] = {}
        self._outbox: queue.SimpleQueue[Frame | None] = queue.SimpleQueue()
        self.log_lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self.alive = True
        self._threads = [
            threading.Thread(target=work, name=f"llama-worker-{name}", daemon=True)
            for name, work in (("out", self._write), ("in", self._read), ("log", self._read_log))
        ]
        self._reaper: threading.Thread | None = None
        for thread in self._threads:
            thread.start()

    @classmethod
    async def start(cls) -> WorkerProcess:
        """Start a worker. Raises OutsideError where the system refuses."""
        loop = asyncio.get_running_loop()
        try:
            process = await asyncio.to_thread(_spawn)
        except OSError as error:
            raise OutsideError(
                tr("The process for the local model could not be started."), tr("Check memory and the installation.")
            ) from error
        return cls(process, loop)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether the system has taken back the process."""
        return self._process.returncode is not None

    async def ask(self, op: str, *, timeout_s: float, **fields: Any) -> Frame:
        """Send a request and return its one answer. Raises WorkerGoneError and TimeoutError."""
        request, answers = self._open(op, fields)
        try:
            answer = await asyncio.wait_for(answers.get(), timeout_s)
        finally:
            del self._waiting[request]
        if answer is None:
            raise WorkerGoneError
        return answer

    async def chat(self, body: str, *, silence_s: float) -> AsyncGenerator[Frame, None]:
        """Send a chat request and yield its frames up to its end; leaving early cancels it in the worker.

        Raises WorkerGoneError, and TimeoutError where nothing comes for `silence_s`.
        """
        request, answers = self._open("chat", {"body": body})
        ended = False
        try:
            while not ended:
                frame = await asyncio.wait_for(answers.get(), silence_s)
                if frame is None:
                    ended = True
                    raise WorkerGoneError
                ended = "end" in frame or "error" in frame
                yield frame
        finally:
            del self._waiting[request]
            if not ended:
                self._outbox.put({"op": "cancel", "id": request})

    def end_soon(self) -> None:
        """Ask the worker to end, by force where it does not follow, without waiting for it."""
        self.alive = False
        self._outbox.put(None)
        if self._reaper is None:
            self._reaper = threading.Thread(target=self._reap, name="llama-worker-end", daemon=True)
            self._reaper.start()

    def kill(self) -> None:
        """End the worker at once."""
        with contextlib.suppress(OSError):
            self._process.kill()
        self.end_soon()

    async def close(self) -> None:
        """End the worker and wait until nothing of it is left: no process, thread or pipe."""
        self.end_soon()
        if self._reaper is not None:
            await asyncio.to_thread(self._reaper.join)

    def _open(self, op: str, fields: dict[str, Any]) -> tuple[int, asyncio.Queue[Frame | None]]:
        if not self.alive:
            raise WorkerGoneError
        request = next(self._ids)
        answers: asyncio.Queue[Frame | None] = asyncio.Queue()
        self._waiting[request] = answers
        self._outbox.put({"op": op, "id": request, **fields})
        return request, answers

    def _arrived(self, frame: Frame) -> None:
        answers = self._waiting.get(frame.get("id", 0))
        if answers is not None:
            answers.put_nowait(frame)

    def _gone(self) -> None:
        self.alive = False
        self._outbox.put(None)
        for answers in self._waiting.values():
            answers.put_nowait(None)

    def _tell_loop(self, callback: Any, *arguments: Any) -> None:
        # A loop that is closed has nobody left who waits for the answer.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(callback, *arguments)

    def _write(self) -> None:
        pipe = _pipe(self._process.stdin)
        try:
            while (frame := self._outbox.get()) is not None:
                write_frame(pipe, frame)
        except (OSError, ValueError, FrameError) as error:
            log.debug("the pipe to the local model broke: %s", type(error).__name__)
        with contextlib.suppress(OSError):
            pipe.close()

    def _read(self) -> None:
        pipe = _pipe(self._process.stdout)
        try:
            while (frame := read_frame(pipe)) is not None:
                self._tell_loop(self._arrived, frame)
        except (FrameError, OSError, ValueError) as error:
            log.warning("the local model's process sent something broken: %s", type(error).__name__)
            self._process.kill()
        pipe.close()
        self._process.wait()
        self._tell_loop(self._gone)

    def _read_log(self) -> None:
        pipe = _pipe(self._process.stderr)
        # Kept in memory for the reason of a failed load, and written nowhere.
        with pipe:
            for line in pipe:
                self.log_lines.append(line[:500].decode("utf-8", "replace").rstrip())

    def _reap(self) -> None:
        try:
            self._process.wait(_END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        remove_folders_of(self._process.pid)
        for thread in self._threads:
            thread.join(_END_TIMEOUT_S)


def _spawn() -> subprocess.Popen[bytes]:
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    return subprocess.Popen(  # noqa: S603 - the command is our own interpreter and module
        worker_command(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=_environment(),
        creationflags=flags,
        # A Ctrl+C in the terminal is for the program, which then ends its workers in order.
        start_new_session=os.name != "nt",
    )


def _pipe(pipe: Any) -> BinaryIO:
    assert pipe is not None  # noqa: S101 - all three were asked for
    return pipe  # type: ignore[no-any-return]
