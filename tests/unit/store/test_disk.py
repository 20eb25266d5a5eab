"""A full disk and a folder that may not be written: said clearly, with nothing lost."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.ids import ChannelId
from familiar_app.domain.turn import NewTurn, Role
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import CHEAP, NOON, PASSPHRASE, filled


def mount(*arguments: str) -> bool:
    try:
        return subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


async def append_until_it_fails(vault: Vault, channel: ChannelId) -> None:
    for number in range(1000):
        await vault.turns.append(NewTurn(channel, Role.USER, "x" * 8000, NOON, message_id=f"big{number}"))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with one megabyte."""
    folder = tmp_path / "small"
    folder.mkdir()
    if not mount("-t", "tmpfs", "-o", "size=1m", "small", str(folder)):
        pytest.skip("needs the right to mount a small file system (root on Linux)")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def read_only_folder(vault_path: Path, tmp_path: Path) -> Iterator[Path]:
    """The profile folder, seen through a mount that refuses writes even from root."""
    view = tmp_path / "view"
    view.mkdir()
    vault_path.parent.mkdir()
    if not mount("--bind", str(vault_path.parent), str(view)):
        pytest.skip("needs the right to mount a folder read-only (root on Linux); file modes do not hold root back")
    yield view
    subprocess.run(["umount", "-l", str(view)], check=True)


async def test_a_full_disk_refuses_the_turn_and_keeps_the_others(small_disk: Path, clock: FixedClock) -> None:
    path = small_disk / "vault.db"
    key, channel = await filled(path, clock, 5)
    vault = await Vault.open(path, clock=clock, data_key=key)
    with pytest.raises(OutsideError, match="no room left") as caught:
        await append_until_it_fails(vault, channel)
    assert caught.value.retryable
    stored = await vault.turns.count()
    assert stored > 5
    assert mount("-o", "remount,size=8m", str(small_disk))
    await vault.turns.append(NewTurn(channel, Role.USER, "room again", NOON))
    assert await vault.verify() == []
    await vault.close()
    vault = await Vault.open(path, clock=clock, data_key=key)
    assert await vault.turns.count() == stored + 1
    await vault.close()


async def test_a_full_disk_keeps_nobody_from_closing_and_reading_again(small_disk: Path, clock: FixedClock) -> None:
    path = small_disk / "vault.db"
    key, channel = await filled(path, clock, 5)
    vault = await Vault.open(path, clock=clock, data_key=key)
    with pytest.raises(OutsideError, match="no room left"):
        await append_until_it_fails(vault, channel)
    stored = await vault.turns.count()
    await vault.close()
    for _ in range(2):
        vault = await Vault.open(path, clock=clock, data_key=key)
        assert await vault.turns.count() == stored
        await vault.close()
    assert mount("-o", "remount,size=8m", str(small_disk))
    vault = await Vault.open(path, clock=clock, data_key=key)
    assert await vault.turns.count() == stored
    assert await vault.verify() == []
    await vault.close()
    assert sorted(p.name for p in small_disk.iterdir()) == ["vault.db", "vault.keys", "vault.lock"]


async def test_a_vault_cannot_be_made_on_a_full_disk_and_leaves_none(small_disk: Path, clock: FixedClock) -> None:
    (small_disk / "ballast").write_bytes(bytes((1 << 20) - 16 * 4096))
    path = small_disk / "vault.db"
    with pytest.raises(OutsideError, match="no room left"):
        await Vault.create(path, PASSPHRASE, recovery_code=new_recovery_code(), clock=clock, cost=CHEAP)
    assert not path.exists()
    assert {p.name for p in small_disk.iterdir()} <= {"ballast", "vault.lock"}
    (small_disk / "ballast").unlink()
    vault = await Vault.create(path, PASSPHRASE, recovery_code=new_recovery_code(), clock=clock, cost=CHEAP)
    await vault.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of a process's files")
async def test_a_limit_on_file_size_counts_as_a_full_disk(vault_path: Path, clock: FixedClock) -> None:
    import resource
    import signal

    key, channel = await filled(vault_path, clock, 5)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    vault = await Vault.open(vault_path, clock=clock, data_key=key)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, before[1]))
        with pytest.raises(OutsideError, match=r"no room left|disk failed") as caught:
            await append_until_it_fails(vault, channel)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert caught.value.next_step
    await vault.turns.append(NewTurn(channel, Role.USER, "room again", NOON))
    assert await vault.verify() == []
    await vault.close()


async def test_a_read_only_folder_is_named_and_can_still_be_read(
    read_only_folder: Path, vault_path: Path, clock: FixedClock
) -> None:
    key, _ = await filled(vault_path, clock, 5)
    vault_path.with_name("vault.lock").unlink()
    assert mount("-o", "remount,ro,bind", str(read_only_folder))
    with pytest.raises(OutsideError, match="cannot be written to"):
        await Vault.open(read_only_folder / "vault.db", clock=clock, data_key=key)
    with pytest.raises(OutsideError, match="cannot be written to"):
        await Vault.create(
            read_only_folder / "vault2.db", PASSPHRASE, recovery_code=new_recovery_code(), clock=clock, cost=CHEAP
        )
    vault = await Vault.open(read_only_folder / "vault.db", clock=clock, data_key=key, read_only=True)
    assert await vault.turns.count() == 5
    assert await vault.verify() == []
    await vault.close()


async def test_a_profile_folder_that_is_a_file(tmp_path: Path, clock: FixedClock) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutsideError) as caught:
        await Vault.create(
            tmp_path / "file" / "vault.db", PASSPHRASE, recovery_code=new_recovery_code(), clock=clock, cost=CHEAP
        )
    assert caught.value.next_step


async def test_a_disk_too_full_to_open_the_vault_is_told_as_full(small_disk: Path, clock: FixedClock) -> None:
    path = small_disk / "vault.db"
    key, _channel = await filled(path, clock, 5)
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(shutil.disk_usage(small_disk).free))
    with pytest.raises(OutsideError, match="no room left"):
        await Vault.open(path, clock=clock, data_key=key)
    ballast.unlink()
    vault = await Vault.open(path, clock=clock, data_key=key)
    assert await vault.verify() == []
    await vault.close()
