"""A process that is killed in the middle of superseding leaves each supersession done or not begun."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.fact import NewFact, Subject
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import ANN, MIRA, filled

ROOT = Path(__file__).parents[3]
ROUNDS = 8


def killed_after(path: Path, key: bytes, run: int, seconds: float) -> int:
    """Let a child supersede, kill it (every other one not before its first), and return the last fact it told of."""
    command = [sys.executable, "-m", "tests.unit.store.fact_crash_child", str(path), key.hex()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        heard = [process.stdout.readline()] if run % 2 else []
        time.sleep(seconds)
        process.kill()
        lines = [*heard, *process.stdout.read().splitlines(keepends=True)]
    return max((int(line) for line in lines if line.endswith("\n")), default=0)


@pytest.mark.slow
async def test_a_kill_leaves_no_supersession_half_done(vault_path: Path, clock: FixedClock) -> None:
    key, _ = await filled(vault_path, clock, 1)
    vault = await Vault.open(vault_path, clock=clock, data_key=key)
    await vault.facts.append(NewFact(MIRA, "the first fact", "rich_note", (Subject(ANN.key, "Ann"),)))
    await vault.close()
    chance = random.Random(5)
    total = 0
    for run in range(ROUNDS):
        last = killed_after(vault_path, key, run, chance.uniform(0.05, 0.5))
        vault = await Vault.open(vault_path, clock=clock, data_key=key)
        (current,) = await vault.facts.page(MIRA)
        assert current.id >= last
        every = await vault.facts.page(MIRA, include_retired=True, limit=100_000)
        assert [fact.superseded_by for fact in every] == [None, *(fact.id for fact in every[:-1])]
        dossier = await vault.projections.dossier(MIRA, ANN.key)
        assert dossier is None or dossier.last_fact_id == current.id
        assert await vault.verify() == []
        await vault.close()
        total = len(every)
    assert total > ROUNDS // 2
