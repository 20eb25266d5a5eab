"""The lorebooks of one familiar: its own, those of channels, those of everybody. Without Qt.

Listeners hear `books` (others are there, or called otherwise) and `shown` (another one is to be shown).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from familiar_app.domain.lorebook.entry import LoreEntry
from familiar_app.domain.text import tr, tr_later
from familiar_app.interchange.lorebook.library import LoreLibrary
from familiar_app.store.book_shelf import BookFile, BookShelf
from familiar_app.ui.lorebook.listing import Haystacks, matching
from familiar_app.ui.lorebook.word import lore_word

NEW_NAME = tr_later("New lorebook")
_BINDINGS = {"familiar": "own", "everywhere": tr_later("everywhere"), "nowhere": tr_later("not in use")}
SaveConfig = Callable[[Mapping[str, Any]], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """An entry of another book that a search found."""

    path: Path
    book: str
    entry: LoreEntry
    number: int


class Books:
    """Which books there are, and which one is shown. `save_config` changes the familiar's settings in force."""

    def __init__(self, shelf: BookShelf, save_config: SaveConfig) -> None:
        self._shelf, self._save_config = shelf, save_config
        self.books: tuple[BookFile, ...] = (BookFile(shelf.own, "familiar", name="lorebook"),)
        self.shown: Path = shelf.own
        self._library = LoreLibrary()
        self._named: dict[Path, tuple[str, ...]] = {}
        self._haystacks: dict[Path, Haystacks] = {}
        self._listeners: list[Callable[[str], object]] = []

    @property
    def own(self) -> Path:
        """The file of the familiar's own book."""
        return self._shelf.own

    def watch(self, listener: Callable[[str], object]) -> None:
        """Call `listener` with a word after each change."""
        self._listeners.append(listener)

    def _tell(self, what: str) -> None:
        for listener in list(self._listeners):
            listener(what)

    def title(self, book: BookFile) -> str:
        """Return how a book is listed: its name, and where it counts."""
        binding = _BINDINGS.get(book.binding)
        return f"{book.name} ({', '.join(book.channels) if binding is None else lore_word(binding)})"

    def of(self, path: Path) -> BookFile | None:
        """Return what is known of a file."""
        return next((one for one in self.books if one.path == path), None)

    def show(self, path: Path) -> None:
        """Show another book."""
        if path != self.shown:
            self.shown = path
            self._tell("shown")

    async def read(self) -> None:
        """Look which books there are. Raises OutsideError, BadInputError."""
        found = tuple(await asyncio.to_thread(self._shelf.books))
        if found != self.books:
            self.books = found
            self._tell("books")
        if self.of(self.shown) is None:
            self.show(self.own)

    async def make(self) -> Path:
        """Make an empty book that counts nowhere yet, and show it."""
        path = await asyncio.to_thread(self._shelf.make, tr(NEW_NAME), "channel")
        await self.read()
        self.show(path)
        return path

    async def bind(
        self,
        path: Path,
        *,
        everywhere: bool,
        channels: Iterable[str] = (),
        moved_to: Callable[[Path], object] = lambda _path: None,
    ) -> None:
        """Let a book count everywhere, or in some channels, or with none of them nowhere.

        `moved_to` hears where its file is now, before anybody else does.
        """
        wanted = () if everywhere else tuple(channels)
        if everywhere:
            await self._name(path, ())
        moved = await asyncio.to_thread(self._shelf.move, path, "everywhere" if everywhere else "channel")
        moved_to(moved)
        if self.shown == path:
            self.shown = moved
        if not everywhere:
            await self._name(moved, wanted)
        await self.read()

    async def _name(self, path: Path, channels: tuple[str, ...]) -> None:
        config = await asyncio.to_thread(self._shelf.config)
        changes = self._shelf.naming(path, channels, config)
        if changes:
            await self._save_config(changes)

    async def discard(self, path: Path) -> Path:
        """Put a book into the trash; returns where it lies there."""
        known = self.of(path)
        if known is not None and known.channels:
            await self._name(path, ())
        trashed = await asyncio.to_thread(self._shelf.discard, path)
        self._named[trashed] = known.channels if known is not None else ()
        if self.shown == path:
            self.shown = self.own
            self._tell("shown")
        await self.read()
        return trashed

    async def restore(self, trashed: Path) -> None:
        """Bring a book back from the trash, for the channels that had it, and show it."""
        path = await asyncio.to_thread(self._shelf.restore, trashed)
        channels = self._named.pop(trashed, ())
        if channels:
            await self._name(path, channels)
        await self.read()
        self.show(path)

    async def trashed(self) -> list[Path]:
        """Return the books in the trash."""
        return await asyncio.to_thread(self._shelf.trashed)

    async def search(self, text: str, without: Path) -> list[Elsewhere]:
        """Return the entries of all other books that hold every word of `text`."""
        paths = [one.path for one in self.books if one.path != without and one.entries]
        if not text.strip() or not paths:
            return []
        return await asyncio.to_thread(self._search, text, paths)

    def _search(self, text: str, paths: list[Path]) -> list[Elsewhere]:
        found = []
        for shelved in self._library.read(paths):
            if shelved.book is None:
                continue
            haystacks = self._haystacks.setdefault(shelved.path, Haystacks())
            numbers = {one.uid: number for number, one in enumerate(shelved.book.entries)}
            found += [
                Elsewhere(shelved.path, shelved.book.name, entry, numbers[entry.uid])
                for entry in matching(shelved.book, text, haystacks)
            ]
        return found
