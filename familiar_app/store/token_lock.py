"""Keeps two programs on one computer from using the same bot's token, whatever their profiles."""

from __future__ import annotations

import hashlib
from pathlib import Path

import platformdirs

from familiar_app.domain.errors import UserError
from familiar_app.domain.text import tr
from familiar_app.store.fault import translated
from familiar_app.store.lock import FileLock


def default_lock_folder() -> Path:
    """Return where this person's programs keep such locks."""
    return Path(platformdirs.user_state_dir("familiar", appauthor=False)) / "locks"


def lock_token(token: str, folder: Path) -> FileLock:
    """Take the lock of a token. Raises UserError where another program has it."""
    # A token is long and random, so that its digest tells nothing about it.
    path = folder / f"{hashlib.sha256(token.encode()).hexdigest()[:32]}.lock"
    with translated(path):
        folder.mkdir(parents=True, exist_ok=True)
    taken = UserError(
        tr("This bot is connected to Discord by another running Familiar."), tr("Close the other one first.")
    )
    return FileLock(path, taken)
