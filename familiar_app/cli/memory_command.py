"""`memory`: the familiar's own tools as a script calls them, and what the owner keeps, changes and forgets by hand."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from familiar_app.cli.context import Command
from familiar_app.cli.memory_context import tool_context
from familiar_app.cli.memory_shape import memory_history_shape, memory_shape
from familiar_app.cli.memory_transfer import channel_tags, export_memories, import_memories
from familiar_app.cli.option import limit, person_key
from familiar_app.conversation.memory_tool import MemoryTools, keeper_of
from familiar_app.domain.clock import format_time
from familiar_app.domain.errors import BadInputError, UsageError, UserError
from familiar_app.domain.ids import OWNER, Lineage, TurnId
from familiar_app.domain.saved_memory.capacity import Decay
from familiar_app.domain.saved_memory.keeper import Keeper, Wording
from familiar_app.domain.saved_memory.memory import GLOBAL_LINEAGE, MemoryId, MemoryPlace, SavedMemory, Scope
from familiar_app.domain.saved_memory.status import SAVE_TOOL, UPDATE_TOOL
from familiar_app.interchange.json_text import MAX_JSON_BYTES, decode_text, parse_json
from familiar_app.services import Hosted, Services
from familiar_app.store.saved_memory import MemoryQuestion

STDIN = "standard input"
_ALL = 1 << 40
_CONTEXT = """The object on standard input has "arguments" (memory_content, memory_scope, target_user, memory_id) and
"context": {"server": KEY, or null in a direct message or local channel, "channel": KEY, "speaker": PERSON,
"participants": [PERSON, ...], "members": [PERSON, ...], "turn_id": N}. A PERSON has key, name, username, and maybe
nickname, global_name, persona_nickname, saved_nickname, bot, bridge, member (false for somebody who left), and proxy:
the key of the person behind it, or {"hosts": [KEY, ...], "blocked": false}; a proxy without hosts may not be kept."""

Change = Callable[[Services, Keeper, MemoryId], Awaitable[SavedMemory]]


def add_commands(commands: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the commands of this family."""
    memory = commands.add_parser(
        "memory",
        parents=[common],
        help="what the familiar keeps in mind on purpose",
        description="Save and update memories as the familiar's tools do, and look after them by hand.",
    )
    acts = memory.add_subparsers(title="commands", metavar="COMMAND", dest="memory_command", required=True)
    for name, tool, text in (("save", SAVE_TOOL, "save a memory"), ("update", UPDATE_TOOL, "change or delete one")):
        call = acts.add_parser(name, parents=[common], help=f"{text} as the familiar's tool does", description=_CONTEXT)
        call.set_defaults(handler=run_tool, tool=tool)
    _add_reading(acts, common)
    _add_changing(acts, common)
    _add_files(acts, common)


