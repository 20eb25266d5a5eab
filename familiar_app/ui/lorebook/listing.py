"""Which rows the table shows, and in which order: filter and sort over thousands of entries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from familiar_app.domain.lorebook.entry import LoreBook, LoreEntry
from familiar_app.ui.lorebook.merge import Uid

COLUMNS = ("place", "on", "name", "keys", "order", "tokens", "strategy", "test")


def strategy_of(entry: LoreEntry) -> str:
    """Return in a word how an entry gets in."""
    if entry.constant:
        return "Always"
    if entry.vectorized:
        return "By meaning"
    if not entry.keys:
        return "Never"
    return "Two keys" if entry.selective and entry.secondary_keys else "By key"


class Haystacks:
    """What the search looks through, made once for each state of an entry."""

    def __init__(self) -> None:
        self._made: dict[Uid, tuple[LoreEntry, str]] = {}

    def prepare(self, book: LoreBook) -> None:
        """Make them all, so that the first search is as quick as the others."""
        for entry in book.entries:
            self.of(entry)

    def of(self, entry: LoreEntry) -> str:
        """Return all searched text of an entry, without case."""
        known = self._made.get(entry.uid)
        if known is None or known[0] is not entry:
            parts = (entry.comment, *entry.keys, *entry.secondary_keys, entry.group, entry.content)
            known = self._made[entry.uid] = (entry, "\n".join(parts).casefold())
        return known[1]


def matching(book: LoreBook, text: str, haystacks: Haystacks) -> list[LoreEntry]:
    """Return the entries that hold every word of `text`, in file order."""
    words = text.casefold().split()
    if not words:
        return list(book.entries)
    found = []
    for entry in book.entries:
        haystack = haystacks.of(entry)
        if all(word in haystack for word in words):
            found.append(entry)
    return found


def in_order(
    entries: list[LoreEntry],
    column: str,
    *,
    descending: bool,
    tokens: Callable[[LoreEntry], int],
    ranks: Mapping[Uid, int],
) -> list[LoreEntry]:
    """Sort by a column; rows that are equal in it stay in file order. `ranks` are those of the last test."""
    makers: dict[str, Callable[[LoreEntry], Any]] = {
        "on": lambda one: not one.enabled,
        "name": lambda one: one.name.casefold(),
        "keys": lambda one: ", ".join(one.keys).casefold(),
        "order": lambda one: one.order,
        "tokens": tokens,
        "strategy": strategy_of,
        "test": lambda one: ranks.get(one.uid, 1_000_000),
    }
    if column in makers:
        return sorted(entries, key=makers[column], reverse=descending)
    return entries[::-1] if descending else entries
