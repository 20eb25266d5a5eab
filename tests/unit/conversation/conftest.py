"""A stage with an empty vault that is cheap to open, and a clock that stands still."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.vault import Vault
from tests.unit.conversation.memory_stage import NOON, Stage
from tests.unit.store.vault_maker import CHEAP, PASSPHRASE


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    clock = FixedClock(NOON)
    vault = await Vault.create(
        tmp_path / "p" / "vault.db", PASSPHRASE, recovery_code=new_recovery_code(), clock=clock, cost=CHEAP
    )
    yield Stage(vault, clock)
    await vault.close()
