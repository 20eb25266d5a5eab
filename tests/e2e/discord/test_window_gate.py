"""The window's gate and Discord: connected with the vault, gone with it, forbidden by local-only, told of removals."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from familiar_app.bootstrap.application import Application
from familiar_app.discord_link import opening
from familiar_app.discord_link.hub import Hub
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.clock import SystemClock
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.task import TaskRegistry
from familiar_app.services import NewFamiliar
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.profile import Profile
from familiar_app.store.token_lock import lock_token
from tests.doubles.discord.server import TOKEN, FakeDiscord, fake_discord
from tests.doubles.waiting import until

MIRA, NIA = FamiliarId("mira"), FamiliarId("nia")
PASSPHRASE = "three herons"


def familiar(script: Path, name: FamiliarId) -> NewFamiliar:
    return NewFamiliar(card=CharacterCard(name=name.title()), id=name, model=f"scripted:{script}")


@asynccontextmanager
async def arranged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Application, FakeDiscord]]:
    """Open a vault with one familiar, on a computer where Discord is on loopback."""
    script = folder / "answers.jsonl"
    script.write_text('{"slot": "prose", "reply": "Hello."}\n')
    monkeypatch.setattr(opening, "default_lock_folder", lambda: folder / "locks")
    failed: list[BaseException] = []
    tasks = TaskRegistry(lambda _name, error: failed.append(error))
    application = Application(Profile(folder / "profile"), clock=SystemClock(), tasks=tasks, discord=True)
    async with fake_discord() as discord:
        monkeypatch.setenv("FAMILIAR_DISCORD_ADDRESS", discord.address)
        await application.create(PASSPHRASE, familiar(script, MIRA), recovery_code=new_recovery_code(), remember=False)
        try:
            yield application, discord
        finally:
            await application.close()
            await tasks.cancel()
    assert failed == []


def hub_of(application: Application) -> Hub:
    hub = application.services.discord
    assert hub is not None
    return hub


async def connect(application: Application, name: FamiliarId = MIRA) -> Hub:
    hub = hub_of(application)
    await hub.set_token(name, TOKEN)
    await hub.switch(name, True)
    await until(lambda: hub.of(name).connected)
    return hub


async def test_a_connection_ends_with_the_vault_and_comes_back_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with arranged(tmp_path, monkeypatch) as (application, discord):
        hub = await connect(application)
        await application.close()
        assert hub.of(MIRA).status.state == "off"
        await until(lambda: all(one.socket is None for one in discord.gateway.sessions.values()))
        lock_token(TOKEN, tmp_path / "locks").release()
        await application.unlock(passphrase=PASSPHRASE)
        await until(lambda: hub_of(application).of(MIRA).connected)
        assert discord.gateway.identified == 2


async def test_a_token_that_another_program_uses_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with arranged(tmp_path, monkeypatch) as (application, _):
        lock = lock_token(TOKEN, tmp_path / "locks")
        hub = hub_of(application)
        await hub.set_token(MIRA, TOKEN)
        await hub.switch(MIRA, True)
        await until(lambda: hub.of(MIRA).status.state == "failed")
        assert "another running Familiar" in hub.of(MIRA).status.trouble
        assert hub.of(MIRA).status.need == "again"
        lock.release()
        await hub.switch(MIRA, True)
        await until(lambda: hub.of(MIRA).connected)


async def test_other_settings_connect_anew_and_a_familiar_that_is_removed_is_disconnected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with arranged(tmp_path, monkeypatch) as (application, discord):
        await application.add_familiar(familiar(tmp_path / "answers.jsonl", NIA))
        hub = await connect(application, NIA)
        application.profile.save_config(NIA, {"discord.mode": "ambient"})
        await application.reload_familiar(NIA)
        await until(lambda: discord.gateway.identified == 2 and hub.of(NIA).connected)
        assert list(discord.gateway.sessions.values())[-1].intents & 1 << 15
        await application.remove_familiar(NIA)
        await until(lambda: all(one.socket is None for one in discord.gateway.sessions.values()))
        assert await application.services.vault.secrets.names() == []


async def test_local_only_is_told_and_what_it_kept_off_is_connected_once_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with arranged(tmp_path, monkeypatch) as (application, _):
        hub = hub_of(application)
        check = type(application.services.network).check

        def refuse(policy: object, url: str, purpose: str = "") -> None:
            check(policy, "https://discord.com" if application.services.network.local_only else url, purpose)  # type: ignore[arg-type]

        monkeypatch.setattr(type(application.services.network), "check", refuse)
        await hub.set_token(MIRA, TOKEN)
        await hub.switch(MIRA, True)
        await until(lambda: hub.of(MIRA).status.need == "network")
        await application.set_local_only(False)
        await until(lambda: hub.of(MIRA).connected)
        await application.set_local_only(True)
        await until(lambda: hub.of(MIRA).status.need == "network")
