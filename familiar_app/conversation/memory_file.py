"""Saved memories as they go into files and come from them, and channels in tags: by key here, by title for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as with_changes
from pathlib import Path

from familiar_app.domain.errors import BadInputError, UserError
from familiar_app.domain.ids import OWNER, FamiliarId, Lineage
from familiar_app.domain.saved_memory.filed import GLOBAL, OWN, FileMemory
from familiar_app.domain.saved_memory.keeper import Keeper, Wording
from familiar_app.domain.saved_memory.memory import GLOBAL_LINEAGE, MemoryPlace, Scope
from familiar_app.domain.text import tr
from familiar_app.domain.turn import Channel
from familiar_app.store.saved_memory import MemoryQuestion
from familiar_app.store.saved_memory_hand import Imported
from familiar_app.store.vault import Vault

_ALL = 1 << 40


@dataclass(frozen=True, slots=True)
class Whose:
    """Whose memories are meant: those of one server or person. A file may say it itself, for each of them."""

    scope: Scope | None = None
    owner: str | None = None
    bucket: str | None = None


async def channels_of(vault: Vault, familiar: FamiliarId) -> list[Channel]:
    """Return the familiar's own channels and those it hears, archived ones too."""
    found = [*await vault.channels.list(familiar), *await vault.channels.list(familiar, archived=True)]
    return [summary.channel for summary in found]


def keyed_tags(tags: Sequence[str], channels: Sequence[Channel]) -> tuple[str, ...]:
    """Return tags with the channels among them by key; one that is not known, or is several, stays as it is."""
    return tuple(_resolved(tag.strip(), channels) for tag in tags)


def titled_tags(tags: Sequence[str], channels: Sequence[Channel]) -> tuple[str, ...]:
    """Return tags with the channels among them by title."""
    titles = {f"#{one.key}": f"#{one.title.lstrip('#')}" for one in channels}
    return tuple(titles.get(tag, tag) for tag in tags)


async def outgoing(vault: Vault, keeper: Keeper, whose: Whose) -> list[FileMemory]:
    """Return a familiar's memories for a file, all of them or those of one owner, oldest first."""
    channels = await channels_of(vault, keeper.familiar)
    found = await vault.saved_memories.list(MemoryQuestion(keeper.lineage, whose.scope, whose.owner, limit=_ALL))
    return [
        FileMemory(
            content=one.content,
            tags=titled_tags(one.tags, channels),
            bucket=GLOBAL if one.place.is_global else OWN,
            place="",
            scope=one.place.scope,
            owner=one.place.owner,
        )
        for one in reversed(found)
    ]


async def bring_in(
    vault: Vault,
    keeper: Keeper,
    found: list[FileMemory],
    path: Path,
    whose: Whose,
    *,
    replace: bool = False,
    dry_run: bool = False,
) -> Imported:
    """Bring the memories of a file: all of them, or none; with `dry_run` only say what would be done.

    Raises BadInputError that names file and place, or UserError where it is not clear whose the memories are.
    """
    items = _of_one_character(found, whose.bucket, path)
    wordings = [Wording(_place(item, keeper.lineage, whose, path), item.content, item.tags) for item in items]
    wordings = await _with_channels(vault, keeper, wordings)
    try:
        return await vault.saved_memories.bring_in(keeper, wordings, replace=replace, by=OWNER, dry_run=dry_run)
    except BadInputError as error:
        raise BadInputError(error.reason, source=path, field=error.field, next_step=error.next_step) from error


async def _with_channels(vault: Vault, keeper: Keeper, wordings: Sequence[Wording]) -> list[Wording]:
    """Return memories with the channels in their tags by key, but as the vault has them where it has the same memory.

    A channel that nobody knew when a memory was tagged may be known today; that makes no second memory of it.
    """
    channels = await channels_of(vault, keeper.familiar)
    known: dict[tuple[MemoryPlace, str, frozenset[str]], tuple[str, ...]] = {}
    for row in await vault.saved_memories.list(MemoryQuestion(keeper.lineage, limit=_ALL)):
        known[row.place, row.content, frozenset(keyed_tags(row.tags, channels))] = row.tags
    found: list[Wording] = []
    for one in wordings:
        tags = keyed_tags(one.tags, channels)
        found.append(with_changes(one, tags=known.get((one.place, one.content, frozenset(tags)), tags)))
    return found


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
        raise UserError(
            tr("{path} has no lineage {bucket!r}.", path=path, bucket=bucket),
            tr("There are: {names}.", names=", ".join(own) or tr("none")),
        )
    if bucket is None and len(own) > 1:
        raise UserError(
            tr("{path} has the memories of several characters.", path=path),
            tr("Choose one with --bucket: {names}.", names=", ".join(own)),
        )
    return [item for item in items if item.is_global or bucket in (None, item.bucket)]


def _place(item: FileMemory, lineage: Lineage, whose: Whose, path: Path) -> MemoryPlace:
    chosen_scope, chosen_owner = (whose.scope, whose.owner) if whose.scope is not None else (item.scope, item.owner)
    if chosen_scope is None or chosen_owner is None:
        raise UserError(
            tr("{path} does not say whose these memories are.", path=path),
            tr("Say it with 'memory import', --person KEY or --server KEY."),
        )
    if item.scope is not None and item.scope is not chosen_scope:
        raise BadInputError(
            tr("this memory is {scope}, not {chosen_scope}.", scope=item.scope, chosen_scope=chosen_scope),
            source=path,
            field=item.place,
        )
    if item.is_global and chosen_scope is Scope.SERVER:
        raise BadInputError(
            tr("a memory about a server cannot be known to every familiar."), source=path, field=item.place
        )
    return MemoryPlace(chosen_scope, chosen_owner, GLOBAL_LINEAGE if item.is_global else lineage)
