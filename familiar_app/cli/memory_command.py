"""`memory`: the familiar's own tools as a script calls them, and what the owner keeps, changes and forgets by hand."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Any

from familiar_app.cli.context import Command
from familiar_app.cli.memory_care import add_care_commands
from familiar_app.cli.memory_context import tool_context
from familiar_app.cli.memory_option import add_id, add_place, asked_owner, decay_of
from familiar_app.cli.memory_shape import memory_history_shape, memory_shape
from familiar_app.cli.memory_transfer import export_memories, import_memories
from familiar_app.cli.option import limit
from familiar_app.conversation.memory_tool import MemoryTools
from familiar_app.domain.clock import format_time
from familiar_app.domain.errors import BadInputError, UserError
from familiar_app.domain.ids import TurnId
from familiar_app.domain.saved_memory.memory import GLOBAL_LINEAGE, MemoryId, SavedMemory
from familiar_app.domain.saved_memory.status import SAVE_TOOL, UPDATE_TOOL
from familiar_app.interchange.json_text import MAX_JSON_BYTES, decode_text, parse_json
from familiar_app.store.saved_memory import MemoryQuestion

STDIN = "standard input"
_ALL = 1 << 40
_CONTEXT = """The object on standard input has "arguments" (memory_content, memory_scope, target_user, memory_id) and
"context": {"server": KEY, or null in a direct message or local channel, "channel": KEY, "speaker": PERSON,
"participants": [PERSON, ...], "members": [PERSON, ...], "turn_id": N}. A PERSON has key, name, username, and maybe
nickname, global_name, persona_nickname, saved_nickname, bot, bridge, member (false for somebody who left), and proxy:
the key of the person behind it, or {"hosts": [KEY, ...], "blocked": false}; a proxy without hosts may not be kept."""


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
    add_care_commands(acts, common)
    _add_files(acts, common)


def _add_reading(acts: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    listing = acts.add_parser(
        "list", parents=[common], help="list memories", description="Print memories, the newest first."
    )
    add_place(listing)
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
    add_id(show)
    show.set_defaults(handler=run_show)


def _add_files(acts: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    give = acts.add_parser(
        "export",
        parents=[common],
        help="write memories to a file",
        description="Write memories as JSON: content, tags, whose they are. Whoever has the file can read it.",
    )
    give.add_argument("file", type=Path, metavar="FILE", help="the file")
    add_place(give)
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
    add_place(take)
    take.add_argument("--bucket", metavar="NAME", help="which character's memories, where the file has several")
    take.add_argument("--replace", action="store_true", help="retire what is there, instead of adding to it")
    take.set_defaults(handler=run_import)


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
    scope, owner = asked_owner(args)
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
        out.json([memory_shape(one, services.clock.now(), decay_of(hosted)) for one in chosen])
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
        out.json(memory_history_shape(history, services.clock.now(), decay_of(hosted)))
        return 0
    out.line(_line(history.memory))
    for state in history.states:
        by = "" if state.by is None else f" by {state.by}"
        out.line(f"  {format_time(state.at)} {state.cause}{by} (turn {state.turn}): {state.content}")
    return 0


async def run_export(command: Command) -> int:
    """Write memories to a file."""
    args = command.args
    scope, owner = asked_owner(args)
    return await export_memories(command, args.file, scope=scope, owner=owner, force=args.force)


async def run_import(command: Command) -> int:
    """Bring memories from a file."""
    args = command.args
    scope, owner = asked_owner(args)
    return await import_memories(command, args.file, scope=scope, owner=owner, bucket=args.bucket, replace=args.replace)


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
