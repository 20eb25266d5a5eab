"""Backups on schedule: made when due, thinned out, and a failure that shows and is tried again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.erasure import OfMessage
from familiar_app.domain.turn import NewTurn
from familiar_app.store.backup_keeper import BackupKeeper, BackupState
from familiar_app.store.profile import Profile
from familiar_app.store.vault import Vault

HOUR = timedelta(hours=1)


@pytest.fixture
def profile(vault_path: Path) -> Profile:
    return Profile(vault_path.parent)


@pytest.fixture
def keeper(vault: Vault, profile: Profile, clock: FixedClock) -> BackupKeeper:
    return BackupKeeper(vault, profile, clock)


async def test_one_is_made_when_it_is_due(keeper: BackupKeeper, clock: FixedClock) -> None:
    assert await keeper.keep_up()
    clock.instant += 23 * HOUR
    assert not await keeper.keep_up()
    clock.instant += HOUR
    assert await keeper.keep_up()
    listed = await keeper.listed()
    assert [one.mark.made_at for one in listed] == [clock.now(), clock.now() - 24 * HOUR]
    assert [one.mark.cause for one in listed] == ["scheduled", "scheduled"]
    assert keeper.state == BackupState(newest=listed[0])


async def test_none_is_made_where_the_owner_wants_none(keeper: BackupKeeper, profile: Profile) -> None:
    profile.save_settings({"backup.every_hours": 0})
    assert not await keeper.keep_up()
    assert await keeper.listed() == []


async def test_they_thin_out(keeper: BackupKeeper, profile: Profile, clock: FixedClock) -> None:
    profile.save_settings({"backup.keep_daily": 2, "backup.keep_weekly": 0, "backup.keep_monthly": 0})
    for _day in range(4):
        await keeper.keep_up()
        clock.instant += 24 * HOUR
    assert len(await keeper.listed()) == 2


async def test_a_failure_shows_and_is_tried_again_later(
    keeper: BackupKeeper, profile: Profile, clock: FixedClock, tmp_path: Path
) -> None:
    profile.save_settings({"backup.folder": str(tmp_path / "unplugged")})
    states: list[BackupState] = []
    keeper.listen(states.append)
    assert not await keeper.keep_up()
    assert keeper.state.failure is not None
    assert "no folder" in keeper.state.failure.message
    tries = len(states)
    assert not await keeper.keep_up()
    assert len(states) == tries, "it is not tried at every look"
    (tmp_path / "unplugged").mkdir()
    clock.instant += HOUR
    assert await keeper.keep_up()
    assert keeper.state.failure is None
    assert [path.suffix for path in (tmp_path / "unplugged").iterdir()] == [".backup"]


async def test_what_was_erased_leaves_the_backups_in_thirty_days(
    keeper: BackupKeeper, vault: Vault, profile: Profile, clock: FixedClock, said: Callable[..., NewTurn]
) -> None:
    turn, _ = await vault.turns.append(said("the heron nests behind the mill"))
    before, _contents = await keeper.make()
    aside = profile.root / "before-restore-20240501T110000Z"
    aside.mkdir()
    clock.instant += HOUR
    await vault.erasure.erase(OfMessage(turn.id))
    clock.instant += 30 * 24 * HOUR - timedelta(seconds=1)
    await keeper.keep_up()
    assert before.exists()
    assert aside.exists()
    clock.instant += timedelta(seconds=1)
    await keeper.keep_up()
    assert not before.exists()
    assert not aside.exists()
    assert len(await keeper.listed()) == 1


async def test_leftovers_of_a_kill_are_cleared_away(keeper: BackupKeeper, profile: Profile) -> None:
    folder = profile.root / "backups"
    folder.mkdir()
    (folder / ".familiar-20240101T000000Z-scheduled.backup.writing").write_bytes(b"half")
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    await keeper.make()
    assert [one.path.name for one in await keeper.listed()] == ["familiar-20240501T120000Z-asked.backup"]
    assert sorted(path.name for path in folder.iterdir()) == ["familiar-20240501T120000Z-asked.backup", "notes.txt"]


async def test_a_file_elsewhere_is_no_part_of_the_shelf(keeper: BackupKeeper, tmp_path: Path) -> None:
    path, contents = await keeper.make(target=tmp_path / "mine.backup")
    assert path == tmp_path / "mine.backup"
    assert contents.cause == "asked"
    assert await keeper.listed() == []
