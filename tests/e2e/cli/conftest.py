"""The real program as a process, with a home, a temporary folder and a profile of its own."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import pytest

from familiar_app.domain.clock import SystemClock
from familiar_app.domain.turn import Turn
from familiar_app.store.keys import KdfCost
from familiar_app.store.profile import Profile
from familiar_app.store.vault import Vault

PASSPHRASE = "a passphrase of the tests"
PROJECT = Path(__file__).parents[3]
CHEAP = KdfCost(time_cost=1, memory_kib=8 * 1024, parallelism=1)
PATIENCE_S = 120.0


@dataclass(frozen=True)
class Done:
    """How a process ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.out.endswith("\n"), self.err
        return json.loads(self.out)


@dataclass
class Familiar:
    """Runs the program. Everything it may write lies under `root`; what tests hand to it lies elsewhere."""

    root: Path
    outside: Path
    running: list[subprocess.Popen[str]] = field(default_factory=list)
    passphrase: str = PASSPHRASE

    def __post_init__(self) -> None:
        for folder in (self.home, self.temporary, self.outside):
            folder.mkdir(parents=True, exist_ok=True)

    @property
    def profile(self) -> Path:
        return self.root / "profile"

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def temporary(self) -> Path:
        return self.root / "tmp"

    @property
    def vault(self) -> Path:
        return self.profile / "vault.db"

    def environment(self, **more: str | None) -> dict[str, str]:
        """Return the whole environment of a process; None takes a variable out."""
        chosen: dict[str, str | None] = {
            "PATH": os.environ.get("PATH", ""),
            "SYSTEMROOT": os.environ.get("SYSTEMROOT"),
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_DATA_HOME": str(self.home / "data"),
            "XDG_STATE_HOME": str(self.home / "state"),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
            "PYTHONWARNINGS": "error::ResourceWarning",
            "PYTHONPATH": str(PROJECT),
            "FAMILIAR_PASSPHRASE": PASSPHRASE,
        }
        return {key: value for key, value in (chosen | more).items() if value is not None}

    def command(self, *argv: str) -> list[str]:
        return [sys.executable, "-m", "familiar_app", "--profile-dir", str(self.profile), *argv]

    def __call__(self, *argv: str, given: bytes | None = None, **environment: str | None) -> Done:
        """Run a command to its end."""
        ran = subprocess.run(
            self.command(*argv),
            env=self.environment(**environment),
            input=given,
            stdin=subprocess.DEVNULL if given is None else None,
            capture_output=True,
            timeout=PATIENCE_S,
            cwd=self.outside,
        )
        return Done(ran.returncode, ran.stdout.decode(), ran.stderr.decode())

    def start(self, *argv: str, given: IO[bytes] | None = None, **environment: str | None) -> subprocess.Popen[str]:
        """Start a command in a process group of its own, both streams to be read."""
        process = subprocess.Popen(
            self.command(*argv),
            env=self.environment(**environment),
            stdin=subprocess.DEVNULL if given is None else given,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.outside,
            start_new_session=True,
        )
        self.running.append(process)
        return process

    def kill(self, process: subprocess.Popen[str]) -> None:
        """Kill a process and its children at once, as a power cut would."""
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE_S)

    def end(self) -> None:
        """Kill what still runs."""
        for process in self.running:
            self.kill(process)
            for stream in (process.stdout, process.stderr):
                close(stream)

    def turns(self) -> list[Turn]:
        """Read the whole log of the vault, hidden and replaced turns too, without the program."""

        async def read() -> list[Turn]:
            vault = await Vault.open(self.vault, clock=SystemClock(), passphrase=PASSPHRASE)
            try:
                return [turn async for chunk in vault.turns.stream(inactive=True, hidden=True) for turn in chunk]
            finally:
                await vault.close()

        return asyncio.run(read())

    def script(self, *replies: object, name: str = "answers.jsonl", **more: object) -> Path:
        """Write a script of answers."""
        path = self.outside / name
        lines = [{"slot": "prose", "purpose": "reply", "reply": reply} | more for reply in replies]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return path


def close(stream: IO[str] | None) -> None:
    if stream is not None:
        stream.close()


def make_cheap(profile: Path) -> None:
    """Let the passphrase of a profile be checked in no time: thousands of processes of tests open it."""

    async def change() -> None:
        vault = await Vault.open(profile / "vault.db", clock=SystemClock(), passphrase=PASSPHRASE, cost=CHEAP)
        await vault.change_passphrase(PASSPHRASE)
        await vault.close()

    asyncio.run(change())


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Familiar]:
    """The program without a profile."""
    familiar = Familiar(tmp_path / "root", tmp_path / "outside")
    yield familiar
    familiar.end()


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A profile with the familiar Aria, made by the program itself. Its script answers a few times."""
    folder = tmp_path_factory.mktemp("template")
    familiar = Familiar(folder / "root", folder / "outside")
    script = familiar.script(*[f"Answer {n}." for n in range(1, 6)])
    made = familiar("init", "--name", "Aria", "--model", f"scripted:{script}", "--json")
    assert made.code == 0, made.out
    make_cheap(familiar.profile)
    return familiar.profile


@pytest.fixture
def familiar(bare: Familiar, template: Path) -> Familiar:
    """The program with a profile of its own."""
    shutil.copytree(template, bare.profile)
    return bare


@pytest.fixture
def bundled(familiar: Familiar) -> Familiar:
    """The program whose familiar answers by the bundled model, briefly."""
    slot = {"provider": "llama_cpp", "model": "smollm2", "base_url": "", "api_key_secret": ""}
    changes: dict[str, Any] = {
        f"models.{name}.{key}": value for name in ("prose", "background") for key, value in slot.items()
    }
    changes["models.prose.max_answer_tokens"] = 16
    Profile(familiar.profile).save_config("aria", changes)  # type: ignore[arg-type]
    return familiar
