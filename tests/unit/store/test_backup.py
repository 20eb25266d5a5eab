"""A backup: one state of a vault in use, in one file that only that day's keys open, or no file at all."""

from __future__ import annotations

import asyncio
import errno
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import BadInputError, LockedError, OutsideError, StoppedByUserError, UserError
from familiar_app.domain.turn import NewTurn
from familiar_app.store import backup as backup_module
from familiar_app.store.backup import BackupWish, check_backup
from familiar_app.store.backup_file import SealedBackup
from familiar_app.store.connection import PAGE_SIZE_BYTES, connect
from familiar_app.store.restore import look_inside
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import NOON, PASSPHRASE

SECRET = "the heron nests behind the mill"


@pytest.fixture
def root(vault_path: Path) -> Path:
    """A profile with canon beside its vault."""
    mira = vault_path.parent / "familiars" / "mira"
    (mira / "books" / "trash").mkdir(parents=True)
    (mira / "character.md").write_text(f"# Mira\n{SECRET}", encoding="utf-8")
    (mira / "books" / "trash" / "old.toml").write_text("name = 'Old'", encoding="utf-8")
    (vault_path.parent / "settings.toml").write_text("owner_name = 'Robin'\n", encoding="utf-8")
    (vault_path.parent / "models").mkdir()
    (vault_path.parent / "models" / "large.gguf").write_bytes(b"weights")
    return vault_path.parent


@pytest.fixture
def wish(tmp_path: Path, root: Path) -> BackupWish:
    return BackupWish(tmp_path / "kept.backup", "asked", NOON, root, {"mira": "Mira"})


async def test_a_backup_opens_with_the_passphrase_and_the_recovery_code_of_its_day(
    vault: Vault, wish: BackupWish, said: Callable[..., NewTurn], recovery_code: str
) -> None:
    await vault.turns.append_many([said(f"{SECRET} {n}", message_id=f"m{n}") for n in range(300)])
    parts: list[float] = []
    contents = await vault.backups.make(wish, parts.append)
    await vault.change_passphrase("another one altogether")
    for way, secret in (("passphrase", PASSPHRASE), ("recovery_code", recovery_code)):
        assert look_inside(wish.target, way, secret).contents == contents  # type: ignore[arg-type]
    with pytest.raises(LockedError, match="passphrase is wrong"):
        look_inside(wish.target, "passphrase", "another one altogether")
    assert (contents.counts["turns"], contents.familiars, contents.made_at) == (300, {"mira": "Mira"}, NOON)
    assert [file.name for file in contents.files] == [
        "settings.toml",
        "familiars/mira/character.md",
        "familiars/mira/books/trash/old.toml",
    ]
    assert parts == sorted(parts)
    assert parts[-1] == 1.0


async def test_nothing_in_it_can_be_read_without_a_key(
    vault: Vault, wish: BackupWish, said: Callable[..., NewTurn]
) -> None:
    await vault.turns.append(said(SECRET))
    await vault.backups.make(wish)
    data = wish.target.read_bytes()
    for word in (SECRET, "Mira", "mira", "Robin", "heron", "character", "SQLite"):
        assert word.encode() not in data, word
    assert oct(wish.target.stat().st_mode & 0o777) == "0o600" or os.name == "nt"


async def test_it_holds_one_state_while_writing_goes_on(
    vault: Vault, wish: BackupWish, said: Callable[..., NewTurn], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backup_module, "STEP_PAGES", 1)
    await vault.turns.append_many([said(f"before {n} {'x' * 900}", message_id=f"m{n}") for n in range(400)])
    making = asyncio.create_task(vault.backups.make(wish))
    meanwhile = 0
    while not making.done():
        await vault.turns.append(said(f"meanwhile {meanwhile}"))
        meanwhile += 1
    contents = await making
    assert meanwhile > 1, "writing waited for the backup"
    assert 400 <= contents.counts["turns"] < 400 + meanwhile
    connection = connect(wish.target, vault.data_key(), immutable=True)
    numbers = [row[0] for row in connection.execute("SELECT id FROM turns ORDER BY id")]
    connection.close()
    assert numbers == list(range(1, contents.counts["turns"] + 1))
    assert await vault.turns.count() == 400 + meanwhile


async def test_an_existing_file_is_left_alone(vault: Vault, wish: BackupWish) -> None:
    wish.target.write_text("mine", encoding="utf-8")
    with pytest.raises(UserError, match="exists already"):
        await vault.backups.make(wish)
    assert wish.target.read_text(encoding="utf-8") == "mine"
    assert leftovers(wish) == ["kept.backup"]


async def test_a_disk_without_room_is_told_before_anything_is_written(
    vault: Vault, wish: BackupWish, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backup_module.shutil, "disk_usage", lambda _path: replace_free(4096))
    with pytest.raises(OutsideError, match="too little room"):
        await vault.backups.make(wish)
    assert leftovers(wish) == []


def replace_free(free: int) -> object:
    return type("Usage", (), {"free": free})()


async def test_closing_the_vault_ends_it_and_leaves_nothing(
    vault: Vault, wish: BackupWish, said: Callable[..., NewTurn], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backup_module, "STEP_PAGES", 1)
    await vault.turns.append_many([said(f"{n} {'x' * 900}", message_id=f"m{n}") for n in range(400)])
    begun = asyncio.Event()
    making = asyncio.create_task(vault.backups.make(wish, lambda part: begun.set() if part > 0 else None))
    await begun.wait()
    await vault.close()
    with pytest.raises(StoppedByUserError):
        await making
    assert leftovers(wish) == []


