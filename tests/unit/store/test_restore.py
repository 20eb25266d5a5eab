"""Going back: all of the old or all of the new, whatever happens, and what was there is kept."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import BadInputError, LockedError, OutsideError
from familiar_app.domain.turn import NewTurn
from familiar_app.store import profile_swap, schema
from familiar_app.store import restore as restore_module
from familiar_app.store.backup import BackupWish
from familiar_app.store.profile_swap import COMING, finish_exchange, kept_folders
from familiar_app.store.restore import Looked, Restoring, look_inside, restore
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import CHEAP, NOON, PASSPHRASE


@pytest.fixture
async def backup(vault: Vault, vault_path: Path, said: Callable[..., NewTurn], tmp_path: Path) -> Path:
    """A backup of five turns and a character; since then the vault has a turn more, and the character another text."""
    root = vault_path.parent
    character = root / "familiars" / "mira" / "character.md"
    character.parent.mkdir(parents=True)
    character.write_text("then", encoding="utf-8")
    await vault.turns.append_many([said(f"turn {n}", message_id=f"m{n}") for n in range(5)])
    target = tmp_path / "kept.backup"
    await vault.backups.make(BackupWish(target, "asked", NOON, root))
    await vault.turns.append(said("since then"))
    character.write_text("now", encoding="utf-8")
    (root / "lorebooks").mkdir()
    (root / "lorebooks" / "later.toml").write_text("name = 'Later'", encoding="utf-8")
    await vault.close()
    return target


def looked(backup: Path) -> Looked:
    return look_inside(backup, "passphrase", PASSPHRASE)


async def turns_in(path: Path, clock: FixedClock) -> int:
    vault = await Vault.open(path, clock=clock, passphrase=PASSPHRASE)
    try:
        assert await vault.verify() == []
        return await vault.turns.count()
    finally:
        await vault.close()


async def test_vault_and_canon_come_back_and_the_old_ones_are_kept(
    backup: Path, vault_path: Path, clock: FixedClock
) -> None:
    root = vault_path.parent
    parts: list[float] = []
    done = await restore(looked(backup), Restoring(root, NOON), parts.append)
    assert await turns_in(vault_path, clock) == 5
    assert (root / "familiars" / "mira" / "character.md").read_text(encoding="utf-8") == "then"
    assert not (root / "lorebooks").exists(), "what the backup did not have yet is not mixed in"
    assert done.kept is not None
    assert [path for _at, path in kept_folders(root)] == [done.kept]
    assert await turns_in(done.kept / "vault.db", clock) == 6
    assert (done.kept / "familiars" / "mira" / "character.md").read_text(encoding="utf-8") == "now"
    assert (done.kept / "lorebooks" / "later.toml").exists()
    assert not (root / COMING).exists()
    assert parts[-1] == 1.0


async def test_memory_alone_leaves_the_canon_of_today(backup: Path, vault_path: Path, clock: FixedClock) -> None:
    root = vault_path.parent
    await restore(looked(backup), Restoring(root, NOON, canon=False))
    assert await turns_in(vault_path, clock) == 5
    assert (root / "familiars" / "mira" / "character.md").read_text(encoding="utf-8") == "now"
    assert (root / "lorebooks" / "later.toml").exists()


async def test_an_empty_folder_gets_all_of_it(backup: Path, tmp_path: Path, clock: FixedClock) -> None:
    root = tmp_path / "another computer"
    done = await restore(looked(backup), Restoring(root, NOON))
    assert done.kept is None
    assert await turns_in(root / "vault.db", clock) == 5
    assert (root / "familiars" / "mira" / "character.md").read_text(encoding="utf-8") == "then"


async def test_a_ruined_vault_is_no_hindrance(backup: Path, vault_path: Path, clock: FixedClock) -> None:
    vault_path.write_bytes(b"ruined")
    vault_path.with_name("vault.keys").unlink()
    done = await restore(looked(backup), Restoring(vault_path.parent, NOON))
    assert await turns_in(vault_path, clock) == 5
    assert done.kept is not None
    assert (done.kept / "vault.db").read_bytes() == b"ruined"


async def test_twice_in_one_second_keeps_both(backup: Path, vault_path: Path) -> None:
    first = await restore(looked(backup), Restoring(vault_path.parent, NOON))
    second = await restore(looked(backup), Restoring(vault_path.parent, NOON))
    assert first.kept != second.kept
    assert len(kept_folders(vault_path.parent)) == 2


async def test_a_vault_in_use_is_not_exchanged(backup: Path, vault_path: Path, clock: FixedClock) -> None:
    vault = await Vault.open(vault_path, clock=clock, passphrase=PASSPHRASE)
    with pytest.raises(LockedError, match="in use"):
        await restore(looked(backup), Restoring(vault_path.parent, NOON))
    assert await vault.turns.count() == 6
    await vault.close()


async def test_damage_room_and_form_are_told_and_nothing_changes(
    backup: Path, vault_path: Path, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = vault_path.parent
    before = photograph(root)
    whole = looked(backup)
    data = bytearray(backup.read_bytes())
    data[2 * 4096 + 5] ^= 1
    backup.write_bytes(data)
    with pytest.raises(BadInputError, match="damaged"):
        await restore(whole, Restoring(root, NOON))
    data[2 * 4096 + 5] ^= 1
    backup.write_bytes(data)
    with monkeypatch.context() as small:
        small.setattr(restore_module, "_SPARE_BYTES", 1 << 60)
        with pytest.raises(OutsideError, match="too little room"):
            await restore(whole, Restoring(root, NOON))
    with monkeypatch.context() as old:
        old.setattr(schema, "VERSION", 1)
        old.setattr(schema.refuse_newer, "__kwdefaults__", {"known": 1})
        with pytest.raises(OutsideError, match="newer Familiar"):
            looked(backup)
    assert photograph(root) == before
    assert await turns_in(vault_path, clock) == 6


async def test_a_kill_between_any_two_steps_leaves_the_old_or_the_new(
    backup: Path, vault_path: Path, clock: FixedClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = vault_path.parent
    photographs: list[Path] = []

    def photographed(name: str, module: object) -> None:
        original = getattr(module, name)

        def act(*args: object, **kwargs: object) -> object:
            shot = tmp_path / f"shot {len(photographs)}"
            shutil.copytree(root, shot)
            photographs.append(shot)
            return original(*args, **kwargs)

        monkeypatch.setattr(module, name, act)

    photographed("rename", Path)
    photographed("replace", Path)
    photographed("unlink", Path)
    photographed("sync_folder", profile_swap)
    photographed("rmtree", profile_swap.shutil)
    await restore(looked(backup), Restoring(root, NOON))
    monkeypatch.undo()
    seen = []
    for shot in [*photographs, root]:
        finish_exchange(shot)
        assert not (shot / COMING).exists()
        turns = await turns_in(shot / "vault.db", clock)
        text = (shot / "familiars" / "mira" / "character.md").read_text(encoding="utf-8")
        assert (turns, text) in ((6, "now"), (5, "then")), shot
        kept = [path / "vault.db" for _at, path in kept_folders(shot)]
        assert (turns == 6) == (kept == [])
        if kept:
            assert await turns_in(kept[0], clock) == 6
        seen.append(turns)
    assert seen == sorted(seen, reverse=True)
    assert {5, 6} == set(seen)


async def test_another_that_is_at_it_is_left_alone(backup: Path, vault_path: Path, clock: FixedClock) -> None:
    root = vault_path.parent
    (root / COMING).mkdir()
    vault = await Vault.open(vault_path, clock=clock, passphrase=PASSPHRASE)
    assert not finish_exchange(root)
    assert (root / COMING).exists()
    await vault.close()
    assert not finish_exchange(root)
    assert not (root / COMING).exists()


async def test_a_rekeyed_vault_keeps_the_keys_of_each_day(
    vault: Vault, vault_path: Path, clock: FixedClock, tmp_path: Path, recovery_code: str
) -> None:
    target = tmp_path / "kept.backup"
    await vault.backups.make(BackupWish(target, "asked", NOON, vault_path.parent))
    await vault.rekey("a new passphrase", recovery_code=recovery_code)
    await vault.close()
    await restore(looked(target), Restoring(vault_path.parent, NOON))
    again = await Vault.open(vault_path, clock=clock, passphrase=PASSPHRASE, cost=CHEAP)
    await again.close()


def photograph(root: Path) -> dict[str, bytes]:
    return {
        os.path.relpath(path, root): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name != "vault.lock"
    }
