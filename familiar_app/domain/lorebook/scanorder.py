"""The order in which entries are looked at. It decides who gets budget and wins ties, not where text stands."""

from __future__ import annotations

from collections.abc import Iterable

from familiar_app.domain.lorebook.entry import BoundBooks, LoreBook, LoreEntry
from familiar_app.domain.lorebook.scene import Strategy

Ranked = tuple[LoreBook, LoreEntry]


def scan_order(books: BoundBooks, strategy: Strategy) -> list[Ranked]:
    """Return all entries with their books: those of the chat, of the persona, then the rest by strategy.

    Within a block the higher `order` comes first; equal ones keep file order.
    """
    seen: set[str] = set()
    everywhere = _entries(books.everywhere, seen)
    chat = _entries(books.chat, seen)
    persona = _entries(books.persona, seen)
    character = _entries(books.character, seen)
    if strategy is Strategy.EVENLY:
        rest = _ranked([*everywhere, *character])
    elif strategy is Strategy.CHARACTER_FIRST:
        rest = _ranked(character) + _ranked(everywhere)
    else:
        rest = _ranked(everywhere) + _ranked(character)
    return _ranked(chat) + _ranked(persona) + rest


def _entries(books: Iterable[LoreBook], seen: set[str]) -> list[Ranked]:
    """List the entries of books that were not seen before."""
    ranked: list[Ranked] = []
    for book in books:
        if book.name not in seen:
            seen.add(book.name)
            ranked.extend((book, entry) for entry in book.entries)
    return ranked


def _ranked(entries: list[Ranked]) -> list[Ranked]:
    return sorted(entries, key=lambda pair: -pair[1].order)
