"""The saved memories of one familiar: about whom there are some, those that are shown, and what is chosen. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from familiar_app.conversation.memory_file import Whose, channels_of, keyed_tags, titled_tags
from familiar_app.conversation.memory_tool import keeper_of
from familiar_app.domain.ids import OWNER, FamiliarId, PersonKey
from familiar_app.domain.saved_memory.capacity import Decay
from familiar_app.domain.saved_memory.keeper import Keeper
from familiar_app.domain.saved_memory.memory import GLOBAL_LINEAGE, MemoryId, MemoryPlace, SavedMemory, Scope
from familiar_app.domain.text import number, tr
from familiar_app.store.saved_memory import MemoryHistory, MemoryQuestion
from familiar_app.ui.kit.watch import Watched
from familiar_app.ui.memories.word import Names, count_text

if TYPE_CHECKING:
    from familiar_app.services import Hosted, Services

MOST = 10_000


@dataclass(frozen=True, slots=True)
class Shelf:
    """One line at the left: all memories, those of one server or person, those of everybody, the retired ones."""

    key: str
    title: str
    count: str
    full: bool = False
    place: MemoryPlace | None = None


ALL, EVERYBODY, RETIRED = "all", "everybody", "retired"


class MemoriesModel(Watched):
    """Holds what the panel shows. Tells `rows`, `shelves` or `chosen`."""

    def __init__(self, services: Services, familiar: FamiliarId, system_zone: tzinfo) -> None:
        super().__init__()
        self._services, self.familiar, self._system_zone = services, familiar, system_zone
        self.store, self.vault = services.vault.saved_memories, services.vault
        self.names = Names({}, {}, tr("You"), self.hosted.name, self.zone)
        self.shelf = ALL
        self.query = ""
        self.shelves: list[Shelf] = []
        self.rows: list[SavedMemory] = []
        self.chosen: frozenset[MemoryId] = frozenset()
        self.loaded = False
        self._all: list[SavedMemory] = []

    @property
    def hosted(self) -> Hosted:
        """The familiar as it is now; a reload of its files makes a new one."""
        return self._services.familiars[self.familiar]

    @property
    def zone(self) -> tzinfo:
        return self.hosted.config.display.zone() or self._system_zone

    @property
    def keeper(self) -> Keeper:
        return keeper_of(self.familiar, self.hosted.config)

    @property
    def decay(self) -> Decay:
        settings = self.hosted.config.saved_memories
        return Decay(settings.decay_days if settings.decay_enabled else None, self.hosted.embedder is not None)

    @property
    def empty(self) -> bool:
        """Whether nothing was ever kept."""
        return self.loaded and not self._all

    @property
    def filtered(self) -> bool:
        return self.shelf != ALL or bool(self.query.strip())

    def now(self) -> datetime:
        return self._services.clock.now()

    # ---- reading

    async def load(self) -> None:
        """Read everything anew; what is chosen stays chosen where it is still shown."""
        lineage = self.hosted.config.lineage
        self._all = await self.store.list(MemoryQuestion(lineage, include_retired=True, limit=MOST))
        await self._read_names()
        self.shelves = await self._read_shelves()
        if self.shelf not in {one.key for one in self.shelves}:
            self.shelf = ALL
        self.loaded = True
        self.tell("shelves")
        self.narrow()

    async def _read_names(self) -> None:
        channels = {str(one.key): one for one in await channels_of(self.vault, self.familiar)}
        keys = {one.place.owner for one in self._all if one.place.scope is Scope.PERSONAL}
        keys |= {one.taught_by for one in self._all if one.taught_by is not None}
        labels = await self.vault.people.labels([PersonKey(key) for key in keys if key != OWNER])
        owner = self.hosted.assembler.owner_label
        self.names = Names(
            {str(key): name for key, name in labels.items()}, channels, owner, self.hosted.name, self.zone
        )

    async def _read_shelves(self) -> list[Shelf]:
        active = [one for one in self._all if one.active]
        own = dict.fromkeys(MemoryPlace(one.place.scope, one.place.owner, self.keeper.lineage) for one in active)
        made = [await self._shelf_of(place) for place in own]
        made.sort(key=lambda one: (one.place is not None and one.place.scope is Scope.PERSONAL, one.title.casefold()))
        everybody = sum(one.place.is_global for one in active)
        retired = len(self._all) - len(active)
        return [
            Shelf(ALL, tr("All memories"), number(len(active))),
            *made,
            Shelf(EVERYBODY, tr("Every familiar"), number(everybody)),
            Shelf(RETIRED, tr("Retired"), number(retired)),
        ]

    async def _shelf_of(self, place: MemoryPlace) -> Shelf:
        count, limit = await self.store.count(place), self.keeper.limits.of(place.scope)
        key = f"{place.scope}:{place.owner}"
        return Shelf(key, self.names.place(place), count_text(count, limit), count >= limit, place)

    def narrow(self, *, shelf: str | None = None, query: str | None = None) -> None:
        """Show another shelf, or what fits a search."""
        self.shelf = self.shelf if shelf is None else shelf
        self.query = self.query if query is None else query
        place = next((one.place for one in self.shelves if one.key == self.shelf), None)
        words = self.query.casefold().split()
        self.rows = [one for one in self._all if self._stands_on(one, place) and self._fits(one, words)]
        self.choose(self.chosen)
        self.tell("rows")

    def _stands_on(self, memory: SavedMemory, place: MemoryPlace | None) -> bool:
        if self.shelf == RETIRED:
            return not memory.active
        if self.shelf == EVERYBODY:
            return memory.active and memory.place.is_global
        own = place is None or (memory.place.scope, memory.place.owner) == (place.scope, place.owner)
        return memory.active and own

    def _fits(self, memory: SavedMemory, words: list[str]) -> bool:
        said = f"{self.names.text(memory)} {' '.join(self.tags_of(memory))} {self.names.place(memory.place)}".casefold()
        return all(word in said for word in words)

    def reveal(self, number: MemoryId) -> bool:
        """Show the shelf on which a memory stands, and choose it; False where there is none."""
        found = next((one for one in self._all if one.id == number), None)
        if found is None:
            return False
        self.query = ""
        self.chosen = frozenset((number,))
        self.narrow(shelf=ALL if found.active else RETIRED)
        return True

    def choose(self, numbers: Iterable[MemoryId]) -> None:
        """Choose among the memories that are shown."""
        self.chosen = frozenset(numbers) & {one.id for one in self.rows}
        self.tell("chosen")

    def chosen_rows(self) -> list[SavedMemory]:
        return [one for one in self.rows if one.id in self.chosen]

    async def history(self, number: MemoryId) -> MemoryHistory | None:
        """Return everything a memory was, and the message it was learned from."""
        return await self.store.history(number)

    # ---- words

    def tags_of(self, memory: SavedMemory) -> tuple[str, ...]:
        """Return tags with channels by their titles."""
        return titled_tags(memory.tags, list(self.names.channels.values()))

    def keyed(self, tags: Iterable[str]) -> tuple[str, ...]:
        """Return typed tags as the vault has them."""
        return keyed_tags(list(tags), list(self.names.channels.values()))

    def places(self) -> list[tuple[str, MemoryPlace]]:
        """Return where a memory can belong: the owner, the window's channels, whoever there are memories about."""
        lineage = self.keeper.lineage
        found = {
            MemoryPlace(Scope.PERSONAL, OWNER, lineage): None,
            MemoryPlace(Scope.PERSONAL, OWNER, GLOBAL_LINEAGE): None,
        }
        found |= {one.place: None for one in self.shelves if one.place is not None}
        personal = [one for one in found if one.scope is Scope.PERSONAL]
        found |= {MemoryPlace(one.scope, one.owner, GLOBAL_LINEAGE): None for one in personal}
        servers = {one.guild or str(one.key) for one in self.names.channels.values() if not one.archived}
        found |= {MemoryPlace(Scope.SERVER, server, lineage): None for server in servers}
        named = [(self.names.place(place), place) for place in found]
        return sorted(named, key=lambda one: (one[1].scope is Scope.SERVER, one[0].casefold()))

    @property
    def here(self) -> MemoryPlace:
        """Where a new memory belongs unless somebody says otherwise: what is shown, else the owner."""
        shown = next((one.place for one in self.shelves if one.key == self.shelf), None)
        lineage = GLOBAL_LINEAGE if self.shelf == EVERYBODY else self.keeper.lineage
        return shown or MemoryPlace(Scope.PERSONAL, OWNER, lineage)

    @property
    def whose(self) -> Whose:
        """Whose memories are shown, for files."""
        place = next((one.place for one in self.shelves if one.key == self.shelf), None)
        return Whose() if place is None else Whose(place.scope, place.owner)

    def listen(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call `changed` whenever a memory was written, by whomever. Returns how to stop it."""
        return self.store.watch(changed)


def file_name(char: str) -> Path:
    """Return a name for a file of memories."""
    plain = "".join(sign if sign.isalnum() else "-" for sign in char).strip("-").lower()
    return Path(f"{plain or 'familiar'}-memories.json")
