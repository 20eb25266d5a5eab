"""Saved memories from and to files, and channels in their tags."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace as with_changes
from pathlib import Path

from familiar_app.cli.context import Command, heard
from familiar_app.conversation.memory_tool import keeper_of
from familiar_app.domain.errors import BadInputError, UserError
from familiar_app.domain.ids import OWNER, FamiliarId, Lineage
from familiar_app.domain.saved_memory.keeper import Wording
from familiar_app.domain.saved_memory.memory import GLOBAL_LINEAGE, MemoryPlace, Scope
from familiar_app.domain.turn import Channel
from familiar_app.interchange.json_text import write_file
from familiar_app.interchange.memories import GLOBAL, OWN, FileMemory, read_memories, write_memories
from familiar_app.interchange.turn_export import refuse_existing
from familiar_app.services import Services
from familiar_app.store.saved_memory import MemoryQuestion

_ALL = 1 << 40


async def channel_tags(services: Services, familiar: FamiliarId, tags: Sequence[str]) -> tuple[str, ...]:
    """Return tags with the channels among them by their keys; one that is not known, or is several, stays as it is."""
    if not any(tag.strip().startswith("#") for tag in tags):
        return tuple(tags)
    channels = await _channels(services, familiar)
    return tuple(_resolved(tag.strip(), channels) for tag in tags)


async def export_memories(
    command: Command, path: Path, *, scope: Scope | None = None, owner: str | None = None, force: bool = False
) -> int:
    """Write a familiar's memories, all of them or those of one owner."""
    refuse_existing(path, force)
    services = await command.open()
    hosted = command.hosted(services)
    question = MemoryQuestion(hosted.config.lineage, scope, owner, limit=_ALL)
    titles = {f"#{one.key}": f"#{one.title.lstrip('#')}" for one in await _channels(services, hosted.id)}
    found = await services.vault.saved_memories.list(question)
    items = [
        FileMemory(
            content=one.content,
            tags=tuple(titles.get(tag, tag) for tag in one.tags),
            bucket=GLOBAL if one.place.is_global else OWN,
            place="",
            scope=one.place.scope,
            owner=one.place.owner,
        )
        for one in reversed(found)
    ]
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
    items = _of_one_character(await asyncio.to_thread(read_memories, path), bucket, path)
    services = await command.open()
    hosted = command.hosted(services)
    lineage = hosted.config.lineage
    wordings = [Wording(_place(item, lineage, scope, owner, path), item.content, item.tags) for item in items]
    wordings = await _with_channels(services, hosted.id, lineage, wordings)
    keeper = keeper_of(hosted.id, hosted.config)
    try:
        done = await services.vault.saved_memories.bring_in(
            keeper, wordings, replace=replace, by=OWNER, dry_run=dry_run
        )
    except BadInputError as error:
        raise BadInputError(error.reason, source=path, field=error.field, next_step=error.next_step) from error
    if command.out.as_json:
        counts = {"taken": done.added, "skipped": done.skipped, "retired": done.retired}
        command.out.json({"kind": "memories", "dry_run": dry_run, **counts})
    else:
        command.out.message(f"{done.added} memories taken, {done.skipped} there already, {done.retired} retired.")
    return 0


async def _with_channels(
    services: Services, familiar: FamiliarId, lineage: Lineage, wordings: Sequence[Wording]
) -> list[Wording]:
    """Return memories with the channels in their tags by key, but as the vault has them where it has the same memory.

    A channel that nobody knew when a memory was tagged may be known today; that makes no second memory of it.
    """
    channels = await _channels(services, familiar)
    known: dict[tuple[MemoryPlace, str, frozenset[str]], tuple[str, ...]] = {}
    for row in await services.vault.saved_memories.list(MemoryQuestion(lineage, limit=_ALL)):
        known[row.place, row.content, frozenset(_resolved(tag, channels) for tag in row.tags)] = row.tags
    found: list[Wording] = []
    for one in wordings:
        tags = tuple(_resolved(tag.strip(), channels) for tag in one.tags)
        found.append(with_changes(one, tags=known.get((one.place, one.content, frozenset(tags)), tags)))
    return found


async def _channels(services: Services, familiar: FamiliarId) -> list[Channel]:
    return [summary.channel for summary in await heard(services, familiar)]


def _resolved(tag: str, channels: Sequence[Channel]) -> str:
    if not tag.startswith("#"):
        return tag
    name = tag[1:].strip()
    keys = [one.key for one in channels if name in (one.key, one.key.partition(":")[2])]
    if not keys:
        keys = [one.key for one in channels if one.title.lstrip("#").casefold() == name.casefold()]
    return f"#{keys[0]}" if len(keys) == 1 else tag


def _of_one_character(items: list[FileMemory], bucket: str | None, path: Path) -> list[FileMemory]:
    """Return one character's memories, and those of all. Raises UserError where it is not clear whose are meant."""
    own = dict.fromkeys(item.bucket for item in items if not item.is_global)
    if bucket is not None and bucket not in own:
        raise UserError(f"{path} has no lineage {bucket!r}.", f"There are: {', '.join(own) or 'none'}.")
    if bucket is None and len(own) > 1:
        raise UserError(
            f"{path} has the memories of several characters.", f"Choose one with --bucket: {', '.join(own)}."
        )
    return [item for item in items if item.is_global or bucket in (None, item.bucket)]


def _place(item: FileMemory, lineage: Lineage, scope: Scope | None, owner: str | None, path: Path) -> MemoryPlace:
    chosen_scope, chosen_owner = (scope, owner) if scope is not None else (item.scope, item.owner)
    if chosen_scope is None or chosen_owner is None:
        raise UserError(
            f"{path} does not say whose these memories are.",
            "Say it with 'memory import', --person KEY or --server KEY.",
        )
    if item.scope is not None and item.scope is not chosen_scope:
        raise BadInputError(f"this memory is {item.scope}, not {chosen_scope}.", source=path, field=item.place)
    if item.is_global and chosen_scope is Scope.SERVER:
        raise BadInputError("a memory about a server cannot be known to every familiar.", source=path, field=item.place)
    return MemoryPlace(chosen_scope, chosen_owner, GLOBAL_LINEAGE if item.is_global else lineage)
