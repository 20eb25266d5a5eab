"""Entries that were taken out of a lorebook, kept in a file beside it, where no prompt looks. Without Qt."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.lorebook.entry import LoreBook, LoreEntry
from familiar_app.interchange.lorebook.lore_file import LoadedLore, LoreConflictError, LoreFile
from familiar_app.store.book_shelf import TRASH

log = logging.getLogger(__name__)
MOST = 500


def trash_file(book: Path) -> Path:
    """Return where the deleted entries of a book's file are kept."""
    return book.parent / TRASH / f"{book.stem}.entries"


def gone(before: LoreBook, after: LoreBook) -> list[LoreEntry]:
    """Return the entries that the second book does not have any more, without those that never said anything."""
    there = {one.uid for one in after.entries}
    return [one for one in before.entries if one.uid not in there and (one.content.strip() or one.keys)]


class EntryTrash:
    """The deleted entries of one book. Their file is put aside where it cannot be read. Methods raise OutsideError."""

    def __init__(self, book: Path) -> None:
        self.book = book
        self._touching = asyncio.Lock()

    async def put(self, entries: Iterable[LoreEntry]) -> None:
        """Keep entries; of those that are there already, word for word, one is kept. The oldest go beyond `MOST`."""
        new = [_plain(one) for one in entries]
        if new:
            async with self._touching:
                await asyncio.to_thread(self._change, lambda kept: [one for one in kept if one not in new] + new)

    async def take(self, entry: LoreEntry) -> None:
        """Take an entry out, since it was brought back."""
        async with self._touching:
            await asyncio.to_thread(self._change, lambda kept: [one for one in kept if one != _plain(entry)])

    async def read(self, book: LoreBook) -> list[LoreEntry]:
        """Return the deleted entries, newest first, without those that the book has again."""
        async with self._touching:
            found = await asyncio.to_thread(_loaded, LoreFile(trash_file(self.book)))
        here = {_plain(one) for one in book.entries}
        return [one for one in reversed([_plain(one) for one in found.book.entries]) if one not in here]

    def _change(self, make: Callable[[list[LoreEntry]], list[LoreEntry]]) -> None:
        file = LoreFile(trash_file(self.book))
        while True:
            loaded = _loaded(file)
            kept = make([_plain(one) for one in loaded.book.entries])[-MOST:]
            numbered = tuple(replace(one, uid=number) for number, one in enumerate(kept))
            file.path.parent.mkdir(parents=True, exist_ok=True)
            try:
                file.save(loaded, replace(loaded.book, entries=numbered))
            except LoreConflictError:
                continue
            return


def _loaded(file: LoreFile) -> LoadedLore:
    try:
        return file.load()
    except BadInputError as error:
        log.warning("the deleted entries of a lorebook cannot be read and are put aside", exc_info=error)
        file.path.replace(file.path.with_suffix(".unreadable"))
        return file.load()


def _plain(entry: LoreEntry) -> LoreEntry:
    """Return what an entry says, without where it stood."""
    return replace(entry, uid=0, display_index=None, folder="")
