"""`backup`, `restore`, `vacuum`: copies of the vault, the way back, and the room it takes."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import Any

from familiar_app.cli import passphrase
from familiar_app.cli.backup_shape import kept_shape
from familiar_app.cli.context import Command
from familiar_app.cli.next_step import problem_shape
from familiar_app.domain.clock import Clock, FixedClock, SystemClock, format_time
from familiar_app.domain.errors import LockedError, OutsideError, UserError
from familiar_app.store import keyring
from familiar_app.store.backup import megabytes
from familiar_app.store.backup_file import BackupContents, SealedBackup
from familiar_app.store.backup_keeper import BackupKeeper
from familiar_app.store.fault import VaultInUseError
from familiar_app.store.going_back import go_back
from familiar_app.store.keys import KeyFile
from familiar_app.store.restore import Looked, look_inside, look_with_key
from familiar_app.store.salvage import Salvaged, salvage, salvage_sentences
from familiar_app.store.vault import Vault
from familiar_app.store.vault_file import keys_path


def add_commands(commands: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the commands of this family."""
    backup = commands.add_parser(
        "backup",
        parents=[common],
        help="make a backup",
        description="Write the vault, the settings and the characters into one encrypted file, and check it. It opens "
        "with the passphrase and the recovery code of today. A file that exists is never written over.",
    )
    backup.add_argument(
        "file", type=Path, nargs="?", metavar="FILE", help="where to (default: the profile's backups, which thin out)"
    )
    backup.add_argument("--list", action="store_true", dest="listed", help="list the profile's backups instead")
    backup.set_defaults(handler=run_backup)

    restore = commands.add_parser(
        "restore",
        parents=[common],
        help="go back to a backup",
        description="Put a backup in the place of the profile. What was there is set aside in a folder of its own. The "
        "passphrase is that of the day of the backup.",
    )
    restore.add_argument("file", type=Path, metavar="FILE", help="the backup")
    restore.add_argument("--look", action="store_true", help="only say what is in it")
    restore.add_argument(
        "--memory-only", action="store_true", help="leave settings, characters and lorebooks as they are now"
    )
    restore.add_argument(
        "--recovery-code-file", type=Path, metavar="FILE", help="open it with the recovery code in FILE instead"
    )
    restore.set_defaults(handler=run_restore)

    salvage = commands.add_parser(
        "salvage",
        parents=[common],
        help="bring what can be read of a damaged vault into a new one",
        description="Bring every row of a damaged vault that can be read into a new one, which takes its place, and "
        "say which are lost. The damaged files are set aside. A good backup is better.",
    )
    salvage.set_defaults(handler=run_salvage)

    vacuum = commands.add_parser(
        "vacuum",
        parents=[common],
        help="give back unused room",
        description="Write the vault anew without the room that it no longer uses. Needs as much free room again.",
    )
    vacuum.set_defaults(handler=run_vacuum)


async def run_backup(command: Command) -> int:
    """Make a backup, or list those there are; also of a vault that a window or service has open."""
    try:
        keeper, vault = (await command.open()).backups, None
    except VaultInUseError:
        keeper, vault = await _reading(command)
    try:
        return await (_list(command, keeper) if command.args.listed else _make(command, keeper))
    finally:
        if vault is not None:
            await vault.close()


async def _reading(command: Command) -> tuple[BackupKeeper, Vault]:
    """Open the vault for reading only, beside the one who writes."""
    profile, clock = command.gate.profile, _clock(command)
    key = await asyncio.to_thread(_key_of_vault, command)
    vault = await Vault.open(profile.vault_path, clock=clock, data_key=key, read_only=True)
    return BackupKeeper(vault, profile, clock), vault


async def _make(command: Command, keeper: BackupKeeper) -> int:
    out = command.out
    path, contents = await keeper.make("asked", command.args.file, lambda part: out.progress(f"{part:.0%} backed up"))
    out.end_progress()
    if out.as_json:
        out.json({"file": str(path), "size_bytes": path.stat().st_size} | _shape(contents))
    else:
        out.line(f"{path} ({megabytes(path.stat().st_size)}): {_counts(contents)}.")
        _warn_left_out(command, contents)
    return 0


async def _list(command: Command, keeper: BackupKeeper) -> int:
    listed = await keeper.listed()
    if command.out.as_json:
        command.out.json([kept_shape(one) for one in listed])
        return 0
    for one in listed:
        size = megabytes(one.size_bytes)
        command.out.line(f"{one.mark.made_at:%Y-%m-%d %H:%M} UTC  {one.mark.cause:<9}  {size:>9}  {one.path}")
    if not listed:
        command.out.line("There are no backups yet.")
    return 0


