"""What a killed process leaves: every acknowledged turn, a vault that opens and verifies, and nothing readable."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.ids import TurnId
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import filled

ROOT = Path(__file__).parents[3]
ROUNDS = 20


def child(*arguments: str, temp: Path | None = None) -> subprocess.Popen[str]:
    environment = {**os.environ, **({"TMPDIR": str(temp), "SQLITE_TMPDIR": str(temp)} if temp else {})}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.unit.store.crash_child", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=environment,
    )


def killed_after(path: Path, key: bytes, run: int, seconds: float) -> dict[int, str]:
    """Let a child append, kill it (every other one not before its first word), and return what it had acknowledged."""
    with child("append", str(path), key.hex(), str(run)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        heard = [process.stdout.readline()] if run % 2 else []
        time.sleep(seconds)
        process.kill()
        lines = [*heard, *process.stdout.read().splitlines(keepends=True)]
    # The last line may have been cut off by the kill.
    return dict(json.loads(line) for line in lines if line.endswith("\n"))


@pytest.mark.slow
async def test_no_acknowledged_turn_is_lost_by_a_kill(vault_path: Path, clock: FixedClock) -> None:
    key, channel = await filled(vault_path, clock, 3)
    chance = random.Random(11)
    acknowledged: dict[int, str] = {}
    for run in range(ROUNDS):
        acknowledged |= killed_after(vault_path, key, run, chance.uniform(0.0, 0.5))
        vault = await Vault.open(vault_path, clock=clock, data_key=key)
        for number, text in acknowledged.items():
            turn = await vault.turns.get(TurnId(number))
            assert turn is not None, f"turn {number} was acknowledged in run {run} or before"
            assert turn.content == text
        assert await vault.verify() == []
        assert await vault.turns.count(channel) >= len(acknowledged)
        await vault.close()
    assert len(acknowledged) >= ROUNDS // 2


PLANTED = {"sentence": "the heron buried seven spoons", "name": "Zebulonia Quax", "secret": "sk-3f9c71d0aa55e2b4"}


def readable(*folders: Path) -> list[str]:
    """Return which planted texts stand in which files, in the encodings a database might use."""
    found = []
    for path in (file for folder in folders for file in folder.rglob("*") if file.is_file()):
        raw = path.read_bytes()
        for name, text in PLANTED.items():
            words = (text, text.upper(), text.split()[-1])
            forms = [form for word in words for form in (word.encode(), word.encode("utf-16-le"))]
            if any(form in raw for form in forms):
                found.append(f"{name} in {path.name}")
    return found


def open_files(process: int, target: Path) -> Path:
    """Copy what a process has open, deleted files too, where the system shows that."""
    target.mkdir()
    descriptors = Path(f"/proc/{process}/fd")
    for entry in descriptors.iterdir() if descriptors.is_dir() else ():
        if entry.is_file():
            (target / entry.name).write_bytes(entry.read_bytes())
    return target


@pytest.fixture
async def holder(vault_path: Path, clock: FixedClock, tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    key, _ = await filled(vault_path, clock, 3)
    temp = tmp_path / "temp"
    temp.mkdir()
    with child("hold", str(vault_path), key.hex(), temp=temp) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(PLANTED) + "\n")
        process.stdin.flush()
        assert process.stdout.readline() == "ready\n"
        yield process, temp
        process.kill()


@pytest.mark.slow
async def test_nothing_said_is_readable_on_the_disk(
    holder: tuple[subprocess.Popen[str], Path], vault_path: Path, tmp_path: Path, clock: FixedClock
) -> None:
    process, temp = holder
    names = {path.name for path in vault_path.parent.iterdir()}
    assert "vault.db-wal" in names, "the write-ahead log is looked at too"
    assert readable(vault_path.parent, temp, open_files(process.pid, tmp_path / "open")) == []
    process.kill()
    process.wait()
    assert readable(vault_path.parent, temp) == []
    probe = tmp_path / "probe"
    probe.mkdir()
    (probe / "found").write_text(PLANTED["sentence"])
    assert readable(probe) == ["sentence in found"], "the search itself works"
