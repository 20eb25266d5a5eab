"""Every check of the project, one after the other, with a summary at the end. `start.py test` is the door to it."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from environment import Environment, say

Runner = Callable[[Sequence[str], Mapping[str, str]], int]
TIMES = "tests/benchmarks"
WITHOUT_TIMES = [f"--ignore={TIMES}"]
SIDE_BY_SIDE = ["--numprocesses=auto", "--dist=worksteal"]
COVERED = ("familiar_app.domain", "familiar_app.store")


@dataclass(frozen=True)
class Step:
    """One check: what it is called and the command that runs it."""

    name: str
    command: list[str]


def run(environment: Environment, arguments: Sequence[str], runner: Runner | None = None) -> int:
    """Run all checks even where one fails. `arguments` go to pytest, but `--quick`, which leaves the slow tests out.

    Gives 0 where every check passed, else 1.
    """
    os.chdir(environment.root)
    start = runner or _start
    results: list[tuple[str, bool, float]] = []
    for step in steps(environment, arguments):
        say(f"\n── {step.name}")
        began = time.monotonic()
        passed = start(step.command, child_variables()) == 0
        results.append((step.name, passed, time.monotonic() - began))
    return _summary(results)


def steps(environment: Environment, arguments: Sequence[str]) -> list[Step]:
    """List the checks in the order they run: the quick ones first."""
    python = [str(environment.python), "-P", "-m"]
    quick = ["-m", "not slow"] if "--quick" in arguments else []
    chosen = [argument for argument in arguments if argument != "--quick"]
    # What is chosen by hand runs as it is. In the whole run, times are taken apart from the recorder of the coverage,
    # which slows every line down, and from the tests that run side by side.
    whole = not (quick or chosen)
    coverage = [f"--cov={package}" for package in COVERED] if whole else []
    parallel = [] if chosen else SIDE_BY_SIDE
    tests = Step(
        "tests", [*python, "pytest", *parallel, *coverage, *quick, *([] if chosen else WITHOUT_TIMES), *chosen]
    )
    return [
        Step("format", [*python, "ruff", "format", "--check", "."]),
        Step("lint", [*python, "ruff", "check", "."]),
        Step("types", [*python, "mypy"]),
        Step("import rules", [str(environment.scripts / "lint-imports")]),
        tests,
        *([Step("benchmarks", [*python, "pytest", TIMES])] if whole else []),
    ]


def child_variables() -> dict[str, str]:
    """Give the checks' environment variables: no screen, unless the person names one for Qt."""
    return {"QT_QPA_PLATFORM": "offscreen", "PYTHONUTF8": "1", **os.environ}


def _start(command: Sequence[str], variables: Mapping[str, str]) -> int:
    return subprocess.run(command, env=variables, check=False).returncode


def _summary(results: Sequence[tuple[str, bool, float]]) -> int:
    failed = sum(not passed for _, passed, _ in results)
    print("\nSummary", flush=True)
    for name, passed, seconds in results:
        print(f"  {name:<14}{'ok' if passed else 'FAILED':<8}{seconds:6.1f} s")
    print("Every check passed." if not failed else f"{failed} of {len(results)} checks failed.", flush=True)
    return 1 if failed else 0
