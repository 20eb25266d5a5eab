"""How fast turns are imported, next to plain SQLite taking the same rows, and that memory does not grow with the file.

The rate is counted in processor time of all threads, so that other work on the machine does not blur it; the time on
the wall and the ratio are printed. Run with `-s` to see the numbers.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from familiar_app.domain.clock import SystemClock
from familiar_app.domain.ids import FamiliarId
from familiar_app.interchange.turn_import import CHUNK_TURNS, TurnImport
from familiar_app.interchange.turn_record import ReadOptions
from familiar_app.interchange.turn_source import source_from_path
from familiar_app.interchange.turns import read_turns
from familiar_app.store import schema
from familiar_app.store.keys import KdfCost, new_recovery_code
from familiar_app.store.vault import Vault
from tests.benchmarks.pace import Pace

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

START = datetime(2020, 1, 1, tzinfo=UTC)
TURNS = 50_000
LEAST_TURNS_PER_CPU_S = 5_000
MOST_TIMES_PLAIN = 15.0
MOST_GROWTH_BYTES = 32 * 1024 * 1024
INSERT = """INSERT INTO turns (channel, role, content, at, arrived_at, speaker, guild, message_id)
    VALUES (?, 'user', ?, ?, 0, ?, 'discord:1', ?)"""


def write_lines(path: Path, count: int) -> Path:
    """Write turns of forty people in five channels, a second apart, some hundred characters each."""
    with path.open("w", encoding="utf-8") as stream:
        for number in range(count):
            who = number % 40
            value = {
                "channel": f"discord:{number % 5}",
                "guild": "discord:1",
                "author": {"key": f"discord:{who}", "name": f"Name {who}", "username": f"name{who}", "bot": False},
                "role": "user",
                "content": f"message {number} " + "some words of a conversation " * 3,
                "at": (START + timedelta(seconds=number)).isoformat(),
                "message_id": str(number),
                "reply_to": None,
                "mode": None,
            }
            stream.write(json.dumps(value) + "\n")
    return path


async def import_it(vault_path: Path, source: Path) -> tuple[int, float, float]:
    """Return how many turns were taken, in what time on the wall and of the processor."""
    cost = KdfCost(time_cost=1, memory_kib=8 * 1024, parallelism=1)
    code = new_recovery_code()
    vault = await Vault.create(vault_path, "heron", recovery_code=code, clock=SystemClock(), cost=cost)
    wall, processor = time.perf_counter(), time.process_time()
    report = await TurnImport(
        source_from_path(source),
        read_turns,
        format_name="jsonl",
        familiar=FamiliarId("mira"),
        options=ReadOptions("Mira", str(source)),
        log=vault.turns,
        channels=vault.channels,
        progress=lambda _step, _done, _total: None,
    ).run()
    spent = time.perf_counter() - wall, time.process_time() - processor
    await vault.close()
    return report.taken, *spent


def insert_plainly(path: Path, source: Path) -> float:
    """Put the same rows into SQLite as simply as can be, in as many transactions; return the time on the wall."""
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON"):
        connection.execute(f"PRAGMA {pragma}")
    schema.upgrade(connection)
    connection.executemany(
        "INSERT INTO channels (id, key, title, created_at) VALUES (?, ?, 't', 0)", [(n, n) for n in range(5)]
    )
    connection.executemany(
        "INSERT INTO speakers (id, key, name, bot) VALUES (?, ?, 'n', 0)", [(n, str(n)) for n in range(40)]
    )
    started = time.perf_counter()
    with source.open("rb") as stream:
        for rows in chunked(stream):
            connection.execute("BEGIN")
            connection.executemany(INSERT, rows)
            connection.execute("COMMIT")
    spent = time.perf_counter() - started
    assert connection.execute("SELECT count(*) FROM turns").fetchone() == (TURNS,)
    connection.close()
    return spent


def chunked(stream: Iterator[bytes]) -> Iterator[list[tuple[object, ...]]]:
    rows: list[tuple[object, ...]] = []
    for line in stream:
        value = json.loads(line)
        at = int(datetime.fromisoformat(value["at"]).timestamp() * 1_000_000)
        who, place = int(value["author"]["key"][8:]), int(value["channel"][8:])
        rows.append((place, value["content"], at, who, value["message_id"]))
        if len(rows) == CHUNK_TURNS:
            yield rows
            rows = []
    yield rows


def test_an_import_is_fast(tmp_path: Path, pace: Pace) -> None:
    source = write_lines(tmp_path / "in.jsonl", TURNS)
    plain = [insert_plainly(tmp_path / "plain1.db", source)]
    taken, wall, processor = asyncio.run(import_it(tmp_path / "vault.db", source))
    plain.append(insert_plainly(tmp_path / "plain2.db", source))
    ratio = wall / (sum(plain) / 2)
    sys.stdout.write(
        f"\nimport of {TURNS} turns: {TURNS / wall:.0f} a second on the wall, {TURNS / processor:.0f} a second of the "
        f"processor, {ratio:.1f} times the time of plain SQLite\n"
    )
    assert taken == TURNS
    assert processor <= pace.allow(TURNS / LEAST_TURNS_PER_CPU_S)
    assert ratio <= MOST_TIMES_PLAIN


def peak_bytes(profile: Path, source: Path) -> int:
    """Run the real program's import and return the most memory it held at once."""
    command = [sys.executable, "-m", "familiar_app", "--profile-dir", str(profile), "import", str(source)]
    environment = os.environ | {"FAMILIAR_PASSPHRASE": "heron", "PYTHONPATH": str(Path(__file__).parents[2])}
    quiet = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
    child = os.posix_spawn(sys.executable, command, environment, file_actions=quiet)
    _, status, usage = os.wait4(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="only POSIX tells what a child took")
def test_a_longer_file_takes_no_more_memory(tmp_path: Path) -> None:
    peaks = {}
    for count in (50_000, 200_000):
        profile = tmp_path / str(count)
        init = [sys.executable, "-m", "familiar_app", "--profile-dir", str(profile), "init", "--name", "Mira"]
        environment = os.environ | {"FAMILIAR_PASSPHRASE": "heron", "PYTHONPATH": str(Path(__file__).parents[2])}
        assert os.waitstatus_to_exitcode(os.waitpid(os.posix_spawn(sys.executable, init, environment), 0)[1]) == 0
        peaks[count] = peak_bytes(profile, write_lines(tmp_path / f"{count}.jsonl", count))
    growth = peaks[200_000] - peaks[50_000]
    sys.stdout.write(f"\npeak memory of an import: {peaks[50_000] >> 20} MiB for 50,000 turns, ")
    sys.stdout.write(f"{growth / 2**20:+.0f} MiB for 200,000\n")
    assert growth <= MOST_GROWTH_BYTES
