"""Every way an opening can fail says what is wrong, and leaves the files as they were."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import BadInputError, FamiliarError, LockedError, OutsideError, UsageError, UserError
from familiar_app.domain.turn import NewTurn
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.profile import Profile
from familiar_app.store.vault import Vault, vault_id
from tests.doubles.waiting import until, until_told
from tests.unit.store.vault_maker import CHEAP, PASSPHRASE, filled


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "vault.lock" and path.exists()}


async def refused(path: Path, clock: FixedClock, **how: Any) -> FamiliarError:
    """Open, expect a refusal that names a next step, and make sure that no byte changed."""
    before = snapshot(path.parent)
    with pytest.raises(FamiliarError) as caught:
        await Vault.open(path, clock=clock, **(how or {"passphrase": PASSPHRASE}))
    assert snapshot(path.parent) == before
    assert caught.value.next_step
    return caught.value


async def test_all_three_keys_open_it(vault: Vault, vault_path: Path, clock: FixedClock, recovery_code: str) -> None:
    key = vault.data_key()
    await vault.secrets.set("token", "t")
    await vault.close()
    ways: list[dict[str, Any]] = [
        {"passphrase": PASSPHRASE},
        {"recovery_code": recovery_code.lower().replace("-", " ")},
        {"data_key": key},
    ]
    for way in ways:
        opened = await Vault.open(vault_path, clock=clock, **way)
        assert await opened.secrets.get("token") == "t"
        await opened.close()
    with pytest.raises(UsageError):
        await Vault.open(vault_path, clock=clock)
    with pytest.raises(UsageError):
        await Vault.open(vault_path, clock=clock, passphrase=PASSPHRASE, data_key=key)


async def test_wrong_secrets_are_told_apart(vault_path: Path, clock: FixedClock) -> None:
    await filled(vault_path, clock, 1)
    wrong = await refused(vault_path, clock, passphrase="three blue heron")
    assert isinstance(wrong, LockedError)
    assert "passphrase is wrong" in wrong.message
    assert "heron" not in str(wrong)
    other = await refused(vault_path, clock, recovery_code=new_recovery_code())
    assert isinstance(other, LockedError)
    assert "does not belong to this vault" in other.message
    typo = await refused(vault_path, clock, recovery_code="7K3M-0000")
    assert isinstance(typo, LockedError)
    assert "has 28 letters and digits, and this has" in typo.message
    stale = await refused(vault_path, clock, data_key=bytes(32))
    assert isinstance(stale, LockedError)
    assert "does not fit this vault any more" in stale.message
    assert isinstance(await refused(vault_path, clock, passphrase=""), LockedError)


async def test_composed_and_decomposed_accents_are_one_passphrase(vault_path: Path, clock: FixedClock) -> None:
    code = new_recovery_code()
    vault = await Vault.create(vault_path, "caf\u00e9 au lait", recovery_code=code, clock=clock, cost=CHEAP)
    await vault.close()
    vault = await Vault.open(vault_path, passphrase="cafe\u0301 au lait", clock=clock)
    await vault.close()


async def test_no_vault_there(tmp_path: Path, clock: FixedClock) -> None:
    with pytest.raises(UserError, match="no vault") as caught:
        await Vault.open(tmp_path / "vault.db", passphrase="x", clock=clock)
    assert caught.value.exit_code == 4
    assert list(tmp_path.iterdir()) == [], "looking leaves nothing behind"


async def test_a_vault_is_never_made_over_another(vault_path: Path, clock: FixedClock) -> None:
    await filled(vault_path, clock, 3)
    before = snapshot(vault_path.parent)
    with pytest.raises(UserError, match="already a vault"):
        await Vault.create(vault_path, "other", recovery_code=new_recovery_code(), clock=clock, cost=CHEAP)
    assert snapshot(vault_path.parent) == before


async def test_a_vault_needs_a_passphrase_and_a_proper_code(vault_path: Path, clock: FixedClock) -> None:
    for passphrase, code in (("", new_recovery_code()), ("good", "nonsense")):
        with pytest.raises(BadInputError):
            await Vault.create(vault_path, passphrase, recovery_code=code, clock=clock, cost=CHEAP)
        assert not vault_path.exists()
    vault = await Vault.create(vault_path, "good", recovery_code=new_recovery_code(), clock=clock, cost=CHEAP)
    await vault.close()


async def test_keys_of_a_vault_that_was_moved_away_are_kept(vault_path: Path, clock: FixedClock) -> None:
    await filled(vault_path, clock, 1)
    keys = vault_path.with_suffix(".keys").read_bytes()
    vault_path.unlink()
    await filled(vault_path, clock, 1)
    assert vault_path.with_name("vault.keys.old-1").read_bytes() == keys


async def test_a_plain_sqlite_file_is_refused(vault_path: Path, clock: FixedClock) -> None:
    await filled(vault_path, clock, 1)
    vault_path.unlink()
    plain = sqlite3.connect(vault_path)
    plain.execute("CREATE TABLE t (a)")
    plain.commit()
    plain.close()
    error = await refused(vault_path, clock)
    assert isinstance(error, OutsideError)
    assert "unencrypted SQLite" in error.message


@pytest.mark.parametrize(
    ("content", "expected"),
    [(b"", "empty"), (b"short", "too short"), (b"not a vault " * 1000, "not the vault that vault.keys belongs to")],
)
async def test_a_file_that_is_no_vault(vault_path: Path, clock: FixedClock, content: bytes, expected: str) -> None:
    await filled(vault_path, clock, 1)
    vault_path.write_bytes(content)
    error = await refused(vault_path, clock)
    assert isinstance(error, OutsideError)
    assert expected in error.message


async def test_the_key_file_of_another_vault(tmp_path: Path, clock: FixedClock) -> None:
    await filled(tmp_path / "a" / "vault.db", clock, 1)
    await filled(tmp_path / "b" / "vault.db", clock, 1)
    shutil.copy(tmp_path / "b" / "vault.keys", tmp_path / "a" / "vault.keys")
    error = await refused(tmp_path / "a" / "vault.db", clock)
    assert "not the vault that vault.keys belongs to" in error.message


async def test_a_missing_key_file(vault_path: Path, clock: FixedClock) -> None:
    await filled(vault_path, clock, 1)
    vault_path.with_suffix(".keys").unlink()
    error = await refused(vault_path, clock)
    assert isinstance(error, OutsideError)
    assert "vault.keys is missing" in error.message


def flip(raw: bytes) -> bytes:
    return raw[:400] + bytes([raw[400] ^ 1]) + raw[401:]


def with_costs(raw: bytes) -> bytes:
    """Ask for a terabyte of memory, with a checksum that fits."""
    import hashlib

    body = json.loads(raw)
    del body["checksum"]
    body["wraps"]["passphrase"]["memory_kib"] = 1 << 30
    body["checksum"] = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    return json.dumps(body).encode()


def without_wraps(raw: bytes) -> bytes:
    import hashlib

    body = json.loads(raw)
    del body["checksum"], body["wraps"]["passphrase"]["nonce"]
    body["checksum"] = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    return json.dumps(body).encode()


@pytest.mark.parametrize(
    "damage",
    [
        flip,
        with_costs,
        without_wraps,
        lambda raw: raw[: len(raw) // 2],
        lambda raw: b"",
        lambda raw: b"[" * 60_000,
        lambda raw: b"x" * 100_000,
        lambda raw: b"[1, 2]",
        lambda raw: raw.replace(b"familiar-vault-keys", b"something-else"),
    ],
)
async def test_a_damaged_key_file(vault_path: Path, clock: FixedClock, damage: Callable[[bytes], bytes]) -> None:
    await filled(vault_path, clock, 1)
    keys = vault_path.with_suffix(".keys")
    keys.write_bytes(damage(keys.read_bytes()))
    error = await refused(vault_path, clock)
    assert isinstance(error, OutsideError)
    assert "vault.keys is damaged" in error.message


async def test_a_key_file_of_a_newer_program(vault_path: Path, clock: FixedClock) -> None:
    await filled(vault_path, clock, 1)
    keys = vault_path.with_suffix(".keys")
    keys.write_bytes(keys.read_bytes().replace(b'"version": 1', b'"version": 2'))
    assert "newer Familiar" in (await refused(vault_path, clock)).message


async def test_another_process_has_it_open_until_it_is_killed(vault_path: Path, clock: FixedClock) -> None:
    key, _ = await filled(vault_path, clock, 1)
    script = (
        "import sys, time; from pathlib import Path; from familiar_app.store.lock import VaultLock;"
        "lock = VaultLock(Path(sys.argv[1])); print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(vault_path)], stdout=subprocess.PIPE) as holder:
        try:
            assert holder.stdout is not None
            assert await asyncio.to_thread(holder.stdout.readline) == b"held\n"
            error = await refused(vault_path, clock, data_key=key)
            assert isinstance(error, LockedError)
            assert "in use by another running Familiar" in error.message
            reader = await Vault.open(vault_path, clock=clock, data_key=key, read_only=True)
            assert await reader.turns.count() == 1
            await reader.close()
        finally:
            holder.kill()
    opened = await Vault.open(vault_path, clock=clock, data_key=key)
    await opened.close()


async def test_the_same_process_cannot_open_it_twice_either(vault: Vault, clock: FixedClock) -> None:
    with pytest.raises(LockedError, match="in use"):
        await Vault.open(vault.path, clock=clock, data_key=vault.data_key())


async def test_read_only_reads_and_refuses_to_write(
    vault_path: Path, clock: FixedClock, said: Callable[..., NewTurn], vault: Vault
) -> None:
    turn, _ = await vault.turns.append(said("kept"))
    reader = await Vault.open(vault_path, clock=clock, data_key=vault.data_key(), read_only=True)
    assert await reader.turns.get(turn.id) == turn
    with pytest.raises(LockedError, match="reading only"):
        await reader.turns.append(said("more"))
    await reader.close()


async def test_a_closed_vault_says_so(vault: Vault, said: Callable[..., NewTurn]) -> None:
    await vault.close()
    await vault.close()
    for use in (vault.turns.count, lambda: vault.turns.append(said("late"))):
        with pytest.raises(LockedError, match="closed"):
            await use()
    leftovers = sorted(path.name for path in vault.path.parent.iterdir())
    assert leftovers == ["vault.db", "vault.keys", "vault.lock"], "the write-ahead log is gone after closing"


async def test_an_abandoned_opening_gives_the_vault_back(vault_path: Path, clock: FixedClock) -> None:
    key, _ = await filled(vault_path, clock, 1)
    opening = asyncio.create_task(Vault.open(vault_path, clock=clock, data_key=key))
    await asyncio.sleep(0)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    opened: list[Vault] = []

    async def open_again() -> list[Vault]:
        with contextlib.suppress(LockedError):
            opened.append(await Vault.open(vault_path, clock=clock, data_key=key))
        return opened

    await until_told(open_again)
    assert await opened[0].turns.count() == 1
    await opened[0].close()


async def test_an_abandoned_creation_leaves_nothing(vault_path: Path, clock: FixedClock) -> None:
    creating = asyncio.create_task(
        Vault.create(vault_path, PASSPHRASE, recovery_code=new_recovery_code(), clock=clock, cost=CHEAP)
    )
    await until(lambda: vault_path.with_name("vault.db.new").exists() or creating.done())
    creating.cancel()
    with pytest.raises(asyncio.CancelledError):
        await creating
    # What is under way in threads ends before the program does.
    await asyncio.get_running_loop().shutdown_default_executor()
    assert [path.name for path in vault_path.parent.iterdir()] == ["vault.lock"]


async def test_changing_the_passphrase_rewrites_the_key_file_only(
    vault_path: Path, clock: FixedClock, recovery_code: str, vault: Vault
) -> None:
    database = vault_path.read_bytes()
    await vault.change_passphrase("four green herons")
    new_code = new_recovery_code()
    assert vault_path.read_bytes() == database
    await vault.replace_recovery_code(new_code)
    await vault.close()
    for refused_way in ({"passphrase": PASSPHRASE}, {"recovery_code": recovery_code}):
        with pytest.raises(LockedError):
            await Vault.open(vault_path, clock=clock, **refused_way)  # type: ignore[arg-type]
    for way in ({"passphrase": "four green herons"}, {"recovery_code": new_code}):
        await (await Vault.open(vault_path, clock=clock, **way)).close()  # type: ignore[arg-type]


async def test_whoever_asks_for_another_passphrase_knows_the_present_one(vault: Vault, recovery_code: str) -> None:
    await vault.confirm(PASSPHRASE)
    await vault.confirm(recovery_code.lower())
    for wrong in ("not this one", "", new_recovery_code()):
        with pytest.raises(LockedError, match="passphrase"):
            await vault.confirm(wrong)


async def test_the_id_is_known_before_opening_and_stays(vault: Vault, vault_path: Path) -> None:
    assert vault_id(vault_path) == vault.id
    await vault.change_passphrase("another")
    assert vault_id(vault_path) == vault.id


async def test_a_discarded_vault_is_gone_and_another_can_be_made(
    vault: Vault, vault_path: Path, clock: FixedClock
) -> None:
    await vault.discard()
    assert [path.name for path in vault_path.parent.iterdir()] == ["vault.lock"]
    await filled(vault_path, clock, 1)


async def test_half_made_files_of_a_killed_set_up_are_no_hindrance(vault_path: Path, clock: FixedClock) -> None:
    vault_path.parent.mkdir()
    for name in ("vault.db.new", "vault.db.new-wal", "vault.keys.writing"):
        vault_path.with_name(name).write_bytes(b"half")
    key, _ = await filled(vault_path, clock, 1)
    vault = await Vault.open(vault_path, clock=clock, data_key=key)
    assert await vault.turns.count() == 1
    await vault.close()
    assert not list(vault_path.parent.glob("*.new*"))


@pytest.mark.skipif(sys.platform == "win32", reason="making links needs a right of its own on Windows")
@pytest.mark.parametrize("name", ["vault.db", "vault.keys"])
async def test_a_link_in_the_place_of_a_file_is_refused_and_kept(
    vault_path: Path, clock: FixedClock, tmp_path: Path, name: str
) -> None:
    key, _ = await filled(vault_path, clock, 1)
    elsewhere = tmp_path / "elsewhere"
    (vault_path.parent / name).rename(elsewhere)
    (vault_path.parent / name).symlink_to(elsewhere)
    for gone in (False, True):
        if gone:
            elsewhere.unlink()
        error = await refused(vault_path, clock, data_key=key)
        assert isinstance(error, OutsideError)
        assert f"{name} in" in error.message
        assert "is a link" in error.message


@pytest.mark.skipif(sys.platform == "win32", reason="making links needs a right of its own on Windows")
async def test_no_vault_is_made_over_a_link_that_leads_nowhere(vault_path: Path, clock: FixedClock) -> None:
    vault_path.parent.mkdir()
    vault_path.symlink_to(vault_path.parent / "unplugged" / "vault.db")
    vault_path.with_suffix(".keys").write_text("{}")
    before = sorted(path.name for path in vault_path.parent.iterdir())
    with pytest.raises(UserError, match="already a vault"):
        await Vault.create(vault_path, PASSPHRASE, recovery_code=new_recovery_code(), clock=clock, cost=CHEAP)
    assert vault_path.is_symlink()
    assert sorted(p.name for p in vault_path.parent.iterdir() if p.name != "vault.lock") == before
    assert Profile(vault_path.parent).exists()


async def test_a_folder_in_the_place_of_the_database(vault_path: Path, clock: FixedClock) -> None:
    vault_path.mkdir(parents=True)
    with pytest.raises(OutsideError, match="is no file"):
        await Vault.open(vault_path, clock=clock, passphrase=PASSPHRASE)


async def test_a_cut_off_file_is_refused_without_leaving_a_log_beside_it(vault_path: Path, clock: FixedClock) -> None:
    key, _ = await filled(vault_path, clock, 50)
    whole = vault_path.read_bytes()
    for end in (8 * 4096, 8 * 4096 + 100, -4096, -4095, -1):
        vault_path.write_bytes(whole[:end])
        assert "is damaged" in (await refused(vault_path, clock, data_key=key)).message
    vault_path.write_bytes(whole)
    await (await Vault.open(vault_path, clock=clock, data_key=key)).close()


@pytest.mark.parametrize("passphrase", ["", "   ", "\n", "abc\udcff"])
async def test_a_passphrase_that_cannot_be_one_makes_no_vault(
    vault_path: Path, clock: FixedClock, passphrase: str
) -> None:
    with pytest.raises(BadInputError):
        await Vault.create(vault_path, passphrase, recovery_code=new_recovery_code(), clock=clock, cost=CHEAP)
    assert [path.name for path in vault_path.parent.iterdir()] == ["vault.lock"]


async def test_the_key_leaves_the_memory_with_the_vault(vault_path: Path, clock: FixedClock) -> None:
    vault = await Vault.create(vault_path, PASSPHRASE, recovery_code=new_recovery_code(), clock=clock, cost=CHEAP)
    key = vault.data_key()
    assert any(key)
    await vault.close()
    assert not any(vault.data_key())
    assert not any(vault._opened.engine._key)
    again = await Vault.open(vault_path, clock=clock, data_key=key)
    assert again.data_key() == key
    await again.close()


async def test_an_empty_log_that_cannot_be_removed_keeps_nobody_out(
    vault: Vault, vault_path: Path, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await vault.close()
    remove = Path.unlink

    def refuse(path: Path, missing_ok: bool = False) -> None:
        if path.name.endswith(("-wal", "-shm")) and path.exists():
            raise OSError(errno.EDQUOT, "Disk quota exceeded", str(path))
        remove(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", refuse)
    again = await Vault.open(vault_path, clock=clock, passphrase=PASSPHRASE)
    assert await again.verify() == []
    await again.close()
