"""Turns found by the messages of their platform."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.turn import Channel, NewTurn, Role
from familiar_app.store.vault import Vault


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