async def run_restore(command: Command) -> int:
    """Look inside a backup, and go back to it unless only the look is wanted."""
    out, gate, args = command.out, command.gate, command.args
    looked = await _look(command)
    shape = {"file": str(args.file)} | _shape(looked.contents)
    if args.look:
        if out.as_json:
            out.json(shape | {"restored": False})
        else:
            out.line(_told(looked.contents))
        return 0
    done = await go_back(
        gate.profile.root,
        looked,
        clock=_clock(command),
        canon=not args.memory_only,
        progress=lambda part: out.progress(f"{part:.0%} restored"),
    )
    out.end_progress()
    if out.as_json:
        kept = None if done.restored.kept is None else str(done.restored.kept)
        out.json(shape | {"restored": True, "kept": kept, "erased_again": done.erased_again, "notes": list(done.notes)})
    else:
        out.line(f"Restored. {_told(looked.contents)}")
        if done.restored.kept is not None:
            out.line(f"What was there before lies in {done.restored.kept}.")
        for note in done.notes:
            out.message(note)
    return 0


async def _look(command: Command) -> Looked:
    """Open the backup with what is given, else with the key in the keyring, else with what the person types."""
    args, out = command.args, command.out
    if args.recovery_code_file is not None:
        code = passphrase.from_file(args.recovery_code_file)
        return await asyncio.to_thread(look_inside, args.file, "recovery_code", code)
    given = passphrase.given(args.passphrase_file)
    if given is None:
        found = await asyncio.to_thread(_look_with_keyring, args.file)
        if found is not None:
            return found
        given = passphrase.known(None, out)
    return await asyncio.to_thread(look_inside, args.file, "passphrase", given)


def _look_with_keyring(file: Path) -> Looked | None:
    sealed = SealedBackup(file)
    key = _kept_key(sealed.keys)
    return None if key is None else look_with_key(sealed, key)


async def run_salvage(command: Command) -> int:
    """Bring what can be read into a new vault, and say what is lost."""
    out, profile = command.out, command.gate.profile
    if command.gate.state == "new":
        raise UserError("There is no profile here.", "Restore a backup with 'familiar restore'.")
    key = await asyncio.to_thread(_key_of_vault, command)
    done = await salvage(profile.root, key, _clock(command).now(), lambda part: out.progress(f"{part:.0%} salvaged"))
    out.end_progress()
    if out.as_json:
        out.json(_salvaged_shape(done))
        return 0
    for text in salvage_sentences(done):
        out.line(text)
    return 0


def _key_of_vault(command: Command) -> bytes:
    """Return the data key of a vault that need not open. Raises LockedError, OutsideError."""
    keys = KeyFile.read(keys_path(command.gate.profile.vault_path))
    given = passphrase.given(command.args.passphrase_file)
    if given is None:
        key = _kept_key(keys)
        if key is not None:
            return key
        given = passphrase.known(None, command.out)
    return keys.unwrap("passphrase", given)


def _kept_key(keys: KeyFile) -> bytes | None:
    """Return the data key that the keyring holds for a key file; None where it has none, or cannot be asked."""
    try:
        key = keyring.load(keys.vault)
    except (LockedError, OutsideError):
        return None
    return key if key is not None and keys.accepts(key) else None


def _clock(command: Command) -> Clock:
    return SystemClock() if command.args.now is None else FixedClock(command.args.now)


def _salvaged_shape(done: Salvaged) -> dict[str, Any]:
    return {
        "whole": done.whole,
        "rows": done.rows,
        "lost": [
            {"table": loss.table, "ranges": loss.ranges, "rows": loss.known, "unsure": loss.unsure}
            for loss in done.losses
        ],
        "loosened": done.loosened,
        "dropped": done.dropped,
        "stand_ins": done.stand_ins,
        "rebuilt": done.rebuilt,
        "problems": [problem_shape(one) for one in done.problems],
        "kept": None if done.kept is None else str(done.kept),
    }


async def run_vacuum(command: Command) -> int:
    """Write the vault anew, without unused room."""
    services = await command.open()
    out = command.out
    before, after = await services.vault.vacuum(lambda part: out.progress(f"{part:.0%} written"))
    out.end_progress()
    if out.as_json:
        out.json({"before_bytes": before, "after_bytes": after})
    else:
        out.line(f"The vault took {megabytes(before)} and takes {megabytes(after)} now.")
    return 0


def _shape(contents: BackupContents) -> dict[str, Any]:
    return {
        "made_at": format_time(contents.made_at),
        "cause": contents.cause,
        "program": contents.program,
        "schema": contents.schema,
        "counts": dict(contents.counts),
        "familiars": dict(contents.familiars),
        "files": [file.name for file in contents.files],
        "left_out": list(contents.left_out),
    }


def _told(contents: BackupContents) -> str:
    names = ", ".join(contents.familiars.values()) or "no familiar"
    return (
        f"The backup of {contents.made_at:%Y-%m-%d %H:%M} UTC (Familiar {contents.program}, form {contents.schema}) "
        f"holds {_counts(contents)}; {names}."
    )


def _counts(contents: BackupContents) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in contents.counts.items())


def _warn_left_out(command: Command, contents: BackupContents) -> None:
    for name in contents.left_out:
        command.out.message(f"{name} is too large and was left out; copy it yourself.")
