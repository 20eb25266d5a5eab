"""Discord in the real window and by the keyboard alone: a token, a channel, an answer, and again at the next start."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.doubles.discord.scene import Scene
from tests.doubles.discord.server import TOKEN, FakeDiscord, fake_discord

from .conftest import Screen

pytestmark = pytest.mark.slow
SAID, ANSWER = "@Mira good evening", "Good evening, [@Ann]."


def prepare(screen: Screen, discord: FakeDiscord) -> None:
    """Make a familiar with one answer, whose window finds the make-believe Discord."""
    script = screen.root / "answers.jsonl"
    line = {"slot": "prose", "purpose": "reply", "match": "good evening", "reply": ANSWER}
    script.write_text(json.dumps(line) + "\n", encoding="utf-8")
    usual = screen.environment
    screen.environment = lambda: {**usual(), "FAMILIAR_DISCORD_ADDRESS": discord.address}  # type: ignore[method-assign]
    screen.command("init", "--name", "Mira", "--model", f"scripted:{script}", "--json")


def connect(screen: Screen) -> None:
    """Give the token, and let Mira listen in #general."""
    screen.choose("Go to Discord", lambda seen: seen.at("Token of the bot"))
    screen.write("Token of the bot", TOKEN)
    screen.press("Return")
    screen.until(lambda seen: seen.has("Discord: connected"), "the connection in the status bar")
    screen.until(lambda seen: seen.has("Servers and channels", rows=2), "the server and its channel")
    screen.choose("general on The Tavern", lambda seen: seen.at("Mira listens here"))
    screen.press("space")
    screen.until(lambda seen: "Mira listens in # general." in seen.offered, "that it listens")


async def test_the_window_connects_listens_and_connects_again_at_the_next_start(screen: Screen) -> None:
    async with fake_discord() as discord:
        scene = Scene(discord)
        scene.join("Ann")
        await asyncio.to_thread(prepare, screen, discord)
        program = await asyncio.to_thread(screen.start)
        await asyncio.to_thread(screen.unlock)
        await asyncio.to_thread(connect, screen)
        await scene.write("Ann", SAID)
        (sent,) = await scene.replies(1)
        await asyncio.to_thread(screen.until, lambda seen: seen.has("Heard and decided", rows=1), "what was heard")
        assert sent["content"] == f"Good evening, <@{scene.people['Ann'].id}>."
        assert await asyncio.to_thread(screen.end, program) == 0
        places = screen.in_clear(TOKEN, "good evening", "Good evening", "#general")
        assert {place.rpartition("/")[2] for place in places} <= {"answers.jsonl"}
        program = await asyncio.to_thread(screen.start)
        await asyncio.to_thread(screen.unlock)
        seen_again = "the connection at the next start"
        await asyncio.to_thread(screen.until, lambda seen: seen.has("Discord: connected"), seen_again)
        assert discord.gateway.identified == 2
        assert await asyncio.to_thread(screen.end, program) == 0
