"""A new data key: everything comes along, the old keys open nothing, and a kill at any point leaves a whole vault."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import BadInputError, FamiliarError, LockedError, OutsideError
from familiar_app.domain.turn import NewTurn
from familiar_app.store import rekey as rekey_module
from familiar_app.store import vault as vault_module
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import PASSPHRASE


async def test_everything_comes_along_and_the_old_keys_open_nothing(
    vault: Vault, vault_path: Path, said: Callable[..., NewTurn], clock: FixedClock, recovery_code: str
) -> None:
    await vault.turns.append_many([said(f"turn {n}", message_id=f"m{n}") for n in range(300)])
    old_key, old_start, name = vault.data_key(), vault_path.read_bytes()[:16], vault.id
    code = new_recovery_code()
    shares: list[float] = []
    appends = [asyncio.create_task(vault.turns.append(said(f"meanwhile {n}"))) for n in range(5)]
    reads = [asyncio.create_task(vault.turns.count()) for _ in range(5)]
    await vault.rekey("five red herons", recovery_code=code, progress=shares.append)
    await asyncio.gather(*appends, *reads)
    assert shares[-1] == 1.0
    assert vault.data_key() != old_key
    assert vault.id == name
    assert await vault.turns.count() == 305
    await vault.state.set("after", 1)
    assert await vault.verify() == []
    await vault.close()
    assert vault_path.read_bytes()[:16] != old_start
    assert sorted(p.name for p in vault_path.parent.iterdir()) == ["vault.db", "vault.keys", "vault.lock"]
    for way in ({"passphrase": PASSPHRASE}, {"recovery_code": recovery_code}, {"data_key": old_key}):
        with pytest.raises(LockedError):
            await Vault.open(vault_path, clock=clock, **way)  # type: ignore[arg-type]
    for way in ({"passphrase": "five red herons"}, {"recovery_code": code}):
        again = await Vault.open(vault_path, clock=clock, **way)  # type: ignore[arg-type]
        assert await again.turns.count() == 305
        assert await again.state.get("after") == 1
        await again.close()


async def test_a_kill_between_any_two_steps_leaves_one_whole_vault(
    vault: Vault,
    vault_path: Path,
    said: Callable[..., NewTurn],
    clock: FixedClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await vault.turns.append(said("kept"))
    photographs: list[Path] = []

    def photograph(*_arguments: object) -> None:
        """Copy the folder as a kill at this moment would leave it."""
        target = tmp_path / f"killed-{len(photographs)}"
        shutil.copytree(vault_path.parent, target)
        photographs.append(target)

    real_sync = rekey_module.sync_folder
    monkeypatch.setattr(rekey_module, "sync_file", photograph)
    monkeypatch.setattr(rekey_module, "sync_folder", lambda folder: (photograph(), real_sync(folder)))
    await vault.rekey("new", recovery_code=new_recovery_code())
    photograph()
    assert len(photographs) == 4
    opened_by = []
    for folder in photographs:
        for passphrase in (PASSPHRASE, "new"):
            try:
                again = await Vault.open(folder / "vault.db", clock=clock, passphrase=passphrase)
            except LockedError:
                continue
            opened_by.append(passphrase)
            assert await again.turns.count() == 1
            assert await again.verify() == []
            await again.close()
        assert not list(folder.glob("*.new*"))
    assert opened_by == [PASSPHRASE, "new", "new", "new"]


async def test_a_rekey_that_fails_leaves_the_old_vault_in_use(
    vault: Vault, vault_path: Path, said: Callable[..., NewTurn], clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await vault.turns.append(said("kept"))

    def refuse(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    for name in ("sync_file", "read_head"):
        with monkeypatch.context() as patch:
            patch.setattr(rekey_module, name, refuse)
            with pytest.raises(OutsideError, match="no room left"):
                await vault.rekey("new", recovery_code=new_recovery_code())
        await vault.turns.append(said("goes on"))
    with pytest.raises(FamiliarError):
        await vault.rekey("new", recovery_code="nonsense")
    await vault.close()
    again = await Vault.open(vault_path, clock=clock, passphrase=PASSPHRASE)
    assert await again.turns.count() == 3
    assert await again.verify() == []
    await again.close()


async def test_a_damaged_vault_is_named_as_such_and_leaves_no_half_made_copy(
    vault: Vault, vault_path: Path, said: Callable[..., NewTurn], clock: FixedClock
) -> None:
    await vault.turns.append_many([said(f"turn {n}" * 20, message_id=f"m{n}") for n in range(3000)])
    key = vault.data_key()
    await vault.close()
    whole = bytearray(vault_path.read_bytes())
    for position in range(len(whole) * 2 // 3, len(whole), 4096):
        whole[position] ^= 1
    vault_path.write_bytes(whole)
    keys = vault_path.with_suffix(".keys").read_bytes()
    again = await Vault.open(vault_path, clock=clock, data_key=key)
    with pytest.raises(OutsideError, match="is damaged"):
        await again.rekey("new", recovery_code=new_recovery_code())
    await again.close()
    assert sorted(p.name for p in vault_path.parent.iterdir()) == ["vault.db", "vault.keys", "vault.lock"]
    assert vault_path.read_bytes() == whole
    assert vault_path.with_suffix(".keys").read_bytes() == keys


async def test_a_blank_passphrase_is_refused_and_the_old_one_stays(
    vault: Vault, vault_path: Path, clock: FixedClock
) -> None:
    for blank in ("", "  ", "\n", "\u00a0"):
        with pytest.raises(BadInputError, match="passphrase is empty"):
            await vault.change_passphrase(blank)
        with pytest.raises(BadInputError, match="passphrase is empty"):
            await vault.rekey(blank, recovery_code=new_recovery_code())
    await vault.close()
    assert not list(vault_path.parent.glob("*.new*"))
    again = await Vault.open(vault_path, clock=clock, passphrase=PASSPHRASE)
    await again.close()


async def test_an_unreadable_leftover_of_a_rekey_does_not_keep_the_vault_shut(
    vault: Vault, vault_path: Path, clock: FixedClock
) -> None:
    await vault.close()
    leftover = vault_path.with_suffix(".keys.new")
    leftover.write_text("no keys")
    again = await Vault.open(vault_path, clock=clock, passphrase=PASSPHRASE)
    await again.close()
    assert not leftover.exists()
    leftover.write_text("no keys")
    vault_path.with_suffix(".keys").unlink()
    with pytest.raises(OutsideError, match="damaged"):
        await Vault.open(vault_path, clock=clock, passphrase=PASSPHRASE)
    assert leftover.exists(), "it may be all there is"


async def test_a_vacuum_gives_back_room_under_the_same_keys(
    vault: Vault, vault_path: Path, said: Callable[..., NewTurn], clock: FixedClock, recovery_code: str
) -> None:
    turns = await vault.turns.append_many([said(f"{n} " + "x" * 900, message_id=f"m{n}") for n in range(600)])
    await vault._opened.engine.write(
        lambda c: c.execute("UPDATE turns SET content = '' WHERE id % 2").close()  # as a deletion leaves it
    )
    del turns
    key = vault.data_key()
    parts: list[float] = []
    appending = asyncio.create_task(vault.turns.append(said("meanwhile")))
    before, after = await vault.vacuum(parts.append)
    await appending
    assert after < before * 0.8
    assert vault_path.stat().st_size == after
    assert parts[-1] == 1.0
    assert vault.data_key() == key
    assert await vault.turns.count() == 601
    await vault.close()
    assert sorted(p.name for p in vault_path.parent.iterdir()) == ["vault.db", "vault.keys", "vault.lock"]
    for way in ({"passphrase": PASSPHRASE}, {"recovery_code": recovery_code}, {"data_key": key}):
        again = await Vault.open(vault_path, clock=clock, **way)  # type: ignore[arg-type]
        assert await again.turns.count() == 601
        await again.close()


async def test_a_vacuum_without_room_changes_nothing(
    vault: Vault, vault_path: Path, said: Callable[..., NewTurn], monkeypatch: pytest.MonkeyPatch
) -> None:
    await vault.turns.append(said("kept"))
    monkeypatch.setattr(vault_module, "SPARE_BYTES", 1 << 60)
    with pytest.raises(OutsideError, match="too little room"):
        await vault.vacuum()
    assert await vault.turns.count() == 1
    assert not list(vault_path.parent.glob("*.new*"))
