"""Advisory locks on files, above all on a vault, held by the system so that a killed process leaves none behind."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from familiar_app.domain.errors import FamiliarError, LockedError
from familiar_app.store.fault import in_use, translated

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class FileLock:
    """Held from construction until `release`. The file itself stays, empty: removing it would invite a race."""

    def __init__(self, path: Path, taken: FamiliarError) -> None:
        """Take the lock at `path`. Raises `taken` where another process has it."""
        with translated(path):
            self._descriptor: int | None = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _take(self._descriptor)
        except OSError as error:
            self.release()
            raise taken from error

    def release(self) -> None:
        """Give the lock back. May be called twice."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


class VaultLock(FileLock):
    """The lock of one vault."""

    def __init__(self, vault_path: Path) -> None:
        """Take the lock of the vault at `vault_path`. Raises LockedError where another process has it."""
        super().__init__(vault_path.with_name("vault.lock"), in_use(vault_path))


def complete_alone(root: Path, cut_off: Callable[[], bool], complete: Callable[[], bool]) -> bool:
    """Complete what an end in the middle has left in the profile in `root`. Returns what `complete` does, else False.

    Does nothing where nothing is `cut_off`, or another process holds the vault: then it is at it. Blocks.
    """
    try:
        if not cut_off():
            return False
    except OSError:
        return False  # A folder that may not be looked into is told of by whoever needs it.
    try:
        lock = VaultLock(root / "vault.db")
    except LockedError:
        return False
    try:
        # Whoever held the vault a moment ago may have completed it.
        return cut_off() and complete()
    finally:
        lock.release()
