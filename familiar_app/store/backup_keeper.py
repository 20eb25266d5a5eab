"""Keeps a profile backed up while its vault is open: on schedule, on demand, one at a time, and says how it stands."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from familiar_app.domain.backup import BackupCause, BackupMark, is_due
from familiar_app.domain.clock import Clock
from familiar_app.domain.errors import FamiliarError, StoppedByUserError
from familiar_app.store.backup import BackupWish, Report
from familiar_app.store.backup_file import BackupContents
from familiar_app.store.backup_shelf import BackupShelf, KeptBackup
from familiar_app.store.profile import Profile

if TYPE_CHECKING:
    from familiar_app.store.vault import Vault

log = logging.getLogger(__name__)
FIRST_AFTER_S = 60.0
LOOK_EVERY_S = 300.0
_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(minutes=15), timedelta(hours=6)


@dataclass(frozen=True, slots=True)
class BackupState:
    """How it stands: the newest one, how far the present one is (None where none is made), what failed last."""

    newest: KeptBackup | None = None
    part: float | None = None
    failure: FamiliarError | None = None


class BackupKeeper:
    """Backups of one open profile."""

    def __init__(self, vault: Vault, profile: Profile, clock: Clock) -> None:
        self._vault, self._profile, self._clock = vault, profile, clock
        self._one_at_a_time = asyncio.Lock()
        self._listeners: list[Callable[[BackupState], object]] = []
        self._not_before: datetime | None = None
        self._pause = _FIRST_PAUSE
        self.state = BackupState()

    def listen(self, listener: Callable[[BackupState], object]) -> Callable[[], None]:
        """Tell `listener` of every change; call what is returned to end that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    async def shelf(self) -> BackupShelf:
        """Return the folders of backups as the settings name them now."""
        settings = await asyncio.to_thread(self._profile.settings)
        return BackupShelf(self._profile.root, settings.backup)

    async def listed(self) -> list[KeptBackup]:
        """Return the backups there are, the newest first, and keep the state in step with it."""
        listed = await asyncio.to_thread((await self.shelf()).listed)
        self._tell(newest=listed[0] if listed else None)
        return listed

    async def make(
        self, cause: BackupCause = "asked", target: Path | None = None, progress: Report | None = None
    ) -> tuple[Path, BackupContents]:
        """Make a backup at `target`, else on the shelf, and tidy up. Waits for another that is being made.

        Raises what `Backups.make` raises; the state has it too.
        """
        async with self._one_at_a_time:
            self._show(0.0, progress)
            try:
                made = await self._make(cause, target, lambda part: self._show(part, progress))
            except StoppedByUserError:
                self._tell(part=None)
                raise
            except FamiliarError as error:
                self._tell(part=None, failure=error)
                raise
            except BaseException:
                self._tell(part=None)
                raise
            self._tell(part=None, failure=None)
            await self._tidy()
            return made

    async def run(self) -> None:
        """Make backups as they fall due, for as long as the vault is open."""
        await self.listed_quietly()
        await asyncio.sleep(FIRST_AFTER_S)
        while True:
            await self.keep_up()
            await asyncio.sleep(LOOK_EVERY_S)

    async def keep_up(self) -> bool:
        """Make a backup where one is due, and tidy up. Returns whether one was made; a failure is told, not raised."""
        try:
            settings = (await asyncio.to_thread(self._profile.settings)).backup
            listed = await self.listed()
            now = self._clock.now()
            every = timedelta(hours=settings.every_hours)
            waiting = self._not_before is not None and now < self._not_before
            if waiting or not is_due(listed[0].mark.made_at if listed else None, now, every):
                await self._tidy()
                return False
            await self.make("scheduled")
        except FamiliarError as error:
            log.warning("the scheduled backup failed", exc_info=error)
            self._not_before = self._clock.now() + self._pause
            self._pause = min(self._pause * 2, _LONGEST_PAUSE)
            self._tell(failure=error)
            return False
        self._not_before, self._pause = None, _FIRST_PAUSE
        return True

    async def listed_quietly(self) -> None:
        """Bring the state in step with the folder; where that cannot be read, the state says so."""
        try:
            await self.listed()
        except FamiliarError as error:
            self._tell(failure=error)

    async def _make(self, cause: BackupCause, target: Path | None, report: Report) -> tuple[Path, BackupContents]:
        now = self._clock.now()
        if target is None:
            target = await asyncio.to_thread((await self.shelf()).place_for, BackupMark(now, cause))
        names = await asyncio.to_thread(self._names)
        contents = await self._vault.backups.make(BackupWish(target, cause, now, self._profile.root, names), report)
        return target, contents

    async def _tidy(self) -> None:
        """Remove what may go. A shelf that cannot be tidied is a failure that is told, and no more."""
        try:
            shelf = await self.shelf()
            await asyncio.to_thread(shelf.tidy, self._clock.now(), await self._erasures())
            await self.listed()
        except FamiliarError as error:
            log.warning("old backups could not be removed", exc_info=error)
            self._tell(failure=error)

    async def _erasures(self) -> list[datetime]:
        """Return when something was erased: backups older than that may not stay for long."""
        return [one.finished_at or one.asked_at for one in await self._vault.erasure.receipts()]

    def _names(self) -> dict[str, str]:
        names = {}
        for familiar in self._profile.familiars():
            try:
                names[str(familiar)] = self._profile.card(familiar).name
            except FamiliarError:
                # Its file is backed up as it is; only its name cannot be told.
                names[str(familiar)] = str(familiar)
        return names

    def _show(self, part: float, progress: Report | None) -> None:
        self._tell(part=part)
        if progress is not None:
            progress(part)

    def _tell(self, **changes: object) -> None:
        changed = replace(self.state, **changes)  # type: ignore[arg-type]
        if changed != self.state:
            self.state = changed
            for listener in list(self._listeners):
                listener(changed)
