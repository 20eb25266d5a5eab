"""Exchanges files of a profile for others that lie complete beside them, so that a kill leaves the old or the new.

The new files are gathered in the folder `.coming`. Once they are on the disk, a list of what comes and goes is written
there: from then on the exchange happens, if not now then at the next start. What goes is moved into a folder of its
own and never deleted here.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.text import tr
from familiar_app.store.fault import translated
from familiar_app.store.lock import complete_alone
from familiar_app.store.written_file import sync_file, sync_folder, write_atomically

COMING = ".coming"
KEPT_PREFIX = "before-"
_PLAN = "exchange.json"
VAULT_FILES = (
    "vault.db", "vault.db-wal", "vault.db-shm", "vault.db-journal", "vault.keys", "vault.keys.new", "vault.db.new",
)  # fmt: skip
CANON = ("settings.toml", "familiars", "lorebooks")


def coming_folder(root: Path) -> Path:
    """Return an empty folder for the new files; what an unfinished attempt left there is removed."""
    folder = root / COMING
    with translated(folder):
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True, mode=0o700)
    return folder


def drop_coming(root: Path) -> None:
    """Remove new files that are not wanted any more, unless their exchange has begun: then it is completed later."""
    with translated(root):
        if (root / COMING / _PLAN).exists():
            return
        shutil.rmtree(root / COMING, ignore_errors=True)


def exchange(root: Path, leaving: Sequence[str], at: datetime, why: str) -> Path | None:
    """Put everything in `.coming` in place, and set aside what has one of the names `leaving` at the top of `root`.

    The caller holds the vault's lock, and no file of the vault is open. Returns where the old files lie now, None
    where there were none.
    """
    folder = root / COMING
    kept = _kept_folder(root, at, why)
    with translated(folder):
        _sync_all(folder)
        plan = {"kept": kept.name, "leaving": list(leaving), "arriving": _names(folder)}
        write_atomically(folder / _PLAN, json.dumps(plan).encode("utf-8"))
        _carry_out(root)
    return kept if kept.is_dir() else None


def finish_exchange(root: Path) -> bool:
    """Complete an exchange that was cut off, or clear away one that had not begun. Returns whether one was completed.

    Does nothing where another process holds the vault: then it is at it.
    """
    folder = root / COMING

    def complete() -> bool:
        with translated(folder):
            if (folder / _PLAN).is_file():
                _carry_out(root)
                return True
            shutil.rmtree(folder, ignore_errors=True)
            return False

    return complete_alone(root, folder.is_dir, complete)


def kept_folders(root: Path) -> list[tuple[datetime, Path]]:
    """Return the folders with what was set aside, and when."""
    found = []
    for path in root.glob(f"{KEPT_PREFIX}*-*Z*"):
        stamp = path.name.rsplit("-", 1)[1].split("Z")[0]
        try:
            at = datetime.strptime(stamp, "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
        except ValueError:
            continue
        if path.is_dir() and not path.is_symlink():
            found.append((at, path))
    return sorted(found)


def _kept_folder(root: Path, at: datetime, why: str) -> Path:
    name = f"{KEPT_PREFIX}{why}-{at.astimezone(UTC).strftime('%Y%m%dT%H%M%S')}Z"
    folder, number = root / name, 1
    while os.path.lexists(folder):
        number += 1
        folder = root / f"{name}{number}"
    return folder


def _carry_out(root: Path) -> None:
    """Do what the plan says, from wherever it was cut off. A name still among the new files has not been exchanged."""
    folder = root / COMING
    try:
        plan = json.loads((folder / _PLAN).read_bytes())
        kept = root / str(plan["kept"])
        leaving, arriving = set(map(str, plan["leaving"])), set(map(str, plan["arriving"]))
    except (ValueError, KeyError, TypeError) as error:
        raise OutsideError(
            tr(
                "The folder {folder} holds an unfinished restoring that cannot be read. Nothing was changed.",
                folder=folder,
            ),
            tr("Keep a copy of the profile's folder, then remove that folder."),
        ) from error
    still_arriving = _names(folder)
    # What has arrived already bears the name of something that left: it stays.
    for name in sorted(leaving - (arriving - set(still_arriving))):
        if os.path.lexists(root / name):
            kept.mkdir(mode=0o700, exist_ok=True)
            (root / name).rename(kept / name)
    if kept.is_dir():
        sync_folder(kept)
    for name in still_arriving:
        (folder / name).rename(root / name)
    sync_folder(root)
    (folder / _PLAN).unlink()
    shutil.rmtree(folder, ignore_errors=True)


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith(_PLAN))


def _sync_all(folder: Path) -> None:
    for below, folders, names in os.walk(folder):
        for name in names:
            sync_file(Path(below, name))
        for name in folders:
            sync_folder(Path(below, name))
    sync_folder(folder)
