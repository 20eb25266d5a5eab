"""Makes a backup of an open vault while it goes on being used, and checks it before it gets its name.

The database is copied in small steps out of one state of it, so nothing that is written meanwhile waits or comes in by
half. Schedules and old backups are the part of `backup_shelf`, going back to one that of `restore`.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from familiar_app import __version__
from familiar_app.domain.amount import size_text
from familiar_app.domain.backup import BackupCause
from familiar_app.domain.errors import OutsideError, StoppedByUserError, UserError
from familiar_app.domain.text import ntr, number, tr
from familiar_app.store import schema
from familiar_app.store.backup_file import BackupContents, ProfileFile, SealedBackup, append_contents, damaged_backup
from familiar_app.store.connection import PAGE_SIZE_BYTES, connect, connect_copy
from familiar_app.store.engine import Engine
from familiar_app.store.fault import translated
from familiar_app.store.file_mode import make_private
from familiar_app.store.keys import KeyFile
from familiar_app.store.page_check import damaged_pages
from familiar_app.store.written_file import sync_folder

if TYPE_CHECKING:
    from sqlite3 import Connection

Report = Callable[[float], None]

STEP_PAGES = 256
_COPYING, _CHECKING = 0.6, 0.4
SPARE_BYTES = 16 * 1024 * 1024
_COUNTED = {
    "turns": "SELECT count(*) FROM turns WHERE shown = 1",
    "facts": "SELECT count(*) FROM facts",
    "memories": "SELECT count(*) FROM saved_memories",
    "people": "SELECT count(*) FROM people",
    "channels": "SELECT count(*) FROM channels",
}
_PARTS = ("familiars", "lorebooks")


@dataclass(slots=True)
class BackupWish:
    """What is to be backed up, where to and why. `stop` ends it before its time; nothing is left then."""

    target: Path
    cause: BackupCause
    made_at: datetime
    profile: Path
    familiars: dict[str, str] = field(default_factory=dict)
    stop: threading.Event = field(default_factory=threading.Event)


class Backups:
    """Backups of one open vault."""

    def __init__(self, engine: Engine, keys: Callable[[], KeyFile], data_key: Callable[[], bytes]) -> None:
        self._engine, self._keys, self._data_key = engine, keys, data_key
        self._running: set[threading.Event] = set()

    async def make(self, wish: BackupWish, progress: Report | None = None) -> BackupContents:
        """Write the backup and check it; only then is there a file of that name.

        Raises UserError where a file of that name exists, OutsideError where the disk fails or the copy is not good,
        StoppedByUserError where it was ended. Either way nothing is left of it.
        """
        report = on_this_loop(progress)
        keys, data_key = self._keys(), self._data_key()
        self._running.add(wish.stop)
        making = asyncio.ensure_future(self._make(wish, keys, data_key, report))
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            wish.stop.set()
            await asyncio.wait([making])
            if not making.cancelled():
                making.exception()  # that it was stopped is no news
            raise
        finally:
            self._running.discard(wish.stop)

    def stop(self) -> None:
        """End whatever is being made, at the next step."""
        for stop in self._running:
            stop.set()

    async def _make(self, wish: BackupWish, keys: KeyFile, data_key: bytes, report: Report) -> BackupContents:
        contents = await self._engine.read(lambda connection: copy_database(connection, data_key, wish, keys, report))
        return await asyncio.to_thread(finish_backup, wish, keys, data_key, contents, report)


def copy_database(
    connection: Connection, data_key: bytes, wish: BackupWish, keys: KeyFile, report: Report
) -> BackupContents:
    """Copy the state that `connection` sees into the unfinished file of `wish`, and count what is in it."""
    if os.path.lexists(wish.target):
        raise UserError(
            tr("{path} exists already; it was left as it is.", path=wish.target), tr("Choose another name.")
        )
    writing = _writing(wish.target)
    with translated(wish.target):
        pages = int(connection.execute("PRAGMA page_count").fetchone()[0])
        refuse_without_room(wish.target.parent, pages * PAGE_SIZE_BYTES + SPARE_BYTES)
        counts = {kind: int(connection.execute(query).fetchone()[0]) for kind, query in counted(connection).items()}
        writing.unlink(missing_ok=True)
        try:
            make_private(writing)
            _copy_pages(connection, writing, data_key, wish.stop, report)
        except BaseException:
            writing.unlink(missing_ok=True)
            raise
    version = schema.version_of(connection)
    return BackupContents(
        wish.made_at, wish.cause, __version__, version, keys.vault, pages, counts, dict(wish.familiars)
    )


def finish_backup(
    wish: BackupWish, keys: KeyFile, data_key: bytes, contents: BackupContents, report: Report
) -> BackupContents:
    """Put the profile's files behind the copied database, check all of it, and give the file its name."""
    writing = _writing(wish.target)
    with translated(wish.target):
        try:
            append_contents(writing, data_key, keys, contents, profile_files(wish.profile))
            found = check_backup(writing, data_key, lambda part: report(_COPYING + part * _CHECKING), wish.stop)
            if found.counts != contents.counts:
                raise OutsideError(
                    tr("The backup does not hold what the vault holds; it was thrown away."), tr("Try again.")
                )
            _take_name(writing, wish.target)
        except BaseException:
            writing.unlink(missing_ok=True)
            raise
    report(1.0)
    return found


