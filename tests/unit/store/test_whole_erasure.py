"""A whole profile is erased: nothing of it is left, and nothing that is not its own goes with it."""

from __future__ import annotations

import logging
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import keyring as system_keyring
import pytest

from familiar_app.domain.backup import BackupMark, backup_name
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import LockedError, OutsideError
from familiar_app.store import keyring, whole_erasure
from familiar_app.store.backup import BackupWish
from familiar_app.store.lock import VaultLock
from familiar_app.store.profile import Profile
from familiar_app.store.profile_inventory import look
from familiar_app.store.vault import Vault, vault_id
from familiar_app.store.whole_erasure import erase_whole, finish_whole_erasure
from tests.unit.store.erase_whole_child import EXIT_CODE
from tests.unit.store.test_keyring import MemoryKeyring
from tests.unit.store.vault_maker import MIRA, NOON, filled

PLANTED = "the heron stands in the reeds"


@pytest.fixture
def backend() -> Iterator[MemoryKeyring]:
    before = system_keyring.get_keyring()
    memory = MemoryKeyring()
    system_keyring.set_keyring(memory)
    yield memory
    system_keyring.set_keyring(before)


async def made(root: Path, elsewhere: Path | None = None) -> Path:
    """Make a profile with something of every kind, and the planted sentence wherever it is not encrypted."""
    root.mkdir(parents=True)
    clock = FixedClock(NOON)
    key, _channel = await filled(root / "vault.db", clock, 5)
    profile = Profile(root)
    profile.add_familiar(MIRA, CharacterCard(name="Mira", description=PLANTED), {}, "a-lineage")
    (profile.lorebook(MIRA)).write_text(f"# {PLANTED}\n")
    for folder, name in (
        ("lorebooks", "sea.toml"), ("logs", "familiar.log"), ("models", "small.gguf"), ("models", "next.gguf.part"),
        ("before-restore-20240501T120000Z", "vault.db"), (".coming", "x"), ("backups", "familiar.backup"),
    ):  # fmt: skip
        (root / folder).mkdir(exist_ok=True)
        (root / folder / name).write_text(PLANTED)
    (root / "vault.keys.old-1").write_text(PLANTED)
    vault = await Vault.open(root / "vault.db", clock=clock, data_key=key)
    places = [root / "backups"] if elsewhere is None else [root / "backups", elsewhere]
    for folder in places:
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / backup_name(BackupMark(NOON, "asked"))
        await vault.backups.make(BackupWish(target, "asked", NOON, root, {}))
    await vault.close()
    profile.save_settings({"owner_name": PLANTED, **({} if elsewhere is None else {"backup.folder": str(elsewhere)})})
    return root


