"""Goes back to a backup: looks inside first, makes all of it ready beside the profile, and then exchanges the two.

What was there is set aside, never overwritten. Until everything new is complete, checked and on the disk, nothing is
changed; the exchange itself is the part of `profile_swap`. What has been erased since then is erased again by whoever
opens the new vault before the exchange.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.text import ntr, tr
from familiar_app.store import schema
from familiar_app.store.backup import Report, on_this_loop, refuse_without_room
from familiar_app.store.backup_file import BackupContents, SealedBackup, damaged_backup
from familiar_app.store.connection import connect
from familiar_app.store.fault import translated
from familiar_app.store.file_mode import make_private
from familiar_app.store.keys import KeyFile, Way
from familiar_app.store.lock import VaultLock
from familiar_app.store.page_check import damaged_pages
from familiar_app.store.profile_swap import CANON, COMING, VAULT_FILES, coming_folder, drop_coming, exchange
from familiar_app.store.vault_file import keys_path
from familiar_app.store.whole_erasure import finish_whole_erasure
from familiar_app.store.written_file import write_atomically

_CHUNK_BYTES = 1024 * 1024
_SPARE_BYTES = 16 * 1024 * 1024
_COPYING, _CHECKING = 0.5, 0.4


@dataclass(frozen=True, slots=True)
class Looked:
    """A backup that was opened: its contents, and the key that opens what it holds."""

    sealed: SealedBackup
    contents: BackupContents
    data_key: bytes


@dataclass(frozen=True, slots=True)
class Restored:
    """What became of it: what is there now, and where the old files lie (None where there were none)."""

    contents: BackupContents
    kept: Path | None


@dataclass(frozen=True, slots=True)
class Restoring:
    """What is wanted. `canon` brings back settings and characters too, else they stay as they are now.

    `before_exchange` gets the path of the new vault and its data key while the old one is still in place.
    """

    root: Path
    at: datetime
    canon: bool = True
    before_exchange: Callable[[Path, bytes], Awaitable[None]] | None = None


def look_inside(path: Path, way: Way, secret: str) -> Looked:
    """Open a backup with the passphrase or recovery code of its day, changing nothing. Blocks for a second.

    Raises UserError or BadInputError (no such file, not a backup, damaged), LockedError, OutsideError (newer).
    """
    sealed = SealedBackup(path)
    return look_with_key(sealed, sealed.keys.unwrap(way, secret))


def look_with_key(sealed: SealedBackup, data_key: bytes) -> Looked:
    """Open a backup with a data key that its key file accepts. Raises as `look_inside`."""
    contents = sealed.open(data_key)
    schema.refuse_newer(contents.schema)
    return Looked(sealed, contents, data_key)


async def restore(looked: Looked, wanted: Restoring, progress: Report | None = None) -> Restored:
    """Put a backup in the place of the profile's vault, which must be closed.

    Raises LockedError where the vault is open elsewhere, OutsideError where there is no room or the disk fails; then
    everything is as it was.
    """
    report = on_this_loop(progress)
    lock = await asyncio.to_thread(_lock, wanted.root)
    try:
        await asyncio.to_thread(_make_ready, looked, wanted, report)
        if wanted.before_exchange is not None:
            await wanted.before_exchange(wanted.root / COMING / "vault.db", looked.data_key)
        report(_COPYING + _CHECKING)
        leaving = [*VAULT_FILES, *(CANON if wanted.canon else ())]
        kept = await asyncio.to_thread(_exchange, wanted, leaving)
    except BaseException:
        await asyncio.to_thread(drop_coming, wanted.root)
        raise
    finally:
        lock.release()
    report(1.0)
    return Restored(looked.contents, kept)


def _lock(root: Path) -> VaultLock:
    with translated(root):
        root.mkdir(parents=True, exist_ok=True)
    finish_whole_erasure(root)
    return VaultLock(root / "vault.db")


def _exchange(wanted: Restoring, leaving: list[str]) -> Path | None:
    # Whoever had the new vault open leaves its lock behind; a log that could not be brought in comes along.
    for name in ("vault.lock", "vault.db-shm"):
        left = wanted.root / COMING / name
        with translated(left):
            left.unlink(missing_ok=True)
    return exchange(wanted.root, leaving, wanted.at, "restore")


def _make_ready(looked: Looked, wanted: Restoring, report: Report) -> None:
    """Write vault, keys and files into the folder of what comes, and check the pages."""
    sealed = looked.sealed
    size = sealed.path.stat().st_size
    refuse_without_room(wanted.root, size + _SPARE_BYTES)
    folder = coming_folder(wanted.root)
    with translated(folder):
        vault = folder / "vault.db"
        _copy_database(sealed, vault, report)
        write_atomically(keys_path(vault), sealed.keys.rendered(), private=True)
        for file in looked.contents.files if wanted.canon else ():
            place = folder.joinpath(*file.name.split("/"))
            place.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(place, sealed.read_file(looked.data_key, file))
    _check(vault, looked, report)


def _copy_database(sealed: SealedBackup, target: Path, report: Report) -> None:
    make_private(target)
    left = sealed.database_size
    with sealed.path.open("rb") as source, target.open("wb") as copy:
        while left > 0:
            chunk = source.read(min(_CHUNK_BYTES, left))
            if not chunk:
                raise damaged_backup(sealed.path, tr("its end is missing"))
            copy.write(chunk)
            left -= len(chunk)
            report(_COPYING * (1 - left / sealed.database_size))


def _check(vault: Path, looked: Looked, report: Report) -> None:
    try:
        connection = connect(vault, looked.data_key, immutable=True)
        try:
            bad = damaged_pages(connection, vault, report=lambda part: report(_COPYING + part * _CHECKING))
        finally:
            connection.close()
    except FamiliarError as error:
        raise damaged_backup(looked.sealed.path, tr("its database cannot be opened")) from error
    if bad:
        raise damaged_backup(
            looked.sealed.path,
            ntr("{n} of its pages is not what was written", "{n} of its pages are not what was written", len(bad)),
        )


def same_vault(root: Path, looked: Looked) -> bool:
    """Tell whether the vault that is there now opens with the key of a backup. False where its keys are unreadable."""
    try:
        return KeyFile.read(root / "vault.keys").accepts(looked.data_key)
    except FamiliarError:
        return False
