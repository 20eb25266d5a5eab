"""`memory add`, `edit`, `protect`, `retire`, `restore` and `move`: what the owner does with memories by hand."""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable
from typing import Any

from familiar_app.cli.context import Command
from familiar_app.cli.memory_option import add_id, add_place, decay_of, place_of
from familiar_app.cli.memory_shape import memory_shape
from familiar_app.cli.memory_transfer import channel_tags
from familiar_app.conversation.memory_tool import keeper_of
from familiar_app.domain.errors import BadInputError, UsageError
from familiar_app.domain.ids import OWNER
from familiar_app.domain.saved_memory.keeper import Keeper, Wording
from familiar_app.domain.saved_memory.memory import MemoryId, SavedMemory
from familiar_app.services import Hosted, Services

Change = Callable[[Services, Keeper, MemoryId], Awaitable[SavedMemory]]


def add_care_commands(acts: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the commands of this family."""
    add = acts.add_parser("add", parents=[common], help="write a memory down", description="Write a memory down.")
    add.add_argument("text", metavar="TEXT", help="the memory; {user} stands for the person it is about")
    add_place(add)
    _add_tags(add)
    add.set_defaults(handler=run_add)
    edit = acts.add_parser(
        "edit", parents=[common], help="change a memory", description="Change a memory's text or tags."
    )
    add_id(edit)
    edit.add_argument("text", nargs="?", metavar="TEXT", help="the new text (default: the old one)")
    _add_tags(edit)
    edit.add_argument("--no-tags", action="store_true", help="take all tags away")
    edit.set_defaults(handler=run_edit)
    protect = acts.add_parser(
        "protect",
        parents=[common],
        help="keep a memory from making room for others",
        description="Keep a memory from being forgotten to make room for a new one.",
    )
    add_id(protect)
    protect.add_argument("--off", action="store_true", help="protect it no longer")
    protect.set_defaults(handler=run_protect)
    for name, text in (("retire", "take a memory out of use"), ("restore", "bring a retired memory back")):
        act = acts.add_parser(name, parents=[common], help=text, description=f"{text[:1].upper()}{text[1:]}.")
        add_id(act)
        act.set_defaults(handler=run_retire if name == "retire" else run_restore)
    move = acts.add_parser(
        "move",
        parents=[common],
        help="let a memory be about somebody or somewhere else",
        description="Let a memory be about another server or person, or known to every familiar.",
    )
    add_id(move)
    add_place(move)
    move.set_defaults(handler=run_move)


def _add_tags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tag", action="append", dest="tags", metavar="TAG", help="#channel, or a word of conversations; repeatable"
    )


async def run_add(command: Command) -> int:
    """Write a memory down."""
    args = command.args
    services = await command.open()
    hosted = command.hosted(services)
    place = place_of(args, hosted.config.lineage)
    tags = await channel_tags(services, hosted.id, args.tags or ())
    keeper = keeper_of(hosted.id, hosted.config)
    added = await services.vault.saved_memories.add(keeper, Wording(place, _utf8(args.text), tags), by=OWNER)
    return _print_memory(command, services, hosted, added, "kept")


async def run_edit(command: Command) -> int:
    """Change a memory's text or tags."""
    args = command.args
    if args.no_tags and args.tags:
        raise UsageError("--no-tags and --tag exclude each other.", "Use one of them.")
    text = None if args.text is None else _utf8(args.text)

    async def change(services: Services, keeper: Keeper, number: MemoryId) -> SavedMemory:
        given = [] if args.no_tags else args.tags
        tags = None if given is None else await channel_tags(services, keeper.familiar, given)
        return await services.vault.saved_memories.edit(keeper, number, by=OWNER, content=text, tags=tags)

    return await _change(command, change, "changed")


async def run_protect(command: Command) -> int:
    """Keep a memory from making room for others, or no longer."""
    on = not command.args.off
    return await _change(
        command,
        lambda services, keeper, number: services.vault.saved_memories.protect(keeper, number, on, by=OWNER),
        "protected" if on else "protected no longer",
    )


async def run_retire(command: Command) -> int:
    """Take a memory out of use."""
    return await _change(
        command,
        lambda services, keeper, number: services.vault.saved_memories.retire(keeper, number, by=OWNER),
        "retired",
    )


async def run_restore(command: Command) -> int:
    """Bring a retired memory back."""
    return await _change(
        command,
        lambda services, keeper, number: services.vault.saved_memories.restore(keeper, number, by=OWNER),
        "restored",
    )


async def run_move(command: Command) -> int:
    """Let a memory be about somebody or somewhere else."""
    return await _change(
        command,
        lambda services, keeper, number: services.vault.saved_memories.move(
            keeper, number, place_of(command.args, keeper.lineage), by=OWNER
        ),
        "moved",
    )


async def _change(command: Command, change: Change, done: str) -> int:
    services = await command.open()
    hosted = command.hosted(services)
    changed = await change(services, keeper_of(hosted.id, hosted.config), MemoryId(command.args.id))
    return _print_memory(command, services, hosted, changed, done)


def _print_memory(command: Command, services: Services, hosted: Hosted, memory: SavedMemory, done: str) -> int:
    if command.out.as_json:
        command.out.json(memory_shape(memory, services.clock.now(), decay_of(hosted)))
    else:
        command.out.message(f"Memory {memory.id}: {done}.")
    return 0


def _utf8(text: str) -> str:
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise BadInputError("the memory is not UTF-8 text.", source="the command line")
    return text
