"""A channel as it stood at an earlier moment."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.ids import TurnId
from familiar_app.domain.turn import Channel, NewTurn, Role
from familiar_app.store.turn_then import Then
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import MIRA, NOON

Said = Callable[..., NewTurn]


def at(minutes: int) -> Then:
    return Then(known_at=NOON + timedelta(minutes=minutes))


async def contents(vault: Vault, channel: Channel, then: Then, **more: TurnId) -> list[str]:
    return [turn.content for turn in await vault.turns.page_then(channel.id, then, **more)]


async def test_what_arrived_later_is_not_there(vault: Vault, channel: Channel, said: Said, clock: FixedClock) -> None:
    numbers = []
    for minute in range(4):
        clock.instant = NOON + timedelta(minutes=minute)
        numbers.append((await vault.turns.append(said(f"turn {minute}")))[0].id)
    assert await contents(vault, channel, at(-1)) == []
    assert await contents(vault, channel, at(2)) == ["turn 0", "turn 1", "turn 2"]
    assert await contents(vault, channel, at(2), before=numbers[2]) == ["turn 0", "turn 1"]
    assert await contents(vault, channel, at(2), after=numbers[0]) == ["turn 1", "turn 2"]
    assert [turn.content for turn in await vault.turns.page_then(channel.id, at(3), limit=2)] == ["turn 2", "turn 3"]
    assert await contents(vault, channel, Then()) == [turn.content for turn in await vault.turns.page(channel.id)]


async def test_an_import_of_old_turns_was_not_known_then(vault: Vault, channel: Channel, said: Said) -> None:
    """World time and the time of arrival are two clocks: each bounds on its own."""
    await vault.turns.append(said("old", at=NOON - timedelta(days=9)))
    await vault.turns.append(said("new", at=NOON))
    assert await contents(vault, channel, Then(known_at=NOON - timedelta(days=1))) == []
    assert await contents(vault, channel, Then(as_of=NOON - timedelta(days=1))) == ["old"]


async def test_edits_removals_and_choices_of_that_time(
    vault: Vault, channel: Channel, said: Said, clock: FixedClock
) -> None:
    asked, _ = await vault.turns.append(said("asked"))
    own = {"role": Role.ASSISTANT, "author": None, "familiar": MIRA, "answers": asked.id}
    first, _ = await vault.turns.append(said("first", **own))
    clock.instant = NOON + timedelta(minutes=1)
    second, _ = await vault.turns.append(said("second", **own))
    clock.instant = NOON + timedelta(minutes=2)
    await vault.turns.choose(first.id)
    await vault.turns.revise(asked.id, "asked better")
    clock.instant = NOON + timedelta(minutes=3)
    await vault.turns.append(said("third", **own))
    clock.instant = NOON + timedelta(minutes=4)
    await vault.turns.hide([asked.id])
    clock.instant = NOON + timedelta(minutes=5)
    await vault.turns.unhide([asked.id])
    told = [await contents(vault, channel, at(minute)) for minute in range(6)]
    assert told == [
        ["asked", "first"],
        ["asked", "second"],
        ["asked better", "first"],
        ["asked better", "third"],
        ["third"],
        ["asked better", "third"],
    ]
    assert second.id not in {turn.id for turn in await vault.turns.page_then(channel.id, at(5))}
    whole = await vault.turns.page(channel.id, inactive=True, hidden=True)
    for minute, expected in enumerate(told):
        stood = await vault.turns.standing(whole, at(minute))
        assert [turn.content for _, turn in sorted(stood.items())] == expected


async def test_a_tombstone_is_one_at_every_moment(
    vault: Vault, channel: Channel, said: Said, clock: FixedClock
) -> None:
    turn, _ = await vault.turns.append(said("secret"))
    clock.instant = NOON + timedelta(minutes=1)
    await vault.turns.scrub(turn.id)
    assert await contents(vault, channel, at(0)) == []
