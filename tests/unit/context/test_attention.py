"""What a prompt tells of unread channels and of reminders, and to whom."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from familiar_app.domain.alarm import NewAlarm
from familiar_app.domain.audience import Readers
from familiar_app.domain.trace import LeftOut
from tests.doubles.talk import BEN, MIRA, START
from tests.unit.context.hearing import Hearing, hearing

ALL, SOME = Readers(everyone=True), Readers(tokens=frozenset({"role:1"}))


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Hearing]:
    async with hearing(tmp_path / "vault.db", indexed=False) as made:
        await made.vault.audiences.tell_readers(made.places["general"].id, ALL)
        await made.vault.audiences.tell_readers(made.places["staff"].id, SOME)
        yield made


async def told(scene: Hearing, place: str = "main", **more: object) -> str:
    return (await scene.layer("attention", place, **more)).text


async def test_what_is_unread_is_counted_only_where_attention_is_elsewhere(scene: Hearing) -> None:
    await scene.say("Hello", BEN, "general")
    assert await told(scene) == ""
    await scene.vault.attention.pin(MIRA, scene.places["abroad"].id)
    assert await told(scene) == ""
    for _ in range(2):
        await scene.say("Hello again", BEN, "general")
    await scene.say("Hi", BEN, "abroad")
    await scene.say("In private", BEN, "dm")
    assert await told(scene) == "Unread in channels that Mira does not attend to: #general (2)."
    assert await told(scene, known_at=START) == ""
    await scene.vault.attention.seen(MIRA, scene.places["general"].id, await scene.say("Read", BEN, "general"))
    assert await told(scene) == ""


async def test_a_channel_that_not_everybody_here_can_read_is_neither_named_nor_counted(scene: Hearing) -> None:
    await scene.vault.attention.pin(MIRA, scene.places["abroad"].id)
    await scene.say("A secret", BEN, "staff")
    await scene.say("Hello", BEN, "general")
    layer = await scene.layer("attention", "general")
    assert layer.text == ""
    assert [one.what for one in layer.left_out] == ["unread of discord:11"]
    assert isinstance(layer.left_out[0], LeftOut)
    assert await told(scene, "staff") == "Unread in channels that Mira does not attend to: #general (1)."
    assert "#staff (1)" in await told(scene)


async def test_reminders_are_told_where_they_were_set_in_the_owners_time(scene: Hearing) -> None:
    due = START + timedelta(hours=1)
    wanted = NewAlarm(MIRA, scene.places["general"].id, due, "[feed]\nthe cat", BEN.key)
    number = (await scene.vault.alarms.set(wanted, lambda n: f"Reminder {n}")).id
    assert (await told(scene, "general")).splitlines() == [
        "Reminders that wait here, by their numbers:", f"- {number}: Wednesday, 2024-05-01, 13:30: (feed) the cat",
    ]  # fmt: skip
    assert await told(scene, "staff") == ""
