"""In local-only mode no process of the program reaches anything but a server on this computer that it was told of.

Watched from outside, by what the program asks of the system.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from tests.doubles.model_host import model_host
from tests.doubles.waiting import PATIENCE_S

if TYPE_CHECKING:
    from tests.e2e.cli.conftest import Familiar

pytestmark = pytest.mark.slow

SOCKET = re.compile(r"\bsocket\((\w+)")
ADDRESS = re.compile(
    r"\b(?:connect|sendto|sendmsg)\(.*?(?:inet_addr\(\"([^\"]+)\"\)|inet_pton\(AF_INET6, \"([^\"]+)\")"
)


def watched(log: Path) -> list[str]:
    """Return the beginning of a command that writes down what another asks of the system."""
    return ["strace", "-f", "-qq", "-e", "trace=socket,connect,sendto,sendmsg,execve", "-o", str(log)]


def reached(log: Path) -> set[str]:
    """Return the addresses on the internet, this computer's own included, that something was sent to."""
    return {one or other for one, other in ADDRESS.findall(log.read_text(errors="replace"))}


def traced(familiar: Familiar, *argv: str) -> tuple[int, set[str], int]:
    """Run a command under strace: its exit code, the families of its sockets, and how many processes it had."""
    log = familiar.outside / "strace"
    ran = subprocess.run(
        [*watched(log), *familiar.command(*argv)],
        env=familiar.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
    )
    text = log.read_text(errors="replace")
    return ran.returncode, set(SOCKET.findall(text)), len(re.findall(r"\bexecve(?:\(| resumed>).* = 0", text))


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
    assert reached(bundled.outside / "strace") == {"127.0.0.1"}


@pytest.mark.skipif(not can_trace(), reason="strace is missing or forbidden here")
def test_nothing_is_fetched_and_nobody_is_asked(bare: Familiar) -> None:
    for word in ("qwen3-8b", "https://example.com/model.gguf"):
        code, families, _ = traced(bare, "--local-only", "model", "get", word)
        assert code == 4
        assert families <= {"AF_UNIX"}


@pytest.mark.skipif(not can_trace(), reason="strace is missing or forbidden here")
async def test_a_model_is_fetched_from_this_computer_alone(bare: Familiar) -> None:
    async with model_host() as host:
        code, _families, _ = await asyncio.to_thread(traced, bare, "--local-only", "model", "get", host.url)
    assert code == 0
    assert reached(bare.outside / "strace") == {"127.0.0.1"}
    assert (bare.profile / "models" / "model.gguf").read_bytes() == host.data


@pytest.mark.skipif(not can_trace(), reason="strace is missing or forbidden here")
def test_serving_with_a_token_looks_for_no_discord(familiar: Familiar) -> None:
    token = familiar.outside / "token"
    token.write_text("abc.def.ghi")
    code, families, _ = traced(familiar, "--local-only", "serve", "--token-file", str(token))
    assert code == 4
    assert families <= {"AF_UNIX"}


@pytest.mark.skipif(not can_trace(), reason="strace is missing or forbidden here")
def test_serving_without_one_opens_no_socket(familiar: Familiar) -> None:
    log = familiar.outside / "strace"
    command = [*watched(log), *familiar.command("--local-only", "serve")]
    process = subprocess.Popen(command, env=familiar.environment(), stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        assert "memory alone is kept up to date" in process.stderr.readline()
        [served] = psutil.Process(process.pid).children()
        served.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.communicate()
    assert set(SOCKET.findall(log.read_text(errors="replace"))) <= {"AF_UNIX"}


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
