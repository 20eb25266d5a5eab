"""Writes every row of a vault again into a new file, under a new data key or the same, which takes the old one's place.

Until that moment the old pair of files is untouched; after it, the new key file is recognised by the salt of the new
database even if the program is killed between the two renames (see `vault_file`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.text import tr
from familiar_app.store import schema
from familiar_app.store.connection import connect
from familiar_app.store.fault import translated
from familiar_app.store.file_mode import make_private
from familiar_app.store.keys import KdfCost, KeyFile, Way, new_data_key
from familiar_app.store.vault_file import fresh_path, keys_path, new_keys_path, read_head
from familiar_app.store.written_file import sync_file, sync_folder

if TYPE_CHECKING:
    from sqlite3 import Connection

# How many steps of the database's machine lie between two reports.
_STEPS_PER_REPORT = 20_000


@dataclass(frozen=True, slots=True)
class FreshCopy:
    """A complete copy under a new key, not yet in place."""

    data_key: bytes
    keys: KeyFile


def write_fresh_copy(
    connection: Connection,
    path: Path,
    old: KeyFile,
    ways: dict[Way, str],
    cost: KdfCost,
    report: Callable[[float], None],
) -> FreshCopy:
    """Write everything `connection` holds under a new data key, check it, and put its key file beside it."""
    data_key = new_data_key()
    with translated(path):
        fresh = fresh_path(path)
        try:
            _export(connection, fresh, data_key, report)
            _check(connection, fresh, data_key)
            sync_file(fresh)
            keys = KeyFile.new(data_key, read_head(fresh), ways, cost, vault=old.vault)
            keys.write(new_keys_path(path))
        except BaseException:
            fresh_path(path)
            raise
    return FreshCopy(data_key, keys)


def write_compact_copy(
    connection: Connection, path: Path, keys: KeyFile, data_key: bytes, report: Callable[[float], None]
) -> FreshCopy:
    """Write everything `connection` holds once more under the same keys, without unused room. Else as the other."""
    with translated(path):
        fresh = fresh_path(path)
        try:
            _export(connection, fresh, data_key, report)
            _check(connection, fresh, data_key)
            sync_file(fresh)
            same = keys.for_database(read_head(fresh))
            same.write(new_keys_path(path))
        except BaseException:
            fresh_path(path)
            raise
    return FreshCopy(data_key, same)


def put_in_place(path: Path) -> None:
    """Move the fresh copy over the vault. No connection may be open, and its write-ahead log must be empty."""
    with translated(path):
        for suffix in ("-wal", "-shm", "-journal"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        fresh_path(path, clean=False).replace(path)
        sync_folder(path.parent)
        new_keys_path(path).replace(keys_path(path))
        sync_folder(path.parent)


def _export(connection: Connection, fresh: Path, data_key: bytes, report: Callable[[float], None]) -> None:
    pages = max(1, int(connection.execute("PRAGMA page_count").fetchone()[0]))
    page_size = int(connection.execute("PRAGMA page_size").fetchone()[0])

    def show() -> int:
        report(min(0.95, fresh.stat().st_size / (pages * page_size)) if fresh.exists() else 0.0)
        return 0

    make_private(fresh)
    connection.execute("ATTACH DATABASE ? AS fresh KEY ?", (str(fresh), f"x'{data_key.hex()}'"))
    try:
        connection.set_progress_handler(show, _STEPS_PER_REPORT)
        connection.execute("SELECT sqlcipher_export('fresh')").fetchall()
        connection.execute(f"PRAGMA fresh.user_version = {schema.version_of(connection)}")
    finally:
        connection.set_progress_handler(None, 0)
        connection.execute("DETACH DATABASE fresh")


def _check(connection: Connection, fresh: Path, data_key: bytes) -> None:
    """Make sure that the copy is whole and has as many rows in every table."""
    copy = connect(fresh, data_key, immutable=True)
    try:
        whole = not copy.execute("PRAGMA cipher_integrity_check").fetchall()
        if not whole or schema.version_of(copy) != schema.version_of(connection) or _sizes(copy) != _sizes(connection):
            raise OutsideError(
                tr("The new copy is not the same as the vault. Nothing was changed."),
                tr("Check the disk, then try again."),
                retryable=True,
            )
    finally:
        copy.close()


def _sizes(connection: Connection) -> dict[str, int]:
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    return {name: int(connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]) for name in names}
