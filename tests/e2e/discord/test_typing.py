"""Who is writing: a person who goes on is waited for, or interrupts; another bot is waited for too."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.doubles.discord.deed import type_on
from tests.doubles.discord.rest import Fault
from tests.doubles.discord.world import GENERAL
from tests.e2e.discord.stage import Stage, stage

INTERRUPT = '[discord]\nwhile_typing = "interrupt"\n'
IGNORE = '[discord]\nwhile_typing = "ignore"\n'


class Pauses:
    """A clock that goes on by the pauses that are asked for. With `held` none of them ends by itself."""

    def __init__(self, on: Stage) -> None:
        self.asked: list[float] = []
        self.now_s = 0.0
        self.held: asyncio.Event | None = None
        on.link.listener.pause, on.link.listener.now_s = self.pause, lambda: self.now_s

    async def pause(self, seconds: float) -> None:
        self.asked.append(seconds)
        if self.held is not None:
            await self.held.wait()
        self.now_s += seconds
        await asyncio.sleep(0)


async def warmed_up(on: Stage) -> None:
    """Let the familiar speak once, so that it is at home in the channel."""
    await on.scene.write("Ben", "@Mira first")
    await on.scene.replies(1)
    await on.until_said(lambda said: len(said) == 2)


async def test_an_answer_waits_while_the_person_goes_on_writing(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        pauses = Pauses(on)
        await warmed_up(on)
        pauses.held = asyncio.Event()
        on.model.held = asyncio.Event()
        await on.scene.write("Ben", "@Mira hm")
        await on.scene.until(lambda: len(on.model.requests) == 2)
        await on.scene.write("Ann", "@Mira one thing")
        await type_on(on.scene, "Ann")
        await type_on(on.scene, "Ben")
        on.model.held.set()
        await on.scene.until(lambda: pauses.asked == [10.0])
        # What she was writing takes the place of what she had written.
        last = await on.scene.write("Ann", "@Mira and another")
        sent = (await on.scene.replies(3))[2]
        assert sent["message_reference"]["message_id"] == last
        assert pauses.asked == [10.0]


async def test_writing_on_interrupts_what_has_not_begun_to_show(tmp_path: Path) -> None:
    async with stage(tmp_path, INTERRUPT) as on, on.connected():
        pauses = Pauses(on)
        await warmed_up(on)
        on.model.held = asyncio.Event()
        await on.scene.write("Ann", "@Mira so")
        await on.scene.until(lambda: len(on.model.requests) == 2)
        await type_on(on.scene, "Ann")
        await on.scene.until(lambda: len(on.model.requests) == 3 and pauses.asked == [10.0])
        assert len(on.discord.rest.sent) == 1
        on.model.held.set()
        await on.scene.replies(2)
        assert await on.until_said(lambda said: len(said) == 4)
        assert on.discord.rest.typing == [GENERAL, GENERAL]


async def test_typing_can_be_ignored(tmp_path: Path) -> None:
    async with stage(tmp_path, IGNORE) as on, on.connected():
        pauses = Pauses(on)
        await warmed_up(on)
        on.model.held = asyncio.Event()
        await on.scene.write("Ann", "@Mira so")
        await type_on(on.scene, "Ann")
        await on.scene.until(lambda: len(on.model.requests) == 2)
        on.model.held.set()
        await on.scene.replies(2)
        assert pauses.asked == []


async def test_another_bot_that_writes_is_given_more_time_each_time(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        pauses = Pauses(on)
        on.scene.join("Robot", bot=True)
        await warmed_up(on)
        await type_on(on.scene, "Robot")
        await on.scene.write("Ann", "@Mira so")
        await on.scene.replies(2)
        # It shows as writing for ten seconds: 1 + 2 + 4 are not enough.
        assert pauses.asked == [1.0, 2.0, 4.0, 8.0]


async def test_that_the_familiar_writes_is_shown_no_longer_where_its_answer_fails(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        on.model.gate = asyncio.Event()
        on.discord.rest.faults = [Fault("POST", "messages$", 400)]
        await on.scene.write("Ann", "@Mira hi")
        await on.scene.until(lambda: on.discord.rest.typing == [GENERAL])
        on.model.gate.set()
        await on.scene.until(lambda: "refused" in on.link.status.trouble)
        assert not [task for task in asyncio.all_tasks() if task.get_name() == "typing indicator"]
        assert await on.until_said(lambda said: said == ["Ann: @Mira hi"])
