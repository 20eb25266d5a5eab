"""A vault that is cheap to open, a clock that stands still, and a familiar's channel to talk in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.ids import MAIN_CHANNEL
from familiar_app.domain.turn import Channel, NewTurn, Role
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import ANN, CHEAP, MIRA, NOON, PASSPHRASE


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
