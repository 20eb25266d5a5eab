"""What a prompt tells about the marks of Discord, and where it tells nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from familiar_app.domain.turn import NewTurn, Role
from tests.doubles.talk import ANN, BEN, MIRA, START
from tests.unit.context.hearing import Hearing, hearing


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Hearing]:
    async with hearing(tmp_path / "vault.db", indexed=False) as made:
        yield made


async def told(scene: Hearing, place: str, **more: object) -> str:
    return (await scene.layer("platform", place, **more)).text


async def test_on_discord_the_marks_and_the_numbers_of_earlier_messages_are_told(scene: Hearing) -> None:
    assert (await told(scene, "general")).count("[↩") == 2
    assert "Numbers" not in await told(scene, "general")
    channel, numbers = scene.places["general"].id, []
    for place in range(9):
        author = (ANN, BEN)[place % 2]
        new = NewTurn(channel, Role.USER, f"Word {place}", START, author, message_id=str(10**17 + place))
        turn, _ = await scene.vault.turns.append(new)
        numbers.append(f"{turn.id} ({author.name})")
    own = NewTurn(channel, Role.ASSISTANT, "Mine", START, familiar=MIRA, message_id="5")
    await scene.vault.turns.append(own)
    text = await told(scene, "general")
    assert text.endswith(f"Numbers of earlier messages: {', '.join(numbers[2:8])}.")
    assert "[@Name]" in text
    assert "Numbers" not in await told(scene, "general", known_at=START)


async def test_in_the_window_nothing_is_told(scene: Hearing) -> None:
    await scene.say("Hello", BEN, "main")
    assert await told(scene, "main") == ""
