"""The door: which arguments open a window, which checks run, what an unknown Python is told."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import checks
import launcher
import pip_run
import pytest
import start
from environment import Environment


@pytest.mark.parametrize(
    ("arguments", "window"),
    [
        ([], True),
        (["--local-only"], True),
        (["--profile-dir", "here", "--familiar", "ada"], True),
        (["--profile-dir=here"], True),
        (["--profile-dir", "here", "say", "hello"], False),
        (["turns"], False),
        (["--version"], False),
        (["--help"], False),
    ],
)
def test_only_a_start_without_a_command_opens_the_window(arguments: list[str], window: bool) -> None:
    assert launcher.opens_window(arguments) is window


@pytest.mark.parametrize("version", [(3, 10, 1), (3, 14, 0), (2, 7, 18)])
def test_another_python_is_told_in_one_sentence(version: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    said = io.StringIO()
    monkeypatch.setattr(start.sys, "version_info", version)
    monkeypatch.setattr(start.sys, "stderr", said)
    assert start.main() == 2
    assert f"this is {version[0]}.{version[1]}" in said.getvalue()
    assert said.getvalue().count("\n") == 1


def run_checks(arguments: list[str], failing: str = "") -> tuple[int, list[str]]:
    """Run the checks with a runner that only notes the commands; those that contain `failing` fail."""
    seen: list[str] = []

    def runner(command: list[str], variables: dict[str, str]) -> int:
        assert variables["QT_QPA_PLATFORM"]
        seen.append(" ".join(command))
        return int(bool(failing) and failing in command)

    return checks.run(Environment(launcher.ROOT), arguments, runner), seen


def test_every_check_runs_and_a_failure_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    code, seen = run_checks([], failing="mypy")
    assert code == 1
    names = ("ruff format --check", "ruff check", "mypy", "lint-imports", "pytest", "pytest")
    assert all(name in command for name, command in zip(names, seen, strict=True))
    summary = capsys.readouterr().out
    assert "1 of 6 checks failed." in summary
    assert [line.split()[1] for line in summary.splitlines() if line.startswith("  types")] == ["FAILED"]


def test_all_checks_passing_gives_zero(capsys: pytest.CaptureFixture[str]) -> None:
    code, seen = run_checks([])
    assert code == 0
    *_, tests, benchmarks = seen
    assert "--cov=familiar_app.domain --cov=familiar_app.store" in tests
    assert tests.endswith("--ignore=tests/benchmarks")
    assert benchmarks.endswith("pytest tests/benchmarks")
    assert not any("not slow" in command for command in seen)
    assert "Every check passed." in capsys.readouterr().out


def test_quick_leaves_the_slow_tests_out() -> None:
    *_, tests = run_checks(["--quick"])[1]
    assert "-m not slow" in tests
    assert "--cov" not in tests
    assert "--numprocesses=auto" in tests


def test_further_arguments_go_to_pytest() -> None:
    _, seen = run_checks(["-k", "loop"])
    assert seen[-1].endswith("pytest -k loop")
    assert not any("loop" in command for command in seen[:-1])


def pip_says(text: str, code: int, tmp_path: Path) -> None:
    """Run the installer with a stand-in for pip that says `text` and ends with `code`."""
    stand_in = tmp_path / "python"
    stand_in.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\nexit {code}\n", encoding="utf-8")
    stand_in.chmod(0o755)
    pip_run.run_pip(stand_in, [], log=tmp_path / "log", total=3)


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")
def test_progress_is_counted_without_what_is_not_for_this_system(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = "Ignoring pywin32-ctypes: markers\nCollecting anyio==4 (from -r lock)\nCollecting httpx==1\nnoise"
    pip_says(said, 0, tmp_path)
    assert capsys.readouterr().err.splitlines() == ["  [1/2] anyio", "  [2/2] httpx"]


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")
@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("WARNING: Retrying ... NewConnectionError('...')", "network cannot be reached"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", "not the one that the lock names"),
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        ("ERROR: Something new.", "Something new"),
    ],
)
def test_a_failed_installation_says_why(said: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(pip_run.PipFailedError, match=reason):
        pip_says(said, 1, tmp_path)
