"""What makes an evaluation of lorebooks come out as it did, and books without the entries that are left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from familiar_app.context.layer import key_of
from familiar_app.context.lore_shelf import LoreShelf
from familiar_app.context.lore_story import LoreStory
from familiar_app.domain.lorebook.entry import BoundBooks, LoreBook
from familiar_app.domain.lorebook.timer import Timers
from familiar_app.domain.variation import Variation

LORE = "lore"


@dataclass(frozen=True, slots=True)
class LoreReplay:
    """The chance, the timers and the story of the chat that an earlier evaluation had."""

    rolls: tuple[float, ...]
    timers: Timers
    story: LoreStory


def replay_of(trace: Mapping[str, Any] | None) -> LoreReplay | None:
    """Read it from the story of an evaluation; None where nothing was evaluated, or it does not tell.

    Raises BadInputError where the timers are none.
    """
    if trace is None or "timers" not in trace:
        return None
    story = LoreStory(int(trace["messages"]), trace.get("said"), trace.get("greeting"))
    return LoreReplay(tuple(trace["rolls"]), Timers.from_json(trace["timers"]), story)


def entry_id(book: str, uid: int | str) -> str:
    """Return how a variation names an entry."""
    return f"{book}/{uid}"


def without_entries(shelf: LoreShelf, variation: Variation) -> LoreShelf:
    """Return the shelf without the entries that a variation leaves out."""
    gone = frozenset(number for kind, number in variation.without_items if kind == LORE)
    if not gone:
        return shelf

    def kept(books: tuple[LoreBook, ...]) -> tuple[LoreBook, ...]:
        return tuple(
            replace(book, entries=tuple(one for one in book.entries if entry_id(book.name, one.uid) not in gone))
            for book in books
        )

    bound = shelf.books
    books = BoundBooks(
        everywhere=kept(bound.everywhere),
        chat=kept(bound.chat),
        persona=kept(bound.persona),
        character=kept(bound.character),
    )
    return replace(shelf, books=books, revision=key_of(shelf.revision, sorted(gone, key=str)))
