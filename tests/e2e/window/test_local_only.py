"""The real window in local-only mode opens no internet socket, whatever page it shows; watched from outside."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import Screen

pytestmark = pytest.mark.slow


def can_trace() -> bool:
    strace = shutil.which("strace")
    return (
        strace is not None and subprocess.run([strace, "-o", "/dev/null", "true"], capture_output=True).returncode == 0
    )


@pytest.mark.skipif(not can_trace(), reason="strace is missing or forbidden here")
def test_the_window_opens_no_internet_socket(screen: Screen, tmp_path: Path) -> None:
    script, log = tmp_path / "answers.jsonl", tmp_path / "strace"
    script.write_text(json.dumps({"slot": "prose", "purpose": "reply", "reply": "Good evening."}), encoding="utf-8")
    screen.command("init", "--name", "Mira", "--model", f"scripted:{script}")
    screen.watcher = ["strace", "-f", "-qq", "-e", "trace=socket,execve", "-o", str(log)]
    program = screen.start()
    screen.unlock()
    screen.write("Message", "Good evening")
    screen.press("Return")
    screen.until(lambda seen: seen.has("Make another answer"), "the answer")
    screen.choose("Models: fetch", lambda seen: seen.has("Fetch: Qwen3 8B"))
    screen.choose("Network: who", lambda seen: seen.has("huggingface.co"))
    assert screen.end(program) == 0
    said = log.read_text(errors="replace")
    assert set(re.findall(r"\bsocket\((\w+)", said)) == {"AF_UNIX"}, "its screen and its own single instance"
