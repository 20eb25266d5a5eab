"""Where the lorebooks of a channel come from, as the prompt sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from familiar_app.domain.ids import ChannelKey
from familiar_app.domain.lorebook.entry import BoundBooks, LoreBook


@dataclass(frozen=True, slots=True)
class LoreShelf:
    """The books of one channel at this moment, each with a name of its own.

    `revision` changes with the content of any file. `files` tells of each file, in JSON values, what it is and what
    was wrong with it. `characters_note` is a note that came with the character's card; entries can have it searched.
    """

    books: BoundBooks
    revision: str
    files: tuple[dict[str, Any], ...] = ()
    characters_note: str = ""

    @property
    def all_books(self) -> tuple[LoreBook, ...]:
        """Every book, whatever binds it."""
        return (*self.books.chat, *self.books.persona, *self.books.character, *self.books.everywhere)


class Lorebooks(Protocol):
    """The lorebooks of one familiar."""

    async def read(self, channel: ChannelKey) -> LoreShelf:
        """Return what the files hold now. A file that cannot be read is told of in `files`, never raised."""
        ...
