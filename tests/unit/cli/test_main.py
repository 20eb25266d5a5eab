"""How a run begins and ends: the window, wrong usage, a gate that cannot be made, signals; and no Qt on the way."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from familiar_app.cli.main import main
from familiar_app.domain.errors import OutsideError


def no_gate(args: argparse.Namespace) -> Any:
    raise OutsideError("The folder cannot be read.", "Look at it.")


def no_window(args: argparse.Namespace) -> int:
    raise AssertionError("no window was wanted")


def test_without_a_command_the_window_opens_with_the_options() -> None:
    seen: list[argparse.Namespace] = []

    def open_window(args: argparse.Namespace) -> int:
        seen.append(args)
        return 17

    assert main(["--profile-dir", "/p", "--local-only"], no_gate, open_window) == 17
    assert [(args.profile_dir, args.local_only) for args in seen] == [(Path("/p"), True)]


def test_wrong_usage_is_json_where_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dance", "--json"], no_gate, no_window) == 2
    printed = capsys.readouterr()
    assert json.loads(printed.out)["error"]["kind"] == "user"
    assert printed.err == ""
    assert main(["dance"], no_gate, no_window) == 2
    assert capsys.readouterr().out == ""


def test_version_and_help_are_exit_code_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"], no_gate, no_window) == 0
    assert main(["say", "--help"], no_gate, no_window) == 0
    assert "usage: familiar say" in capsys.readouterr().out


def test_a_gate_that_cannot_be_made_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "--json"], no_gate, no_window) == 5
    assert json.loads(capsys.readouterr().out) == {
        "error": {"kind": "outside", "message": "The folder cannot be read.", "next": "Look at it."}
    }


class Interrupted:
    """A gate that is being opened when a signal comes."""

    state = "locked"

    def __init__(self, number: int) -> None:
        self.number = number
        self.ended: list[str] = []

    async def unlock(self, *, passphrase: str) -> None:
        os.kill(os.getpid(), self.number)
        try:
            await asyncio.sleep(60)
        finally:
            self.ended.append("unlock")

    async def close(self) -> None:
        await asyncio.sleep(0)
        self.ended.append("close")


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_command_and_closes_the_gate(
    number: int, code: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAMILIAR_PASSPHRASE", "x")
    gate = Interrupted(number)
    assert main(["turns", "--json"], lambda _args: gate, no_window) == code  # type: ignore[arg-type, return-value]
    assert gate.ended == ["unlock", "close"]
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "")


def test_commands_run_without_qt() -> None:
    code = (
        "import sys, familiar_app.bootstrap.main\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & {'PySide6', 'shiboken6', 'qasync'}))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=200, cwd=Path(__file__).parents[3]
    )
    assert (ran.returncode, ran.stdout) == (0, "[]\n"), ran.stderr


class Short:
    """A gate for which the system has nothing left."""

    state = "locked"

    def __init__(self, error: Exception) -> None:
        self.error = error

    async def unlock(self, *, passphrase: str) -> None:
        raise self.error

    async def close(self) -> None:
        pass


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't start new thread")], ids=["memory", "threads"])
def test_too_little_memory_or_threads_is_no_defect(
    error: Exception, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAMILIAR_PASSPHRASE", "x")
    assert main(["turns", "--json"], lambda _args: Short(error), no_window) == 5  # type: ignore[arg-type, return-value]
    told = json.loads(capsys.readouterr().out)["error"]
    assert told["kind"] == "outside"
    assert "memory" in told["message"]
    assert told["next"]


def test_another_runtime_error_stays_a_defect(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAMILIAR_PASSPHRASE", "x")
    gate = Short(RuntimeError("dictionary changed size during iteration"))
    assert main(["turns", "--json"], lambda _args: gate, no_window) == 70  # type: ignore[arg-type, return-value]
    assert json.loads(capsys.readouterr().out)["error"]["kind"] == "bug"


def test_a_loop_that_cannot_end_its_threads_leaves_the_commands_own_code(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAMILIAR_PASSPHRASE", "x")
    close = asyncio.Runner.close

    def fail(runner: asyncio.Runner) -> None:
        close(runner)
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(asyncio.Runner, "close", fail)
    gate = Short(OutsideError("The disk is gone.", "Look for it."))
    assert main(["turns", "--json"], lambda _args: gate, no_window) == 5  # type: ignore[arg-type, return-value]
    assert "The disk is gone." in capsys.readouterr().out
