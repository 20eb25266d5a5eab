"""Goes back to a backup without bringing back what was erased after it was made."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from familiar_app.domain.clock import Clock
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.text import tr, tr_later
from familiar_app.store.backup import Report
from familiar_app.store.erasure_list import ErasedList
from familiar_app.store.restore import Looked, Restored, Restoring, restore, same_vault
from familiar_app.store.vault import Vault

log = logging.getLogger(__name__)
_UNASKED = tr_later(
    "The vault that was replaced could not be asked what has been erased since the backup was made; if anything was, "
    "erase it again."
)


@dataclass(frozen=True, slots=True)
class WentBack:
    """What became of it. `erased_again` counts erasures that were done again; `notes` are sentences for the owner."""

    restored: Restored
    erased_again: int = 0
    notes: Sequence[str] = ()


async def go_back(
    root: Path,
    looked: Looked,
    *,
    clock: Clock,
    canon: bool = True,
    erased: ErasedList | None = None,
    progress: Report | None = None,
) -> WentBack:
    """Put a backup in the place of the profile in `root`, whose vault is closed. Raises as `restore`.

    `erased` is what the present vault remembers of erasures, where it was open a moment ago; else it is looked up
    there, as far as the backup's key opens it.
    """
    notes: list[str] = []
    if erased is None:
        erased = await _erased_by_now(root, looked, clock, notes)
    again = 0

    async def erase_again(path: Path, data_key: bytes) -> None:
        nonlocal again
        vault = await Vault.open(path, clock=clock, data_key=data_key, keep_copy=False)
        try:
            if erased is not None:
                again = len(await vault.erasure.replay(erased))
        finally:
            await vault.close()

    restored = await restore(looked, Restoring(root, clock.now(), canon, erase_again), progress)
    return WentBack(restored, again, tuple(notes))


async def _erased_by_now(root: Path, looked: Looked, clock: Clock, notes: list[str]) -> ErasedList | None:
    """Return what the vault that is there now remembers of erasures; where it cannot be asked, a note says so."""
    path = root / "vault.db"
    if not path.exists():
        return None
    if not await asyncio.to_thread(same_vault, root, looked):
        notes.append(tr(_UNASKED))
        return None
    try:
        vault = await Vault.open(path, clock=clock, data_key=looked.data_key, read_only=True)
    except FamiliarError as error:
        log.warning("the vault that is replaced could not be asked for what was erased", exc_info=error)
        notes.append(tr(_UNASKED))
        return None
    try:
        return await vault.erasure.erased()
    except FamiliarError as error:
        log.warning("the vault that is replaced could not tell what was erased", exc_info=error)
        notes.append(tr(_UNASKED))
        return None
    finally:
        await vault.close()
