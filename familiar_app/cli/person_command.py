"""`person`: how much of somebody may be kept."""

from __future__ import annotations

import argparse
from typing import Any

from familiar_app.cli.context import Command
from familiar_app.cli.option import person_key
from familiar_app.domain.ids import OWNER
from familiar_app.domain.privacy import PrivacyLevel


def add_commands(commands: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the commands of this family."""
    person = commands.add_parser(
        "person", parents=[common], help="people and their privacy", description="People and their privacy."
    )
    acts = person.add_subparsers(title="commands", metavar="COMMAND", dest="person_command", required=True)
    privacy = acts.add_parser(
        "privacy",
        parents=[common],
        help="read or set how much of somebody may be kept",
        description="none: everything; partial: messages, but no facts or memories; full: no messages either.",
    )
    privacy.add_argument("key", type=person_key, metavar="KEY", help="the person, such as discord:123")
    privacy.add_argument(
        "level",
        nargs="?",
        choices=[str(level) for level in PrivacyLevel],
        metavar="LEVEL",
        help="none, partial or full",
    )
    privacy.set_defaults(handler=run_privacy)


async def run_privacy(command: Command) -> int:
    """Print somebody's level, after setting it where one is given."""
    args = command.args
    familiar = command.familiar()
    services = await command.open()
    privacy = services.vault.privacy
    if args.level is not None:
        await privacy.set(args.key, PrivacyLevel(args.level), familiar=familiar, by=OWNER)
    level = await privacy.get(args.key)
    if command.out.as_json:
        command.out.json({"key": args.key, "privacy": str(level)})
    else:
        command.out.line(str(level))
    return 0
