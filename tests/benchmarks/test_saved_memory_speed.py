"""What a save costs beside a hundred owners with a thousand memories each, and how long a rebuild of them takes.

A save is compared with what storing a turn costs on the same disk at the same moment, so that a busy machine does not
decide: it may take a few times as long, since it checks, counts and writes more.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.ids import OWNER, ChannelKey
from familiar_app.domain.saved_memory.keeper import Wording
from familiar_app.domain.saved_memory.memory import MemoryPlace, Scope
from familiar_app.domain.turn import NewTurn, Role
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.vault import Vault
from tests.unit.conversation.memory_stage import LINEAGE, MIRA, NOON, LetterEmbedder, Stage, make_config
from tests.unit.store.vault_maker import CHEAP, PASSPHRASE

pytestmark = pytest.mark.slow

OWNERS, EACH = 100, 1000
SAVES = 60
MOST_TIMES_A_TURN = 15.0
"""For a save, also one that has to find who makes room among a thousand."""


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    clock = FixedClock(NOON)
    vault = await Vault.create(
        tmp_path / "p" / "vault.db", PASSPHRASE, recovery_code=new_recovery_code(), clock=clock, cost=CHEAP
    )
    stage = Stage(vault, clock, make_config(max_server=EACH, decay_enabled=True, decay_days=1))
    stage.embedder = LetterEmbedder()
    for owner in range(OWNERS):
        place = MemoryPlace(Scope.SERVER, f"discord:{owner}", LINEAGE)
        items = [Wording(place, f"memory {n} of server {owner} is about the old mill") for n in range(EACH)]
        await vault.saved_memories.bring_in(stage.keeper, items, replace=False, by=OWNER)
    yield stage
    await vault.close()


async def in_turns(*works: Callable[[int], Awaitable[object]]) -> list[float]:
    """Do some kinds of work in turns, so that all meet the same machine; return the medians in milliseconds."""
    found: list[list[float]] = [[] for _ in works]
    for n in range(SAVES):
        for work, taken in zip(works, found, strict=True):
            started = time.perf_counter()
            await work(n)
            taken.append((time.perf_counter() - started) * 1000)
    return [statistics.median(taken) for taken in found]


async def test_a_save_costs_little_more_than_a_turn(stage: Stage) -> None:
    channel = await stage.vault.channels.ensure(ChannelKey("discord:10"), familiar=MIRA)
    stage.wait(days=3)
    turn, fresh, evicting = await in_turns(
        lambda n: stage.vault.turns.append(NewTurn(channel.id, Role.USER, f"turn {n} " + "x" * 200, NOON)),
        lambda n: stage.save(f"new {n}", server=f"discord:{OWNERS + n % 7}"),
        lambda n: stage.save(f"newer {n}", server=f"discord:{n % OWNERS}"),
    )
    print(f"\nturn {turn:.2f} ms, save {fresh:.2f} ms, save with eviction {evicting:.2f} ms")  # noqa: T201
    assert (await stage.save("last", server="discord:5")).status == "memory_saved_with_eviction"
    assert max(fresh, evicting) <= MOST_TIMES_A_TURN * turn


async def test_a_rebuild_of_all_of_them_costs_less_than_a_few_imports(stage: Stage) -> None:
    place = MemoryPlace(Scope.SERVER, "discord:again", LINEAGE)
    items = [Wording(place, f"memory {n} is about the old mill") for n in range(EACH)]
    started = time.perf_counter()
    await stage.vault.saved_memories.bring_in(stage.keeper, items, replace=False, by=OWNER)
    one_import = time.perf_counter() - started
    await stage.sql("DELETE FROM saved_memories")
    started = time.perf_counter()
    await stage.vault.saved_memories.bring_back()
    rebuild = time.perf_counter() - started
    assert await stage.vault.saved_memories.count(replace(place, owner="discord:99")) == EACH
    print(f"\none import {one_import:.2f} s, rebuild of {OWNERS + 1} {rebuild:.2f} s")  # noqa: T201
    assert rebuild <= 4 * (OWNERS + 1) * one_import
