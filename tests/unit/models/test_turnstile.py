"""The door to a model: how many pass, who goes first, and that nobody blocks it by leaving."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from familiar_app.models.turnstile import Turnstile
from tests.doubles.waiting import PATIENCE_S


async def test_replies_go_ahead_of_background_work() -> None:
    door, passed = Turnstile(), []

    async def pass_through(slot: Any, name: str) -> None:
        async with door.turn(slot):
            passed.append(name)

    async with door.turn("background"):
        waiting = [
            asyncio.create_task(pass_through(slot, name))
            for slot, name in (
                ("background", "note"),
                ("prose", "reply 1"),
                ("background", "dossier"),
                ("prose", "reply 2"),
            )
        ]
        await asyncio.sleep(0)
        assert passed == []
    await asyncio.gather(*waiting)
    assert passed == ["reply 1", "reply 2", "note", "dossier"]


async def test_whoever_gives_up_waiting_blocks_nobody() -> None:
    door = Turnstile()

    async def pass_through() -> None:
        async with door.turn("prose"):
            await asyncio.sleep(0)

    async with door.turn("prose"):
        first, second = asyncio.create_task(pass_through()), asyncio.create_task(pass_through())
        await asyncio.sleep(0)
        first.cancel()
    # The turn has just been handed on when the next one is cancelled as well.
    second.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.gather(first, second)
    async with asyncio.timeout(PATIENCE_S), door.turn("prose"):
        pass


async def test_no_more_pass_than_there_are_places() -> None:
    door, inside, most = Turnstile(3), 0, 0

    async def pass_through() -> None:
        nonlocal inside, most
        async with door.turn("prose"):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.001)
            inside -= 1

    await asyncio.gather(*(pass_through() for _ in range(20)))
    assert most == 3
