"""What benchmarks share: the pace of the machine, an empty vault with a cheap passphrase, tasks that may not fail."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.task import TaskRegistry
from familiar_app.store.keys import KdfCost, new_recovery_code
from familiar_app.store.vault import Vault
from tests.benchmarks.pace import Pace
from tests.benchmarks.recall_corpus import NOON


@pytest.fixture
def pace() -> Pace:
    """The pace of this machine at the beginning of the test; it is taken again when something is allowed."""
    return Pace()


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncIterator[Vault]:
    made = await Vault.create(
        tmp_path / "vault.db",
        "heron",
        recovery_code=new_recovery_code(),
        clock=FixedClock(NOON),
        cost=KdfCost(1, 8 * 1024, 1),
    )
    yield made
    await made.close()


@pytest.fixture
async def tasks() -> AsyncIterator[TaskRegistry]:
    failures: list[BaseException] = []
    registry = TaskRegistry(lambda _name, error: failures.append(error))
    yield registry
    await registry.cancel()
    assert failures == []
