"""A vault that is cheap to open, a clock that stands still, and a familiar's channel to talk in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.ids import MAIN_CHANNEL, ChannelId, FamiliarId, PersonKey
from familiar_app.domain.turn import Author, Channel, NewTurn, Role
from familiar_app.store.keys import KdfCost, new_recovery_code
from familiar_app.store.vault import Vault

CHEAP = KdfCost(time_cost=1, memory_kib=8 * 1024, parallelism=1)
PASSPHRASE = "three blue herons"
MIRA = FamiliarId("mira")
NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
ANN = Author(PersonKey("discord:1"), "Ann", "ann")


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOON)


@pytest.fixture
def vault_path(tmp_path: Path) -> Path:
    return tmp_path / "profile" / "vault.db"


@pytest.fixture
def recovery_code() -> str:
    return new_recovery_code()


@pytest.fixture
async def vault(vault_path: Path, clock: FixedClock, recovery_code: str) -> AsyncIterator[Vault]:
    made = await Vault.create(vault_path, PASSPHRASE, recovery_code=recovery_code, clock=clock, cost=CHEAP)
    yield made
    await made.close()


@pytest.fixture
async def channel(vault: Vault) -> Channel:
    return await vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA)


@pytest.fixture
def said(channel: Channel) -> Callable[..., NewTurn]:
    """Makes turns of the channel; everything but the text has a default."""

    def make(content: str, **changes: object) -> NewTurn:
        values: dict[str, object] = {"channel": channel.id, "role": Role.USER, "at": NOON, "author": ANN, **changes}
        return NewTurn(content=content, **values)  # type: ignore[arg-type]

    return make


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
