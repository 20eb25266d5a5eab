"""`server`: the servers familiars listen on, and which of them ask people before anything about them is kept."""

from __future__ import annotations

import argparse
from typing import Any

from familiar_app.cli.context import Command, heard
from familiar_app.domain.errors import BadInputError
from familiar_app.domain.ids import OWNER


def add_commands(commands: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the commands of this family."""
    server = commands.add_parser(
        "server", parents=[common], help="servers, and which of them ask first", description="Servers of Discord."
    )
    acts = server.add_subparsers(title="commands", metavar="COMMAND", dest="server_command", required=True)
    listing = acts.add_parser(
        "list",
        parents=[common],
        help="print the servers the familiar listens on",
        description="Print the servers the familiar listens on, and whether each asks first.",
    )
    listing.set_defaults(handler=run_list)
    asking = acts.add_parser(
        "ask-first",
        parents=[common],
        help="let people agree before anything about them is kept",
        description="With on, nothing is noted or saved about people of this server who have not agreed; their "
        "messages are kept for the conversation. Without on or off, print how it is.",
    )
    asking.add_argument("key", metavar="SERVER", help="the server, such as discord:123")
    asking.add_argument("switch", nargs="?", choices=("on", "off"), metavar="on|off", help="on or off")
    asking.set_defaults(handler=run_ask_first)


async def run_list(command: Command) -> int:
    """Print the servers of a familiar."""
    familiar = command.familiar()
    services = await command.open()
    asking = await services.vault.privacy.opt_in_servers()
    here = {one.channel.guild for one in await heard(services, familiar) if one.channel.guild is not None}
    found = [{"key": key, "asks_first": key in asking} for key in sorted(here | asking)]
    if command.out.as_json:
        command.out.json(found)
    else:
        for one in found:
            command.out.line(f"{one['key']}  {'asks first' if one['asks_first'] else 'does not ask first'}")
    return 0


async def run_ask_first(command: Command) -> int:
    """Let a server ask first or not, and print how it is."""
    args = command.args
    platform, _, number = args.key.partition(":")
    if not platform or not number:
        raise BadInputError(
            "a server is named by its platform and number.", field="SERVER", next_step="Write it like discord:123."
        )
    familiar = command.familiar()
    privacy = (await command.open()).vault.privacy
    if args.switch is not None:
        await privacy.set_opt_in(args.key, args.switch == "on", familiar=familiar, by=OWNER)
    asks = args.key in await privacy.opt_in_servers()
    if command.out.as_json:
        command.out.json({"key": args.key, "asks_first": asks})
    else:
        command.out.line("on" if asks else "off")
    return 0
