from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import BadInputError, UserError
from familiar_app.domain.ids import MAIN_CHANNEL, ChannelId, ChannelKey, FamiliarId, TurnId
from familiar_app.domain.turn import Channel, NewTurn
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import MIRA, NOON

BEN = FamiliarId("ben")
DEN = ChannelKey("discord:10")


async def test_each_familiar_has_its_own_local_channel(vault: Vault, channel: Channel) -> None:
    other = await vault.channels.ensure(MAIN_CHANNEL, familiar=BEN)
    assert other.id != channel.id
    assert await vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA) == channel
    assert await vault.channels.find(MAIN_CHANNEL, familiar=BEN) == other
    assert await vault.channels.find(MAIN_CHANNEL) is None
    assert await vault.channels.get(other.id) == other
    with pytest.raises(BadInputError, match="belongs to a familiar"):
        await vault.channels.ensure(MAIN_CHANNEL)


async def test_any_other_channel_is_one_and_heard_by_several(vault: Vault) -> None:
    den = await vault.channels.ensure(DEN, familiar=MIRA, title="Den", guild="discord:1")
    assert await vault.channels.ensure(DEN, familiar=BEN) == den
    assert (den.familiar, den.title, den.guild) == (None, "Den", "discord:1")
    assert await vault.channels.find(DEN, familiar=BEN) == den
    for familiar in (MIRA, BEN):
        assert [s.channel for s in await vault.channels.list(familiar)] == [den]
    await vault.channels.unsubscribe(den.id, BEN)
    assert await vault.channels.list(BEN) == []
    await vault.channels.subscribe(den.id, BEN)
    await vault.channels.subscribe(den.id, BEN)
    assert len(await vault.channels.list(BEN)) == 1


async def test_subscriptions_are_remembered_as_intervals(vault: Vault, clock: FixedClock) -> None:
    den = await vault.channels.ensure(DEN, familiar=MIRA)
    clock.instant = NOON + timedelta(hours=1)
    await vault.channels.unsubscribe(den.id, MIRA)
    clock.instant = NOON + timedelta(hours=2)
    await vault.channels.subscribe(den.id, MIRA)
    hours = await vault._opened.engine.read(
        lambda c: [row[0] for row in c.execute("SELECT (until - since) / 3600000000 FROM subscriptions ORDER BY id")]
    )
    assert hours == [1, None]


async def test_a_title_given_later_replaces_the_first(vault: Vault) -> None:
    first = await vault.channels.ensure(DEN)
    assert first.title == "10"
    assert (await vault.channels.ensure(DEN, title="Den")).title == "Den"
    assert (await vault.channels.ensure(DEN)).title == "Den"
    await vault.channels.rename(first.id, "  Burrow ")
    found = await vault.channels.get(first.id)
    assert found is not None
    assert found.title == "Burrow"
    with pytest.raises(BadInputError):
        await vault.channels.rename(first.id, "  ")


async def test_the_list_counts_turns_and_what_is_unread(
    vault: Vault, channel: Channel, said: Callable[..., NewTurn]
) -> None:
    quiet = await vault.channels.ensure(ChannelKey("local:quiet"), familiar=MIRA)
    turns = [(await vault.turns.append(said(str(n), at=NOON + timedelta(hours=n))))[0] for n in range(4)]
    await vault.channels.mark_read(channel.id, turns[1].id)
    await vault.channels.mark_read(channel.id, turns[0].id)
    await vault.turns.hide([turns[3].id])
    busy, empty = await vault.channels.list(MIRA)
    assert (busy.channel, busy.turns, busy.unread, busy.last_turn) == (channel, 3, 1, turns[2].id)
    assert busy.last_at == NOON + timedelta(hours=2)
    assert (empty.channel, empty.turns, empty.unread, empty.last_turn, empty.last_at) == (quiet, 0, 0, None, None)
    assert await vault.channels.heard(MIRA) == [channel, quiet]


async def test_all_of_a_channel_can_be_marked_as_read(
    vault: Vault, channel: Channel, said: Callable[..., NewTurn]
) -> None:
    assert await vault.channels.is_read(channel.id)
    turns = [(await vault.turns.append(said(str(n))))[0] for n in range(3)]
    assert not await vault.channels.is_read(channel.id)
    await vault.channels.mark_read(channel.id, turns[1].id)
    await vault.turns.hide([turns[2].id])
    assert await vault.channels.is_read(channel.id)
    await vault.turns.unhide([turns[2].id])
    await vault.channels.mark_all_read(channel.id)
    assert [one.unread for one in await vault.channels.list(MIRA)] == [0]


async def test_an_archived_channel_is_listed_apart(vault: Vault, channel: Channel) -> None:
    await vault.channels.archive(channel.id, True)
    assert await vault.channels.list(MIRA) == []
    assert [s.channel.archived for s in await vault.channels.list(MIRA, archived=True)] == [True]
    await vault.channels.archive(channel.id, False)
    assert len(await vault.channels.list(MIRA)) == 1


async def test_an_unknown_channel_is_refused(vault: Vault) -> None:
    nowhere = ChannelId(99)
    for use in (
        lambda: vault.channels.rename(nowhere, "x"),
        lambda: vault.channels.archive(nowhere, True),
        lambda: vault.channels.mark_read(nowhere, TurnId(1)),
        lambda: vault.channels.subscribe(nowhere, MIRA),
    ):
        with pytest.raises(UserError, match="no channel 99"):
            await use()
    assert await vault.channels.get(nowhere) is None
