"""Reminders and attention on the make-believe Discord, with the real client library in between."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

from familiar_app.discord_link.incoming import channel_key
from familiar_app.discord_link.speak_rule import LOOK_AFTER
from familiar_app.domain.alarm import ALARM_DUE, NewAlarm
from familiar_app.domain.clock import SystemClock
from familiar_app.domain.ids import PersonKey
from tests.doubles.talk import MIRA
from tests.e2e.discord.stage import GENERAL, SERVER, Stage, stage

BEN = PersonKey("discord:2")
CAT = "feed the cat"


async def set_one(play: Stage, *, ago: timedelta) -> None:
    """Set a reminder that was due some time ago, as if the program had been away since."""
    channel = await play.vault.channels.ensure(GENERAL, familiar=MIRA, title="general", guild=SERVER)
    new = NewAlarm(MIRA, channel.id, SystemClock().now() - ago, CAT, BEN)
    await play.vault.alarms.set(new, lambda number: f"Reminder {number}: {CAT}")


async def shown(play: Stage) -> list[str]:
    return [str(one["content"]) for one in await play.scene.replies(0) if "cat" in one["content"]]


async def until_shown(play: Stage, count: int) -> list[str]:
    for _ in range(3000):
        if len(found := await shown(play)) >= count:
            return found
        await asyncio.sleep(0.01)
    raise AssertionError("nothing was shown")


async def test_a_reminder_waits_for_the_connection_and_is_shown_once(tmp_path: Path) -> None:
    async with stage(tmp_path) as play:
        play.model.lines = {"is due": "The cat is hungry!"}
        await set_one(play, ago=timedelta(hours=2))
        reminders = play.link.conversation.reminders
        await reminders.tick()
        assert len(await play.vault.alarms.waiting(MIRA)) == 1
        async with play.connected():
            while len(await play.vault.alarms.waiting(MIRA)):
                await reminders.tick()
                await asyncio.sleep(0.01)
            assert await until_shown(play, 1) == ["The cat is hungry!"]
            await play.until_said(lambda said: said[-1] == "Mira: The cat is hungry!")
            await reminders.tick()
        turns = await play.turns()
        assert "2 hours late" in next(turn.content for turn in turns if turn.mode == ALARM_DUE)
        assert turns[-1].message_id is not None
        assert await play.vault.alarms.unanswered(MIRA, SystemClock().now() - timedelta(days=1)) == []


async def test_an_answer_sent_and_not_noted_before_the_end_is_found_and_not_sent_again(tmp_path: Path) -> None:
    async with stage(tmp_path) as play:
        play.model.lines = {"is due": "The cat is hungry!"}
        await set_one(play, ago=timedelta(minutes=1))
        reminders = play.link.conversation.reminders
        async with play.connected():
            while len(await play.vault.alarms.waiting(MIRA)):
                await reminders.tick()
                await asyncio.sleep(0.01)
            await until_shown(play, 1)
            await play.until_said(lambda said: said[-1] == "Mira: The cat is hungry!")
            for _ in range(3000):
                if (await play.turns())[-1].message_id is not None:
                    break
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.05)
        # As if the program had ended between sending and noting.
        await play.vault._opened.engine.write(
            lambda c: [
                c.execute("UPDATE turns SET message_id = NULL WHERE role = 'assistant'").close(),
                c.execute("DELETE FROM message_parts").close(),
            ]
        )
        reminders._going.clear()
        async with play.connected():
            for _ in range(3000):
                await reminders.tick()
                if (await play.turns())[-1].message_id is not None:
                    break
                await asyncio.sleep(0.01)
        assert await shown(play) == ["The cat is hungry!"]
        assert len(play.model.requests) == 1


async def test_what_is_said_elsewhere_is_counted_until_it_is_much_and_a_mention_is_always_heard(tmp_path: Path) -> None:
    async with stage(tmp_path, '[discord]\nmode = "ambient"') as play:
        play.model.lines = {"last one": "Quite a lot happens here.", "there": "I am."}
        play.scene.open_channel("lobby")
        lobby = channel_key(play.scene.channels["lobby"])
        other = await play.vault.channels.ensure(lobby, familiar=MIRA, title="lobby", guild=SERVER)
        await play.vault.attention.pin(MIRA, other.id)
        async with play.connected():
            for number in range(LOOK_AFTER - 1):
                await play.scene.write("Ann", f"message {number}")
            message = await play.scene.write("Ann", "@Mira are you there")
            await play.turn_of(message)
            await play.scene.replies(1)
            assert [request.messages[-1].content.count("are you there") for request in play.model.requests] == [1]
            assert await play.vault.attention.unread(MIRA) == []
            for number in range(LOOK_AFTER):
                await play.scene.write("Ann", f"further {number}" if number < LOOK_AFTER - 1 else "the last one")
            sent = await play.scene.replies(2)
        assert [one["content"] for one in sent] == ["I am.", "Quite a lot happens here."]
        assert len(play.model.requests) == 2
