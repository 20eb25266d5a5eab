"""What holds for every test: no screen, no network but loopback, nothing left behind, time that stands still."""

from __future__ import annotations

import asyncio
import inspect
import ipaddress
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import hypothesis
import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["QT_API"] = os.environ["PYTEST_QT_API"] = "pyside6"
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
os.environ.pop("FAMILIAR_PASSPHRASE", None)

# Whoever starts the tests behind a shell's `&` lets them, and all that they start, ignore interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

from familiar_app.domain.clock import FixedClock
from familiar_app.store import vault_file
from familiar_app.store.keys import DEFAULT_COST, KdfCost, KeyFile
from familiar_app.store.vault import Vault

# The same examples on every run, and no limit in seconds for making them: neither chance nor a busy machine decides.
_UNTIMED = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile("steady", _UNTIMED, derandomize=True)
hypothesis.settings.register_profile("search", _UNTIMED)
hypothesis.settings.load_profile("steady")

PATIENCE_S = 8.0
"""How long a thread may take to end after its test."""


@pytest.fixture
def clock() -> FixedClock:
    """A clock that stands at noon UTC of 1 May 2024 until the test sets it."""
    return FixedClock(datetime(2024, 5, 1, 12, tzinfo=UTC))


@pytest.fixture
def profile_dir(tmp_path: Path) -> Path:
    """The path of a profile folder that does not exist yet."""
    return tmp_path / "profile"


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """Fail a test that leaves a thread running or a window open."""
    before = set(threading.enumerate())
    yield
    windows = _close_windows()
    threads = _still_running(before)
    assert not threads, f"threads left running: {threads}"
    assert not windows, f"windows left open: {windows}"


def _still_running(before: set[threading.Thread]) -> list[str]:
    until = time.monotonic() + PATIENCE_S
    while left := [thread for thread in set(threading.enumerate()) - before if thread.is_alive()]:
        if time.monotonic() > until:
            return [thread.name for thread in left]
        left[0].join(0.05)
    return []


def _close_windows() -> list[str]:
    widgets = sys.modules.get("PySide6.QtWidgets")
    if widgets is None or widgets.QApplication.instance() is None:
        return []
    left = [window for window in widgets.QApplication.topLevelWidgets() if window.isVisible()]
    for window in left:
        window.close()
    return [f"{type(window).__name__} {window.windowTitle()!r}" for window in left]


# Tasks: whoever closes a runner must have ended them. Mark a test `leaves_tasks` where that is its matter.

_close_runner = asyncio.Runner.close
_tasks_may_stay = False


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[object]:
    global _tasks_may_stay
    _tasks_may_stay = item.get_closest_marker("leaves_tasks") is not None
    return (yield)


def _close_runner_strictly(runner: asyncio.Runner) -> None:
    loop = getattr(runner, "_loop", None)
    left = [] if loop is None or loop.is_closed() else [t.get_name() for t in asyncio.all_tasks(loop) if not t.done()]
    _close_runner(runner)
    if left and not _tasks_may_stay:
        raise AssertionError(f"tasks left running: {left}")


asyncio.Runner.close = _close_runner_strictly  # type: ignore[method-assign]


# Passphrases: a vault of a test is as good as any other, but costs next to nothing to open.

CHEAP = KdfCost(time_cost=1, memory_kib=8 * 1024, parallelism=1)


def _cheapen(function: Any) -> None:
    """Let a function take the cheap cost where it would take the usual one."""
    function.__defaults__ = tuple(CHEAP if one is DEFAULT_COST else one for one in function.__defaults__ or ()) or None
    for name, value in (function.__kwdefaults__ or {}).items():
        function.__kwdefaults__[name] = CHEAP if value is DEFAULT_COST else value


for _owner in (KeyFile, Vault, vault_file):
    for _function in vars(_owner).values():
        _function = getattr(_function, "__func__", _function)
        if inspect.isfunction(_function):
            _cheapen(_function)


# Network: loopback and sockets of this machine only.


class NoNetworkError(AssertionError):
    """A test tried to leave this machine."""


def _require_loopback(address: Any) -> None:
    host = address[0] if isinstance(address, tuple) else None
    if host is None or host in ("", "localhost"):
        return
    try:
        local = ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        local = False
    if not local:
        raise NoNetworkError("tests may only connect to loopback")


def _guarded(name: str) -> None:
    original = getattr(socket.socket, name)

    def guard(self: socket.socket, address: Any) -> Any:
        _require_loopback(address)
        return original(self, address)

    setattr(socket.socket, name, guard)


_look_up = socket.getaddrinfo


def _look_up_loopback(host: Any, *args: Any, **kwargs: Any) -> Any:
    _require_loopback((host.decode() if isinstance(host, bytes) else host,))
    return _look_up(host, *args, **kwargs)


_guarded("connect")
_guarded("connect_ex")
socket.getaddrinfo = _look_up_loopback
