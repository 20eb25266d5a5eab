"""Reads the beginning of a vault before anything of it is written: what is damaged or too new is refused here."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.text import tr
from familiar_app.store import schema
from familiar_app.store.connection import PAGE_SIZE_BYTES, connect, take_back
from familiar_app.store.fault import DamagedVaultError, damaged, damaged_log, translated
from familiar_app.store.log_check import has_lost_commits

if TYPE_CHECKING:
    from sqlite3 import Connection

log = logging.getLogger(__name__)


def probe(path: Path, key: bytes, keys_belong: bool, read_only: bool, *, known: int) -> bool:
    """Read the first pages. Returns whether the file must be opened as immutable.

    A change that was cut off before the database had its log of changes is taken back first: a copy that has just taken
    the place of a vault gets its log by such a change.

    `keys_belong` tells whether the key file says that it is this database's; `known` is the newest schema.
    """
    wal = path.with_name(path.name + "-wal")
    had_log = wal.exists()
    try:
        if not read_only and path.with_name(f"{path.name}-journal").exists():
            take_back(path, key)
        connection, immutable = _connect_to_read(path, key, may_be_immutable=read_only and not had_log)
        try:
            with translated(path):
                schema.refuse_newer(schema.version_of(connection), known=known)
                connection.execute("SELECT sql FROM sqlite_master").fetchall()
                if not had_log:
                    _refuse_cut_off(connection, path)
                elif not read_only and has_lost_commits(path, PAGE_SIZE_BYTES):
                    raise damaged_log(path)
        finally:
            connection.close()
    except DamagedVaultError as error:
        if not keys_belong:
            raise OutsideError(
                tr(
                    "{file} is not the vault that vault.keys belongs to, or its beginning is damaged. "
                    "Nothing was changed.",
                    file=path.name,
                ),
                tr("Put the right pair of files together, or restore both from one backup."),
            ) from error
        raise
    finally:
        if not read_only and not had_log:
            _remove_empty_log(path)
    return immutable


def _remove_empty_log(path: Path) -> None:
    """Remove the empty log that a reading connection leaves behind; under the lock nobody else can be using it."""
    try:
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
    except OSError as error:
        # It says nothing, so it may stay; what the disk refuses is told of at the first write.
        log.warning("an empty log of changes could not be removed: %s", type(error).__name__)


def _refuse_cut_off(connection: Connection, path: Path) -> None:
    """Raise DamagedVaultError where the file is shorter than it says; SQLite takes a part of a page for a page."""
    pages = int(connection.execute("PRAGMA page_count").fetchone()[0])
    if path.stat().st_size < pages * PAGE_SIZE_BYTES:
        raise damaged(path, tr("its end is missing"))


def _connect_to_read(path: Path, key: bytes, *, may_be_immutable: bool) -> tuple[Connection, bool]:
    """Return a reading connection, and whether it takes the file as immutable."""
    try:
        return connect(path, key, read_only=True), False
    except DamagedVaultError:
        raise
    except OutsideError:
        # A folder that cannot be written has no room for the shared-memory file of the write-ahead log.
        if not may_be_immutable:
            raise
        return connect(path, key, immutable=True), True
