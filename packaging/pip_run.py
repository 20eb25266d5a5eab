"""Run pip inside the environment and turn what it prints into lines a person understands."""

from __future__ import annotations

import os
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

QUIET_S = 10.0
"""A line of progress comes at least this often."""

_MISLEADING = ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")
_PACKAGE = re.compile(r"(?:Collecting|Requirement already satisfied:) ([A-Za-z0-9._-]+)")
_REASONS = (
    ("DO NOT MATCH THE HASHES", "a package is not the one that the lock names, so nothing was installed"),
    ("No space left", "the disk is full"),
    ("NewConnectionError", "the network cannot be reached; with a connection, start again"),
    ("Temporary failure in name resolution", "the network cannot be reached; with a connection, start again"),
    ("getaddrinfo failed", "the network cannot be reached; with a connection, start again"),
    ("Read timed out", "the network is too slow or was cut; start again to go on"),
    ("No matching distribution", "one of the packages is not to be had for this system and this Python"),
)


class PipFailedError(Exception):
    """pip did not do what it should; the message says why and where its own words are."""


def run_pip(python: Path, arguments: Sequence[str], *, log: Path, total: int = 0, keep: Sequence[int] = ()) -> None:
    """Run `pip install` with `arguments`, everything it says going to `log`. Raises PipFailedError.

    `total` is the number of packages to come, for the lines of progress; 0 shows none. `keep` are open files that pip
    holds open too.
    """
    command = [str(python), "-I", "-m", "pip", "install", "--no-input", "--progress-bar", "off", *arguments]
    environment = {name: value for name, value in os.environ.items() if name not in _MISLEADING}
    environment |= {"PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    with (
        log.open("w", encoding="utf-8") as record,
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            pass_fds=tuple(keep),
            text=True,
            encoding="utf-8",
            errors="replace",
        ) as process,
    ):
        lines = _lines(process)
        progress = _Progress(total)
        while (line := _next(lines, progress)) is not None:
            record.write(line)
            progress.heard(line)
    if process.returncode:
        raise PipFailedError(f"The installation failed: {_reason(log)}. Its own words are in {log}.")


def _lines(process: subprocess.Popen[str]) -> queue.Queue[str | None]:
    lines: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        for line in process.stdout or ():
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, name="pip output", daemon=True).start()
    return lines


def _next(lines: queue.Queue[str | None], progress: _Progress) -> str | None:
    while True:
        try:
            return lines.get(timeout=QUIET_S)
        except queue.Empty:
            progress.still()


def _reason(log: Path) -> str:
    text = log.read_text(encoding="utf-8")
    for sign, reason in _REASONS:
        if sign in text:
            return reason
    errors = [line for line in text.splitlines() if line.startswith("ERROR:")]
    return errors[0].removeprefix("ERROR:").strip().rstrip(".") if errors else "pip gave no reason"


class _Progress:
    """Counts the packages and says where the installation stands."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._count = 0
        self._doing = ""
        self._started = time.monotonic()

    def heard(self, line: str) -> None:
        if not self._total:
            return
        if line.startswith("Ignoring "):  # not for this system or this Python
            self._total -= 1
        elif match := _PACKAGE.match(line):
            self._count += 1
            self._doing = f"fetching {match.group(1)}"
            self._show(f"[{min(self._count, self._total)}/{self._total}] {match.group(1)}")
        elif line.startswith("Installing collected packages"):
            self._doing = "unpacking"
            self._show("Everything is fetched and its hashes fit; unpacking …")

    def still(self) -> None:
        if self._doing:
            self._show(f"… still {self._doing} ({time.monotonic() - self._started:.0f} s)")

    def _show(self, text: str) -> None:
        print(f"  {text}", file=sys.stderr, flush=True)
