"""The door: which arguments open a window, which checks run, what an unknown Python is told."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import checks
import launcher
import pip_run
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
    names = ("ruff format --check", "ruff check", "mypy", "lint-imports", "pytest", "coverage report", "pytest")
    assert all(name in command for name, command in zip(names, seen, strict=True))
    summary = capsys.readouterr().out
    assert "1 of 7 checks failed." in summary
    assert [line.split()[1] for line in summary.splitlines() if line.startswith("  types")] == ["FAILED"]


def test_all_checks_passing_gives_zero(capsys: pytest.CaptureFixture[str]) -> None:
    code, seen = run_checks([])
    assert code == 0
    *_, tests, coverage, benchmarks = seen
    assert "--cov=familiar_app.domain --cov=familiar_app.store" in tests
    assert tests.endswith("--ignore=tests/benchmarks")
    assert coverage.endswith("coverage report")
    assert benchmarks.endswith(" tests/benchmarks")
    assert "--numprocesses" not in benchmarks
    assert not any("not slow" in command for command in seen)
    assert "Every check passed." in capsys.readouterr().out


def test_what_python_translated_is_kept_for_the_next_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert "PYTHONDONTWRITEBYTECODE" not in checks.child_variables()


def test_quick_leaves_the_slow_tests_out() -> None:
    *_, tests = run_checks(["--quick"])[1]
    assert "-m not slow" in tests
    assert "--cov" not in tests
    assert "--numprocesses=auto" in tests


def test_further_arguments_go_to_pytest() -> None:
    _, seen = run_checks(["-k", "loop"])
    assert seen[-1].endswith("pytest -k loop")
    assert not any("loop" in command for command in seen[:-1])


class Chance:
    """A runner that plays pytest: each round fails with the tests told for it, and notes them as pytest does."""

    def __init__(self, root: Path, *rounds: Sequence[str], step: str = "tests") -> None:
        self.note, self.rounds = root / ".pytest_cache" / f"check-{step}" / "v" / "cache" / "lastfailed", list(rounds)
        self.step, self.seen = f"check-{step} ", []

    def __call__(self, command: Sequence[str], _variables: Mapping[str, str]) -> int:
        if self.step not in " ".join(command):
            return 0
        self.seen.append(command)
        failed = self.rounds[len(self.seen) - 1]
        self.note.parent.mkdir(parents=True, exist_ok=True)
        self.note.write_text(json.dumps(dict.fromkeys(failed, True)), encoding="utf-8")
        return int(bool(failed))


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Environment:
    """An environment in an empty folder, which is also where the test stands."""
    monkeypatch.chdir(tmp_path)
    return Environment(tmp_path)


@pytest.mark.parametrize("step", ["tests", "benchmarks"])
def test_a_failure_that_passes_alone_is_named_and_fails_nothing(
    step: str, here: Environment, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = Chance(here.root, ["tests/a.py::one", "tests/b.py::two[x y]"], [], step=step)
    assert checks.run(here, [], chance) == 0
    first, again = chance.seen
    assert "--cache-clear" in first
    assert "--last-failed" in again
    assert not any("numprocesses" in word or "--cov" in word for word in again)
    said = capsys.readouterr().out
    assert "    unsteady: tests/a.py::one\n    unsteady: tests/b.py::two[x y]\n" in said
    assert "Every check passed, 2 unsteady: passed only when run again, alone." in said


def test_what_fails_again_is_failed_and_the_rest_named(here: Environment, capsys: pytest.CaptureFixture[str]) -> None:
    assert checks.run(here, ["--quick"], Chance(here.root, ["a::one", "a::two"], ["a::two"])) == 1
    said = capsys.readouterr().out
    assert "unsteady: a::one" in said
    assert "unsteady: a::two" not in said
    assert "1 of 5 checks failed, 1 unsteady" in said


@pytest.mark.parametrize("count", [0, checks.AGAIN_AT_MOST + 1])
def test_many_failures_or_none_that_is_noted_are_not_run_again(count: int, here: Environment) -> None:
    chance = Chance(here.root, [f"a::{number}" for number in range(count)], [])
    if count == 0:
        chance.rounds = [["noted nowhere"], []]
        chance.note = here.root / "elsewhere"
    assert checks.run(here, ["--quick"], chance) == 1
    assert len(chance.seen) == 1


def test_tests_chosen_by_hand_run_once(here: Environment) -> None:
    seen: list[Sequence[str]] = []

    def runner(command: Sequence[str], _variables: Mapping[str, str]) -> int:
        seen.append(command)
        return int("pytest" in command)

    assert checks.run(here, ["--quick", "tests/a.py"], runner) == 1
    assert sum("pytest" in command for command in seen) == 1
    assert not any("cache" in word for word in seen[-1])


@pytest.mark.slow
def test_pytest_itself_notes_what_failed_and_runs_it_again(
    here: Environment, capfd: pytest.CaptureFixture[str]
) -> None:
    tests = here.root / "tests"
    tests.mkdir()
    (tests / "test_moody.py").write_text(
        "from pathlib import Path\n"
        "import pytest\n"
        "@pytest.mark.parametrize('name', ['moody one', 'steady'])\n"
        "def test_it(name):\n"
        "    mark = Path(__file__).with_name(name)\n"
        "    before = mark.exists()\n"
        "    mark.touch()\n"
        "    assert before or name == 'steady'\n",
        encoding="utf-8",
    )

    def runner(command: Sequence[str], _variables: Mapping[str, str]) -> int:
        if "pytest" not in command:
            return 0
        after = command[command.index("pytest") :]
        return subprocess.run([sys.executable, "-m", *after], check=False, env=child()).returncode

    def child() -> dict[str, str]:
        others = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
        return {**others, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "xdist.plugin"}

    assert checks.run(here, ["--quick"], runner) == 0
    said = capfd.readouterr().out
    assert "unsteady: tests/test_moody.py::test_it[moody one]" in said
    assert "1 failed, 1 passed" in said
    assert "1 passed" in said.split("Summary", 1)[0].rsplit("1 failed", 1)[1]


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
