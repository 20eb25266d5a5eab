"""Turns what the database driver and the file system raise into the program's own errors, in one place.

Every fault gets its own sentence and a next step, so that a person can tell a typing mistake from a dying disk.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlcipher3 import dbapi2

from familiar_app.domain.errors import BadInputError, BugError, FamiliarError, LockedError, OutsideError, UserError
from familiar_app.domain.text import tr

# Primary result codes of SQLite (https://sqlite.org/rescode.html); the driver may report extended ones above 255.
_ERROR, _PERM, _BUSY, _LOCKED, _NOMEM, _READONLY = 1, 3, 5, 6, 7, 8
_IOERR, _CORRUPT, _FULL, _CANTOPEN, _TOOBIG, _CONSTRAINT, _NOTADB = 10, 11, 13, 14, 18, 19, 26
# Functions such as `sqlcipher_export`, and copying by steps, hand on the words of a fault, but not its code.
_CODE_OF_WORDS = {
    "database or disk is full": _FULL,
    "database disk image is malformed": _CORRUPT,
    "file is not a database": _NOTADB,
    "disk I/O error": _IOERR,
    "out of memory": _NOMEM,
    "attempt to write a readonly database": _READONLY,
    "unable to open database file": _CANTOPEN,
}
DAMAGE_CODES = frozenset({_CORRUPT, _NOTADB})

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NO_ACCESS = {errno.EACCES, errno.EPERM, errno.EROFS}
_LEAST_ROOM_BYTES = 64 * 1024
"""What opening a vault takes. Where it is not there, SQLite tells of a disk that fails."""


class DamagedVaultError(OutsideError):
    """Part of the database file is not what was written. Nothing is written after this was seen."""


class VaultInUseError(LockedError):
    """Another process has the vault open for writing. It may still be read."""


def primary_code(error: BaseException) -> int:
    """Return SQLite's primary result code of a driver error, 0 where there is none."""
    return int(getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def translate(error: Exception, path: Path) -> FamiliarError:
    """Return the program's error for what the driver or the file system raised while using `path`."""
    if isinstance(error, FamiliarError):
        return error
    if isinstance(error, OSError):
        return _from_system(error, path)
    if isinstance(error, MemoryError):
        return OutsideError(
            tr("There is not enough free memory."), tr("Close other programs and try again."), retryable=True
        )
    if isinstance(error, UnicodeError):
        return BadInputError(tr("a text holds characters that are not valid Unicode."), next_step=tr("Remove them."))
    if isinstance(error, OverflowError):
        return BadInputError(tr("a number is too large to be stored."))
    if isinstance(error, dbapi2.Error):
        return _from_driver(error, path)
    return BugError(f"The vault met an unexpected {type(error).__name__}.")


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Let only the program's own errors out of the block."""
    try:
        yield
    except (OSError, MemoryError, UnicodeError, OverflowError, dbapi2.Error) as error:
        raise translate(error, path) from error


def damaged(path: Path, detail: str = "") -> DamagedVaultError:
    """Return the error for a page that fails its authentication or holds what SQLite cannot read."""
    what = f" ({detail})" if detail else ""
    return DamagedVaultError(
        tr(
            "The vault {file} is damaged{what}: part of it is not what was written. Nothing was changed.",
            file=path.name,
            what=what,
        ),
        tr("Copy the folder somewhere safe, run `familiar verify`, and restore a backup where it finds problems."),
    )


def damaged_log(path: Path) -> DamagedVaultError:
    """Return the error for a log of changes out of which stored changes cannot be read any more."""
    return DamagedVaultError(
        tr(
            "The log of changes beside {file} is damaged: what was stored last before the "
            "program ended, without closing the vault, cannot be read. Nothing was changed.",
            file=path.name,
        ),
        tr(
            "Copy the folder somewhere safe. Then run `familiar salvage`, which brings over what "
            "can be read, or restore a backup."
        ),
    )


def disk_full(path: Path) -> OutsideError:
    """Return the error for a device or quota that has no room left."""
    return OutsideError(
        tr("There is no room left on the disk that holds {folder}; this change was not stored.", folder=path.parent),
        tr("Free some space and try again. What was stored before is safe."),
        retryable=True,
    )


def unwritable(path: Path) -> OutsideError:
    """Return the error for a folder or file that may be read but not written."""
    return OutsideError(
        tr("The folder {folder} cannot be written to.", folder=path.parent),
        tr("Give yourself write permission there, or choose another folder with --profile-dir."),
    )


def not_removed(path: Path, error: OSError) -> OutsideError:
    """Return the error for what an erasure could not take away yet."""
    return OutsideError(
        tr("{path} could not be removed: {reason}.", path=path, reason=error.strerror or type(error).__name__),
        tr("Close other programs that use it. It is tried again when Familiar starts."),
        retryable=True,
    )


def _is_full(path: Path) -> bool:
    with suppress(OSError):  # Whoever cannot be asked has another trouble.
        return shutil.disk_usage(path.parent).free < _LEAST_ROOM_BYTES
    return False


def _from_system(error: OSError, path: Path) -> FamiliarError:
    if error.errno in _NO_SPACE:
        return disk_full(path)
    if error.errno in _NO_ACCESS:
        return _unreadable(error) or unwritable(path)
    culprit = Path(error.filename) if isinstance(error.filename, str) else path
    if error.errno == errno.ENOENT:
        return UserError(tr("{path} does not exist.", path=culprit), tr("Check the folder given with --profile-dir."))
    return OutsideError(
        tr(
            "The disk refused to read or write {file} ({reason}).",
            file=culprit.name,
            reason=error.strerror or type(error).__name__,
        ),
        tr("Check the disk, then try again."),
        retryable=True,
    )


def _unreadable(error: OSError) -> OutsideError | None:
    """Return the error for something that is there but may not be read; None where that is not the trouble."""
    if not isinstance(error.filename, str):
        return None
    refused = Path(error.filename)
    if not os.path.lexists(refused) or os.access(refused, os.R_OK):
        return None
    return OutsideError(
        tr("{file} in {folder} may not be read.", file=refused.name, folder=refused.parent),
        tr("Give yourself permission to read and write it, then try again."),
    )


def _from_driver(error: Exception, path: Path) -> FamiliarError:
    code = primary_code(error)
    if code in (0, _ERROR):
        code = _CODE_OF_WORDS.get(str(error), code)
    if code in DAMAGE_CODES:
        return damaged(path)
    if code == _FULL or (code == _IOERR and _is_full(path)):
        return disk_full(path)
    if code in (_READONLY, _PERM):
        return unwritable(path)
    if code == _CANTOPEN:
        return OutsideError(
            tr("{file} or one of the files beside it cannot be opened.", file=path.name),
            tr("Check that {folder} exists and that you may read and write it.", folder=path.parent),
        )
    if code in (_BUSY, _LOCKED):
        return in_use(path)
    if code == _IOERR:
        return OutsideError(
            tr("The disk failed while {file} was being read or written; this change was not stored.", file=path.name),
            tr("Check the disk and its free space, then try again."),
            retryable=True,
        )
    if code == _NOMEM:
        return OutsideError(
            tr("There is not enough free memory."), tr("Close other programs and try again."), retryable=True
        )
    if code == _TOOBIG:
        return BadInputError(tr("a text is too large to be stored."), next_step=tr("Shorten it."))
    if code == _CONSTRAINT:
        return BugError(f"A rule of the vault refused a change ({getattr(error, 'sqlite_errorname', 'constraint')}).")
    return BugError(f"The database refused a statement ({getattr(error, 'sqlite_errorname', None) or 'unknown'}).")


def in_use(path: Path) -> VaultInUseError:
    """Return the error for a vault that another process has open for writing."""
    return VaultInUseError(
        tr("The vault in {folder} is in use by another running Familiar.", folder=path.parent),
        tr("Close the other one, then try again."),
    )
