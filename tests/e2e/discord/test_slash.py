"""Slash commands of those who manage a server."""

from __future__ import annotations

from pathlib import Path

from tests.doubles.discord.interaction import Interactions
from tests.e2e.discord.stage import stage


async def test_a_channel_is_subscribed_and_left(tmp_path: Path) -> None:
    async with stage(tmp_path, subscribed=False) as on, on.connected():
        await on.scene.until(lambda: bool(on.discord.rest.commands))
        await on.scene.write("Ann", "@Mira not yet")
        assert "does not listen here" in await on.scene.command("Ann", "diagnostics")
        assert "listens here from now on" in await on.scene.command("Ann", "subscribe")
        assert await on.scene.command("Ann", "subscribe") == "Mira listens here already."
        await on.scene.write("Ann", "@Mira now")
        await on.scene.replies(1)
        assert "2 messages" in await on.scene.command("Ann", "diagnostics")
        thread = await on.scene.open_thread("side")
        await on.scene.write("Ann", "@Mira here too", channel="side")
        await on.scene.replies(2)
        assert "no longer listens" in await on.scene.command("Ann", "unsubscribe")
        await on.scene.write("Ann", "@Mira and now?")
        await on.scene.write("Ann", "@Mira and now?", channel="side")
        assert "does not listen here" in await on.scene.command("Ann", "diagnostics")
        assert await on.said() == ["Ann: @Mira now", "Mira: Hello."]
        assert len(await on.said(f"discord:{thread}")) == 2


async def test_attention_is_held_to_a_channel_and_let_go(tmp_path: Path) -> None:
    async with stage(tmp_path, subscribed=False) as on, on.connected():
        await on.scene.until(lambda: bool(on.discord.rest.commands))
        assert await on.scene.command("Ann", "focus") == "Mira does not listen here."
        await on.scene.command("Ann", "subscribe")
        assert "attends to this channel until" in await on.scene.command("Ann", "focus")
        told = await on.scene.command("Ann", "diagnostics")
        assert "Mira answers with fake, on its owner's computer; the search index is not built." in told
        assert "Mira attends to this channel (pinned)." in await on.scene.command("Ann", "diagnostics")
        on.scene.open_channel("lobby")
        await on.scene.command("Ann", "subscribe", channel="lobby")
        assert "other channels, 0 unread here" in await on.scene.command("Ann", "diagnostics", channel="lobby")
        told = (await Interactions(on.scene).use("Ann", "focus", manager=True, state="off")).text
        assert told == "Mira is not held to this channel any more; it attends to every channel it listens in."
        assert "Only those who manage" in await on.scene.command("Ben", "focus", manager=False)


async def test_only_managers_may(tmp_path: Path) -> None:
    async with stage(tmp_path, subscribed=False) as on, on.connected():
        await on.scene.until(lambda: bool(on.discord.rest.commands))
        assert "Only those who manage" in await on.scene.command("Ben", "subscribe", manager=False)
        assert not on.link.scribe.listens_to


async def test_commands_are_told_once_and_to_managers(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        for number in (1, 2):
            async with on.connected():
                await on.scene.write("Ann", "@Mira hi")
                await on.scene.replies(number)
        told = [one for one in on.discord.rest.asked if one.path.endswith("/commands")]
        assert len(told) == 1
        managers = str(1 << 5)
        for_managers = {
            one["name"]
            for one in told[0].body
            if str(one["default_member_permissions"]) == managers  # type: ignore[index]
        }
        assert {"subscribe", "unsubscribe", "diagnostics", "focus", "ask-first"} <= for_managers
        everybody = {one["name"] for one in on.discord.rest.commands} - for_managers
        assert everybody == {"what-do-you-know", "remember", "memories", "forget", "privacy", "Forget this message"}
