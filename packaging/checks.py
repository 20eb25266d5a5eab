"""Every check of the project, one after the other, with a summary at the end. `start.py test` is the door to it.

Tests that failed beside others run once more, alone: one that passes then fails nothing, but is named as unsteady.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from environment import Environment, say

Runner = Callable[[Sequence[str], Mapping[str, str]], int]
TIMES = "tests/benchmarks"
WITHOUT_TIMES = [f"--ignore={TIMES}"]
SIDE_BY_SIDE = ["--numprocesses=auto", "--dist=worksteal"]
COVERED = ("familiar_app.domain", "familiar_app.store")
AGAIN_AT_MOST = 5
"""More failures than these are no chance, and are not looked at twice."""
TESTS_FAILED = 1
"""What pytest ends with where tests failed; it has other numbers for what kept it from running them."""


@dataclass(frozen=True)
class Step:
    """One check: what it is called and the command that runs it.

    With a `memory`, a folder below the project that pytest notes its failures in, what failed is run again, alone, by
    the command `again`.
    """

    name: str
    command: list[str]
    again: list[str] | None = None
    memory: str = ""


@dataclass(frozen=True)
class Result:
    """How a check went; `unsteady` are the tests that passed only when they ran again."""

    name: str
    passed: bool
    seconds: float
    unsteady: tuple[str, ...] = ()


def run(environment: Environment, arguments: Sequence[str], runner: Runner | None = None) -> int:
    """Run all checks even where one fails. `arguments` go to pytest, but `--quick`, which leaves the slow tests out.

    Gives 0 where every check passed, else 1.
    """
    os.chdir(environment.root)
    start = runner or _start
    results: list[Result] = []
    for step in steps(environment, arguments):
        say(f"\n── {step.name}")
        began = time.monotonic()
        passed, unsteady = _run_step(step, start, environment.root)
        results.append(Result(step.name, passed, time.monotonic() - began, unsteady))
    return _summary(results)


def steps(environment: Environment, arguments: Sequence[str]) -> list[Step]:
    """List the checks in the order they run: the quick ones first."""
    python = [str(environment.python), "-P", "-m"]
    quick = ["-m", "not slow"] if "--quick" in arguments else []
    chosen = [argument for argument in arguments if argument != "--quick"]
    # What is chosen by hand runs as it is. In the whole run, times are taken apart from the recorder of the coverage,
    # which slows every line down, and from the tests that run side by side.
    whole = not (quick or chosen)
    return [
        Step("format", [*python, "ruff", "format", "--check", "."]),
        Step("lint", [*python, "ruff", "check", "."]),
        Step("types", [*python, "mypy"]),
        Step("import rules", [str(environment.scripts / "lint-imports")]),
        Step("tests", [*python, "pytest", *quick, *chosen]) if chosen else _tests(python, quick, whole),
        # Told apart from the tests: a line too few of it would else be forgiven with a test that passes when run again.
        *([Step("coverage", [*python, "coverage", "report"]), _benchmarks(python)] if whole else []),
    ]


def _tests(python: Sequence[str], quick: Sequence[str], whole: bool) -> Step:
    coverage = [*(f"--cov={package}" for package in COVERED), "--cov-report=", "--cov-fail-under=0"] if whole else []
    return _forgiving("tests", [*python, "pytest"], [*SIDE_BY_SIDE, *coverage], [*quick, *WITHOUT_TIMES])


def _benchmarks(python: Sequence[str]) -> Step:
    return _forgiving("benchmarks", [*python, "pytest"], [], [TIMES])


def _forgiving(name: str, pytest: list[str], first_only: list[str], both: list[str]) -> Step:
    memory = f".pytest_cache/check-{name}"
    remember = ["-o", f"cache_dir={memory}"]
    first = [*pytest, *remember, "--cache-clear", *first_only, *both]
    again = [*pytest, *remember, "--last-failed", "--last-failed-no-failures=none", *both]
    return Step(name, first, again, memory)


def _run_step(step: Step, start: Runner, root: Path) -> tuple[bool, tuple[str, ...]]:
    """Say whether a check passed, and which tests of it only when they ran again."""
    code = start(step.command, child_variables())
    if code != TESTS_FAILED or step.again is None:
        return code == 0, ()
    failed = _failures(root / step.memory)
    if not 0 < len(failed) <= AGAIN_AT_MOST:
        return False, ()
    say(f"\n── {step.name}: what failed, once more and alone")
    passed = start(step.again, child_variables()) == 0
    still = () if passed else _failures(root / step.memory)
    return passed, tuple(test for test in failed if test not in still)


def _failures(memory: Path) -> tuple[str, ...]:
    """Read which tests pytest notes as failed; none where it noted nothing."""
    noted = memory / "v" / "cache" / "lastfailed"
    return tuple(json.loads(noted.read_text(encoding="utf-8"))) if noted.is_file() else ()


def child_variables() -> dict[str, str]:
    """Give the checks' environment variables: no screen, unless the person names one for Qt.

    What Python has translated is kept, whatever the person prefers elsewhere: hundreds of processes would do it anew.
    """
    found = {"QT_QPA_PLATFORM": "offscreen", "PYTHONUTF8": "1", **os.environ}
    found.pop("PYTHONDONTWRITEBYTECODE", None)
    return found


def _start(command: Sequence[str], variables: Mapping[str, str]) -> int:
    return subprocess.run(command, env=variables, check=False).returncode


def _summary(results: Sequence[Result]) -> int:
    failed = sum(not result.passed for result in results)
    unsteady = sum(len(result.unsteady) for result in results)
    print("\nSummary", flush=True)
    for result in results:
        print(f"  {result.name:<14}{'ok' if result.passed else 'FAILED':<8}{result.seconds:6.1f} s")
        for test in result.unsteady:
            print(f"    unsteady: {test}")
    verdict = "Every check passed" if not failed else f"{failed} of {len(results)} checks failed"
    print(f"{verdict}{f', {unsteady} unsteady: passed only when run again, alone' if unsteady else ''}.", flush=True)
    return 1 if failed else 0