def left(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


def planted(root: Path) -> list[str]:
    return [path.name for path in root.rglob("*") if path.is_file() and PLANTED.encode() in path.read_bytes()]


async def test_nothing_of_a_profile_is_left(tmp_path: Path, backend: MemoryKeyring) -> None:
    root = await made(tmp_path / "profile")
    keyring.save(vault_id(root / "vault.db"), bytes(32))
    assert planted(root)
    shares: list[float] = []
    receipt = erase_whole(root, models=True, report=shares.append)
    assert left(root) == ["vault.lock"]
    assert [path.name for path in root.iterdir()] == ["vault.lock"]
    assert (root / "vault.lock").read_bytes() == b""
    assert backend.entries == {}
    assert not receipt.key_left
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    counts = {part.kind: part.count for part in receipt.plan.parts}
    assert counts == {
        "vault": 1, "aside": 2, "backups": 2, "characters": 1, "lorebooks": 1, "settings": 1, "logs": 1, "models": 1,
    }  # fmt: skip
    assert all(part.size_bytes > 0 for part in receipt.plan.parts)
    assert not Profile(root).exists()


async def test_models_stay_unless_they_are_to_go(tmp_path: Path, backend: MemoryKeyring) -> None:
    root = await made(tmp_path / "profile")
    erase_whole(root, models=False)
    assert left(root) == ["models/next.gguf.part", "models/small.gguf", "vault.lock"]


async def test_what_others_put_there_is_named_and_stays(tmp_path: Path, backend: MemoryKeyring) -> None:
    root = await made(tmp_path / "profile")
    for name in ("notes.txt", "vault.txt", "logs/other.log", "backups/photos.zip", "models/read.me"):
        (root / name).write_text("mine")
    plan = look(root)
    assert plan.stays == ("backups/photos.zip", "logs/other.log", "models/read.me", "notes.txt", "vault.txt")
    erase_whole(root, models=True)
    assert left(root) == sorted([*plan.stays, "vault.lock"])


async def test_of_backups_elsewhere_only_those_of_this_vault_go(tmp_path: Path, backend: MemoryKeyring) -> None:
    shelf = tmp_path / "shelf"
    await made(tmp_path / "other", shelf)
    theirs = shelf / backup_name(BackupMark(NOON, "scheduled"))
    next(shelf.iterdir()).rename(theirs)
    root = await made(tmp_path / "profile", shelf)
    plan = look(root)
    assert (plan.elsewhere, plan.foreign) == (shelf, 1)
    assert next(part.count for part in plan.parts if part.kind == "elsewhere") == 1
    erase_whole(root, models=True)
    assert list(shelf.iterdir()) == [theirs]


async def test_a_linked_vault_goes_where_it_lies(tmp_path: Path, backend: MemoryKeyring) -> None:
    root, disk = await made(tmp_path / "profile"), tmp_path / "disk"
    disk.mkdir()
    (root / "vault.db").rename(disk / "big.db")
    (root / "vault.db").symlink_to(disk / "big.db")
    (root / "familiars").rename(disk / "familiars")
    (root / "familiars").symlink_to(disk / "familiars")
    (disk / "mine.txt").write_text("mine")
    erase_whole(root, models=True)
    assert left(disk) == ["mine.txt"]
    assert left(root) == ["vault.lock"]


async def test_a_vault_that_is_open_elsewhere_is_left_alone(tmp_path: Path, backend: MemoryKeyring) -> None:
    root = await made(tmp_path / "profile")
    before = left(root)
    lock = VaultLock(root / "vault.db")
    with pytest.raises(LockedError):
        erase_whole(root, models=True)
    lock.release()
    assert left(root) == before


async def test_a_key_that_the_keyring_keeps_is_told(tmp_path: Path, backend: MemoryKeyring) -> None:
    root = await made(tmp_path / "profile")
    keyring.save(vault_id(root / "vault.db"), bytes(32))
    backend.refusing = True
    assert erase_whole(root, models=True).key_left
    assert left(root) == ["vault.lock"]


async def test_the_log_goes_on_in_a_new_file(tmp_path: Path, backend: MemoryKeyring) -> None:
    root = await made(tmp_path / "profile")
    handler = logging.FileHandler(root / "logs" / "familiar.log")
    logging.getLogger().addHandler(handler)
    try:
        logging.getLogger("familiar_app.test").warning(PLANTED)
        erase_whole(root, models=True)
        logging.getLogger("familiar_app.test").warning("A new day.")
    finally:
        logging.getLogger().removeHandler(handler)
        handler.close()
    assert (root / "logs" / "familiar.log").read_text() == "A new day.\n"


async def test_what_cannot_be_removed_keeps_nothing_else_and_is_tried_again(
    tmp_path: Path, backend: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, remove = await made(tmp_path / "profile"), whole_erasure._remove

    def refuse(path: Path, *, scribble: bool) -> None:
        if path.name == "familiar.log":
            raise PermissionError(13, "Permission denied", str(path))
        remove(path, scribble=scribble)

    with monkeypatch.context() as patch:
        patch.setattr(whole_erasure, "_remove", refuse)
        with pytest.raises(OutsideError, match=r"familiar\.log"):
            erase_whole(root, models=True)
        assert left(root) == ["erasing.json", "logs/familiar.log", "vault.lock"]
        with pytest.raises(OutsideError):
            finish_whole_erasure(root)
    assert finish_whole_erasure(root)
    assert left(root) == ["vault.lock"]
    assert not finish_whole_erasure(root)


@pytest.mark.slow
async def test_a_kill_in_the_middle_is_completed_at_the_next_start(tmp_path: Path) -> None:
    source = await made(tmp_path / "source", tmp_path / "shelf")
    backup = next((tmp_path / "shelf").iterdir())
    for place in range(12):
        root = tmp_path / str(place)
        shutil.copytree(source, root)
        shutil.copy2(backup, tmp_path / "kept.backup")
        erase_a_part(root, place)
        assert finish_whole_erasure(root)
        assert left(root) == ["models/next.gguf.part", "models/small.gguf", "vault.lock"]
        assert not backup.exists()
        shutil.copy2(tmp_path / "kept.backup", backup)


def erase_a_part(root: Path, last: int) -> None:
    """Erase in a process that is gone after so many things."""
    command = [sys.executable, "-m", "tests.unit.store.erase_whole_child", str(root), str(last)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == EXIT_CODE, done.stderr


def test_a_note_that_cannot_be_read_names_nothing_outside(tmp_path: Path) -> None:
    (tmp_path / "erasing.json").write_text("{")
    (tmp_path / "settings.toml").write_text("")
    assert finish_whole_erasure(tmp_path)
    assert left(tmp_path) == ["vault.lock"]


def test_a_note_that_was_never_finished_goes_too(tmp_path: Path) -> None:
    (tmp_path / "erasing.json.writing").write_text("{")
    (tmp_path / "settings.toml").write_text("")
    assert look(tmp_path).stays == ()
    erase_whole(tmp_path, models=False)
    assert left(tmp_path) == ["vault.lock"]


async def test_what_fails_without_a_name_is_told_by_its_place(
    tmp_path: Path, backend: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, remove = await made(tmp_path / "profile"), whole_erasure._remove

    def refuse(path: Path, *, scribble: bool) -> None:
        if path.name == "mira":
            raise PermissionError(1, "Operation not permitted", "character.md")
        if scribble:
            raise OSError(5, "Input/output error")
        remove(path, scribble=scribble)

    monkeypatch.setattr(whole_erasure, "_remove", refuse)
    with pytest.raises(OutsideError) as caught:
        erase_whole(root, models=True)
    assert str(root / "vault.keys") in caught.value.message
    (root / "vault.keys").unlink()
    (root / "vault.keys.old-1").unlink()
    with pytest.raises(OutsideError) as caught:
        finish_whole_erasure(root)
    assert str(root / "familiars" / "mira") in caught.value.message


async def test_where_the_note_cannot_be_written_its_folder_is_named(
    tmp_path: Path, backend: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = await made(tmp_path / "profile")

    def refuse(path: Path, data: bytes, *, private: bool = False) -> None:
        raise OSError(28, "No space left on device", str(path))

    before = left(root)
    monkeypatch.setattr(whole_erasure, "write_atomically", refuse)
    with pytest.raises(OutsideError, match="no room left") as caught:
        erase_whole(root, models=True)
    assert str(root) in caught.value.message
    assert [name for name in left(root) if name != "vault.lock"] == [name for name in before if name != "vault.lock"]
