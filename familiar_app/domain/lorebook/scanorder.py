"""The order in which entries are looked at. It decides who gets budget and wins ties, not where text stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from familiar_app.domain.lorebook.entry import BoundBooks, LoreBook, LoreEntry
from familiar_app.domain.lorebook.scene import Strategy

Ranked = tuple[LoreBook, LoreEntry]


Rank = Callable[[LoreEntry], float]


def by_order(entry: LoreEntry) -> float:
    """Rank entries by their order."""
    return entry.order


def scan_order(books: BoundBooks, strategy: Strategy, rank: Rank = by_order) -> list[Ranked]:
    """Return all entries with their books: those of the chat, of the persona, then the rest by strategy.

    Within a block the higher rank comes first; equal ones keep file order.
    """

    def ranked(entries: list[Ranked]) -> list[Ranked]:
        return sorted(entries, key=lambda pair: -rank(pair[1]))

    seen: set[str] = set()
    everywhere = _entries(books.everywhere, seen)
    chat = _entries(books.chat, seen)
    persona = _entries(books.persona, seen)
    character = _entries(books.character, seen)
    if strategy is Strategy.EVENLY:
        rest = ranked([*everywhere, *character])
    elif strategy is Strategy.CHARACTER_FIRST:
        rest = ranked(character) + ranked(everywhere)
    else:
        rest = ranked(everywhere) + ranked(character)
    return ranked(chat) + ranked(persona) + rest


def _entries(books: Iterable[LoreBook], seen: set[str]) -> list[Ranked]:
    """List the entries of books that were not seen before."""
    ranked: list[Ranked] = []
    for book in books:
        if book.name not in seen:
            seen.add(book.name)
            ranked.extend((book, entry) for entry in book.entries)
    return ranked
