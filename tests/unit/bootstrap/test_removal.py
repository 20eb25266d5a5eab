"""A familiar that is erased leaves nothing of itself in the profile, whatever gets in between."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from familiar_app.bootstrap.application import Application
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import OutsideError, UserError
from familiar_app.domain.ids import MAIN_CHANNEL, OWNER, FamiliarId
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.turn import Author, NewTurn, Role
from familiar_app.services import NewFamiliar, Services
from familiar_app.store import whole_erasure
from familiar_app.store.erasure import Erasure
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.profile import Profile

MIRA, NIA, NOON = FamiliarId("mira"), FamiliarId("nia"), datetime(2026, 1, 1, 12, tzinfo=UTC)
PASSPHRASE = "three herons"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"slot": "prose", "reply": "Hello."}\n')
    return path


def gate(root: Path) -> Application:
    return Application(Profile(root), clock=FixedClock(NOON), tasks=TaskRegistry(lambda _name, _error: None))


async def two(root: Path, script: Path) -> Application:
    """Return an open profile with Mira and Nia; each has heard one sentence."""
    application, code = gate(root), new_recovery_code()
    for familiar in (MIRA, NIA):
        made = NewFamiliar(CharacterCard(name=familiar.title()), familiar, f"scripted:{script}", api_key="a key")
        if familiar == MIRA:
            await application.create(PASSPHRASE, made, recovery_code=code, remember=False)
        else:
            await application.add_familiar(made)
        await say(application.services, familiar)
    application.profile.save_settings({"familiars": [NIA, MIRA], "last_familiar": NIA})
    return application


async def say(services: Services, familiar: FamiliarId) -> None:
    channel = await services.vault.channels.ensure(MAIN_CHANNEL, familiar=familiar)
    await services.vault.turns.append(NewTurn(channel.id, Role.USER, "The tide.", NOON, Author(OWNER, "Ann")))


def left_of_nia(root: Path) -> list[str]:
    """Return the files whose name or text still tells of Nia; the vault itself cannot be read like this."""
    found = (path for path in root.rglob("*") if path.is_file() and not path.name.startswith("vault"))
    return [path.name for path in found if "nia" in str(path.relative_to(root)) or b"nia" in path.read_bytes().lower()]


async def test_nothing_in_the_profile_tells_of_a_familiar_that_was_erased(tmp_path: Path, script: Path) -> None:
    root = tmp_path / "profile"
    application = await two(root, script)
    vault = application.services.vault
    await vault.secrets.set("nia.models.prose.api_key", "a later key")
    receipt = await application.remove_familiar(NIA)
    assert receipt.removed["turns"] == 1
    assert left_of_nia(root) == []
    assert await vault.secrets.names() == ["mira.api_key"]
    assert await vault.turns.count() == 1
    assert application.profile.settings().familiars == (MIRA,)
    assert application.profile.settings().last_familiar is None
    await application.close()


async def test_a_key_that_another_familiar_uses_stays(tmp_path: Path, script: Path) -> None:
    application = await two(tmp_path / "profile", script)
    application.profile.save_config(MIRA, {"models.prose.api_key_secret": "nia.api_key"})
    await application.remove_familiar(NIA)
    assert "nia.api_key" in await application.services.vault.secrets.names()
    await application.close()


async def test_the_only_one_goes_only_where_that_is_meant(tmp_path: Path, script: Path) -> None:
    application = await two(tmp_path / "profile", script)
    await application.remove_familiar(NIA)
    for refused in (application.plan_to_remove, application.remove_familiar):
        with pytest.raises(UserError, match="only familiar"):
            await refused(MIRA)
    assert (await application.plan_to_remove(MIRA, last=True)).removed["turns"] == 1
    await application.remove_familiar(MIRA, last=True)
    assert application.profile.familiars() == []
    assert application.services.familiars == {}
    await application.close()
    await application.unlock(passphrase=PASSPHRASE)
    await application.close()


@pytest.mark.parametrize("erased", [False, True], ids=["before it began", "before its folder went"])
async def test_what_a_kill_cut_off_is_completed_when_the_vault_is_opened(
    tmp_path: Path, script: Path, monkeypatch: pytest.MonkeyPatch, erased: bool
) -> None:
    root = tmp_path / "profile"
    application = await two(root, script)
    failing = (Profile, "remove_familiar") if erased else (Erasure, "erase")

    def fail(*_args: object, **_more: object) -> None:
        raise OutsideError("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(*failing, fail)
        with pytest.raises(OutsideError):
            await application.remove_familiar(NIA)
    await application.close()
    assert (root / "familiars" / "nia").is_dir()
    (root / "familiars" / ".nia.new").mkdir()
    application = gate(root)
    services = await application.unlock(passphrase=PASSPHRASE)
    assert list(services.familiars) == [MIRA]
    assert left_of_nia(root) == []
    assert not (root / "familiars" / ".nia.new").exists()
    assert await services.vault.turns.count() == 1
    await application.close()


async def test_a_folder_that_cannot_be_removed_is_named_and_goes_later(
    tmp_path: Path, script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "profile"
    application = await two(root, script)

    def refuse(path: Path, ignore_errors: bool = False) -> None:
        if not ignore_errors:
            raise PermissionError(13, "Permission denied", "character.md")

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", refuse)
        with pytest.raises(OutsideError, match=r"\.nia\.new could not be removed") as caught:
            await application.remove_familiar(NIA)
        assert "tried again" in str(caught.value.next_step)
    assert b"nia" not in (root / "settings.toml").read_bytes()
    assert await application.services.vault.turns.count() == 1
    await application.close()
    application = gate(root)
    await application.unlock(passphrase=PASSPHRASE)
    assert left_of_nia(root) == []
    await application.close()


async def test_a_profile_that_is_not_erased_yet_is_not_called_damaged(
    tmp_path: Path, script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "profile"
    await (await two(root, script)).close()
    remove = whole_erasure._remove

    def refuse(path: Path, *, scribble: bool) -> None:
        if path.name == "vault.db":
            raise PermissionError(13, "Permission denied", str(path))
        remove(path, scribble=scribble)

    monkeypatch.setattr(whole_erasure, "_remove", refuse)
    with pytest.raises(OutsideError):
        whole_erasure.erase_whole(root, models=False)
    with pytest.raises(OutsideError, match=r"vault\.db could not be removed"):
        await gate(root).unlock(passphrase=PASSPHRASE)
