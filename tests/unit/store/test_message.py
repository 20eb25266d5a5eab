"""Turns found by the messages of their platform."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from familiar_app.domain.ids import ChannelId, FamiliarId
from familiar_app.domain.turn import Channel, NewTurn, Role
from familiar_app.store.engine import Engine
from familiar_app.store.message import Messages
from familiar_app.store.vault import Vault

T = TypeVar("T")
_INSERT = "INSERT INTO turns (channel, role, content, at, arrived_at, message_id) VALUES (?, 'user', '', ?, ?, ?)"


async def test_each_part_of_a_reply_finds_the_whole(
    vault: Vault, channel: Channel, said: Callable[..., NewTurn]
) -> None:
    turn, _ = await vault.turns.append(said("A long answer."))
    await vault.messages.sent(turn.id, ["11", "12"])
    await vault.messages.sent(turn.id, ["13"])
    for message in ("11", "12", "13"):
        found = await vault.messages.find(channel.id, message)
        assert found is not None
        assert (found.id, found.message_id) == (turn.id, "11")
    assert await vault.messages.parts(turn.id) == ["11", "12", "13"]
    assert await vault.messages.find(channel.id, "14") is None


async def test_the_newest_message_is_the_highest_number(
    vault: Vault, channel: Channel, said: Callable[..., NewTurn]
) -> None:
    assert await vault.messages.newest(channel.id) is None
    for number in ("99", "100", "98"):
        await vault.turns.append(said("Words.", message_id=number))
    assert await vault.messages.newest(channel.id) == "100"


async def test_what_was_sent_tells_how_far_a_channel_is_known_only_where_nothing_else_does(
    vault: Vault, channel: Channel, said: Callable[..., NewTurn]
) -> None:
    own, _ = await vault.turns.append(replace(said("An answer."), role=Role.ASSISTANT, familiar=FamiliarId("mira")))
    await vault.messages.sent(own.id, ["12"])
    assert await vault.messages.newest(channel.id) == "12"
    await vault.turns.append(said("Words.", message_id="10"))
    assert await vault.messages.newest(channel.id) == "10"


async def test_scrubbed_messages_are_not_among_the_recent(
    vault: Vault, channel: Channel, said: Callable[..., NewTurn]
) -> None:
    turns = [(await vault.turns.append(said("Words.", message_id=str(n))))[0] for n in range(4)]
    await vault.turns.scrub(turns[2].id)
    assert await vault.messages.recent(channel.id, 2) == ["3", "1"]
    scrubbed = await vault.messages.find(channel.id, "2")
    assert scrubbed is not None
    assert scrubbed.deleted


async def test_a_hidden_message_counts_among_the_newest_and_the_recent(
    vault: Vault, channel: Channel, said: Callable[..., NewTurn]
) -> None:
    turns = [(await vault.turns.append(said("Words.", message_id=str(n))))[0] for n in (8, 9, 10)]
    await vault.turns.hide((turns[2].id,))
    assert await vault.messages.newest(channel.id) == "10"
    assert await vault.messages.recent(channel.id, 2) == ["10", "9"]


@pytest.mark.parametrize("ask", [Messages.newest, lambda messages, channel: messages.recent(channel, 100)])
async def test_a_long_channel_is_not_read_as_a_whole(
    vault: Vault, channel: Channel, ask: Callable[[Messages, ChannelId], Awaitable[object]]
) -> None:
    engine = vault._opened.engine
    steps: list[int] = []
    for first, last in ((1, 500), (500, 5000)):
        await _fill(engine, [(channel.id, number, number, str(number)) for number in range(first, last)])
        counting = _Counting(engine)
        await ask(Messages(counting), channel.id)  # type: ignore[arg-type]
        steps.append(counting.steps)
    assert 0 < steps[1] < 2 * steps[0]


async def _fill(engine: Engine, rows: list[tuple[object, ...]]) -> None:
    await engine.write(lambda connection: connection.executemany(_INSERT, rows).close())


class _Counting:
    """An engine that counts what its reads cost the database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.steps = 0

    async def read(self, work: Callable[[Any], T]) -> T:
        def counted(connection: Any) -> T:
            connection.set_progress_handler(self._step, 1)
            try:
                return work(connection)
            finally:
                connection.set_progress_handler(None, 0)

        return await self._engine.read(counted)

    def _step(self) -> int:
        self.steps += 1
        return 0
