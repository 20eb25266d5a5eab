"""Goes back to a backup without bringing back what was erased after it was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from familiar_app.domain.clock import Clock
from familiar_app.store.backup import Report
from familiar_app.store.restore import Looked, Restored, Restoring, restore
from familiar_app.store.vault import Vault


@dataclass(frozen=True, slots=True)
class WentBack:
    """What became of it. `erased_again` counts erasures that were done again; `notes` are sentences for the owner."""

    restored: Restored
    erased_again: int = 0
    notes: Sequence[str] = ()


async def go_back(
    root: Path, looked: Looked, *, clock: Clock, canon: bool = True, progress: Report | None = None
) -> WentBack:
    """Put a backup in the place of the profile in `root`, whose vault is closed. Raises as `restore`."""

    async def make_new(path: Path, data_key: bytes) -> None:
        vault = await Vault.open(path, clock=clock, data_key=data_key, keep_copy=False)
        await vault.close()

    wanted = Restoring(root, clock.now(), canon, make_new)
    restored = await restore(looked, wanted, progress)
    return WentBack(restored)
