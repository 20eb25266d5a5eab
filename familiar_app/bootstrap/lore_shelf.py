"""Gives the prompt the lorebooks that the profile holds, as they are at each moment."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from familiar_app.context.layer import key_of
from familiar_app.context.lore_shelf import LoreShelf
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import ChannelKey, FamiliarId
from familiar_app.domain.lorebook.entry import BoundBooks, LoreBook
from familiar_app.domain.settings import CharacterConfig
from familiar_app.interchange.card_kept import characters_note
from familiar_app.interchange.lorebook.library import LoreLibrary, ShelvedBook
from familiar_app.store.lore_place import Binding, LorePlace
from familiar_app.store.profile import Profile


class ProfileLorebooks:
    """Implements `context.lore_shelf.Lorebooks` for one familiar. Several of them can share a library."""

    def __init__(self, profile: Profile, familiar: FamiliarId, config: CharacterConfig, library: LoreLibrary) -> None:
        self._profile = profile
        self._familiar = familiar
        self._config = config
        self._library = library

    async def read(self, channel: ChannelKey) -> LoreShelf:
        """Return what the files hold now; parsing happens off the loop, and is waited for."""
        return await asyncio.to_thread(self._read, channel)

    def _read(self, channel: ChannelKey) -> LoreShelf:
        try:
            places = [
                place
                for place in self._profile.lorebooks(self._familiar, self._config)
                if place.binding != "channel" or self._config.is_named(channel, place.channels)
            ]
        except FamiliarError as error:
            problem = {"file": None, "binding": None, "name": None, "entries": 0, "error": str(error)}
            return LoreShelf(BoundBooks(), "", (problem,))
        shelved = self._library.read(place.path for place in places)
        note = characters_note(self._profile.kept_card_place(self._familiar))
        return replace(_shelf(list(zip(places, shelved, strict=True))), characters_note=note)


def _shelf(found: list[tuple[LorePlace, ShelvedBook]]) -> LoreShelf:
    """Bind the books. Two of one name are told apart by their files, since timers and verdicts go by names."""
    names = [shelved.book.name for _, shelved in found if shelved.book is not None]
    bound: dict[Binding, list[LoreBook]] = {"familiar": [], "channel": [], "everywhere": []}
    for place, shelved in found:
        if shelved.book is not None:
            bound[place.binding].append(_named(place, shelved.book, shared=names.count(shelved.book.name) > 1))
    books = BoundBooks(
        everywhere=tuple(bound["everywhere"]), chat=tuple(bound["channel"]), character=tuple(bound["familiar"])
    )
    files = tuple(_file(place, shelved) for place, shelved in found)
    return LoreShelf(books, key_of([(str(one.path), one.revision) for _, one in found]), files)


def _named(place: LorePlace, book: LoreBook, *, shared: bool) -> LoreBook:
    return replace(book, name=f"{book.name} ({place.binding}: {place.path.stem})") if shared else book


def _file(place: LorePlace, shelved: ShelvedBook) -> dict[str, Any]:
    book = shelved.book
    return {
        "file": place.path.name,
        "binding": place.binding,
        "name": None if book is None else book.name,
        "entries": 0 if book is None else len(book.entries),
        "error": None if shelved.error is None else str(shelved.error),
    }
