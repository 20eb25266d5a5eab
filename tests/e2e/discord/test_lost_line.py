"""What a lost line keeps from being sent is sent later, once; what it keeps from being heard is caught up on."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from familiar_app.discord_link.fault import ConnectionLostError
from familiar_app.discord_link.incoming import channel_key
from familiar_app.discord_link.journal import Fate
from tests.doubles.discord.world import PUBLIC_THREAD
from tests.doubles.talk import MIRA
from tests.doubles.waiting import until_told
from tests.e2e.discord.stage import SERVER, Stage, stage

FORUM = 15


async def nothing_left(on: Stage) -> bool:
    return not await on.vault.deliveries.left(MIRA)


async def test_an_answer_that_is_made_while_nobody_is_connected_goes_out_with_the_next_connection(
    tmp_path: Path,
) -> None:
    async with stage(tmp_path) as on:
        on.model.held = asyncio.Event()
        on.link.patience = replace(on.link.patience, shortest_s=60.0, most_breaks=1)
        async with on.connected():
            asked = await on.scene.write("Ann", "@Mira hi")
            await on.scene.until(lambda: len(on.model.requests) == 1, "for the question to the model")
            on.discord.gateway.cut_all()
            await on.scene.until(lambda: on.link.status.state == "waiting", "for the pause")
            on.model.held.set()
            await on.scene.until(lambda: on.link.journal.entries[-1].fate is Fate.FAILED, "for the failure")
            # Nothing was shown, but it stays noted what is to be done.
            assert [one.asked for one in await on.vault.deliveries.left(MIRA)] == [(await on.turn_of(asked)).id]
            on.link.try_now()
            (sent,) = await on.scene.replies(1)
            assert sent["message_reference"]["message_id"] == asked
            await on.scene.until(lambda: on.link.journal.entries[-1].fate is Fate.SENT, "for the end")
            assert await on.said() == ["Ann: @Mira hi", "Mira: Hello."]
            assert len({id(one) for one in on.model.requests}) == 1, "what was made is sent, and not made anew"
            await until_told(lambda: nothing_left(on))


async def test_an_answer_whose_request_broke_is_sent_a_little_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage(tmp_path) as on, on.connected():
        client, pauses = on.link.client, []
        assert client is not None
        real, broken = client.send, iter([True, True, False])

        async def send(*args: Any, **options: Any) -> int:
            if next(broken, False):
                raise ConnectionLostError
            return await real(*args, **options)

        async def pause(seconds: float) -> None:
            pauses.append(seconds)

        monkeypatch.setattr(client, "send", send)
        on.link.listener.pause = pause
        await on.scene.write("Ann", "@Mira hi")
        await on.scene.replies(1)
        await on.scene.until(lambda: on.link.journal.entries[-1].fate is Fate.SENT, "for the end")
        assert await on.said() == ["Ann: @Mira hi", "Mira: Hello."]
        assert pauses == [10.0, 10.0]
        assert len(on.model.requests) == 1


@pytest.mark.parametrize("forum", [False, True], ids=["a thread", "a post in a forum"])
async def test_what_was_said_in_threads_that_began_meanwhile_is_caught_up_on(tmp_path: Path, forum: bool) -> None:
    async with stage(tmp_path) as on:
        world, scene = on.discord.world, on.scene
        parent = scene.channels["general"]
        if forum:
            parent = scene.channels["market"] = int(world.add_channel("market", kind=FORUM)["id"])
            await on.vault.channels.ensure(channel_key(parent), familiar=MIRA, title="market", guild=SERVER)
        old = scene.channels["old"] = int(world.add_channel("old", kind=PUBLIC_THREAD, parent=parent)["id"])
        await scene.write("Ann", "@Mira long ago", channel="old", unseen=True)
        async with on.connected():
            await scene.write("Ann", "@Mira hi")
            await scene.replies(1)
            await until_told(lambda: nothing_left(on))
            await scene.until(lambda: not on.link.journal.answering, "for the end of the first answer")
        for name, under in (("new", parent), ("elsewhere", scene.open_channel("attic"))):
            scene.channels[name] = int(world.add_channel(name, kind=PUBLIC_THREAD, parent=under)["id"])
            await scene.write("Ben", "@Mira are you there?", channel=name, unseen=True)
        async with on.connected():
            sent = await scene.replies(2)
            await scene.until(lambda: not on.link.journal.answering, "for the end of the answer")
        assert sent[1]["channel_id"] == str(scene.channels["new"])
        assert await on.said(channel_key(scene.channels["new"])) == ["Ben: @Mira are you there?", "Mira: Hello."]
        assert await on.turns(channel_key(old)) == [], "what was there before is not fetched"
        assert len(on.model.requests) == 2


@pytest.mark.parametrize("part", ["turns", "state"], ids=["before it is kept", "before it is answered"])
async def test_a_message_that_is_being_taken_in_while_the_line_breaks_is_taken_in_with_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    async with stage(tmp_path) as on:
        store, name = getattr(on.vault, part), {"turns": "append", "state": "get"}[part]
        real, reached, ended = getattr(store, name), asyncio.Event(), asyncio.Event()

        async def held_once(*args: Any, **options: Any) -> Any:
            if reached.is_set() or not (part == "turns" or "proxies" in args[0]):
                return await real(*args, **options)
            reached.set()
            try:
                return await asyncio.Event().wait()
            finally:
                ended.set()

        async with on.connected():
            monkeypatch.setattr(store, name, held_once)
            await on.scene.write("Ann", "@Mira hi")
            await on.scene.until(reached.is_set, "for the message to be on its way into the vault")
            # A connection that is given up takes whatever worked with it along.
            awake = on.link.patience
            on.link.patience = replace(awake, asleep_s=-1.0)
            await on.scene.until(ended.is_set, "for the end of the connection")
            on.link.patience = awake
            await on.scene.replies(1)
            await until_told(lambda: nothing_left(on))
            assert await on.said() == ["Ann: @Mira hi", "Mira: Hello."]
