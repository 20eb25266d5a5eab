"""Killed anywhere, inside any transaction of any projector or act of the owner, nothing is left half done.

What the disk holds before each statement of the writer is what a kill would leave there. From such images, and from
logs of changes torn in the middle, the story is told to its end: it ends as the one that nothing disturbed.
"""

from __future__ import annotations

import asyncio
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.vault import Vault
from tests.unit.projectors.conftest import CHEAP
from tests.unit.projectors.crash_story import EXIT_CODE, Teller, watch_statements
from tests.unit.projectors.scene import NOON

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

ROOT = Path(__file__).parents[3]
IMAGES, TORN, KILLS = 36, 8, 4
DATABASE, LOG = "vault.db", "vault.db-wal"
TABLES = {
    "turns": "*",
    "facts": "*",
    "fact_subjects": "*",
    "fact_sources": "*",
    "fact_beliefs": "*",
    "fact_blocks": "*",
    "retirements": "*",
    "people_dossiers": "*",
    "summaries": "*",
    "reflections": "*",
    "reflection_turns": "*",
    "reflection_facts": "*",
    "fact_embeddings": "*",
    "turn_embeddings": "*",
    "watermarks": "*",
    "mentions": "*",
    # How long an answer took is the one thing that differs each time.
    "ledger": "id, projector, version, familiar, scope, first, last, model, answer, tokens, at, void_at, malformed",
    "ledger_facts": "*",
}
_WRITES = re.compile(r"\s*(?:INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM) (\w+)")
MUST_INTERRUPT = {
    "turns", "facts", "fact_beliefs", "retirements", "people_dossiers", "summaries", "reflections", "ledger",
    "watermarks", "fact_embeddings",
}  # fmt: skip


@dataclass
class Image:
    """What stood on the disk during a step, and which tables were being written then."""

    step: int
    database: bytes
    log: bytes
    writing: set[str] = field(default_factory=set)

    def lay_out(self, folder: Path, keys: Path, log: bytes | None = None) -> Path:
        folder.mkdir(parents=True)
        shutil.copy(keys, folder / "vault.keys")
        (folder / DATABASE).write_bytes(self.database)
        (folder / LOG).write_bytes(self.log if log is None else log)
        return folder / DATABASE


@dataclass
class Camera:
    """Takes an image wherever the disk changed."""

    path: Path
    step: int = 0
    images: list[Image] = field(default_factory=list)
    _last: bytes = b""

    def look(self, statement: str) -> None:
        log = self.path.with_name(LOG)
        found = Image(self.step, self.path.read_bytes(), log.read_bytes() if log.exists() else b"")
        digest = blake2b(found.database + found.log, digest_size=16).digest() + bytes([self.step])
        if digest != self._last:
            self._last = digest
            self.images.append(found)
        written = _WRITES.match(statement)
        if written:
            self.images[-1].writing.add(written[1])


async def dump(vault: Vault) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table about memory."""
    return {
        table: await vault._opened.engine.read(
            lambda c, table=table, columns=columns: c.execute(f"SELECT {columns} FROM {table} ORDER BY 1, 2").fetchall()  # type: ignore[misc]
        )
        for table, columns in TABLES.items()
    }


async def end_of(path: Path, key: bytes, step: int) -> dict[str, list[tuple[Any, ...]]]:
    """Open what a kill left, check it, tell the story on from a step, and return what there is in the end."""
    clock = FixedClock(NOON)
    vault = await Vault.open(path, clock=clock, data_key=key)
    try:
        assert await vault.verify() == []
        await Teller(vault, clock).tell(step)
        assert await vault.verify() == []
        return await dump(vault)
    finally:
        await vault.close()


async def empty_vault(path: Path) -> bytes:
    vault = await Vault.create(
        path, "three herons", recovery_code=new_recovery_code(), clock=FixedClock(NOON), cost=CHEAP
    )
    key = vault.data_key()
    await vault.close()
    return key


def chosen(images: list[Image], chance: random.Random) -> list[Image]:
    """Return images of which each table was being written in two at least, and some more by chance."""
    taken: dict[int, Image] = {}
    for table in sorted(MUST_INTERRUPT):
        during = [number for number, image in enumerate(images) if table in image.writing]
        assert len(during) >= 2, f"nothing was interrupted while {table} was written"
        taken |= {number: images[number] for number in chance.sample(during, 2)}
    others = [number for number in range(len(images)) if number not in taken]
    for number in chance.sample(others, min(len(others), max(0, IMAGES - len(taken)))):
        taken[number] = images[number]
    return [taken[number] for number in sorted(taken)]


def torn(images: list[Image], chance: random.Random) -> Iterable[tuple[Image, bytes]]:
    """Yield images whose log of changes ends in the middle of what the next commit wrote."""
    pairs = [
        (before, after)
        for before, after in pairwise(images)
        if before.database == after.database and len(before.log) < len(after.log)
    ]
    for before, after in chance.sample(pairs, min(TORN, len(pairs))):
        yield before, after.log[: chance.randrange(len(before.log) + 1, len(after.log))]


async def test_whatever_is_interrupted_ends_as_if_nothing_had_been(tmp_path: Path) -> None:
    path = tmp_path / "told" / DATABASE
    key = await empty_vault(path)
    clock, camera = FixedClock(NOON), Camera(path)
    vault = await Vault.open(path, clock=clock, data_key=key)
    watch_statements(vault, camera.look)
    await Teller(vault, clock, lambda number: setattr(camera, "step", number)).tell()
    watch_statements(vault, None)
    undisturbed = await dump(vault)
    assert await vault.verify() == []
    await vault.close()
    assert [table for table, rows in undisturbed.items() if not rows] == []
    chance = random.Random(20_240_501)
    keys = path.with_name("vault.keys")
    cases = [(image, image.log) for image in chosen(camera.images, chance)] + list(torn(camera.images, chance))
    assert len(cases) >= IMAGES
    for number, (image, log) in enumerate(cases):
        left = image.lay_out(tmp_path / f"left{number}", keys, log)
        found = await end_of(left, key, image.step)
        assert found == undisturbed, f"interrupted in step {image.step} while writing {sorted(image.writing)}"
        shutil.rmtree(left.parent)


def step_of_death(path: Path, key: bytes, statement: int) -> int:
    """Let a child tell the story and die at a statement; return the step it was in."""
    command = [sys.executable, "-m", "tests.unit.projectors.crash_story", str(path), key.hex(), str(statement)]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert ran.returncode == EXIT_CODE, ran.stderr
    return int(ran.stdout.split()[-1])


async def test_a_process_that_dies_at_a_statement_leaves_the_same(tmp_path: Path) -> None:
    path = tmp_path / "told" / DATABASE
    key = await empty_vault(path)
    shutil.copytree(path.parent, tmp_path / "whole")
    undisturbed = await end_of(tmp_path / "whole" / DATABASE, key, 0)
    chance = random.Random(7)
    for number in range(KILLS):
        left = tmp_path / f"left{number}"
        shutil.copytree(path.parent, left)
        step = await asyncio.to_thread(step_of_death, left / DATABASE, key, chance.randrange(50, 1200))
        assert await end_of(left / DATABASE, key, step) == undisturbed
