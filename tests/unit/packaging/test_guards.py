"""The guards of `tests/conftest.py` themselves: each is given a test that breaks its rule."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]

OFFENDERS = """
import asyncio, socket, threading, warnings
import pytest

def test_thread():
    threading.Thread(target=threading.Event().wait, name="stray thread", daemon=True).start()

async def test_task():
    test_task.kept = asyncio.create_task(asyncio.sleep(30), name="stray task")

def test_window(qapp):
    from PySide6.QtWidgets import QWidget
    test_window.kept = QWidget()
    test_window.kept.show()

def test_network():
    with socket.socket() as far:
        far.connect(("192.0.2.1", 80))

def test_name():
    socket.getaddrinfo("example.invalid", 80)

def test_warning():
    warnings.warn("of old")

def test_qt_warning(qapp):
    from PySide6.QtCore import qWarning
    qWarning("of the window")

async def test_innocent(clock):
    await asyncio.sleep(0)
    assert clock.now().isoformat() == "2024-05-01T12:00:00+00:00"
"""


@pytest.mark.slow
def test_each_guard_catches_its_offender(tmp_path: Path) -> None:
    rules = (TESTS / "conftest.py").read_text(encoding="utf-8")
    assert "PATIENCE_S = 8.0" in rules
    (tmp_path / "conftest.py").write_text(rules.replace("PATIENCE_S = 8.0", "PATIENCE_S = 0.5"), encoding="utf-8")
    shutil.copyfile(TESTS.parent / "pyproject.toml", tmp_path / "pyproject.toml")
    (tmp_path / "test_offenders.py").write_text(OFFENDERS, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rA", "test_offenders.py"]
    found = {**os.environ, "PYTHONPATH": str(TESTS.parent)}
    answer = subprocess.run(command, cwd=tmp_path, env=found, capture_output=True, text=True, timeout=200, check=False)
    for guard in ("stray thread", "stray task", "left open", "only connect to loopback", "of old", "of the window"):
        assert guard in answer.stdout
    caught = set(re.findall(r"^(?:FAILED|ERROR) \S+::test_(\w+)", answer.stdout, re.MULTILINE))
    assert caught == {"thread", "task", "window", "network", "name", "warning", "qt_warning"}


def test_loopback_is_open() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as near:
        far, _ = server.accept()
        with far:
            near.sendall(b"x")
            assert far.recv(1) == b"x"


def test_another_machine_is_not() -> None:
    with socket.socket() as far, pytest.raises(AssertionError, match="loopback"):
        far.connect_ex(("198.51.100.7", 443))