async def test_a_cancelled_one_leaves_nothing_and_the_vault_goes_on(
    vault: Vault, wish: BackupWish, said: Callable[..., NewTurn], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backup_module, "STEP_PAGES", 1)
    await vault.turns.append_many([said(f"{n} {'x' * 900}", message_id=f"m{n}") for n in range(400)])
    begun = asyncio.Event()
    making = asyncio.create_task(vault.backups.make(wish, lambda part: begun.set() if part > 0 else None))
    await begun.wait()
    making.cancel()
    with pytest.raises(asyncio.CancelledError):
        await making
    assert leftovers(wish) == []
    wish.stop.clear()
    assert (await vault.backups.make(wish)).counts["turns"] == 400


async def test_a_copy_that_went_wrong_never_gets_its_name(
    vault: Vault, wish: BackupWish, said: Callable[..., NewTurn], monkeypatch: pytest.MonkeyPatch
) -> None:
    await vault.turns.append_many([said(f"{n} {'x' * 900}", message_id=f"m{n}") for n in range(50)])
    append = backup_module.append_contents

    def with_a_slip(path: Path, *rest: object) -> None:
        append(path, *rest)  # type: ignore[arg-type]
        spoil(path, 5 * PAGE_SIZE_BYTES + 77)

    monkeypatch.setattr(backup_module, "append_contents", with_a_slip)
    with pytest.raises(BadInputError, match="damaged"):
        await vault.backups.make(wish)
    assert leftovers(wish) == []


async def test_damage_anywhere_in_a_backup_is_found(
    vault: Vault, wish: BackupWish, said: Callable[..., NewTurn]
) -> None:
    await vault.turns.append_many([said(f"{n} {'x' * 900}", message_id=f"m{n}") for n in range(20)])
    contents = await vault.backups.make(wish)
    key, whole = vault.data_key(), wish.target.read_bytes()
    assert check_backup(wish.target, key, lambda _part: None) == contents
    size = len(whole)
    database = SealedBackup(wish.target).database_size
    places = [20, *range(PAGE_SIZE_BYTES + 50, database, 9 * PAGE_SIZE_BYTES), *range(database + 3, size, 61)]
    for place in places:
        spoil(wish.target, place)
        with pytest.raises((BadInputError, OutsideError)):
            check_backup(wish.target, key, lambda _part: None)
        wish.target.write_bytes(whole)
    for end in (0, 100, PAGE_SIZE_BYTES, database, size - 1):
        wish.target.write_bytes(whole[:end])
        with pytest.raises(BadInputError, match="not a backup"):
            SealedBackup(wish.target)


async def test_two_backups_of_one_vault_cannot_be_mixed(vault: Vault, wish: BackupWish) -> None:
    other = replace(wish, target=wish.target.with_name("other.backup"))
    await vault.backups.make(wish)
    await vault.backups.make(other)
    first, second = wish.target.read_bytes(), other.target.read_bytes()
    size = SealedBackup(wish.target).database_size
    wish.target.write_bytes(first[:size] + second[size:])
    with pytest.raises(BadInputError, match="another database"):
        SealedBackup(wish.target)


async def test_a_plain_file_is_no_backup(tmp_path: Path, clock: FixedClock) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"notes" * 5000)
    with pytest.raises(BadInputError, match="not a backup"):
        look_inside(path, "passphrase", PASSPHRASE)
    with pytest.raises(UserError, match="no file"):
        look_inside(tmp_path / "nowhere", "passphrase", PASSPHRASE)


def spoil(path: Path, place: int) -> None:
    with path.open("rb+") as stream:
        stream.seek(place)
        byte = stream.read(1)
        stream.seek(place)
        stream.write(bytes([byte[0] ^ 0x55]))


def leftovers(wish: BackupWish) -> list[str]:
    return sorted(path.name for path in wish.target.parent.iterdir() if path.is_file())


async def test_a_disk_that_lets_nothing_be_removed_is_told_of(
    vault: Vault, wish: BackupWish, monkeypatch: pytest.MonkeyPatch
) -> None:
    remove = Path.unlink

    def refuse(path: Path, missing_ok: bool = False) -> None:
        if path.name.endswith(".writing") and path.exists():
            raise OSError(errno.EROFS, "Read-only file system", str(path))
        remove(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(OutsideError, match="cannot be written to") as caught:
        await vault.backups.make(wish)
    assert caught.value.next_step


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of a process's files")
async def test_a_disk_that_fails_in_the_middle_of_the_copy_is_told_of(
    vault: Vault, wish: BackupWish, said: Callable[..., NewTurn]
) -> None:
    import resource
    import signal

    await vault.turns.append_many([said(f"{SECRET} {n}" * 40, message_id=f"m{n}") for n in range(400)])
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
        with pytest.raises(OutsideError, match=r"no room left|disk failed") as caught:
            await vault.backups.make(wish)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert caught.value.next_step
    assert not [path for path in wish.target.parent.iterdir() if "backup" in path.name]
    await vault.backups.make(wish)
