"""What `start.py` does on a Python that fits: prepare the environment, look for what the system lacks, start."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import checks
import system
from environment import Environment, SetupError, say

ROOT = Path(__file__).resolve().parent.parent
OPTIONS_WITH_VALUE = ("--open", "--profile-dir", "--familiar", "--passphrase-file", "--now")


def run(arguments: Sequence[str]) -> int:
    """Open the program with `arguments`; `test` runs its checks, `build` packs it. Gives the exit code."""
    environment = Environment(ROOT)
    try:
        if arguments[:1] == ["test"]:
            return _test(environment, arguments[1:])
        if arguments[:1] == ["build"]:
            environment.prepare("dev")
            return _become([str(environment.python), str(ROOT / "packaging/installer/build.py"), *arguments[1:]])
        environment.prepare("app")
        if opens_window(arguments):
            _require(system.missing_for_window(environment.site_packages))
    except SetupError as error:
        say(str(error))
        return 5
    except KeyboardInterrupt:
        say("Stopped. The next start goes on from here.")
        return 130
    return _become([str(environment.python), "-P", "-m", "familiar_app", *arguments])


def opens_window(arguments: Sequence[str]) -> bool:
    """Tell whether these arguments of the program open its window: no command among them, no plain question."""
    rest = iter(arguments)
    for argument in rest:
        if argument in OPTIONS_WITH_VALUE:
            next(rest, None)
        elif not argument.startswith("-") or argument in ("--version", "--help", "-h"):
            return False
    return True


def _test(environment: Environment, arguments: Sequence[str]) -> int:
    environment.prepare("dev")
    missing = system.missing_for_checks(environment.site_packages)
    if missing and system.may_install():
        say(f"Installing what the checks need of the system: {' '.join(missing.packages)}")
        system.install(missing)
        missing = system.missing_for_checks(environment.site_packages)
    _require(missing)
    return checks.run(environment, arguments)


def _require(missing: system.Missing) -> None:
    if missing:
        raise SetupError(missing.sentence())


def _become(command: Sequence[str]) -> int:
    """Let the program take this process's place; Windows can only wait for it."""
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "posix":
        os.execv(command[0], list(command))
    try:
        return subprocess.call(command)
    except KeyboardInterrupt:
        return 130
