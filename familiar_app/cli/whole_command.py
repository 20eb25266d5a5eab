"""`everything forget`: erases the whole profile, after saying what that is.

The vault need not be opened: whoever may remove the folder can do the same without us, and a forgotten passphrase must
not keep anybody from it.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Any

from familiar_app.cli.context import Command
from familiar_app.domain.errors import UsageError, UserError
from familiar_app.store.backup import on_this_loop
from familiar_app.store.profile_inventory import MARK, WholePlan, look
from familiar_app.store.whole_erasure import erase_whole

_KEY_LEFT = "The system's keyring did not give up its copy of the key; remove the entry 'Familiar vault' there."


def add_commands(commands: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the command."""
    what = "erase the whole profile"
    description = (
        "Erase the vault and its keys, the backups that belong to it, all familiars, lorebooks, settings and logs. "
        "Copies that lie elsewhere are yours to look after."
    )
    family = commands.add_parser("everything", parents=[common], help=what, description=description)
    acts = family.add_subparsers(title="commands", metavar="COMMAND", dest="everything_command", required=True)
    forget = acts.add_parser("forget", parents=[common], help=what, description=description)
    forget.add_argument("--models", action="store_true", help="erase downloaded models too")
    forget.add_argument("--dry-run", action="store_true", help="only print what would go")
    forget.add_argument(
        "--yes-erase-everything", metavar="NAME", help="do not ask; NAME is the name of the profile's folder"
    )
    forget.set_defaults(handler=run_forget)


async def run_forget(command: Command) -> int:
    """Erase the whole profile."""
    root = command.gate.profile.root.absolute()
    if command.gate.state == "new" and not (root / MARK).exists():
        raise UserError(f"There is no profile in {root}.", "Name another folder with --profile-dir.")
    plan = await asyncio.to_thread(look, root)
    if not _is_wanted(command, plan):
        return 0
    report = on_this_loop(lambda share: command.out.progress(f"{share:.0%} erased", last=share >= 1))
    receipt = await asyncio.to_thread(erase_whole, root, models=command.args.models, report=report)
    command.out.end_progress()
    if command.out.as_json:
        command.out.json({**_shape(plan, receipt.models), "erased": True, "key_left_in_keyring": receipt.key_left})
        return 0
    command.out.line(f"Everything in {root} was erased.")
    if receipt.key_left:
        command.out.message(_KEY_LEFT)
    return 0


def _is_wanted(command: Command, plan: WholePlan) -> bool:
    """Print the plan, and tell whether it is to be carried out."""
    args, out, name = command.args, command.out, plan.root.name
    if args.dry_run:
        if out.as_json:
            out.json({**_shape(plan, args.models), "erased": False, "key_left_in_keyring": None})
        else:
            _print_plan(plan, args.models, out.line)
        return False
    if args.yes_erase_everything is not None:
        if Path(args.yes_erase_everything).name != name:
            raise UsageError("Another name stands there, so nothing was erased.", f"The folder is called '{name}'.")
        return True
    if out.as_json or sys.stdin is None or not sys.stdin.isatty():
        raise UsageError(
            "Nothing was erased: nobody can be asked here.",
            "Look at it with --dry-run, then give --yes-erase-everything and the name of the folder.",
        )
    _print_plan(plan, args.models, out.message)
    out.message(f"This cannot be undone. Type the name of the folder, '{name}', to erase everything in it:")
    if sys.stdin.readline().strip() != name:
        raise UserError("That is something else, so nothing was erased.", f"Type '{name}' exactly.")
    return True


def _print_plan(plan: WholePlan, models: bool, say: Any) -> None:
    say(f"To be erased in {plan.root}:")
    for part in plan.parts:
        if part.kind != "models" or models:
            say(f"  {part.in_words()}")
    for part in plan.parts:
        if part.kind == "models" and not models:
            say(f"Stays, unless with --models: {part.in_words()}.")
    if plan.stays:
        say(f"Stays, since Familiar did not make it: {', '.join(plan.stays)}.")
    if plan.foreign:
        say(f"Backups of other vaults in {plan.elsewhere} stay: {plan.foreign}.")
    say("Copies that lie elsewhere are yours to look after.")


def _shape(plan: WholePlan, models: bool) -> dict[str, Any]:
    going = [part for part in plan.parts if part.kind != "models" or models]
    return {
        "folder": str(plan.root),
        "name": plan.root.name,
        "parts": [{"kind": part.kind, "count": part.count, "size_bytes": part.size_bytes} for part in going],
        "stays": list(plan.stays),
        "other_vaults_backups": plan.foreign,
    }