def check_backup(path: Path, data_key: bytes, report: Report, stop: threading.Event | None = None) -> BackupContents:
    """Read every page and every file of a backup. Returns its contents; raises BadInputError for a damaged one."""
    sealed = SealedBackup(path)
    contents = sealed.open(data_key)
    for file in contents.files:
        sealed.read_file(data_key, file)
    connection = connect(path, data_key, immutable=True)
    try:
        bad = damaged_pages(connection, path, report=report, stop=stop, pages=contents.pages)
        if bad or schema.version_of(connection) != contents.schema:
            raise damaged_backup(
                path,
                ntr("{n} of its pages is not what was written", "{n} of its pages are not what was written", len(bad)),
            )
        for kind, query in counted(connection).items():
            if int(connection.execute(query).fetchone()[0]) != contents.counts.get(kind):
                raise damaged_backup(path, tr("the number of its {kind} is another than it says", kind=kind))
    finally:
        connection.close()
    return contents


def counted(connection: Connection) -> dict[str, str]:
    """Return the queries that count what a vault of any age holds, by kind."""
    known = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return {kind: query for kind, query in _COUNTED.items() if query.split(" FROM ")[1].split()[0] in known}


def profile_files(root: Path) -> Iterator[ProfileFile]:
    """Give every file of the profile that people write: settings, characters, lorebooks. Links are passed over."""
    settings = root / "settings.toml"
    if settings.is_file() and not settings.is_symlink():
        yield ProfileFile("settings.toml", settings)
    for part in _PARTS:
        for folder, below, names in os.walk(root / part):
            below[:] = sorted(name for name in below if not name.startswith("."))
            for name in sorted(names):
                path = Path(folder, name)
                if not name.startswith(".") and not name.endswith(".writing") and not path.is_symlink():
                    yield ProfileFile(path.relative_to(root).as_posix(), path)


def refuse_without_room(folder: Path, needed_bytes: int) -> None:
    """Raise OutsideError where the disk of `folder` has less room than that."""
    if not folder.is_dir():
        raise UserError(tr("There is no folder {folder}.", folder=folder), tr("Make it, or choose another one."))
    free = shutil.disk_usage(folder).free
    if free < needed_bytes:
        raise OutsideError(
            tr(
                "There is too little room in {folder}: this takes {needed}, and {free} are free. Nothing was changed.",
                folder=folder,
                needed=megabytes(needed_bytes),
                free=size_text(free),
            ),
            tr("Free some space, or choose a folder on another disk."),
            retryable=True,
        )


def megabytes(size_bytes: int) -> str:
    """Write a size in whole megabytes, at least one."""
    return f"{number(max(1, round(size_bytes / 1_000_000)))} MB"


def on_this_loop(progress: Report | None) -> Report:
    """Return a callback for other threads that reports on the present loop."""
    loop = asyncio.get_running_loop()

    def report(done: float) -> None:
        if progress is not None and not loop.is_closed():
            loop.call_soon_threadsafe(progress, done)

    return report


def refuse_stopped(stop: threading.Event | None) -> None:
    """Raise StoppedByUserError where the work is to end."""
    if stop is not None and stop.is_set():
        raise StoppedByUserError(tr("It was stopped before it was complete. Nothing was changed."))


def _copy_pages(connection: Connection, writing: Path, data_key: bytes, stop: threading.Event, report: Report) -> None:
    copy = connect_copy(writing, data_key)

    def step(_status: int, remaining: int, total: int) -> None:
        refuse_stopped(stop)
        report(_COPYING * (1 - remaining / max(1, total)))

    try:
        connection.backup(copy, pages=STEP_PAGES, progress=step, sleep=0)
    finally:
        copy.close()


def _writing(target: Path) -> Path:
    return target.with_name(f".{target.name}.writing")


def _take_name(writing: Path, target: Path) -> None:
    """Give the file its name without ever taking that of another."""
    try:
        os.link(writing, target)
    except FileExistsError as error:
        raise UserError(
            tr("{path} exists already; it was left as it is.", path=target), tr("Choose another name.")
        ) from error
    except OSError:
        # Some file systems have no links; there the moment between looking and renaming has to do.
        if os.path.lexists(target):
            raise UserError(
                tr("{path} exists already; it was left as it is.", path=target), tr("Choose another name.")
            ) from None
        writing.rename(target)
    else:
        writing.unlink()
    sync_folder(target.parent)
