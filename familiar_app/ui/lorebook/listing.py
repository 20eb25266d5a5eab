"""Which rows the table shows, and in which order: filter and sort over thousands of entries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Protocol

from familiar_app.domain.lorebook.entry import LoreBook, LoreEntry
from familiar_app.domain.lorebook.lint import Found
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.lorebook.merge import Uid

COLUMNS = ("place", "on", "name", "keys", "order", "tokens", "strategy", "times", "last", "test")
ONLY = (
    ("all", tr_later("All entries")),
    ("warnings", tr_later("With warnings")),
    ("never", tr_later("That can never fire")),
    ("unused", tr_later("That never fired")),
    ("off", tr_later("Switched off")),
)
"""What the table can be narrowed down to, beside a folder."""
FOLDER = "folder:"
NEVER = datetime.min.replace(tzinfo=UTC)


class Use(Protocol):
    """How often an entry stood in a prompt, and when last."""

    @property
    def times(self) -> int: ...

    @property
    def last_at(self) -> datetime: ...


def strategy_of(entry: LoreEntry) -> str:
    """Return in a word how an entry gets in."""
    if entry.constant:
        return tr("Always")
    if entry.vectorized:
        return tr("By meaning")
    if not entry.keys:
        return tr("Never")
    return tr("Two keys") if entry.selective and entry.secondary_keys else tr("By key")


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


def matching(
    book: LoreBook, text: str, haystacks: Haystacks, wanted: Callable[[LoreEntry], bool] | None = None
) -> list[LoreEntry]:
    """Return the entries that hold every word of `text` and are `wanted`, in file order."""
    words = text.casefold().split()
    found = book.entries if wanted is None else filter(wanted, book.entries)
    if not words:
        return list(found)
    return [entry for entry in found if all(word in haystacks.of(entry) for word in words)]


def narrowed(only: str, warnings: Found, uses: Mapping[Uid, Use]) -> Callable[[LoreEntry], bool] | None:
    """Return what an entry has to be for one of `ONLY`, or to be in a folder; None where every entry will do."""
    if only.startswith(FOLDER):
        return lambda one: one.folder == only.removeprefix(FOLDER)
    tests: dict[str, Callable[[LoreEntry], bool]] = {
        "warnings": lambda one: one.uid in warnings,
        "never": lambda one: any(warning.never for warning in warnings.get(one.uid, ())),
        "unused": lambda one: one.uid not in uses,
        "off": lambda one: not one.enabled,
    }
    return tests.get(only)


def in_order(
    entries: list[LoreEntry],
    column: str,
    *,
    descending: bool,
    tokens: Callable[[LoreEntry], int],
    ranks: Mapping[Uid, int],
    uses: Mapping[Uid, Use],
) -> list[LoreEntry]:
    """Sort by a column; rows that are equal in it stay in file order. `ranks` are those of the last test."""
    makers: dict[str, Callable[[LoreEntry], Any]] = {
        "on": lambda one: not one.enabled,
        "name": lambda one: one.name.casefold(),
        "keys": lambda one: ", ".join(one.keys).casefold(),
        "order": lambda one: one.order,
        "tokens": tokens,
        "strategy": strategy_of,
        "times": lambda one: uses[one.uid].times if one.uid in uses else 0,
        "last": lambda one: uses[one.uid].last_at if one.uid in uses else NEVER,
        "test": lambda one: ranks.get(one.uid, 1_000_000),
    }
    if column in makers:
        return sorted(entries, key=makers[column], reverse=descending)
    return entries[::-1] if descending else entries
