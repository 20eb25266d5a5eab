"""What facts cost at a hundred thousand of them: pages by either clock, appends with near-duplicates, corrections.

A question is timed on the thread that answers it, so that a busy machine does not decide about the plan of a query.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.fact import FactId, NewFact, Subject
from familiar_app.domain.fact_text import identity
from familiar_app.domain.ids import MAIN_CHANNEL, FamiliarId, PersonKey, TurnId
from familiar_app.domain.turn import Author, NewTurn, Role
from familiar_app.store import fact_query
from familiar_app.store.fact_query import FactQuestion
from familiar_app.store.keys import KdfCost, new_recovery_code
from familiar_app.store.moment import to_micros
from familiar_app.store.vault import Vault
from tests.benchmarks.pace import Pace

if TYPE_CHECKING:
    from sqlite3 import Connection

pytestmark = pytest.mark.slow

FACTS = 100_000
MOST_MS = 10.0
MIRA = FamiliarId("mira")
ANN = PersonKey("discord:0")
START = datetime(2015, 1, 1, tzinfo=UTC)
STEP = timedelta(minutes=50)
END = START + FACTS * STEP
CHEAP = KdfCost(time_cost=1, memory_kib=8 * 1024, parallelism=1)


def person(number: int) -> PersonKey:
    return PersonKey(f"discord:{number}")


def text(number: int) -> str:
    return f"Somebody said on day {number // 28} that the river number {number} runs past the old mill and the bridge."


def fill(connection: Connection, facts: int, first: int = 1) -> None:
    """Store facts straight into the tables: Ann is in every other one; half are retired, a third have an end."""
    chance = random.Random(first)
    for number in range(first, first + facts):
        created = to_micros(START + number * STEP)
        since = created - chance.randrange(40 * 86_400) * 1_000_000
        until = created + chance.randrange(1, 900 * 86_400) * 1_000_000 if number % 3 == 0 else None
        ended = created + chance.randrange(1, 600 * 86_400) * 1_000_000 if number % 2 == 0 else None
        keys = sorted({person(chance.randrange(1, 200)), *((ANN,) if number % 2 else ())})
        connection.execute(
            """INSERT INTO facts (id, familiar, text, identity, origin, valid_from, valid_to, created_at, superseded_at)
            VALUES (?, 'mira', ?, ?, 'rich_note', ?, ?, ?, ?)""",
            (number, text(number), identity(text(number), keys), since, until, created, ended),
        )
        connection.executemany(
            "INSERT INTO fact_subjects VALUES (?, ?, 'Name', 'mira', ?, ?, ?, ?, 1, 0)",
            [(number, key, since, until, created, ended) for key in keys],
        )
        connection.execute("INSERT INTO fact_sources (fact, turn, since) VALUES (?, 1, ?)", (number, created))
        connection.execute(
            "INSERT INTO fact_beliefs (fact, number, since, until, cause, end_cause) VALUES (?, 1, ?, ?, 'learned', ?)",
            (number, created, ended, None if ended is None else "retired"),
        )


async def make(path: Path, facts: int) -> Vault:
    vault = await Vault.create(path, "heron", recovery_code=new_recovery_code(), clock=FixedClock(END), cost=CHEAP)
    channel = await vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA)
    await vault.turns.append(NewTurn(channel.id, Role.USER, "Hello.", START, Author(ANN, "Ann")))
    await vault._opened.engine.write(lambda connection: fill(connection, facts))
    return vault


def p95(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=20)[-1] * 1e3


async def timed(name: str, count: int, call: Callable[[int], Awaitable[object]]) -> float:
    times = []
    for number in range(count):
        start = time.perf_counter()
        await call(number)
        times.append(time.perf_counter() - start)
    print(f"{name}: median {statistics.median(times) * 1e3:.2f} ms, p95 {p95(times):.2f} ms")  # noqa: T201
    return p95(times)


def questions(chance: random.Random) -> list[FactQuestion]:
    """Return questions at any times, those at both ends of history included."""
    instants = [START, START + STEP, END - STEP, *(START + FACTS * STEP * chance.random() for _ in range(17))]
    subjects = [None, ANN, person(1), person(150)]
    found = []
    for one in instants:
        other = chance.choice(instants)
        for subject in subjects:
            for as_of, known_at in ((None, None), (one, None), (None, one), (one, other)):
                before = chance.choice([None, FactId(chance.randrange(1, FACTS))])
                found.append(FactQuestion(MIRA, END, as_of, known_at, subject, before=before))
    return found


async def test_a_page_of_a_hundred_thousand_facts_is_quick_at_any_time(tmp_path: Path, pace: Pace) -> None:
    vault = await make(tmp_path / "vault.db", FACTS)

    def ask(connection: Connection) -> tuple[list[float], list[float]]:
        busy: list[float] = []
        walls: list[float] = []
        for question in questions(random.Random(7)):
            wall, start = time.perf_counter(), time.thread_time()
            fact_query.page(connection, question)
            busy.append(time.thread_time() - start)
            walls.append(time.perf_counter() - wall)
        return busy, walls

    await vault._opened.engine.read(ask)
    busy, walls = await vault._opened.engine.read(ask)
    print(  # noqa: T201
        f"\npages of 100 of {FACTS}: p95 {p95(busy):.2f} ms of work, {p95(walls):.2f} ms passed; "
        f"worst {max(busy) * 1e3:.2f} ms"
    )
    await timed("a search without a hit", 3, lambda _: vault.facts.page(MIRA, search="kingfisher"))
    await timed("one fact with its history", 50, lambda n: vault.facts.history(FactId(n * 100 + 1)))
    await timed("outdated dossiers", 5, lambda _: vault.projections.outdated_dossiers(MIRA, limit=10))
    await vault.close()
    assert p95(busy) <= pace.allow(MOST_MS)


async def appended(vaults: dict[str, Vault], count: int) -> dict[str, float]:
    """Append the same facts to each vault in turns, first new, then there already; return the medians."""
    about = (Subject(ANN, "Ann"), Subject(person(3), "Ben"))
    taken: dict[str, list[float]] = {f"{what}, {name}": [] for what in ("new", "known") for name in vaults}
    for what in ("new", "known"):
        for number in range(count):
            new = NewFact(MIRA, f"Told {number}: {text(number)}", "rich_note", about, source_turns=(TurnId(1),))
            for name, vault in vaults.items():
                start = time.perf_counter()
                await vault.facts.append(new)
                taken[f"{what}, {name}"].append(time.perf_counter() - start)
    for name, times in taken.items():
        print(f"append, {name}: median {statistics.median(times) * 1e3:.2f} ms, p95 {p95(times):.2f} ms")  # noqa: T201
    return {name: statistics.median(times) for name, times in taken.items()}


async def test_an_append_with_its_look_up_stays_flat(tmp_path: Path) -> None:
    small = await make(tmp_path / "small" / "vault.db", 1000)
    large = await make(tmp_path / "large" / "vault.db", FACTS)
    found = await appended({"few": small, "many": large}, 200)
    await timed("supersede by a merged fact", 50, lambda n: _supersede(large, n))
    await small.close()
    await large.close()
    for what in ("new", "known"):
        assert found[f"{what}, many"] <= 4 * found[f"{what}, few"]


async def _supersede(vault: Vault, number: int) -> None:
    merged = NewFact(MIRA, f"merged {number}", "rich_note", (Subject(ANN, "Ann"),))
    await vault.facts.supersede([FactId(2 * number + 1)], merged=merged)
