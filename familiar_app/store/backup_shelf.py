"""The folders in which a profile's backups lie: what is there, a free name for the next, and what may go."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from familiar_app.domain.backup import BackupMark, KeepRule, backup_name, holds_erased_before, mark_of, outdated
from familiar_app.domain.settings import BackupSettings
from familiar_app.store.fault import translated
from familiar_app.store.profile_swap import kept_folders

log = logging.getLogger(__name__)
FOLDER = "backups"


@dataclass(frozen=True, slots=True)
class KeptBackup:
    """A backup of the shelf. It was checked when it was made: an unfinished one has another name."""

    path: Path
    mark: BackupMark
    size_bytes: int


class BackupShelf:
    """The backups of the profile in `root`. Methods block briefly."""

    def __init__(self, root: Path, settings: BackupSettings) -> None:
        self._root = root
        self.folder = root / Path(settings.folder).expanduser()
        # Copies made before an upgrade lie in the profile, since they are made before any setting is read.
        self._folders = dict.fromkeys((self.folder, root / FOLDER))
        self.rule = KeepRule(settings.keep_daily, settings.keep_weekly, settings.keep_monthly)

    def listed(self) -> list[KeptBackup]:
        """Return every backup, the newest first. Raises OutsideError where a folder cannot be read."""
        found = []
        for folder in self._folders:
            if not folder.is_dir():
                continue
            with translated(folder):
                for path in folder.iterdir():
                    mark = mark_of(path.name)
                    if mark is not None and path.is_file():
                        found.append(KeptBackup(path, mark, path.stat().st_size))
        return sorted(found, key=lambda one: (one.mark.made_at, one.path.name), reverse=True)

    def place_for(self, mark: BackupMark) -> Path:
        """Return a path that is free, in a folder that exists."""
        if self.folder == self._root / FOLDER:
            with translated(self.folder):
                self.folder.mkdir(mode=0o700, exist_ok=True)
        return free_place(self.folder, mark)

    def tidy(self, now: datetime, erasures: Sequence[datetime]) -> list[Path]:
        """Remove what may go by the rule, what was never finished, and old folders that hold what was erased."""
        listed = self.listed()
        going = outdated((one.mark for one in listed), now, self.rule, erasures)
        removed = []
        for one in listed:
            if one.mark in going:
                with translated(one.path):
                    one.path.unlink(missing_ok=True)
                removed.append(one.path)
        for folder in self._folders:
            for path in folder.glob(".familiar-*.backup.writing"):
                with translated(path):
                    path.unlink(missing_ok=True)
        removed += self._remove_kept(holds_erased_before(erasures, now))
        if removed:
            log.info("%d old backups were removed", len(removed))
        return removed

    def _remove_kept(self, limit: datetime | None) -> list[Path]:
        """Remove vaults that were set aside before the limit."""
        going = [path for at, path in kept_folders(self._root) if limit is not None and at < limit]
        for path in going:
            with translated(path):
                shutil.rmtree(path)
        return going


def free_place(folder: Path, mark: BackupMark) -> Path:
    """Return the path for a backup of this mark that no other has."""
    number = 1
    while (folder / backup_name(mark, number)).exists():
        number += 1
    return folder / backup_name(mark, number)
