"""`channel forget`, `message forget`, `familiar forget` and what `person forget` shares with them: plan, question, act.

Without `--yes` the plan is shown and its label has to be typed; nothing is asked where nobody can answer.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from familiar_app.cli.context import Command
from familiar_app.cli.option import channel as channel_key
from familiar_app.cli.option import familiar_id, whole_number
from familiar_app.domain.clock import format_time
from familiar_app.domain.erasure import ErasurePlan, OfChannel, OfMessage, Receipt, Target, in_words
from familiar_app.domain.errors import UsageError, UserError
from familiar_app.domain.ids import FamiliarId, TurnId
from familiar_app.services import Services

_CANON = "Character texts and lorebooks are written by you and stay as they are."
_BACKUPS = "Backups made before still have it until they are pruned; going back to one erases it again."


def add_commands(commands: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the commands of this family."""
    _add(
        commands, common, "channel", "one channel",
        "Erase everything that was said in a channel, and what was drawn from it alone.",
        ("channel", channel_key, "CHANNEL", "the channel, such as local:main"), run_channel,
    )  # fmt: skip
    _add(
        commands, common, "message", "one message",
        "Erase one message, and what was drawn from it alone.",
        ("turn", whole_number, "ID", "the number of the turn, as 'familiar turns' prints it"), run_message,
    )  # fmt: skip
    _add(
        commands, common, "familiar", "one familiar",
        "Erase a familiar with everything it said and believes, and its folder.",
        ("id", familiar_id, "ID", "the familiar"), run_familiar,
    )  # fmt: skip


def add_forgetting(forget: argparse.ArgumentParser) -> None:
    """Add the options that every erasure has."""
    forget.add_argument("--yes", action="store_true", help="do not ask")
    forget.add_argument("--dry-run", action="store_true", help="only print what would go")


async def carry_out(command: Command, services: Services, target: Target) -> int:
    """Show the plan, ask, erase, and print the receipt."""
    plan = await services.vault.erasure.plan(target)
    if not _is_wanted(command, plan):
        return 0
    receipt = await services.vault.erasure.erase(target, _progress(command))
    _print_done(command, plan, receipt)
    return 0


def receipt_shape(receipt: Receipt) -> dict[str, Any]:
    """Return a receipt for scripts."""
    return {
        "id": receipt.id,
        "kind": receipt.kind,
        "asked_at": format_time(receipt.asked_at),
        "finished_at": None if receipt.finished_at is None else format_time(receipt.finished_at),
        "removed": dict(receipt.removed),
        "redacted": dict(receipt.redacted),
    }


def print_receipts(command: Command, receipts: list[Receipt]) -> None:
    """Print what was erased from the vault so far."""
    if command.out.as_json:
        command.out.json([receipt_shape(one) for one in receipts])
        return
    for one in receipts:
        when = "not complete" if one.finished_at is None else format_time(one.finished_at)
        command.out.line(f"{one.id}  {one.kind}  {when}  {', '.join(in_words(one.removed)) or 'nothing'}")


async def run_channel(command: Command) -> int:
    """Erase a channel."""
    command.familiar()
    services = await command.open()
    found = await command.find_channel(services, command.args.channel)
    return await carry_out(command, services, OfChannel(found.id))


async def run_message(command: Command) -> int:
    """Erase a message."""
    services = await command.open()
    return await carry_out(command, services, OfMessage(TurnId(command.args.turn)))


async def run_familiar(command: Command) -> int:
    """Erase a familiar and its folder."""
    familiar = FamiliarId(command.args.id)
    if familiar not in command.gate.profile.familiars():
        raise UserError("There is no familiar with this id.", "'familiar status' lists them.")
    await command.open()
    if familiar not in command.gate.profile.familiars():
        # Opening completes what a kill cut off.
        raise UserError("Its erasure was cut off before, and is complete now.", "'familiar status' lists who is left.")
    plan = await command.gate.plan_to_remove(familiar)
    if _is_wanted(command, plan, _folder_in_words(command.gate.profile.lorebook(familiar).parent)):
        receipt = await command.gate.remove_familiar(familiar, _progress(command))
        _print_done(command, plan, receipt)
    return 0


def _folder_in_words(folder: Path) -> str:
    """Name what lies there, since somebody else may have put it there."""
    names = sorted(path.name for path in folder.iterdir())
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return f"Its folder goes with everything in it: {', '.join(names[:12])}{more}."


def _add(
    commands: argparse._SubParsersAction[Any],
    common: argparse.ArgumentParser,
    name: str,
    what: str,
    description: str,
    argument: tuple[str, Any, str, str],
    handler: Any,
) -> None:
    family = commands.add_parser(name, parents=[common], help=f"erase {what}", description=description)
    acts = family.add_subparsers(title="commands", metavar="COMMAND", dest=f"{name}_command", required=True)
    forget = acts.add_parser("forget", parents=[common], help=f"erase {what}", description=description)
    dest, kind, metavar, text = argument
    forget.add_argument(dest, type=kind, metavar=metavar, help=text)
    add_forgetting(forget)
    forget.set_defaults(handler=handler)


def _is_wanted(command: Command, plan: ErasurePlan, also: str = "") -> bool:
    """Print the plan, and tell whether it is to be carried out."""
    args, out = command.args, command.out
    if args.dry_run:
        if out.as_json:
            out.json(_plan_shape(plan))
        else:
            _print_plan(plan, also, out.line)
        return False
    if args.yes:
        return True
    if out.as_json or sys.stdin is None or not sys.stdin.isatty():
        raise UsageError("Nothing was erased: nobody can be asked here.", "Look at it with --dry-run, then give --yes.")
    _print_plan(plan, also, out.message)
    out.message(f"This cannot be undone. Type '{plan.label}' to erase it:")
    if sys.stdin.readline().strip() != plan.label:
        raise UserError("That is something else, so nothing was erased.", f"Type '{plan.label}' exactly.")
    return True


def _print_plan(plan: ErasurePlan, also: str, say: Any) -> None:
    say(f"To be erased of {plan.label}: {', '.join(in_words(plan.removed)) or 'nothing'}.")
    if also:
        say(also)
    if plan.redacted:
        say(f"Names taken out of: {', '.join(in_words(plan.redacted))}.")
    for sample in plan.samples:
        say(f"  {sample.where}: {sample.before}  ->  {sample.after}")
    if plan.kept_names:
        say(f"Somebody else is called {', '.join(plan.kept_names)} too, so that name stays in texts.")
    say(_CANON)
    say(_BACKUPS)


def _print_done(command: Command, plan: ErasurePlan, receipt: Receipt) -> None:
    command.out.end_progress()
    if command.out.as_json:
        command.out.json({**_plan_shape(plan), "receipt": receipt_shape(receipt)})
        return
    command.out.line(f"Erased: {', '.join(in_words(receipt.removed)) or 'nothing'}.")
    if receipt.redacted:
        command.out.line(f"Names taken out of: {', '.join(in_words(receipt.redacted))}.")
    command.out.line(f"Receipt {receipt.id}.")


def _plan_shape(plan: ErasurePlan) -> dict[str, Any]:
    return {
        "kind": plan.kind,
        "label": plan.label,
        "keys": list(plan.keys),
        "removed": dict(plan.removed),
        "redacted": dict(plan.redacted),
        "kept_names": list(plan.kept_names),
        "samples": [{"where": one.where, "before": one.before, "after": one.after} for one in plan.samples],
        "receipt": None,
    }


def _progress(command: Command) -> Any:
    return lambda part: command.out.progress(f"{part:.0%} erased", last=part >= 1)
