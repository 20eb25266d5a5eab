"""Timers of lorebook entries: one set for each familiar and channel."""

from __future__ import annotations

from familiar_app.domain.ids import ChannelKey, FamiliarId
from familiar_app.domain.lorebook.timer import Effect, Timers
from familiar_app.domain.turn import Channel
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import MIRA

SOME = Timers(sticky={"Bücher.0": Effect(1, 4, "mark")}, cooldown={"north.x": Effect(2, 9, "m", protected=True)})


async def test_each_familiar_and_channel_has_its_own(vault: Vault, channel: Channel) -> None:
    general = await vault.channels.ensure(ChannelKey("discord:1"), familiar=MIRA, title="general")
    assert await vault.lore_timers.get(MIRA, channel.id) == Timers()
    await vault.lore_timers.set(MIRA, channel.id, SOME)
    assert await vault.lore_timers.get(MIRA, channel.id) == SOME
    assert await vault.lore_timers.get(MIRA, general.id) == Timers()
    assert await vault.lore_timers.get(FamiliarId("otto"), channel.id) == Timers()


async def test_the_last_ones_count_and_none_leave_no_row(vault: Vault, channel: Channel) -> None:
    await vault.lore_timers.set(MIRA, channel.id, SOME)
    later = Timers(sticky={"north.1": Effect(5, 6, "m")})
    await vault.lore_timers.set(MIRA, channel.id, later)
    assert await vault.lore_timers.get(MIRA, channel.id) == later
    await vault.lore_timers.set(MIRA, channel.id, Timers())
    rows = await vault._opened.engine.read(
        lambda connection: connection.execute("SELECT count(*) FROM lore_timers").fetchone()[0]
    )
    assert rows == 0


async def test_timers_that_cannot_be_read_start_anew(vault: Vault, channel: Channel) -> None:
    for text in ("{", '{"sticky": 3}', '{"sticky": {"a": {"begin": 1}}}'):
        await vault._opened.engine.write(
            lambda connection, text=text: connection.execute(
                "INSERT OR REPLACE INTO lore_timers VALUES (?, ?, ?)", (MIRA, channel.id, text)
            ).close()
        )
        assert await vault.lore_timers.get(MIRA, channel.id) == Timers()
