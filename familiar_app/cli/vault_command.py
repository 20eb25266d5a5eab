"""`verify` and `rekey`: care of the vault."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import Any

from familiar_app.cli import passphrase
from familiar_app.cli.context import Command
from familiar_app.cli.next_step import problem_shape
from familiar_app.domain.errors import FamiliarError, OutsideError, UserError
from familiar_app.services import Services
from familiar_app.store import keyring
from familiar_app.store.backup_shelf import BackupShelf
from familiar_app.store.fault import DamagedVaultError
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.verify import RESTORE, Problem, advised

VERIFY_FAILED = 5


def add_commands(commands: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the commands of this family."""
    verify = commands.add_parser(
        "verify",
        parents=[common],
        help="check the vault",
        description="Check every page, the tables and the references of the vault. Exit code 5 where something is "
        "wrong.",
    )
    verify.set_defaults(handler=run_verify)

    rekey = commands.add_parser(
        "rekey",
        parents=[common],
        help="encrypt the vault anew",
        description="Give the vault a new key and encrypt all of it anew. The passphrase stays; the old recovery code "
        "ends, and a new one is shown this one time.",
    )
    rekey.set_defaults(handler=run_rekey)


async def run_verify(command: Command) -> int:
    """Check the vault and print what is wrong with it."""
    out = command.out
    problems = await _problems(command)
    if out.as_json:
        out.json({"ok": not problems, "problems": [problem_shape(one) for one in problems]})
    else:
        for one in problems:
            out.line(f"{one.where}: {one.what} {one.how_to_mend}")
        out.line(f"{len(problems)} problems." if problems else "The vault is whole.")
    return VERIFY_FAILED if problems else 0


async def _problems(command: Command) -> list[Problem]:
    """Return what is wrong; a vault too damaged to be opened is a finding too."""
    out = command.out
    try:
        services = await command.open()
        found = await services.vault.verify(lambda part: out.progress(f"{part:.0%} checked"))
    except DamagedVaultError as error:
        found = [Problem(command.gate.profile.vault_path.name, error.message, RESTORE)]
    out.end_progress()
    return advised(found, await _newest_backup(command)) if found else found


async def _newest_backup(command: Command) -> Path | None:
    """Return the newest backup of the profile; it was checked when it was made."""
    profile = command.gate.profile
    try:
        shelf = BackupShelf(profile.root, (await asyncio.to_thread(profile.settings)).backup)
        listed = await asyncio.to_thread(shelf.listed)
    except FamiliarError as error:
        command.out.message(f"The backups cannot be listed: {error}")
        return None
    return listed[0].path if listed else None


async def run_rekey(command: Command) -> int:
    """Encrypt the vault anew under the same passphrase."""
    gate, out = command.gate, command.out
    if gate.state == "new":
        raise UserError("There is no profile here.", "Make one with 'familiar init'.")
    secret = passphrase.known(command.args.passphrase_file, out)
    services = await gate.unlock(passphrase=secret)
    code = new_recovery_code()
    await services.vault.rekey(secret, recovery_code=code, progress=lambda part: out.progress(f"{part:.0%} encrypted"))
    out.end_progress()
    await _renew_keyring(command, services)
    if out.as_json:
        out.json({"recovery_code": code})
    else:
        out.message("The vault has a new key.")
        out.message(f"Recovery code: {code}")
        out.message("Write it down and keep it apart from this computer; the old one opens nothing any more.")
    return 0


async def _renew_keyring(command: Command, services: Services) -> None:
    """Put the new key where the keyring had the old one. A keyring that refuses only means typing the passphrase."""
    if not command.gate.profile.settings().remember_key:
        return
    try:
        await asyncio.to_thread(keyring.save, services.vault.id, services.vault.data_key())
    except OutsideError as error:
        command.out.message(f"The keyring keeps the old key: {error}")
