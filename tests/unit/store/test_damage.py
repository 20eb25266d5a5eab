"""A damaged vault is noticed wherever it is hit, is never written to, and never gives back a wrong text."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.ids import TurnId
from familiar_app.domain.turn import NewTurn, Role
from familiar_app.store.connection import connect
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import NOON, filled

PAGE = 4096
TURNS = 120


async def outcome(path: Path, clock: FixedClock, key: bytes) -> str:
    """Open, read everything, verify. Returns how the damage showed; fails on a wrong text."""
    try:
        vault = await Vault.open(path, clock=clock, data_key=key)
    except OutsideError as error:
        return "refused" if "Nothing was changed" in error.message else error.message
    try:
        found = await vault.verify()
        try:
            texts = [turn.content async for turns in vault.turns.stream(chunk=40) for turn in turns]
        except OutsideError as error:
            return "unreadable" if "damaged" in error.message else error.message
        assert texts == [f"turn number {n}" for n in range(TURNS)]
        return "verified" if found else "unnoticed"
    finally:
        await vault.close()


def positions(size_bytes: int) -> list[int]:
    """A random place in every page, and the places where its parts begin and end."""
    chance = random.Random(5)
    pages = size_bytes // PAGE
    everywhere = [page * PAGE + chance.randrange(PAGE) for page in range(pages)]
    edges = [page * PAGE + offset for page in (0, 1, pages - 1) for offset in (0, 15, 16, 100, 4016, 4032, 4095)]
    return everywhere + edges


@pytest.mark.slow
async def test_one_changed_byte_anywhere_is_noticed_and_nothing_is_written(vault_path: Path, clock: FixedClock) -> None:
    key, _ = await filled(vault_path, clock, TURNS)
    whole = vault_path.read_bytes()
    assert await outcome(vault_path, clock, key) == "unnoticed", "without damage there is nothing to notice"
    seen = set()
    for position in positions(len(whole)):
        hit = whole[:position] + bytes([whole[position] ^ 0x40]) + whole[position + 1 :]
        vault_path.write_bytes(hit)
        how = await outcome(vault_path, clock, key)
        assert how != "unnoticed", f"byte {position} of page {position // PAGE + 1}"
        assert vault_path.read_bytes() == hit
        seen.add(how)
    assert {"refused", "unreadable"} <= seen <= {"refused", "unreadable", "verified"}


@pytest.mark.parametrize("keep", [PAGE, 3 * PAGE, 5 * PAGE + 100, -PAGE, -1])
async def test_a_file_that_was_cut_off_is_noticed(vault_path: Path, clock: FixedClock, keep: int) -> None:
    key, _ = await filled(vault_path, clock, TURNS)
    whole = vault_path.read_bytes()
    vault_path.write_bytes(whole[:keep])
    assert await outcome(vault_path, clock, key) != "unnoticed"
    assert vault_path.read_bytes() == whole[:keep]


async def test_after_damage_was_seen_nothing_more_is_written(vault_path: Path, clock: FixedClock) -> None:
    key, channel = await filled(vault_path, clock, 2000)
    whole = bytearray(vault_path.read_bytes())
    vault = await Vault.open(vault_path, clock=clock, data_key=key)
    page = await vault._opened.engine.read(
        lambda c: c.execute("SELECT rootpage FROM sqlite_master WHERE name = 'turns_message'").fetchone()[0]
    )
    await vault.close()
    start = (page - 1) * PAGE
    whole[start + 200] ^= 1
    vault_path.write_bytes(whole)
    vault = await Vault.open(vault_path, clock=clock, data_key=key)
    with pytest.raises(OutsideError, match="damaged"):
        await vault.turns.append(NewTurn(channel, Role.USER, "new", NOON, message_id="x"))
    with pytest.raises(OutsideError, match="damaged"):
        await vault.state.set("draft", "words")
    turn = await vault.turns.get(TurnId(7))
    assert turn is not None
    assert turn.content == "turn number 6", "what is whole can still be read"
    await vault.close()
    assert vault_path.read_bytes() == bytes(whole)


async def test_a_torn_write_ahead_log_costs_the_torn_turns_only(
    vault: Vault, vault_path: Path, said: Callable[..., NewTurn], clock: FixedClock, tmp_path: Path
) -> None:
    for number in range(20):
        await vault.turns.append(said(str(number)))
    copy = tmp_path / "copy" / "vault.db"
    copy.parent.mkdir()
    for name in ("vault.db", "vault.keys", "vault.db-wal"):
        copy.with_name(name).write_bytes(vault_path.with_name(name).read_bytes())
    wal = copy.with_name("vault.db-wal")
    raw = wal.read_bytes()
    wal.write_bytes(raw[:-2000])
    torn = await Vault.open(copy, clock=clock, data_key=vault.data_key())
    texts = [turn.content async for turns in torn.turns.stream() for turn in turns]
    assert texts == [str(number) for number in range(19)]
    assert await torn.verify() == []
    await torn.close()


async def test_a_damaged_write_ahead_log_is_told_and_not_written_over(
    vault: Vault, vault_path: Path, said: Callable[..., NewTurn], clock: FixedClock, tmp_path: Path
) -> None:
    for number in range(20):
        await vault.turns.append(said(str(number)))
    copy = tmp_path / "copy" / "vault.db"
    copy.parent.mkdir()
    for name in ("vault.db", "vault.keys"):
        copy.with_name(name).write_bytes(vault_path.with_name(name).read_bytes())
    wal, raw = copy.with_name("vault.db-wal"), vault_path.with_name("vault.db-wal").read_bytes()
    frames = (len(raw) - 32) // (24 + PAGE)
    places = [3, 17, *(32 + frame * (24 + PAGE) + offset for frame in range(0, frames // 2, 5) for offset in (9, 99))]
    for place in places:
        hit = raw[:place] + bytes([raw[place] ^ 4]) + raw[place + 1 :]
        wal.write_bytes(hit)
        with pytest.raises(OutsideError, match="log of changes"):
            await Vault.open(copy, clock=clock, data_key=vault.data_key())
        assert wal.read_bytes() == hit
    wal.write_bytes(raw)
    again = await Vault.open(copy, clock=clock, data_key=vault.data_key())
    assert await again.turns.count() == 20
    await again.close()


async def test_a_change_that_was_cut_off_before_there_was_a_log_is_taken_back(
    vault: Vault, vault_path: Path, said: Callable[..., NewTurn], clock: FixedClock, tmp_path: Path
) -> None:
    await vault.turns.append_many([said(f"{number} " * 300) for number in range(60)])
    key = vault.data_key()
    await vault.close()
    copy = tmp_path / "copy" / "vault.db"
    copy.parent.mkdir()
    # A copy that has just been put in place of a vault has no log of changes yet, and its first change a journal.
    connection = connect(vault_path, key)
    for statement in ("PRAGMA journal_mode = DELETE", "PRAGMA cache_size = 4", "BEGIN IMMEDIATE"):
        connection.execute(statement).fetchall()
    connection.execute("UPDATE turns SET content = content || 'changed'")
    for name in ("vault.db", "vault.keys", "vault.db-journal"):
        copy.with_name(name).write_bytes(vault_path.with_name(name).read_bytes())
    connection.execute("ROLLBACK")
    connection.close()
    again = await Vault.open(copy, clock=clock, data_key=key)
    texts = [turn.content async for turns in again.turns.stream() for turn in turns]
    assert texts == [f"{number} " * 300 for number in range(60)]
    assert await again.verify() == []
    await again.close()
    assert not copy.with_name("vault.db-journal").exists()
