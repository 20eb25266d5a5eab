"""Makes, opens and upgrades the files of a vault, in the calling thread: the blocking half of `vault`.

A vault is `vault.db` with `vault.keys` beside it. A half-made pair has the suffix `.new`; since the key file names
the salt at the start of its database, an interrupted change of keys is recognised and finished or dropped.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from familiar_app.domain.backup import BackupMark
from familiar_app.domain.errors import LockedError, OutsideError, UserError
from familiar_app.domain.text import tr
from familiar_app.store import schema
from familiar_app.store.backup import BackupWish, copy_database, finish_backup
from familiar_app.store.backup_shelf import FOLDER, free_place
from familiar_app.store.connection import PAGE_SIZE_BYTES, SALT_SIZE_BYTES, connect
from familiar_app.store.engine import Engine
from familiar_app.store.fault import translated
from familiar_app.store.file_mode import close_to_others, make_private
from familiar_app.store.keys import DEFAULT_COST, KdfCost, KeyFile, Way, new_data_key, wipe
from familiar_app.store.lock import VaultLock
from familiar_app.store.vault_probe import probe
from familiar_app.store.written_file import sync_file, sync_folder

if TYPE_CHECKING:
    from sqlite3 import Connection

_PLAIN_HEADER = b"SQLite format 3\x00"


@dataclass(slots=True)
class OpenedVault:
    """What stays open behind a vault. `lock` is None for one that is only read; the key is gone once it is closed."""

    path: Path
    keys: KeyFile
    data_key: bytearray
    engine: Engine
    lock: VaultLock | None

    def close(self) -> None:
        """Close the database, then give the lock back. Blocks; may be repeated."""
        try:
            self.engine.close()
        finally:
            wipe(self.data_key)
            if self.lock is not None:
                self.lock.release()


def keys_path(path: Path) -> Path:
    """Return where the key file of the vault at `path` lies."""
    return path.with_suffix(".keys")


def new_keys_path(path: Path) -> Path:
    """Return where the key file lies of a database that has not yet taken the place of the one at `path`."""
    return path.with_suffix(".keys.new")


def create_vault(path: Path, ways: dict[Way, str], cost: KdfCost = DEFAULT_COST) -> OpenedVault:
    """Make an empty vault. Raises UserError where one is there already; that one is left alone."""
    with translated(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    lock = VaultLock(path)
    try:
        if os.path.lexists(path):
            raise UserError(
                tr("There is already a vault in {folder}.", folder=path.parent),
                tr("Open it, or choose another folder."),
            )
        data_key = new_data_key()
        with translated(path):
            fresh = fresh_path(path)
            try:
                _write_database(fresh, data_key)
                file = KeyFile.new(data_key, read_head(fresh), ways, cost)
                _keep_orphaned_keys(path)
                file.write(keys_path(path))
                fresh.replace(path)
            except BaseException:
                fresh_path(path)
                raise
            sync_folder(path.parent)
        return OpenedVault(path, file, bytearray(data_key), Engine(path, data_key), lock)
    except BaseException:
        lock.release()
        raise


def take_back(opened: OpenedVault) -> None:
    """Close a vault that was made a moment ago, and remove its files."""
    opened.close()
    remove_vault(opened.path)


def remove_vault(path: Path) -> None:
    """Remove the files of a closed vault. The database goes first, so that no kill leaves one without its keys."""
    with translated(path):
        for file in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm"), keys_path(path)):
            file.unlink(missing_ok=True)


def open_vault(
    path: Path,
    *,
    way: Way | None = None,
    secret: str = "",
    data_key: bytes | None = None,
    read_only: bool = False,
    steps: Sequence[schema.Step] = schema.STEPS,
    keep_copy: bool = True,
) -> OpenedVault:
    """Open the vault at `path` by `secret` for `way`, or by its data key, and upgrade it where it is older.

    A backup is made before an upgrade unless `keep_copy` is off, for a vault that came out of one a moment ago.
    Nothing is written before the key has proved right and the first pages have been read.
    """
    head = read_head(path)
    lock = None if read_only else VaultLock(path)
    try:
        if lock is not None:
            _finish_interrupted_rekey(path, head)
            close_to_others(path)
        file = KeyFile.read(keys_path(path))
        key = _data_key(file, way, secret, data_key)
        immutable = probe(path, key, file.salt == head.hex(), read_only, known=len(steps))
        if lock is not None:
            _upgrade(path, key, file, steps, keep_copy)
        return OpenedVault(
            path, file, bytearray(key), Engine(path, key, read_only=read_only, immutable=immutable), lock
        )
    except BaseException:
        if lock is not None:
            lock.release()
        raise


def read_head(path: Path) -> bytes:
    """Return the salt at the start of a database. Raises where the file cannot be a vault at all."""
    _refuse_link(path)
    if not path.exists():
        raise UserError(
            tr("There is no vault in {folder}.", folder=path.parent),
            tr("Make one with `familiar init`, or check the folder."),
        )
    if not path.is_file():
        raise OutsideError(
            tr("{file} is no file, so it is not a vault.", file=path.name),
            tr("Move it away, or choose another folder."),
        )
    with translated(path), path.open("rb") as stream:
        head = stream.read(SALT_SIZE_BYTES)
        size_bytes = stream.seek(0, 2)
    if head == _PLAIN_HEADER:
        raise OutsideError(
            tr("{file} is an unencrypted SQLite database, not a vault. It was not touched.", file=path.name),
            tr("Move it away, or choose another folder."),
        )
    if size_bytes == 0:
        raise OutsideError(
            tr("{file} is empty: it is not a vault, or it was cut off.", file=path.name),
            tr("Restore it from a backup."),
        )
    if size_bytes < PAGE_SIZE_BYTES:
        raise OutsideError(
            tr("{file} is too short to be a vault, or it was cut off.", file=path.name), tr("Restore it from a backup.")
        )
    return head


def _refuse_link(path: Path) -> None:
    """Raise OutsideError where a file of the vault is a link: its lock, log and keys would lie in another folder."""
    for file in (path, keys_path(path)):
        if file.is_symlink():
            raise OutsideError(
                tr(
                    "{file} in {folder} is a link to another place. It was not touched.",
                    file=file.name,
                    folder=path.parent,
                ),
                tr(
                    "Keep the vault's files together in one folder, and link to that folder (or name it "
                    "with --profile-dir). Where the link leads nowhere, connect the disk that it leads "
                    "to."
                ),
            )


def _write_database(target: Path, data_key: bytes) -> None:
    """Make an empty database of the newest schema at `target`, wholly on the disk."""
    make_private(target)
    connection = connect(target, data_key)
    try:
        schema.upgrade(connection)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        connection.close()
    sync_file(target)


def fresh_path(path: Path, *, clean: bool = True) -> Path:
    """Return the path for a database being made; with `clean`, leftovers of an earlier attempt are removed."""
    fresh = path.with_name(path.name + ".new")
    for suffix in ("", "-wal", "-shm", "-journal") if clean else ():
        fresh.with_name(fresh.name + suffix).unlink(missing_ok=True)
    return fresh


def _keep_orphaned_keys(path: Path) -> None:
    """Set aside a key file without a database: it may belong to a vault that was moved away."""
    keys = keys_path(path)
    number = 1
    while keys.exists():
        aside = keys.with_name(f"{keys.name}.old-{number}")
        if not aside.exists():
            keys.rename(aside)
        number += 1


def _finish_interrupted_rekey(path: Path, head: bytes) -> None:
    """Complete a change of data key that was cut off after the new database had taken its place."""
    new_keys = new_keys_path(path)
    with translated(path):
        if new_keys.exists():
            if _belongs(new_keys, head, unless=keys_path(path)):
                new_keys.replace(keys_path(path))
            else:
                new_keys.unlink()
        fresh_path(path)


def _belongs(new_keys: Path, head: bytes, *, unless: Path) -> bool:
    """Tell whether a key file belongs to the database that begins with `head`.

    One that cannot be read does not, where the file `unless` belongs to it; else the reason is raised.
    """
    try:
        return KeyFile.read(new_keys).salt == head.hex()
    except OutsideError:
        if unless.exists() and KeyFile.read(unless).salt == head.hex():
            return False
        raise


def _data_key(file: KeyFile, way: Way | None, secret: str, data_key: bytes | None) -> bytes:
    if way is not None:
        return file.unwrap(way, secret)
    if data_key is None or not file.accepts(data_key):
        raise LockedError(
            tr("The key kept on this computer does not fit this vault any more."), tr("Open it with the passphrase.")
        )
    return data_key


def _upgrade(path: Path, key: bytes, keys: KeyFile, steps: Sequence[schema.Step], keep_copy: bool) -> None:
    connection = connect(path, key)
    try:
        with translated(path):
            if schema.version_of(connection) < len(steps):
                if keep_copy:
                    _back_up_before_upgrade(connection, path, key, keys)
                schema.upgrade(connection, steps)
    finally:
        connection.close()


def _back_up_before_upgrade(connection: Connection, path: Path, key: bytes, keys: KeyFile) -> None:
    """Make a backup of the vault as it was, checked like any other."""
    folder = path.parent / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    now = datetime.now(UTC)
    wish = BackupWish(free_place(folder, BackupMark(now, "upgrade")), "upgrade", now, path.parent)
    contents = copy_database(connection, key, wish, keys, _silent)
    finish_backup(wish, keys, key, contents, _silent)


def _silent(_part: float) -> None:
    """Tell nobody how far it is."""
