"""The page of backups without Qt: what is listed, what is under way, what was found."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from familiar_app.domain.text import tr
from familiar_app.store.backup import megabytes
from familiar_app.store.backup_keeper import BackupState
from familiar_app.store.backup_shelf import KeptBackup
from familiar_app.store.verify import Problem, advised
from familiar_app.ui.kit.watch import Watched

if TYPE_CHECKING:
    from familiar_app.services import Services

Work = Literal["", "backup", "verify", "vacuum"]


class BackupsModel(Watched):
    """Tells `list`, `state` and `work`."""

    def __init__(self, services: Services, zone: tzinfo | None) -> None:
        super().__init__()
        self._services, self.zone = services, zone
        self.rows: Sequence[KeptBackup] = ()
        self.folder: Path | None = None
        self.loaded = False
        self.work: Work = ""
        self.part = 0.0
        self.problems: Sequence[Problem] | None = None
        self.said = ""
        self._stop = services.backups.listen(self._heard)

    @property
    def state(self) -> BackupState:
        """How backups stand."""
        return self._services.backups.state

    def now(self) -> datetime:
        """Return the present instant."""
        return self._services.clock.now()

    async def load(self) -> None:
        """Read the list anew."""
        self.folder = (await self._services.backups.shelf()).folder
        self.rows = await self._services.backups.listed()
        self.loaded = True
        self.tell("list")

    async def make(self, target: Path | None = None) -> None:
        """Make a backup on the shelf, or in a file of its own."""
        self.said = ""
        path, _contents = await self._services.backups.make("asked", target)
        self.said = tr("The backup is written and checked: {name}.", name=path.name)
        await self.load()

    async def verify(self) -> None:
        """Check the vault."""
        self.problems = None
        await self._at("verify", self._verify())

    async def vacuum(self) -> None:
        """Give back unused room."""
        await self._at("vacuum", self._vacuum())

    def close(self) -> None:
        """Listen no more."""
        self._stop()

    async def _verify(self) -> None:
        found = await self._services.vault.verify(self._show)
        newest = self.rows[0].path if self.rows else None
        self.problems = advised(found, newest)

    async def _vacuum(self) -> None:
        before, after = await self._services.vault.vacuum(self._show)
        sizes = {"before": megabytes(before), "after": megabytes(after)}
        self.said = tr("The vault took {before} and takes {after} now.", **sizes)

    async def _at(self, work: Work, running) -> None:
        self.work, self.part, self.said = work, 0.0, ""
        self.tell("work")
        try:
            await running
        finally:
            self.work = ""
            self.tell("work")

    def _show(self, part: float) -> None:
        self.part = part
        self.tell("work")

    def _heard(self, _state: BackupState) -> None:
        self.tell("state")
