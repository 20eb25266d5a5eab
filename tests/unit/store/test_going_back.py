"""Going back to a backup does not bring back what was erased after it was made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.erasure import OfMessage
from familiar_app.domain.turn import NewTurn
from familiar_app.store.backup import BackupWish
from familiar_app.store.going_back import go_back
from familiar_app.store.restore import Looked, look_inside
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import NOON, PASSPHRASE

SECRET = "the heron nests behind the mill"


@pytest.fixture
async def looked(vault: Vault, vault_path: Path, said: Callable[..., NewTurn], tmp_path: Path) -> Looked:
    """A backup of a vault from which a message was erased since."""
    turn, _ = await vault.turns.append(said(SECRET, message_id="m1"))
    await vault.turns.append(said("good morning", message_id="m2"))
    target = tmp_path / "kept.backup"
    await vault.backups.make(BackupWish(target, "asked", NOON, vault_path.parent))
    await vault.erasure.erase(OfMessage(turn.id))
    await vault.close()
    return look_inside(target, "passphrase", PASSPHRASE)


async def contents(path: Path, clock: FixedClock) -> list[str]:
    vault = await Vault.open(path, clock=clock, passphrase=PASSPHRASE)
    try:
        assert await vault.verify() == []
        return [turn.content async for turns in vault.turns.stream(chunk=10) for turn in turns]
    finally:
        await vault.close()


async def test_what_was_erased_stays_erased(looked: Looked, vault_path: Path, clock: FixedClock) -> None:
    done = await go_back(vault_path.parent, looked, clock=clock)
    assert done.erased_again == 1
    assert done.notes == ()
    assert SECRET not in await contents(vault_path, clock)
    assert "good morning" in await contents(vault_path, clock)


async def test_a_damaged_vault_that_cannot_be_asked_is_told(
    looked: Looked, vault_path: Path, clock: FixedClock
) -> None:
    vault_path.write_bytes(b"ruined")
    done = await go_back(vault_path.parent, looked, clock=clock)
    assert done.erased_again == 0
    assert "erase it again" in done.notes[0]
    assert "good morning" in await contents(vault_path, clock)


async def test_an_empty_folder_has_nothing_to_erase(looked: Looked, tmp_path: Path, clock: FixedClock) -> None:
    done = await go_back(tmp_path / "new", looked, clock=clock)
    assert (done.erased_again, done.notes) == (0, ())
    assert SECRET in await contents(tmp_path / "new" / "vault.db", clock)
