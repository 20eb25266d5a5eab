"""A folder of the worker's own while a model is loaded. It goes again also where the process ends in the middle.

Its name holds the worker's process number, so that the parent can take it away for a worker that was killed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

_TRIES = 50
_PAUSE_S = 0.01

_in_use: set[str] = set()


@contextlib.contextmanager
def private_folder() -> Iterator[str]:
    """Work in a new folder that no other user may enter; a relative name also keeps a socket's path short."""
    before = os.getcwd()  # noqa: PTH109
    folder = tempfile.mkdtemp(prefix=_prefix(os.getpid()))
    _in_use.add(folder)
    os.chdir(folder)
    try:
        yield folder
    finally:
        os.chdir(before)
        remove_private_folders()


def remove_private_folders() -> None:
    """Remove what `private_folder` made in this process. May be called from any thread, and twice."""
    for folder in tuple(_in_use):
        _remove(Path(folder))
        _in_use.discard(folder)


def remove_folders_of(pid: int) -> None:
    """Remove what is left of a worker that has ended."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_prefix(pid)}*"):
        _remove(folder)


def _prefix(pid: int) -> str:
    return f"familiar-worker-{pid}-"


def _remove(folder: Path) -> None:
    # The engine may be putting its socket there at this very moment.
    for _ in range(_TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.is_dir() or folder.is_symlink():
            return
        time.sleep(_PAUSE_S)
