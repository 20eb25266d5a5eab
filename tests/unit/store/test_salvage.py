"""A damaged vault gives back every row that can be read, and says which cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import OutsideError
from familiar_app.store.connection import connect
from familiar_app.store.page_check import damaged_pages
from familiar_app.store.row_rescue import RowReader
from familiar_app.store.salvage import salvage
from familiar_app.store.vault import Vault
from familiar_app.store.verify import advised
from tests.unit.store.vault_maker import NOON, PASSPHRASE, filled

PAGE = 4096
TURNS = 3000


def spoil(path: Path, page: int) -> None:
    with path.open("rb+") as stream:
        stream.seek((page - 1) * PAGE + 500)
        byte = stream.read(1)
        stream.seek((page - 1) * PAGE + 500)
        stream.write(bytes([byte[0] ^ 1]))


def readable(path: Path, key: bytes) -> tuple[set[int], str]:
    reader = RowReader(path, key)
    seen: list[int] = []
    try:
        loss = reader.read("turns", lambda rows: seen.extend(row[0] for row in rows))
    finally:
        reader.close()
    assert len(seen) == len(set(seen)), "no row comes twice"
    lost = {one for low, high in loss.ranges for one in range(low, high + 1)}
    assert lost.isdisjoint(seen)
    assert set(seen) | lost == set(range(1, TURNS + 1))
    if loss.ranges and not loss.unsure:
        assert loss.known == len(lost)
    return lost, loss.sentence()


async def test_each_damaged_page_costs_its_own_rows_and_no_more(vault_path: Path, clock: FixedClock) -> None:
    key, _channel = await filled(vault_path, clock, TURNS)
    whole = vault_path.read_bytes()
    assert readable(vault_path, key) == (set(), "some of its rows cannot be read")
    hit = 0
    for page in range(len(whole) // PAGE // 3, len(whole) // PAGE, 17):
        spoil(vault_path, page)
        lost, sentence = readable(vault_path, key)
        assert len(lost) < 200, page
        if lost:
            hit += 1
            assert sentence.startswith(f"{len(lost):,} rows cannot be read: {min(lost)} to {max(lost)}")
        vault_path.write_bytes(whole)
    assert hit >= 3, "the damage has to meet turns for the test to say anything"


async def test_a_new_vault_takes_the_place_of_the_damaged_one(vault_path: Path, clock: FixedClock) -> None:
    key, _channel = await filled(vault_path, clock, TURNS)
    lost = await damage_turns(vault_path, key)
    parts: list[float] = []
    done = await salvage(vault_path.parent, key, NOON, parts.append)
    assert [(loss.table, loss.known) for loss in done.losses if loss.table == "turns"] == [("turns", len(lost))]
    assert done.rows["turns"] == TURNS - len(lost)
    assert not done.whole
    assert done.problems == []
    assert done.kept is not None
    assert (done.kept / "vault.db").exists()
    vault = await Vault.open(vault_path, clock=clock, passphrase=PASSPHRASE)
    assert await vault.turns.count() == TURNS - len(lost)
    assert await vault.verify() == []
    texts = [turn.content async for turns in vault.turns.stream(chunk=500) for turn in turns]
    assert texts == [f"turn number {n}" for n in range(TURNS) if n + 1 not in lost]
    await vault.close()
    assert parts[-1] == 1.0


async def test_turns_of_a_lost_channel_get_a_stand_in(vault_path: Path, clock: FixedClock) -> None:
    key, channel = await filled(vault_path, clock, 5)
    connection = connect(vault_path, key)
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("DELETE FROM channels")
    connection.close()
    done = await salvage(vault_path.parent, key, NOON)
    assert done.stand_ins == {"channels": 1}
    vault = await Vault.open(vault_path, clock=clock, passphrase=PASSPHRASE)
    assert await vault.turns.count(channel) == 5
    assert await vault.verify() == []
    await vault.close()


async def test_a_whole_vault_loses_nothing(vault_path: Path, clock: FixedClock) -> None:
    key, _channel = await filled(vault_path, clock, 50)
    done = await salvage(vault_path.parent, key, NOON)
    assert done.whole
    assert done.rows["turns"] == 50
    assert done.problems == []


async def test_without_its_beginning_nothing_can_be_found(vault_path: Path, clock: FixedClock) -> None:
    key, _channel = await filled(vault_path, clock, 50)
    spoil(vault_path, 1)
    before = vault_path.read_bytes()
    with pytest.raises(OutsideError, match="beginning of the vault is damaged"):
        await salvage(vault_path.parent, key, NOON)
    assert vault_path.read_bytes() == before
    assert not (vault_path.parent / ".coming").exists()


async def damage_turns(path: Path, key: bytes) -> set[int]:
    """Spoil pages until turns are lost, and return their ids."""
    lost: set[int] = set()
    page = path.stat().st_size // PAGE // 2
    while len(lost) < 50:
        whole = path.read_bytes()
        spoil(path, page)
        now, _sentence = readable(path, key)
        if now == lost:
            path.write_bytes(whole)
        lost = now
        page += 5
    connection = connect(path, key, read_only=True)
    assert damaged_pages(connection, path) != []
    connection.close()
    return lost


async def test_verify_names_the_rows_and_the_backup_to_go_back_to(vault_path: Path, clock: FixedClock) -> None:
    key, _channel = await filled(vault_path, clock, TURNS)
    lost = await damage_turns(vault_path, key)
    vault = await Vault.open(vault_path, clock=clock, data_key=key)
    problems = await vault.verify()
    await vault.close()
    [turns] = [one for one in problems if one.where == "turns"]
    assert turns.what.startswith(f"{len(lost):,} rows cannot be read: {min(lost)} to ")
    newest = Path("backups", "familiar-20240501T120000Z-asked.backup")
    assert all(str(newest) in one.how_to_mend for one in advised(problems, newest))
