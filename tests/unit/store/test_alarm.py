"""Reminders in the vault: set, due once, taken back, erased with what asked for them, and brought back from the log."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from familiar_app.domain.alarm import ALARM_DUE, MAX_WAITING, NewAlarm
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import ChannelKey, FamiliarId, TurnId
from familiar_app.domain.turn import Author, Channel, NewTurn, Role, Turn
from familiar_app.store.attention import Regard
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import ANN, CHEAP, MIRA, NOON, PASSPHRASE

HOUR = timedelta(hours=1)
OTHER = FamiliarId("bell")


def wanted(channel: Channel, text: str = "feed the cat", *, asked: TurnId | None = None, hours: int = 1) -> NewAlarm:
    return NewAlarm(MIRA, channel.id, NOON + hours * HOUR, text, ANN.key, asked)


async def set_one(vault: Vault, channel: Channel, text: str = "feed the cat", **more: Any) -> Turn:
    return await vault.alarms.set(wanted(channel, text, **more), lambda number: f"Reminder {number}: {text}")


async def shown(vault: Vault) -> list[tuple[int, str]]:
    return [(one.id, one.text) for one in await vault.alarms.waiting(MIRA)]


async def emptied(vault: Vault) -> None:
    await vault._opened.engine.write(lambda connection: connection.execute("DELETE FROM alarms").close())


async def test_what_is_set_waits_with_its_words_in_the_log(vault: Vault, channel: Channel) -> None:
    turn = await set_one(vault, channel)
    assert (turn.role, turn.content) == (Role.TOOL, f"Reminder {turn.id}: feed the cat")
    (alarm,) = await vault.alarms.waiting(MIRA)
    assert (alarm.id, alarm.due_at, alarm.set_at, alarm.text) == (turn.id, NOON + HOUR, NOON, "feed the cat")
    assert await vault.alarms.waiting(OTHER) == []
    assert [one.id for one in await vault.alarms.of(ANN.key)] == [turn.id]


async def test_a_reminder_goes_off_once(vault: Vault, channel: Channel) -> None:
    set_turn = await set_one(vault, channel)
    told = await vault.alarms.fire(MIRA, set_turn.id, lambda alarm: f"Due: {alarm.text}")
    assert told is not None
    assert (told.role, told.mode, told.content, told.channel) == (
        Role.SYSTEM,
        ALARM_DUE,
        "Due: feed the cat",
        channel.id,
    )
    assert await vault.alarms.fire(MIRA, set_turn.id, lambda alarm: alarm.text) is None
    assert await vault.alarms.waiting(MIRA) == []


async def test_what_led_to_no_words_is_known_until_it_is_answered(vault: Vault, channel: Channel) -> None:
    set_turn = await set_one(vault, channel)
    told = await vault.alarms.fire(MIRA, set_turn.id, lambda alarm: alarm.text)
    assert told is not None
    assert [one.fired for one in await vault.alarms.unanswered(MIRA, NOON)] == [told.id]
    assert await vault.alarms.unanswered(MIRA, NOON + 2 * HOUR) == []
    answer = NewTurn(channel.id, Role.ASSISTANT, "The cat!", NOON, familiar=MIRA, answers=told.id)
    reply, _ = await vault.turns.append(answer)
    assert await vault.alarms.unanswered(MIRA, NOON) == []
    await vault.turns.hide([reply.id])
    assert [one.fired for one in await vault.alarms.unanswered(MIRA, NOON)] == [told.id]


async def test_a_reminder_is_taken_back_by_its_number_once_and_by_its_familiar(vault: Vault, channel: Channel) -> None:
    first, second = await set_one(vault, channel), await set_one(vault, channel, "call Ben", hours=2)
    with pytest.raises(UserError, match="no reminder"):
        await vault.alarms.cancel(OTHER, first.id)
    tool = await vault.alarms.cancel(MIRA, first.id, words="Taken back.", arguments={"alarm_id": first.id})
    owner = await vault.alarms.cancel(MIRA, second.id)
    assert (tool.role, owner.role) == (Role.TOOL, Role.OPERATOR)
    assert await vault.alarms.waiting(MIRA) == []
    with pytest.raises(UserError, match="still waiting"):
        await vault.alarms.cancel(MIRA, first.id)
    assert await vault.alarms.fire(MIRA, first.id, lambda alarm: alarm.text) is None


async def test_rows_that_went_by_hand_come_back_from_the_log_as_they_were(vault: Vault, channel: Channel) -> None:
    kept, due, gone = [await set_one(vault, channel, text, hours=n) for n, text in ((3, "a"), (1, "b"), (2, "c"))]
    await vault.alarms.fire(MIRA, due.id, lambda alarm: alarm.text)
    await vault.alarms.cancel(MIRA, gone.id)
    before = await vault.alarms.waiting(MIRA), await vault.alarms.unanswered(MIRA, NOON)
    await emptied(vault)
    assert (await vault.alarms.waiting(MIRA), await vault.alarms.unanswered(MIRA, NOON)) == before
    assert [one.id for one in before[0]] == [kept.id]
    await emptied(vault)
    assert await vault.alarms.fire(MIRA, due.id, lambda alarm: alarm.text) is None


async def test_what_went_off_or_was_taken_back_stays_so_where_the_words_of_it_are_erased(
    vault: Vault, channel: Channel
) -> None:
    due, gone = await set_one(vault, channel), await set_one(vault, channel, "call Ben")
    told = await vault.alarms.fire(MIRA, due.id, lambda alarm: alarm.text)
    back = await vault.alarms.cancel(MIRA, gone.id, words="Taken back.", arguments={})
    assert told is not None
    await vault.turns.scrub_many([told.id, back.id])
    for _ in range(2):
        assert await vault.alarms.waiting(MIRA) == []
        assert await vault.alarms.unanswered(MIRA, NOON) == []
        await emptied(vault)
    assert await vault.verify() == []


async def test_too_many_are_refused(vault: Vault, channel: Channel) -> None:
    for number in range(MAX_WAITING):
        await set_one(vault, channel, str(number))
    with pytest.raises(UserError, match="waiting already"):
        await set_one(vault, channel, "one more")


async def test_with_the_message_that_asked_the_reminder_goes_words_and_all(vault: Vault, channel: Channel) -> None:
    asked, _ = await vault.turns.append(NewTurn(channel.id, Role.USER, "remind me to see Dr Ash", NOON, author=ANN))
    first = await set_one(vault, channel, "see Dr Ash", asked=asked.id)
    second = await set_one(vault, channel, "see Dr Ash again", asked=asked.id)
    other = await set_one(vault, channel, "feed the cat")
    told = await vault.alarms.fire(MIRA, second.id, lambda alarm: alarm.text)
    assert told is not None
    await vault.turns.scrub_many([asked.id])
    assert await shown(vault) == [(other.id, "feed the cat")]
    for number in (first.id, second.id, told.id):
        turn = await vault.turns.get(number)
        assert turn is not None
        assert (turn.deleted, turn.content, turn.tool_calls) == (True, "", None)
    assert await vault.alarms.unanswered(MIRA, NOON) == []
    await emptied(vault)
    assert await shown(vault) == [(other.id, "feed the cat")]
    assert await vault.verify() == []


async def test_reminders_survive_a_restart(vault: Vault, vault_path: Path, channel: Channel, clock: FixedClock) -> None:
    turn = await set_one(vault, channel)
    await vault.close()
    again = await Vault.open(vault_path, clock=clock, passphrase=PASSPHRASE, cost=CHEAP)
    try:
        assert await shown(again) == [(turn.id, "feed the cat")]
    finally:
        await again.close()


async def test_attention_is_everywhere_until_it_is_somewhere(vault: Vault) -> None:
    one, two = [
        await vault.channels.ensure(ChannelKey(f"discord:{n}"), familiar=MIRA, title=f"c{n}", guild="discord:9")
        for n in (1, 2)
    ]
    ben = Author(ANN.key, "Ben")

    async def says(place: Channel, text: str) -> Turn:
        return (await vault.turns.append(NewTurn(place.id, Role.USER, text, NOON, author=ben)))[0]

    await says(two, "hello")
    assert (await vault.attention.of(MIRA, two.id)).attends
    assert await vault.attention.unread(MIRA) == []
    await vault.attention.shift(MIRA, one.id)
    assert [(await vault.attention.of(MIRA, place.id)).attends for place in (one, two)] == [True, False]
    await says(two, "anybody?")
    last = await says(two, "nobody.")
    assert [(one.channel.key, one.count) for one in await vault.attention.unread(MIRA)] == [("discord:2", 2)]
    assert await vault.attention.of(MIRA, two.id) == Regard(attends=False, chosen=True, unread=2)
    await vault.attention.seen(MIRA, two.id, last.id)
    assert await vault.attention.unread(MIRA) == []
    await vault.attention.pin(MIRA, two.id)
    await vault.attention.shift(MIRA, None)
    assert [(one.channel.key, one.pinned) for one in await vault.attention.focus(MIRA)] == [("discord:2", True)]
    assert (await vault.attention.of(OTHER, one.id)).attends
    await vault.attention.release(MIRA)
    assert await vault.attention.focus(MIRA) == []
