"""Ids of entries that stay while the panel is open; in the file, entries without an id of their own are renumbered."""

from __future__ import annotations

from dataclasses import replace

from familiar_app.domain.lorebook.entry import LoreBook, LoreEntry
from familiar_app.ui.lorebook.merge import Uid, next_uid


class Identities:
    """Translates between the ids used here (inner) and those of the file as it was last read (outer)."""

    def __init__(self) -> None:
        self._outer: dict[Uid, Uid] = {}
        self._free = 0

    def new(self) -> int:
        """Return an id that no entry ever had here."""
        self._free += 1
        return self._free - 1

    def outer(self, uid: Uid) -> Uid:
        """Return the id that an entry has in the file."""
        return self._outer.get(uid, uid)

    def inward(self, loaded: LoreBook, known: LoreBook) -> LoreBook:
        """Return a book that was read, with the ids that its entries have in `known`."""
        inner_of = {outer: inner for inner, outer in self._outer.items()}
        before = {one.uid: one for one in known.entries}
        self._free = max(self._free, next_uid(loaded.entries), next_uid(known.entries))
        found: dict[Uid, Uid] = {}
        for one in loaded.entries:
            inner = inner_of.get(one.uid)
            if inner in before and _says_the_same(before[inner], one):
                found[one.uid] = inner
        self._find_moved(loaded, before, found)
        held = set(found.values())
        for one in loaded.entries:
            if one.uid not in found:
                inner = inner_of.get(one.uid, one.uid)
                if inner in held or (inner not in before and inner in self._outer):
                    inner = self.new()
                found[one.uid] = inner
                held.add(inner)
        self._outer = {inner: outer for outer, inner in found.items()}
        return replace(loaded, entries=tuple(_with_uid(one, found[one.uid]) for one in loaded.entries))

    def outward(self, book: LoreBook) -> LoreBook:
        """Return the book with the ids of the file; new entries get free ones."""
        taken = (one for one in self._outer.values() if isinstance(one, int))
        free = max(next_uid(book.entries), max(taken, default=-1) + 1)
        entries = []
        for one in book.entries:
            if one.uid in self._outer:
                entries.append(_with_uid(one, self._outer[one.uid]))
            else:
                entries.append(_with_uid(one, free))
                free += 1
        return replace(book, entries=tuple(entries))

    def stored(self, book: LoreBook, written: LoreBook) -> LoreBook:
        """Note what ids a book has now that it was written; returns it as it reads, with the ids used here."""
        self._outer = {one.uid: there.uid for one, there in zip(book.entries, written.entries, strict=True)}
        entries = (_with_uid(there, one.uid) for one, there in zip(book.entries, written.entries, strict=True))
        return replace(written, entries=tuple(entries))

    def _find_moved(self, loaded: LoreBook, before: dict[Uid, LoreEntry], found: dict[Uid, Uid]) -> None:
        """Recognise entries that stand under another number now by what they say."""
        waiting = [one for one in loaded.entries if one.uid not in found]
        held = set(found.values())
        if not waiting or len(held) == len(before):
            return
        free: dict[LoreEntry, list[Uid]] = {}
        for uid, one in before.items():
            if uid not in held:
                free.setdefault(_with_uid(one, 0), []).append(uid)
        for one in waiting:
            places = free.get(_with_uid(one, 0))
            if places:
                found[one.uid] = places.pop(0)


def _with_uid(entry: LoreEntry, uid: Uid) -> LoreEntry:
    return entry if entry.uid == uid and type(entry.uid) is type(uid) else replace(entry, uid=uid)


def _says_the_same(one: LoreEntry, other: LoreEntry) -> bool:
    return one == _with_uid(other, one.uid)
