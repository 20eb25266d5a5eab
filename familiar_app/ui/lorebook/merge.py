"""Brings together a lorebook that was changed here and meanwhile in its file: field by field, entry by entry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace

from familiar_app.domain.lorebook.entry import LoreBook, LoreEntry

Uid = int | str
_SETTINGS = tuple(field.name for field in fields(LoreBook) if field.name != "entries")
_VALUES = tuple(field.name for field in fields(LoreEntry) if field.name != "uid")


@dataclass(frozen=True, slots=True)
class Conflict:
    """One entry that was changed on both sides in the same field, or changed here and taken out there (or reversed)."""

    uid: Uid
    mine: LoreEntry | None
    theirs: LoreEntry | None


@dataclass(frozen=True, slots=True)
class Merged:
    """The book of both sides. Entries in conflict stand as the other side has them, unless it took them out."""

    book: LoreBook
    conflicts: tuple[Conflict, ...] = ()


def merge_books(base: LoreBook, mine: LoreBook, theirs: LoreBook) -> Merged:
    """Merge two descendants of `base`. Entries are known by their ids."""
    if theirs is base or theirs == base:
        return Merged(mine)
    if mine is base or mine == base:
        return Merged(theirs)
    old, ours, others = (_by_uid(book) for book in (base, mine, theirs))
    chosen: dict[Uid, LoreEntry] = {}
    conflicts: list[Conflict] = []
    for uid in dict.fromkeys([*others, *ours]):
        entry, clash = _merge_entry(old.get(uid), ours.get(uid), others.get(uid))
        if clash:
            conflicts.append(Conflict(uid, ours.get(uid), others.get(uid)))
        if entry is not None:
            chosen[uid] = entry
    order = _order([list(old), list(ours), list(others)], chosen)
    settings = {
        name: getattr(theirs if getattr(mine, name) == getattr(base, name) else mine, name) for name in _SETTINGS
    }
    return Merged(LoreBook(entries=tuple(chosen[uid] for uid in order), **settings), tuple(conflicts))


def next_uid(entries: Iterable[LoreEntry]) -> int:
    """Return a number that no entry has."""
    return max((one.uid for one in entries if isinstance(one.uid, int)), default=-1) + 1


def _by_uid(book: LoreBook) -> dict[Uid, LoreEntry]:
    return {one.uid: one for one in book.entries}


def _merge_entry(
    base: LoreEntry | None, mine: LoreEntry | None, theirs: LoreEntry | None
) -> tuple[LoreEntry | None, bool]:
    """Return the merged entry, None where it is gone, and whether both sides disagree."""
    if mine in (theirs, base):
        return theirs, False
    if theirs == base:
        return mine, False
    if mine is None or theirs is None or base is None:
        return (mine if theirs is None else theirs), True
    changes = {}
    for name in _VALUES:
        before, here, there = getattr(base, name), getattr(mine, name), getattr(theirs, name)
        if here not in (before, there):
            if there != before:
                return theirs, True
            changes[name] = here
    return replace(theirs, **changes), False


def _order(orders: list[list[Uid]], chosen: Mapping[Uid, LoreEntry]) -> list[Uid]:
    """Put the chosen ids into the order of the side that moved entries; the other's new ones follow a neighbour."""
    base, mine, theirs = orders
    common = set(base) & set(mine) & set(theirs)
    moved_here = [uid for uid in mine if uid in common] != [uid for uid in base if uid in common]
    first, second = (mine, theirs) if moved_here else (theirs, mine)
    order = [uid for uid in first if uid in chosen]
    there = set(order)
    place = {uid: number for number, uid in enumerate(second)}
    for uid in sorted((one for one in chosen if one not in there), key=lambda one: place.get(one, len(second))):
        number = place.get(uid, len(second))
        before = second[number - 1] if 0 < number < len(second) + 1 and second else None
        order.insert(order.index(before) + 1 if before in there else (0 if number == 0 else len(order)), uid)
        there.add(uid)
    return order
