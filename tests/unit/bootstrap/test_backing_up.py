"""The gate backs up what stays open, and completes the way back to a backup that was cut off."""

from __future__ import annotations

from pathlib import Path

import pytest

from familiar_app.bootstrap.application import Application
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.task import TaskRegistry
from familiar_app.store import backup_keeper
from familiar_app.store.backup_file import SealedBackup
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.profile import Profile
from familiar_app.store.restore import Restoring, look_inside
from familiar_app.store.restore import _make_ready as make_ready
from tests.doubles.waiting import until
from tests.unit.bootstrap.test_application import NOON, gate, mira, script

__all__ = ["script"]
PASSPHRASE = "three herons"


def lasting(root: Path, tasks: TaskRegistry) -> Application:
    return Application(Profile(root), clock=FixedClock(NOON), tasks=tasks, lasting=True)


async def test_what_stays_open_is_backed_up_by_itself(
    tmp_path: Path, script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backup_keeper, "FIRST_AFTER_S", 0.0)
    root = tmp_path / "profile"
    failures: list[BaseException] = []
    tasks = TaskRegistry(lambda _name, error: failures.append(error))
    application = lasting(root, tasks)
    services = await application.create(PASSPHRASE, mira(script), recovery_code=new_recovery_code(), remember=False)
    await until(lambda: services.backups.state.newest is not None)
    newest = services.backups.state.newest
    assert newest is not None
    assert (newest.mark.cause, newest.path.parent) == ("scheduled", root / "backups")
    contents = look_inside(newest.path, "passphrase", PASSPHRASE).contents
    assert contents.familiars == {"mira": "Mira"}
    assert "familiars/mira/character.md" in [file.name for file in contents.files]
    await application.close()
    assert failures == []
    assert len(tasks) == 0


async def test_a_command_makes_none_by_itself(tmp_path: Path, script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backup_keeper, "FIRST_AFTER_S", 0.0)
    application = gate(tmp_path / "profile")
    await application.create(PASSPHRASE, mira(script), recovery_code=new_recovery_code(), remember=False)
    await application.close()
    assert not (tmp_path / "profile" / "backups").exists()


async def test_half_made_files_of_a_restore_are_cleared_away_at_the_start(tmp_path: Path, script: Path) -> None:
    root = tmp_path / "profile"
    application = gate(root)
    services = await application.create(PASSPHRASE, mira(script), recovery_code=new_recovery_code(), remember=False)
    path, _contents = await services.backups.make(target=tmp_path / "kept.backup")
    await application.close()
    looked = look_inside(path, "passphrase", PASSPHRASE)
    assert looked.sealed.salt == SealedBackup(path).salt
    make_ready(looked, Restoring(root, NOON), lambda _part: None)
    assert (root / ".coming").exists()
    again = gate(root)
    assert not (root / ".coming").exists()
    assert again.state == "locked"
    await again.unlock(passphrase=PASSPHRASE)
    await again.close()
