"""Discord in the window: switched on and off, tried again, with what is known kept for when nobody is connected."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from familiar_app.discord_link.client import Addresses
from familiar_app.discord_link.company import Company
from familiar_app.discord_link.hub import RENEW_AFTER_S, Hub
from familiar_app.discord_link.incoming import channel_number
from familiar_app.discord_link.rights import MANAGE_WEBHOOKS
from familiar_app.domain.clock import SystemClock
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.ids import ChannelKey, FamiliarId
from familiar_app.models.network import RefusedByLocalOnlyError
from tests.doubles.discord.server import TOKEN
from tests.doubles.discord.world import ME, Person
from tests.doubles.talk import MIRA
from tests.doubles.waiting import PATIENCE_S
from tests.e2e.discord.stage import GENERAL, QUICK, Script, Stage, conversation_of, stage

TOM = FamiliarId("tom")
TOMS_TOKEN = "MTAx.double.token-of-tom"


def make_hub(on: Stage, folder: Path, *, tom: bool = False) -> Hub:
    async def make(hub: Hub) -> Company:
        return Company(
            vault=on.vault,
            network=on.network,
            clock=SystemClock(),
            tasks=on.tasks,
            locks=folder / "locks",
            addresses=Addresses(on.discord.address, on.discord.gateway.url),
            patience=QUICK,
            report=hub.report,
            on_surroundings=hub.look_soon,
            journals=hub.journals,
        )

    conversations = {MIRA: on.link.conversation}
    if tom:
        conversations[TOM] = conversation_of(on.vault, TOM, "Tom", Script())
    return Hub(on.vault, on.tasks, lambda: conversations, make)


@asynccontextmanager
async def hub_on(folder: Path, *, tom: bool = False) -> AsyncIterator[tuple[Stage, Hub]]:
    async with stage(folder) as on:
        hub = make_hub(on, folder, tom=tom)
        await hub.begin()
        try:
            yield on, hub
        finally:
            await hub.close()
            await on.tasks.cancel()
            assert not on.failed


async def until(on: Stage, hub: Hub, state: str, familiar: FamiliarId = MIRA) -> None:
    await on.scene.until(lambda: hub.of(familiar).status.state == state, f"for {state}: {hub.of(familiar)}")


async def test_nothing_connects_before_the_owner_says_so(tmp_path: Path) -> None:
    async with hub_on(tmp_path) as (on, hub):
        await hub.set_token(MIRA, TOKEN)
        await asyncio.sleep(0.1)
        assert (hub.of(MIRA).token, hub.of(MIRA).on, on.discord.gateway.identified) == (True, False, 0)
        await hub.switch(MIRA, True)
        await until(on, hub, "connected")
        await on.scene.write("Ann", "@Mira good evening")
        await on.scene.replies(1)
        await hub.switch(MIRA, False)
        assert hub.of(MIRA).status.state == "off"
        assert hub.journal(MIRA).entries[-1].author == "Ann"


async def test_who_was_switched_on_is_connected_at_the_next_start(tmp_path: Path) -> None:
    async with hub_on(tmp_path) as (on, hub):
        await hub.set_token(MIRA, TOKEN)
        await hub.switch(MIRA, True)
        await on.scene.until(lambda: bool(hub.of(MIRA).servers), "for the servers")
        await hub.close()
        assert hub.of(MIRA).status.state == "off"
        again = make_hub(on, tmp_path)
        await again.begin()
        assert [one.name for one in again.of(MIRA).servers] == ["The Tavern"], "known before it is connected"
        assert again.invitation(MIRA) is not None
        await on.scene.until(lambda: again.of(MIRA).connected, "for the link")
        await again.close()
        assert on.discord.gateway.identified == 2


async def test_servers_are_kept_although_saving_them_takes_longer_than_the_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hub_on(tmp_path) as (on, hub):
        real, begun, go_on = on.vault.state.set, asyncio.Event(), asyncio.Event()

        async def slowly(key: str, value: object) -> None:
            if key.startswith("discord.places") and value is not None and not begun.is_set():
                begun.set()
                await go_on.wait()
            await real(key, value)

        await hub.set_token(MIRA, TOKEN)
        monkeypatch.setattr(on.vault.state, "set", slowly)
        await hub.switch(MIRA, True)
        await asyncio.wait_for(begun.wait(), PATIENCE_S)
        await hub.close()
        assert not go_on.is_set(), "the first attempt was never finished"
        kept = await on.vault.state.get(f"discord.places.{MIRA}")
        assert [one["name"] for one in kept["servers"]] == ["The Tavern"]


async def test_a_refused_token_is_told_and_another_one_mends_it(tmp_path: Path) -> None:
    async with hub_on(tmp_path) as (on, hub):
        await hub.set_token(MIRA, "MTAw.wrong.token")
        await hub.switch(MIRA, True)
        await until(on, hub, "failed")
        assert "does not accept the bot's token" in hub.of(MIRA).status.trouble
        assert await hub.set_token(MIRA, TOKEN) == "MTAw.wrong.token"
        await until(on, hub, "connected")
        await on.scene.until(lambda: hub.of(MIRA).application == ME, "for the number of the bot")


async def test_local_only_ends_the_connection_and_its_end_begins_it_again(tmp_path: Path) -> None:
    async with hub_on(tmp_path) as (on, hub):
        await hub.set_token(MIRA, TOKEN)
        await hub.switch(MIRA, True)
        await until(on, hub, "connected")
        allowed, on.network.check = on.network.check, _forbidden  # type: ignore[method-assign]
        await until(on, hub, "failed")
        assert "Local-only mode is on" in hub.of(MIRA).status.trouble
        on.network.check = allowed  # type: ignore[method-assign]
        await hub.try_failed()
        await until(on, hub, "connected")


async def test_one_familiar_fails_and_comes_again_while_the_other_talks(tmp_path: Path) -> None:
    async with hub_on(tmp_path, tom=True) as (on, hub):
        on.discord.world.other_bots[TOMS_TOKEN] = Person(ME + 1, "tom", "Tom", bot=True)
        await hub.set_token(MIRA, TOKEN)
        await hub.set_token(TOM, "MTAx.wrong.token")
        for familiar in (MIRA, TOM):
            await hub.switch(familiar, True)
        await until(on, hub, "connected")
        await until(on, hub, "failed", TOM)
        before = on.discord.gateway.identified
        await hub.set_token(TOM, TOMS_TOKEN)
        await until(on, hub, "connected", TOM)
        assert hub.of(MIRA).connected
        assert on.discord.gateway.identified == before + 1


async def test_listening_is_switched_with_and_without_a_connection(tmp_path: Path) -> None:
    async with hub_on(tmp_path) as (on, hub):
        harbour = on.scene.open_channel("harbour")
        await hub.set_token(MIRA, TOKEN)
        await hub.subscribe(MIRA, channel_number(ChannelKey(GENERAL)) or 0, False)
        await hub.switch(MIRA, True)
        await on.scene.until(lambda: bool(hub.of(MIRA).servers), "for the servers")
        await hub.subscribe(MIRA, harbour, True)
        heard = await on.vault.channels.list(MIRA)
        assert [(one.channel.title, one.channel.guild) for one in heard] == [("harbour", "discord:100000000000000001")]
        await on.scene.write("Ann", "@Mira hello", channel="harbour")
        await on.scene.replies(1)
        await hub.subscribe(MIRA, harbour, False)
        assert await on.vault.channels.list(MIRA) == []


async def test_a_pause_can_be_cut_short(tmp_path: Path) -> None:
    async with hub_on(tmp_path) as (on, hub):
        allowed, on.network.check = on.network.check, _broken  # type: ignore[method-assign]
        await hub.set_token(MIRA, TOKEN)
        await hub.switch(MIRA, True)
        await until(on, hub, "waiting")
        assert hub.of(MIRA).status.retry_at is not None
        on.network.check = allowed  # type: ignore[method-assign]
        hub.try_now(MIRA)
        await until(on, hub, "connected")


def _broken(url: str, _purpose: str = "") -> None:
    if "/api/" in url:
        raise OutsideError("The network is gone.", retryable=True)


def _forbidden(_url: str, _purpose: str = "") -> None:
    raise RefusedByLocalOnlyError


async def test_familiars_who_share_an_account_ask_for_webhooks_and_one_who_goes_leaves_nothing(tmp_path: Path) -> None:
    async with hub_on(tmp_path, tom=True) as (on, hub):
        await hub.set_token(MIRA, TOKEN)
        assert MANAGE_WEBHOOKS not in hub.rights(MIRA)
        await hub.set_token(TOM, TOKEN)
        assert MANAGE_WEBHOOKS in hub.rights(MIRA)
        for familiar in (MIRA, TOM):
            await hub.switch(familiar, True)
        await until(on, hub, "connected", TOM)
        await on.scene.until(lambda: bool(hub.of(TOM).servers), "for the servers")
        held = on.discord.gateway.sessions
        await on.scene.until(lambda: sum(one.socket is not None for one in held.values()) == 1, "for one connection")
        await hub.forget(TOM)
        await until(on, hub, "connected")
        assert MANAGE_WEBHOOKS not in hub.rights(MIRA)
        assert await on.vault.secrets.names() == [f"{MIRA}.discord_token"]
        assert await on.vault.state.get(f"discord.places.{TOM}") is None


async def test_new_settings_wait_for_the_answer_that_is_being_made(tmp_path: Path) -> None:
    async with hub_on(tmp_path) as (on, hub):
        on.model.held = asyncio.Event()
        await hub.set_token(MIRA, TOKEN)
        await hub.switch(MIRA, True)
        await until(on, hub, "connected")
        await on.scene.write("Ann", "@Mira good evening")
        await on.scene.until(lambda: bool(on.model.requests), "for the question to the model")
        hub.renew(MIRA)
        await asyncio.sleep(RENEW_AFTER_S + 0.5)
        assert on.discord.gateway.identified == 1
        on.model.held.set()
        await on.scene.replies(1)
        await on.scene.until(lambda: on.discord.gateway.identified == 2, "for the new connection")
        await until(on, hub, "connected")
