"""Makes small vaults that are cheap to open."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.ids import MAIN_CHANNEL, ChannelId, FamiliarId, PersonKey
from familiar_app.domain.turn import Author, NewTurn, Role
from familiar_app.store.keys import KdfCost, new_recovery_code
from familiar_app.store.vault import Vault

CHEAP = KdfCost(time_cost=1, memory_kib=8 * 1024, parallelism=1)
PASSPHRASE = "three blue herons"
MIRA = FamiliarId("mira")
NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
ANN = Author(PersonKey("discord:1"), "Ann", "ann")


async def filled(path: Path, clock: FixedClock, turns: int) -> tuple[bytes, ChannelId]:
    """Make a closed vault with numbered turns; returns its data key and channel."""
    vault = await Vault.create(path, PASSPHRASE, recovery_code=new_recovery_code(), clock=clock, cost=CHEAP)
    channel = await vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA)
    await vault.turns.append_many(
        [NewTurn(channel.id, Role.USER, f"turn number {n}", NOON, ANN, message_id=f"m{n}") for n in range(turns)]
    )
    key = vault.data_key()
    await vault.close()
    return key, channel.id
