"""The make-believe Discord against the real client library: what it says must be understood there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import discord
import pytest
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from tests.doubles.discord.rest import Fault
from tests.doubles.discord.scene import Scene
from tests.doubles.discord.server import TOKEN, FakeDiscord, fake_discord
from tests.doubles.discord.world import GENERAL, ME, pinged
from tests.doubles.waiting import PATIENCE_S


class Listener(discord.Client):
    """Keeps what it hears, at once: handlers run later, when messages and members may have changed."""

    def __init__(self, intents: discord.Intents) -> None:
        super().__init__(intents=intents, guild_ready_timeout=0.1)
        self.heard: list[str] = []

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        words: dict[str, Callable[[Any], str]] = {
            "message": lambda message: f"{message.author.display_name}: {message.content}",
            "raw_message_edit": lambda payload: f"edited: {payload.data['content']}",
            "raw_message_delete": lambda payload: f"deleted {payload.message_id}",
            "raw_bulk_message_delete": lambda payload: f"deleted {len(payload.message_ids)}",
            "raw_reaction_add": lambda payload: f"reaction {payload.emoji.name}",
        }
        if event in ("ready", "resumed"):
            self.heard.append(event)
        elif event in words:
            self.heard.append(words[event](args[0]))
        super().dispatch(event, *args, **kwargs)


@pytest.fixture
async def double(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeDiscord]:
    async with fake_discord() as one:
        monkeypatch.setattr(Route, "BASE", f"{one.address}/api/v10")
        monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", yarl.URL(one.gateway.url))
        yield one


@asynccontextmanager
async def listening(scene: Scene, intents: discord.Intents | None = None) -> AsyncIterator[Listener]:
    client = Listener(intents or discord.Intents.default() | discord.Intents(message_content=True))
    task = asyncio.get_running_loop().create_task(client.start(TOKEN))
    try:
        await scene.until(lambda: "ready" in client.heard or task.done(), "for the client to be ready")
        if task.done():
            task.result()
        yield client
    finally:
        await client.close()
        await asyncio.wait([task], timeout=PATIENCE_S)


async def test_an_evening_is_heard_in_order(double: FakeDiscord) -> None:
    scene = Scene(double)
    scene.join("Ann")
    async with listening(scene) as client:
        first = await scene.write("Ann", "Hello")
        scene.rename("Ann", "Annie")
        second = await scene.write("Ann", "Still me")
        await scene.edit(first, "Hello!")
        await scene.react("Ann", first, "👍")
        await scene.delete(first)
        third = await scene.write("Ann", "Three")
        await scene.delete(second, third)
        await scene.until(lambda: len(client.heard) == 8)
        assert client.heard[1:] == [
            "Ann: Hello", "Annie: Still me", "edited: Hello!", "reaction 👍", f"deleted {first}", "Annie: Three",
            "deleted 2",
        ]  # fmt: skip


async def test_lost_connection_is_resumed_and_nothing_is_missed(double: FakeDiscord) -> None:
    scene = Scene(double)
    scene.join("Ann")
    async with listening(scene) as client:
        await scene.write("Ann", "One")
        await scene.until(lambda: "Ann: One" in client.heard)
        double.gateway.cut_all()
        await scene.write("Ann", "Two")
        await scene.until(lambda: "resumed" in client.heard)
        await scene.until(lambda: "Ann: Two" in client.heard)
        assert (double.gateway.identified, double.gateway.resumed) == (1, 1)


@pytest.mark.slow
async def test_forgotten_session_means_a_fresh_start(double: FakeDiscord) -> None:
    scene = Scene(double)
    async with listening(scene) as client:
        double.gateway.cut_all()
        double.gateway.forget_sessions()
        await scene.until(lambda: client.heard.count("ready") == 2)
        assert double.gateway.identified == 2


async def test_without_the_intent_only_mentions_can_be_read(double: FakeDiscord) -> None:
    scene = Scene(double)
    scene.join("Ann")
    async with listening(scene, discord.Intents(guilds=True, guild_messages=True)) as client:
        await scene.write("Ann", "secret")
        await scene.write("Ann", "@Mira hi")
        await scene.until(lambda: len(client.heard) == 3)
        assert client.heard[1:] == ["Ann: ", f"Ann: <@{ME}> hi"]


@pytest.mark.parametrize(("allowed", "token", "code"), [(0, TOKEN, 4014), (1 << 15, "another", 4004)])
async def test_refusals_come_as_close_codes(double: FakeDiscord, allowed: int, token: str, code: int) -> None:
    double.gateway.allowed, double.gateway.token = allowed, token
    client = Listener(discord.Intents.default() | discord.Intents(message_content=True))
    with pytest.raises((discord.ConnectionClosed, discord.PrivilegedIntentsRequired)) as refused:
        await client.start(TOKEN)
    await client.close()
    assert isinstance(refused.value, discord.PrivilegedIntentsRequired) or refused.value.code == code


async def test_wrong_token_is_refused_at_the_door(double: FakeDiscord) -> None:
    client = Listener(discord.Intents.default())
    with pytest.raises(discord.LoginFailure):
        await client.start("wrong")
    await client.close()


@pytest.mark.slow
async def test_messages_are_sent_refused_and_slowed_down(double: FakeDiscord) -> None:
    scene = Scene(double)
    ann = scene.join("Ann")
    async with listening(scene) as client:
        channel = client.get_channel(GENERAL)
        assert isinstance(channel, discord.TextChannel)
        double.rest.faults = [Fault("POST", "messages", 429), Fault("POST", "messages", 502)]
        sent = await channel.send(f"Hi <@{ann.id}> @everyone", allowed_mentions=discord.AllowedMentions.none())
        assert double.rest.sent[0]["id"] == str(sent.id)
        assert pinged(double.rest.sent[0]) == set()
        with pytest.raises(discord.HTTPException) as refused:
            await channel.send("x" * 2001)
        assert refused.value.code == 50035
        double.world.silenced.add(GENERAL)
        with pytest.raises(discord.Forbidden):
            await channel.send("Hi")


def test_who_is_pinged_follows_discords_rules() -> None:
    text = {"content": "<@1> <@2> <@&3> @everyone"}
    assert pinged(text) == {"1", "2", "role:3", "@everyone"}
    assert pinged({**text, "allowed_mentions": {"parse": []}}) == set()
    assert pinged({**text, "allowed_mentions": {"parse": [], "users": ["2", "9"]}}) == {"2"}
    assert pinged({**text, "allowed_mentions": {"parse": ["everyone"]}}) == {"@everyone"}
