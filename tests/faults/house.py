"""A profile with a past, and the program that is run on it, with or without something going wrong."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from familiar_app.domain.clock import SystemClock
from familiar_app.domain.errors import FamiliarError
from familiar_app.store.profile_swap import finish_exchange
from familiar_app.store.vault import Vault
from familiar_app.store.verify import Problem
from tests.e2e.cli.conftest import PASSPHRASE, PATIENCE_S, PROJECT, Familiar
from tests.faults.fault import NOTHING, Fault


@dataclass(frozen=True)
class Ran:
    """How a command ended: its exit code (negative where it was killed), what it printed, the record of its disk."""

    argv: tuple[str, ...]
    code: int
    out: str
    err: str
    record: Path | None = None

    @property
    def killed(self) -> bool:
        return self.code < 0

    @property
    def lines(self) -> list[str]:
        """The whole lines it said; one that was cut off told nobody anything."""
        return [line for line in self.err.splitlines(keepends=True) if line.endswith("\n")]

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Nursery:
    """Runs commands one after the other, each in a child of one process that has the program imported."""

    def __init__(self, library: Path, folder: Path) -> None:
        self._folder = folder
        environment = {
            **os.environ,
            "LD_PRELOAD": str(library),
            "PYTHONPATH": str(PROJECT),
            "OPENBLAS_NUM_THREADS": "1",
        }
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error::ResourceWarning", "-m", "tests.faults.nursery"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
            cwd=PROJECT,
        )

    def run(self, familiar: Familiar, argv: Sequence[str], fault: Fault, more: Mapping[str, str | None]) -> Ran:
        """Run a command to its end, while `fault` happens."""
        number = time.monotonic_ns()
        out, err, record = (self._folder / f"{kind}-{number}" for kind in ("out", "err", "record"))
        wish = {
            "argv": ["--profile-dir", str(familiar.profile), *argv],
            "environment": familiar.environment(**more),
            "folder": str(familiar.outside),
            "input": os.devnull,
            "out": str(out),
            "err": str(err),
            "root": str(familiar.root.parent.resolve()),
            "record": str(record) if fault.recorded else "",
            "rule": fault.rule,
            "limits": fault.limits,
        }
        child = self._ask(json.dumps(wish))["pid"]
        if fault.kill_after_s is not None:
            time.sleep(fault.kill_after_s)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
        code = self._ask(None)["code"]
        ran = Ran(tuple(argv), code, _text(out), _text(err), record if fault.recorded else None)
        out.unlink()
        err.unlink()
        return ran

    def _ask(self, wish: str | None) -> dict[str, int]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        if wish is not None:
            self._process.stdin.write(wish + "\n")
            self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the nursery ended"
        answer: dict[str, int] = json.loads(line)
        return answer

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(PATIENCE_S)
        self._process.stdout.close()


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


@dataclass
class Known:
    """What the vault holds, read without the program: the texts of the log by the number of their turn."""

    turns: dict[int, str]
    problems: list[Problem]
    facts: dict[int, str] = field(default_factory=dict)


@dataclass
class House:
    """One profile, with the words for what happens in it."""

    familiar: Familiar
    nursery: Nursery

    @property
    def base(self) -> Path:
        """The folder of everything on this house's disk."""
        return self.familiar.root.parent

    @property
    def profile(self) -> Path:
        return self.familiar.profile

    @property
    def outside(self) -> Path:
        return self.familiar.outside

    def run(self, *argv: str, fault: Fault = NOTHING, **more: str | None) -> Ran:
        """Run a command, while `fault` happens."""
        return self.nursery.run(self.familiar, argv, fault, more)

    def look(self, profile: Path | None = None) -> Known | FamiliarError:
        """Open the vault as the program does, check it and read the log; return the error where it cannot."""
        return look(profile or self.profile)

    def begin_again(self, past: House) -> None:
        """Put the profile, and what lies outside of it, back to how it was."""
        for mine, theirs in ((self.profile, past.profile), (self.outside, past.outside)):
            shutil.rmtree(mine, ignore_errors=True)
            shutil.copytree(theirs, mine)


def look(profile: Path) -> Known | FamiliarError:
    """Return what the vault of a profile holds, or why it cannot be opened."""

    async def read() -> Known:
        finish_exchange(profile)
        vault = await Vault.open(profile / "vault.db", clock=SystemClock(), passphrase=PASSPHRASE)
        try:
            turns = {
                int(turn.id): turn.content
                async for chunk in vault.turns.stream(inactive=True, hidden=True)
                for turn in chunk
            }
            return Known(turns, await vault.verify())
        finally:
            await vault.close()

    try:
        return asyncio.run(read())
    except FamiliarError as error:
        return error


def files_of(folder: Path) -> Iterator[Path]:
    """Yield every file of a folder, deep down too."""
    yield from (path for path in sorted(folder.rglob("*")) if path.is_file())
