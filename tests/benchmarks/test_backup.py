"""What a backup of a million turns costs while somebody goes on talking: for the loop, for each turn, beside a copy.

Run with `-s` to see the numbers.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import statistics
import time
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from familiar_app.domain.ids import MAIN_CHANNEL, FamiliarId, PersonKey
from familiar_app.domain.turn import Author, Channel, NewTurn, Role
from familiar_app.store.backup import BackupWish
from familiar_app.store.vault import Vault
from tests.benchmarks.recall_corpus import NOON

if TYPE_CHECKING:
    from sqlite3 import Connection

pytestmark = pytest.mark.slow

TURNS, AT_ONCE = 1_000_000, 50_000
TEXT = "We walked to the river, and the heron stood there as if it had been waiting for us all morning. "
ANN = Author(PersonKey("discord:1"), "Ann", "ann")
# Every page is decrypted, encrypted, written, and then read and authenticated twice over.
MOST_TIMES_A_COPY = 150
# The processor time between two ticks of the loop; a turn takes a thread of its own, so the loop only hands on.
MOST_HELD_MS = 60
MOST_TIMES_A_TURN = 12


async def fill(vault: Vault) -> Channel:
    channel = await vault.channels.ensure(MAIN_CHANNEL, familiar=FamiliarId("mira"))
    await vault.turns.append(NewTurn(channel.id, Role.USER, TEXT, NOON, ANN))
    start = int(NOON.timestamp()) * 1_000_000

    def add(connection: Connection, first: int) -> None:
        connection.executemany(
            "INSERT INTO turns (channel, role, content, at, arrived_at, speaker) VALUES (?, 'user', ?, ?, 0, 1)",
            ((channel.id, f"{TEXT}{n}", start + n) for n in range(first, first + AT_ONCE)),
        )

    for first in range(1, TURNS, AT_ONCE):
        await vault._opened.engine.write(lambda connection, first=first: add(connection, first))
    return channel


async def talk(vault: Vault, channel: Channel, until: asyncio.Event, times: list[float], name: str) -> None:
    """Append turns one after the other, and note how long each takes."""
    while not until.is_set():
        start = time.perf_counter()
        turn = NewTurn(channel.id, Role.USER, TEXT, NOON + timedelta(days=1), ANN, message_id=f"{name}{len(times)}")
        await vault.turns.append(turn)
        times.append(time.perf_counter() - start)
        await asyncio.sleep(0.02)


async def tick(until: asyncio.Event, held: list[float]) -> None:
    while not until.is_set():
        before = time.thread_time()
        await asyncio.sleep(0.004)
        held.append((time.thread_time() - before) * 1000)


def copied_s(source: Path, target: Path) -> float:
    start = time.perf_counter()
    shutil.copyfile(source, target)
    with target.open("rb+") as stream:
        os.fsync(stream.fileno())
    return time.perf_counter() - start


async def test_a_backup_of_a_million_turns_disturbs_nobody(vault: Vault, tmp_path: Path) -> None:
    channel = await fill(vault)
    quiet: list[float] = []
    busy: list[float] = []
    held: list[float] = []
    done = asyncio.Event()
    talking = asyncio.create_task(talk(vault, channel, done, quiet, "quiet"))
    await asyncio.sleep(3)
    done.set()
    await talking
    done = asyncio.Event()
    others = [
        asyncio.create_task(talk(vault, channel, done, busy, "busy")),
        asyncio.create_task(tick(done, held)),
    ]
    start = time.perf_counter()
    wish = BackupWish(tmp_path / "million.backup", "asked", NOON, tmp_path)
    contents = await vault.backups.make(wish)
    took = time.perf_counter() - start
    done.set()
    await asyncio.gather(*others)
    plain = copied_s(vault.path, tmp_path / "plain")
    size = wish.target.stat().st_size / 1e6
    slower = statistics.median(busy) / statistics.median(quiet)
    print(  # noqa: T201
        f"\n{contents.counts['turns']:,} turns, {size:.0f} MB: {took:.1f} s, {took / plain:.1f} times a plain copy; "
        f"loop held {max(held):.1f} ms at most; a turn takes {slower:.1f} times as long ({len(busy)} meanwhile)"
    )
    assert contents.counts["turns"] >= TURNS
    assert len(busy) > 10
    assert max(held) < MOST_HELD_MS
    assert slower < MOST_TIMES_A_TURN
    assert took / plain < MOST_TIMES_A_COPY
