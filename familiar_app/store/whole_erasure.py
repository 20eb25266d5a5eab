"""Erases a whole profile: the vault and its keys, backups, characters, settings, logs and, where wanted, models.

A note is written first: from then on it happens, if not now then at the next start. Only what the program itself makes
is removed, in the profile's folder and among the backups that its settings name; whatever else lies there is named and
stays. The empty file of the lock stays too.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from familiar_app.domain.errors import FamiliarError
from familiar_app.store import keyring
from familiar_app.store.fault import not_removed, translated
from familiar_app.store.keys import KeyFile
from familiar_app.store.lock import VaultLock, complete_alone
from familiar_app.store.profile_inventory import MARK, ORDER, WholePlan, find_elsewhere, find_parts, is_backup, look
from familiar_app.store.written_file import sync_folder, write_atomically

Report = Callable[[float], object]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WholeReceipt:
    """What went. `key_left` tells that the system's keyring would not give up its copy of the key."""

    plan: WholePlan
    models: bool
    key_left: bool = False


def erase_whole(root: Path, *, models: bool, report: Report = lambda _part: None) -> WholeReceipt:
    """Erase the profile in `root`, whose vault is closed. Blocks. With `models`, what was fetched goes too.

    Raises LockedError where the vault is open elsewhere; then nothing was changed. Raises OutsideError where something
    could not be removed; it is tried again at the next start.
    """
    lock = VaultLock(root / "vault.db")
    try:
        plan = look(root)
        key_left = not _keyring_is_empty(root)
        with translated(root / MARK):
            found = find_parts(root)
            find_elsewhere(found, root)
            note = {"models": models, "elsewhere": [str(path) for path in found.places["elsewhere"]]}
            write_atomically(root / MARK, json.dumps(note).encode(), private=True)
        _carry_out(root, report)
    finally:
        lock.release()
    return WholeReceipt(plan, models, key_left)


def finish_whole_erasure(root: Path) -> bool:
    """Complete an erasure that was cut off. Returns whether there was one.

    Does nothing where another process holds the vault: then it is at it. Raises OutsideError as `erase_whole`.
    """

    def complete() -> bool:
        _carry_out(root, lambda _part: None)
        return True

    return complete_alone(root, (root / MARK).is_file, complete)


def _keyring_is_empty(root: Path) -> bool:
    """Take the copy of the key from the system's keyring, and tell whether none is there any more."""
    try:
        keyring.forget(KeyFile.read(root / "vault.keys").vault)
    except FamiliarError as error:
        log.warning("the keyring's copy of the key could not be removed", exc_info=error)
        return not keyring.available()
    return True


def _carry_out(root: Path, report: Report) -> None:
    """Do what the note says, from wherever it was cut off."""
    with translated(root / MARK):
        models, elsewhere = _read_note(root / MARK)
        found = find_parts(root)
    found.places["elsewhere"] = elsewhere
    going = [(kind, path) for kind in ORDER for path in found.places[kind] if kind != "models" or models]
    logging_here = _let_go_of_logs(root / "logs")
    failed: tuple[Path, OSError] | None = None
    for number, (kind, path) in enumerate(going):
        report(number / len(going))
        try:
            _remove(path, scribble=kind == "vault" and path.name.startswith("vault.keys"))
        except OSError as error:
            inside = Path(error.filename or path)  # A name alone where the system was asked for it within its folder.
            failed = failed or (inside if inside.is_absolute() else path, error)
            log.warning("something of the erased profile could not be removed", exc_info=error)
    _remove_empty(found.roots)
    if logging_here:
        (root / "logs").mkdir(exist_ok=True)
    if failed is not None:
        raise not_removed(*failed) from failed[1]
    with translated(root / MARK):
        (root / MARK).unlink(missing_ok=True)
        sync_folder(root)
    report(1.0)


def _read_note(path: Path) -> tuple[bool, list[Path]]:
    """Return whether models go, and which backups outside the folder. A note that cannot be read names none."""
    try:
        note = json.loads(path.read_bytes())
        return bool(note["models"]), [one for text in note["elsewhere"] if is_backup((one := Path(text)).name)]
    except (ValueError, KeyError, TypeError) as error:
        log.warning("the note of an erasure that was cut off could not be read", exc_info=error)
        return False, []


def _remove(path: Path, *, scribble: bool) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
        return
    if scribble and path.is_file():
        # Where the disk writes in place, not even its undeleted blocks open the vault then.
        size = path.stat().st_size
        with path.open("rb+") as stream:
            stream.write(os.urandom(size))
            stream.flush()
            os.fsync(stream.fileno())
    path.unlink(missing_ok=True)


def _remove_empty(folders: list[Path]) -> None:
    """Remove folders that hold nothing any more; one that others use stays."""
    for folder in folders:
        with suppress(OSError):
            if folder.is_symlink():
                folder.unlink()
            else:
                folder.rmdir()


def _let_go_of_logs(folder: Path) -> bool:
    """Close the log's file, which some systems do not remove while it is open. The next line opens a new one.

    Returns whether the log is written there.
    """
    writers = [one for one in logging.getLogger().handlers if isinstance(one, logging.FileHandler)]
    here = [one for one in writers if Path(one.baseFilename).parent == folder.absolute()]
    for handler in here:
        handler.close()
    return bool(here)
