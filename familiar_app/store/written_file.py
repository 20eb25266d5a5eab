"""Writes small files so that a crash leaves the old contents or the new, never a part of either."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def write_atomically(path: Path, data: bytes, *, private: bool = False) -> None:
    """Write `data` beside `path`, force it to the disk and move it into place. `private` is for the owner's eyes only.

    Raises OSError; the file that was there is then untouched.
    """
    temporary = path.with_name(path.name + ".writing")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600 if private else 0o644)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Force a folder's entries to the disk, so that a rename survives a power cut. Windows does this by itself."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(path: Path) -> None:
    """Force a file's contents to the disk."""
    with path.open("rb+") as stream:
        os.fsync(stream.fileno())
