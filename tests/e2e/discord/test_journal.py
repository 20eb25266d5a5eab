"""What the link notes of every message for the panel: where, who, why, what became of it; never the words."""

from __future__ import annotations

import asyncio
from pathlib import Path

from familiar_app.discord_link.journal import Fate
from familiar_app.discord_link.speak_rule import Why
from tests.e2e.discord.stage import stage


async def test_every_message_is_noted_with_its_reason_and_end(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        on.scene.open_channel("harbour")
        async with on.connected():
            await on.scene.write("Ann", "nobody is meant")
            await on.scene.write("Ben", "@Mira elsewhere", channel="harbour")
            await on.scene.whisper("Ben", "psst")
            answered = await on.scene.write("Ann", "@Mira good evening")
            await on.scene.replies(1)
            await on.scene.until(lambda: on.link.journal.entries[-1].fate is not None)
        noted = [(one.author, one.spot.title, one.why, one.fate) for one in on.link.journal.entries]
        turn = await on.turn_of(answered)
    assert noted == [
        ("Ann", "general", Why.UNADDRESSED, None),
        ("Ben", "harbour", Why.NOT_SUBSCRIBED, None),
        ("Ben", "direct message with Ben", Why.DIRECT_OFF, None),
        ("Ann", "general", Why.ADDRESSED, Fate.SENT),
    ]
    last = on.link.journal.entries[-1]
    assert (last.turn, last.channel) == (turn.id, turn.channel)
    assert "good evening" not in repr(list(on.link.journal.entries))


async def test_an_answer_that_could_not_be_sent_has_failed(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        on.discord.world.silenced.add(on.scene.channels["general"])
        async with on.connected():
            await on.scene.write("Ann", "@Mira good evening")
            await on.scene.until(lambda: bool(on.link.journal.entries) and on.link.journal.entries[-1].fate is not None)
            await on.scene.write("Ben", "@Mira are you there?")
            await on.scene.until(lambda: [one.fate for one in on.link.journal.entries] == [Fate.FAILED, Fate.FAILED])
        assert not on.link.journal.answering


async def test_an_answer_whose_message_is_gone_was_taken_back(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        on.model.held = asyncio.Event()
        async with on.connected():
            first = await on.scene.write("Ann", "@Mira one")
            await on.scene.until(lambda: bool(on.model.requests), "for the question to the model")
            second = await on.scene.write("Ben", "@Mira two")
            await on.scene.until(lambda: len(on.link.journal.entries) == 2, "for the second message")
            await on.scene.delete(second)
            await on.scene.delete(first)
            on.model.held.set()
            await on.scene.until(lambda: not on.link.journal.answering, "for the end of both")
            assert [one.fate for one in on.link.journal.entries] == [Fate.DROPPED, Fate.DROPPED]
