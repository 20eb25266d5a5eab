"""The files of a vault are their owner's alone, whatever the umask, and an older vault's become so."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import CHEAP, PASSPHRASE, filled

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir() if path.name.startswith("vault")}


async def test_a_new_vault(vault_path: Path, clock: FixedClock) -> None:
    vault = await Vault.create(vault_path, PASSPHRASE, recovery_code=new_recovery_code(), clock=clock, cost=CHEAP)
    await vault.secrets.set("token", "t")
    while_open = modes(vault_path.parent)
    await vault.rekey(PASSPHRASE, recovery_code=new_recovery_code())
    await vault.secrets.set("token", "u")
    rekeyed = modes(vault_path.parent)
    await vault.close()
    assert {"vault.db", "vault.db-wal", "vault.db-shm", "vault.keys", "vault.lock"} <= set(while_open)
    assert set(while_open.values()) == set(rekeyed.values()) == {0o600}


async def test_an_older_vault(vault_path: Path, clock: FixedClock) -> None:
    await filled(vault_path, clock, 1)
    wal = vault_path.with_name("vault.db-wal")
    wal.touch()
    for path in (vault_path, wal):
        path.chmod(0o644)
    vault = await Vault.open(vault_path, clock=clock, passphrase=PASSPHRASE)
    await vault.secrets.set("token", "t")
    while_open = modes(vault_path.parent)
    await vault.close()
    assert {"vault.db", "vault.db-wal", "vault.db-shm"} <= set(while_open)
    assert set(while_open.values()) == {0o600}
