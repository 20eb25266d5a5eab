"""What a familiar has heard: the rule in SQL and the one for turns that are at hand say the same."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.ids import ChannelKey, FamiliarId
from familiar_app.domain.turn import NewTurn, Role
from familiar_app.store.heard import HEARD, Hearing
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import ANN, MIRA, NOON

if TYPE_CHECKING:
    from sqlite3 import Connection

BELL = FamiliarId("bell")


async def test_a_turn_is_heard_by_those_who_were_there_when_it_came(vault: Vault, clock: FixedClock) -> None:
    own = await vault.channels.ensure(ChannelKey("local:own"), familiar=MIRA)
    other = await vault.channels.ensure(ChannelKey("local:other"), familiar=BELL)
    server = await vault.channels.ensure(ChannelKey("discord:1"), familiar=BELL)

    async def say() -> None:
        clock.instant += timedelta(minutes=1)
        for place in (own, other, server):
            await vault.turns.append(NewTurn(place.id, Role.USER, "Hello.", NOON, ANN))
        clock.instant += timedelta(minutes=1)

    await say()
    await vault.channels.subscribe(server.id, MIRA)
    await say()
    await vault.channels.unsubscribe(server.id, MIRA)
    await say()
    await vault.channels.subscribe(server.id, MIRA)
    await say()

    def read(connection: Connection) -> dict[FamiliarId, tuple[list[int], list[int]]]:
        rows = connection.execute("SELECT id, channel, arrived_at FROM turns").fetchall()
        found = {}
        for familiar in (MIRA, BELL, FamiliarId("nobody")):
            hearing = Hearing(connection, familiar)
            told = connection.execute(f"SELECT t.id FROM turns t WHERE {HEARD}", (familiar, familiar)).fetchall()
            mine = [number for number, channel, arrived_at in rows if hearing.of(channel, arrived_at)]
            found[familiar] = sorted(number for (number,) in told), mine
        return found

    heard = await vault._opened.engine.read(read)
    assert all(in_sql == at_hand for in_sql, at_hand in heard.values())
    assert heard[MIRA][1] == [1, 4, 6, 7, 10, 12]
    assert heard[BELL][1] == [2, 3, 5, 6, 8, 9, 11, 12]