def _add_reading(acts: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    listing = acts.add_parser(
        "list", parents=[common], help="list memories", description="Print memories, the newest first."
    )
    _add_place(listing)
    listing.add_argument("--search", metavar="Q", help="only with this text in them")
    listing.add_argument("--include-retired", action="store_true", help="retired ones too")
    listing.add_argument("--include-private", action="store_true", help="those that somebody's privacy hides, too")
    listing.add_argument("--limit", type=limit, metavar="N", help="at most this many (default: all)")
    listing.set_defaults(handler=run_list)
    show = acts.add_parser(
        "show",
        parents=[common],
        help="print one memory and its history",
        description="Print a memory with who taught it, the turn it was learned from, and everything it was.",
    )
    _add_id(show)
    show.set_defaults(handler=run_show)


def _add_changing(acts: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    add = acts.add_parser("add", parents=[common], help="write a memory down", description="Write a memory down.")
    add.add_argument("text", metavar="TEXT", help="the memory; {user} stands for the person it is about")
    _add_place(add)
    _add_tags(add)
    add.set_defaults(handler=run_add)
    edit = acts.add_parser(
        "edit", parents=[common], help="change a memory", description="Change a memory's text or tags."
    )
    _add_id(edit)
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
    _add_id(protect)
    protect.add_argument("--off", action="store_true", help="protect it no longer")
    protect.set_defaults(handler=run_protect)
    for name, text in (("retire", "take a memory out of use"), ("restore", "bring a retired memory back")):
        act = acts.add_parser(name, parents=[common], help=text, description=f"{text[:1].upper()}{text[1:]}.")
        _add_id(act)
        act.set_defaults(handler=run_retire if name == "retire" else run_restore)
    move = acts.add_parser(
        "move",
        parents=[common],
        help="let a memory be about somebody or somewhere else",
        description="Let a memory be about another server or person, or known to every familiar.",
    )
    _add_id(move)
    _add_place(move)
    move.set_defaults(handler=run_move)


def _add_files(acts: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    give = acts.add_parser(
        "export",
        parents=[common],
        help="write memories to a file",
        description="Write memories as JSON: content, tags, whose they are. Whoever has the file can read it.",
    )
    give.add_argument("file", type=Path, metavar="FILE", help="the file")
    _add_place(give)
    give.add_argument("--force", action="store_true", help="write over an existing file")
    give.set_defaults(handler=run_export)
    take = acts.add_parser(
        "import",
        parents=[common],
        help="bring memories from a file",
        description="Bring memories from a file of 'memory export' or of TomoriBot: all of them, or none. Those that "
        "are there already are skipped.",
    )
    take.add_argument("file", type=Path, metavar="FILE", help="the file")
    _add_place(take)
    take.add_argument("--bucket", metavar="NAME", help="which character's memories, where the file has several")
    take.add_argument("--replace", action="store_true", help="retire what is there, instead of adding to it")
    take.set_defaults(handler=run_import)


def _add_id(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", type=limit, metavar="ID", help="the memory's id, as 'memory list' gives it")


def _add_place(parser: argparse.ArgumentParser) -> None:
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--server", metavar="KEY", help="about this server or local channel, such as discord:100")
    place.add_argument("--person", type=person_key, metavar="KEY", help="about this person, such as discord:123")
    parser.add_argument("--global", action="store_true", dest="everywhere", help="known to every familiar (--person)")


def _add_tags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tag", action="append", dest="tags", metavar="TAG", help="#channel, or a word of conversations; repeatable"
    )


async def run_tool(command: Command) -> int:
    """Call a memory tool with what stands on standard input, and print its result."""
    raw = await asyncio.to_thread(sys.stdin.buffer.read, MAX_JSON_BYTES + 1)
    value = parse_json(decode_text(raw, source=STDIN), source=STDIN)
    if not isinstance(value, dict):
        raise BadInputError("this has to be an object with arguments and context.", source=STDIN)
    services = await command.open()
    hosted = command.hosted(services)
    context = value.get("context")
    turn = context.get("turn_id") if isinstance(context, dict) else None
    source = await services.vault.turns.get(TurnId(turn)) if isinstance(turn, int) and turn > 0 else None
    tools = MemoryTools(services.vault.saved_memories, hosted.config.saved_memories, hosted.embedder)
    caller = tool_context(context, hosted, None if source is None else source.id)
    result = await tools.call(command.args.tool, value.get("arguments"), caller)
    command.out.json(result.as_json())
    return 0


async def run_list(command: Command) -> int:
    """Print memories, the newest first."""
    args, out = command.args, command.out
    services = await command.open()
    hosted = command.hosted(services)
    scope, owner = _asked(args)
    found = await services.vault.saved_memories.list(
        MemoryQuestion(
            hosted.config.lineage,
            scope,
            owner,
            search=args.search or "",
            include_retired=args.include_retired,
            include_private=args.include_private,
            limit=_ALL,
        )
    )
    chosen = [one for one in found if not args.everywhere or one.place.is_global][: args.limit]
    if out.as_json:
        out.json([memory_shape(one, services.clock.now(), _decay(hosted)) for one in chosen])
    else:
        for one in chosen:
            out.line(_line(one))
    return 0


async def run_show(command: Command) -> int:
    """Print one memory and its history."""
    services = await command.open()
    hosted = command.hosted(services)
    number = MemoryId(command.args.id)
    history = await services.vault.saved_memories.history(number)
    if history is None or history.memory.place.lineage not in (hosted.config.lineage, GLOBAL_LINEAGE):
        raise UserError(f"There is no memory {number}.", "'familiar memory list --include-retired' lists them.")
    out = command.out
    if out.as_json:
        out.json(memory_history_shape(history, services.clock.now(), _decay(hosted)))
        return 0
    out.line(_line(history.memory))
    for state in history.states:
        by = "" if state.by is None else f" by {state.by}"
        out.line(f"  {format_time(state.at)} {state.cause}{by} (turn {state.turn}): {state.content}")
    return 0


async def run_add(command: Command) -> int:
    """Write a memory down."""
    args = command.args
    services = await command.open()
    hosted = command.hosted(services)
    place = _place(args, hosted.config.lineage)
    tags = await channel_tags(services, hosted.id, args.tags or ())
    keeper = keeper_of(hosted.id, hosted.config)
    added = await services.vault.saved_memories.add(keeper, Wording(place, _utf8(args.text), tags), by=OWNER)
    return _print_memory(command, services, hosted, added, "kept")


async def run_edit(command: Command) -> int:
    """Change a memory's text or tags."""
    args = command.args
    if args.no_tags and args.tags:
        raise UsageError("--no-tags and --tag exclude each other.")
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
            keeper, number, _place(command.args, keeper.lineage), by=OWNER
        ),
        "moved",
    )


async def run_export(command: Command) -> int:
    """Write memories to a file."""
    args = command.args
    scope, owner = _asked(args)
    return await export_memories(command, args.file, scope=scope, owner=owner, force=args.force)


async def run_import(command: Command) -> int:
    """Bring memories from a file."""
    args = command.args
    scope, owner = _asked(args)
    return await import_memories(command, args.file, scope=scope, owner=owner, bucket=args.bucket, replace=args.replace)


async def _change(command: Command, change: Change, done: str) -> int:
    services = await command.open()
    hosted = command.hosted(services)
    changed = await change(services, keeper_of(hosted.id, hosted.config), MemoryId(command.args.id))
    return _print_memory(command, services, hosted, changed, done)


def _print_memory(command: Command, services: Services, hosted: Hosted, memory: SavedMemory, done: str) -> int:
    if command.out.as_json:
        command.out.json(memory_shape(memory, services.clock.now(), _decay(hosted)))
    else:
        command.out.message(f"Memory {memory.id}: {done}.")
    return 0


def _asked(args: argparse.Namespace) -> tuple[Scope | None, str | None]:
    if args.server is not None:
        return Scope.SERVER, args.server
    return (None, None) if args.person is None else (Scope.PERSONAL, args.person)


def _place(args: argparse.Namespace, lineage: Lineage) -> MemoryPlace:
    scope, owner = _asked(args)
    if scope is None or owner is None:
        raise UsageError("It is not said about whom or what this is.", "Name it with --person or --server.")
    if args.everywhere and scope is Scope.SERVER:
        raise UsageError("--global is for memories about a person.")
    return MemoryPlace(scope, owner, GLOBAL_LINEAGE if args.everywhere else lineage)


def _decay(hosted: Hosted) -> Decay:
    settings = hosted.config.saved_memories
    return Decay(settings.decay_days if settings.decay_enabled else None, retrieval=hosted.embedder is not None)


def _utf8(text: str) -> str:
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise BadInputError("the memory is not UTF-8 text.", source="the command line")
    return text


def _line(memory: SavedMemory) -> str:
    parts = [str(memory.id), format_time(memory.created_at), f"{memory.place.scope} {memory.place.owner}"]
    parts.append(memory.content)
    if memory.tags:
        parts.append(f"[{', '.join(memory.tags)}]")
    if memory.manually_written:
        parts.append("[protected]")
    if memory.retired_at is not None:
        parts.append(f"[retired {format_time(memory.retired_at)}: {memory.retired_reason}]")
    return "  ".join(parts)
