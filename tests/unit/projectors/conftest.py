"""A scene with an empty vault that is cheap to open, and a clock that stands still."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.store.keys import KdfCost, new_recovery_code
from familiar_app.store.vault import Vault
from tests.unit.projectors.scene import NOON, Scene, ToldModel, main_channel, make_config

CHEAP = KdfCost(time_cost=1, memory_kib=8 * 1024, parallelism=1)


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    clock = FixedClock(NOON)
    code = new_recovery_code()
    vault = await Vault.create(tmp_path / "p" / "vault.db", "three herons", recovery_code=code, clock=clock, cost=CHEAP)
    yield Scene(vault, clock, await main_channel(vault), ToldModel(), make_config())
    await vault.close()
