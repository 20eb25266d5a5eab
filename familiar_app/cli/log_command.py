"""`turns`: reads the log."""

from __future__ import annotations

import argparse
from typing import Any

from familiar_app.cli.context import Command, heard
from familiar_app.cli.option import channel, limit
from familiar_app.cli.shape import turn_shape
from familiar_app.domain.clock import format_time
from familiar_app.domain.errors import UsageError, UserError
from familiar_app.domain.ids import ChannelId, TurnId
from familiar_app.domain.turn import Turn
from familiar_app.services import Services

DEFAULT_LIMIT = 100


def add_commands(commands: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the commands of this family."""
    turns = commands.add_parser(
        "turns",
        parents=[common],
        help="read the log",
        description="Print turns, oldest first: the newest ones, those around a turn, or those with a text in them.",
    )
    turns.add_argument("--channel", type=channel, metavar="C", help="only this channel (default: all it hears)")
    turns.add_argument("--search", metavar="Q", help="only turns with this text in them, the newest of them")
    turns.add_argument("--around", type=limit, metavar="ID", help="the turns before and after this one")
    turns.add_argument("--limit", type=limit, default=DEFAULT_LIMIT, metavar="N", help=f"default: {DEFAULT_LIMIT}")
    turns.set_defaults(handler=run_turns)


async def run_turns(command: Command) -> int:
    """Print turns, oldest first."""
    args = command.args
    if args.around is not None and (args.search is not None or args.channel is not None):
        raise UsageError("--around cannot be combined with --search or --channel.", "Use one of them.")
    if args.search is not None and not args.search.strip():
        raise UsageError("--search needs a text to look for.", "Write it behind --search, or leave the option out.")
    services = await command.open()
    if args.around is not None:
        found = await _around(services, TurnId(args.around), args.limit)
    elif args.search is not None:
        found = await _search(command, services)
    else:
        found = await _newest(command, services)
    if command.out.as_json:
        command.out.json([turn_shape(turn) for turn in found])
    else:
        for turn in found:
            _print_turn(command, turn)
    return 0


async def _around(services: Services, turn: TurnId, count: int) -> list[Turn]:
    if await services.vault.turns.get(turn) is None:
        raise UserError("There is no turn of this id.", "Look up the ids with 'familiar turns'.")
    return await services.vault.turns.around(turn, limit=count)


async def _search(command: Command, services: Services) -> list[Turn]:
    """Return the newest matches among the channels that are meant; a search without a channel covers the vault."""
    wanted = set(await _channels(command, services))
    only = next(iter(wanted)) if len(wanted) == 1 else None
    found: list[Turn] = []
    before: TurnId | None = None
    while wanted and len(found) < command.args.limit:
        page = await services.vault.turns.search(
            command.args.search, channel=only, limit=command.args.limit, before=before
        )
        found += [turn for turn in page if turn.channel in wanted]
        if len(page) < command.args.limit:
            break
        before = page[-1].id
    return found[: command.args.limit][::-1]


async def _newest(command: Command, services: Services) -> list[Turn]:
    found: list[Turn] = []
    for place in await _channels(command, services):
        found += await services.vault.turns.page(place, limit=command.args.limit)
    if command.args.channel is None:
        found.sort(key=lambda turn: turn.id)
    return found[-command.args.limit :]


async def _channels(command: Command, services: Services) -> list[ChannelId]:
    if command.args.channel is not None:
        return [(await command.find_channel(services, command.args.channel)).id]
    listed = await heard(services, command.familiar())
    return [summary.channel.id for summary in listed]


def _print_turn(command: Command, turn: Turn) -> None:
    who = turn.author.name if turn.author else turn.role.value
    command.out.line(f"{turn.id}  {format_time(turn.at)}  {turn.channel_key}  {who}: {turn.content}")
