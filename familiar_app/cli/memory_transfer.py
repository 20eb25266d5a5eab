"""`memory export` and `memory import`, and channels in the tags that are typed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from familiar_app.cli.context import Command
from familiar_app.conversation.memory_file import Whose, bring_in, channels_of, keyed_tags, outgoing
from familiar_app.conversation.memory_tool import keeper_of
from familiar_app.domain.errors import UsageError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.saved_memory.memory import Scope
from familiar_app.interchange.json_text import write_file
from familiar_app.interchange.memories import read_memories, write_memories
from familiar_app.interchange.turn_export import refuse_existing
from familiar_app.services import Services


async def channel_tags(services: Services, familiar: FamiliarId, tags: Sequence[str]) -> tuple[str, ...]:
    """Return tags with the channels among them by their keys; one that is not known, or is several, stays as it is."""
    if not any(tag.strip().startswith("#") for tag in tags):
        return tuple(tags)
    return keyed_tags(tags, await channels_of(services.vault, familiar))


async def export_memories(
    command: Command, path: Path, *, scope: Scope | None = None, owner: str | None = None, force: bool = False
) -> int:
    """Write a familiar's memories, all of them or those of one owner."""
    if str(path) == "-":
        raise UsageError("Memories are written to a file.", "Name a file in the place of -.")
    refuse_existing(path, force)
    services = await command.open()
    hosted = command.hosted(services)
    items = await outgoing(services.vault, keeper_of(hosted.id, hosted.config), Whose(scope, owner))
    await asyncio.to_thread(write_file, path, write_memories(items))
    if command.out.as_json:
        command.out.json({"kind": "memories", "written": len(items), "file": str(path)})
    else:
        command.out.message(f"{len(items)} memories written.")
    return 0


async def import_memories(
    command: Command,
    path: Path,
    *,
    scope: Scope | None = None,
    owner: str | None = None,
    bucket: str | None = None,
    replace: bool = False,
    dry_run: bool = False,
) -> int:
    """Bring memories from a file: all of them, or none; with `dry_run` only say what would be done."""
    found = await asyncio.to_thread(read_memories, path)
    services = await command.open()
    hosted = command.hosted(services)
    keeper, whose = keeper_of(hosted.id, hosted.config), Whose(scope, owner, bucket)
    done = await bring_in(services.vault, keeper, found, path, whose, replace=replace, dry_run=dry_run)
    if command.out.as_json:
        counts = {"taken": done.added, "skipped": done.skipped, "retired": done.retired}
        command.out.json({"kind": "memories", "dry_run": dry_run, **counts})
    else:
        command.out.message(f"{done.added} memories taken, {done.skipped} there already, {done.retired} retired.")
    return 0
