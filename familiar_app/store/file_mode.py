"""Keeps the files of a vault to their owner, on systems whose files have modes."""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path

log = logging.getLogger(__name__)


def make_private(target: Path) -> None:
    """Make an empty file that its owner alone may read; SQLite gives its logs the mode of their database."""
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT, 0o600))


def close_to_others(path: Path) -> None:
    """Take from everybody else what they may do with the files of an older vault. Systems without modes ignore it."""
    for file in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        try:
            mode = stat.S_IMODE(file.stat().st_mode)
            if mode & 0o077:
                file.chmod(mode & ~0o077)
        except FileNotFoundError:
            continue
        except OSError as error:
            # The file may belong to another account that shares the folder; everything in it is encrypted.
            log.warning("the mode of %s could not be changed: %s", file.name, type(error).__name__)
