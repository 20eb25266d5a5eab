"""With the bundled model and in local-only mode no process of the program opens an internet socket of any kind."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

if TYPE_CHECKING:
    from tests.e2e.cli.conftest import Familiar

pytestmark = pytest.mark.slow

SOCKET = re.compile(r"\bsocket\((\w+)")


def traced(familiar: Familiar, *argv: str) -> tuple[int, set[str], int]:
    """Run a command under strace: its exit code, the families of its sockets, and how many processes it had."""
    log = familiar.outside / "strace"
    ran = subprocess.run(
        ["strace", "-f", "-qq", "-e", "trace=socket,execve", "-o", str(log), *familiar.command(*argv)],
        env=familiar.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
    )
    text = log.read_text(errors="replace")
    return ran.returncode, set(SOCKET.findall(text)), len(re.findall(r"execve\(.* = 0", text))


def can_trace() -> bool:
    strace = shutil.which("strace")
    return (
        strace is not None and subprocess.run([strace, "-o", "/dev/null", "true"], capture_output=True).returncode == 0
    )


@pytest.mark.skipif(not can_trace(), reason="strace is missing or forbidden here")
def test_an_exchange_opens_no_internet_socket(bundled: Familiar) -> None:
    code, families, processes = traced(bundled, "--local-only", "say", "Good morning.")
    assert code == 0
    assert processes >= 2, "the model's process was not traced: the test saw nothing"
    assert families <= {"AF_UNIX"}
    assert [turn.role for turn in bundled.turns()] == ["user", "assistant"]


@pytest.mark.skipif(not can_trace(), reason="strace is missing or forbidden here")
def test_the_trace_would_see_one(bundled: Familiar) -> None:
    """The way of looking is sound: a familiar on an endpoint of this computer is seen."""
    bundled("init", "--id", "far", "--name", "Far", "--model", "openai:http://127.0.0.1:9/v1#m")
    code, families, _ = traced(bundled, "--local-only", "say", "Hi", "--familiar", "far")
    assert code == 5
    assert "AF_INET" in families


def test_local_only_refuses_an_endpoint_elsewhere(familiar: Familiar) -> None:
    familiar("init", "--id", "far", "--name", "Far", "--model", "openai:http://192.0.2.1/v1#m")
    failed = familiar("--local-only", "say", "Hi", "--familiar", "far", "--json")
    assert failed.code in (4, 5)
    assert "local-only" in (failed.json["error"]["message"] + failed.json["error"]["next"]).lower()


@pytest.mark.skipif(not Path("/proc").exists(), reason="reads what Linux tells of processes")
def test_no_process_has_an_internet_socket_at_any_look(bundled: Familiar) -> None:
    process = bundled.start("--local-only", "say", "Good morning.")
    looks = 0
    while process.poll() is None:
        try:
            parent = psutil.Process(process.pid)
            for one in (parent, *parent.children(recursive=True)):
                assert one.net_connections(kind="inet") == []
                looks += 1
        except psutil.NoSuchProcess:
            continue
        time.sleep(0.02)
    assert process.returncode == 0
    assert looks > 3
