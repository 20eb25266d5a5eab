"""The state of the People panel without Qt: who is listed in which order, who is chosen, what is known of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo

from familiar_app.domain.fact import Fact
from familiar_app.domain.ids import OWNER, FamiliarId, Lineage, PersonKey, ego_key
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.projection import Dossier
from familiar_app.domain.saved_memory.memory import MemoryId, SavedMemory, Scope
from familiar_app.domain.saved_memory.placeholder import fill
from familiar_app.domain.turn import NameSpan, Turn
from familiar_app.store.erasure import Erasure
from familiar_app.store.person_count import MonthCount, Order, PersonRow, in_order
from familiar_app.store.saved_memory import MemoryQuestion
from familiar_app.store.vault import Vault
from familiar_app.ui.kit.watch import Watched
from familiar_app.ui.people.word import whole_span

ORDERS: tuple[Order, ...] = ("last_seen", "name", "turns", "facts", "privacy", "key")
_UPWARDS: tuple[Order, ...] = ("name", "key")
FACTS_AT_ONCE = 12
MOST_MEMORIES = 20
MOST_SAID = 3


@dataclass(frozen=True, slots=True)
class DossierPart:
    """The dossier of one identity; `whose` names it where there are several."""

    whose: str
    dossier: Dossier


@dataclass(frozen=True, slots=True)
class Sheet:
    """Everything the side view shows of one person. `facts` are the most important of `row.facts`.

    `memories` are the newest ones about this person, with their numbers."""

    row: PersonRow
    names: tuple[NameSpan, ...]
    dossiers: tuple[DossierPart, ...]
    facts: tuple[Fact, ...]
    memories: tuple[tuple[MemoryId, str], ...]
    months: tuple[MonthCount, ...]
    said: tuple[Turn, ...]

    def in_dossier(self, fact: Fact) -> bool:
        """Tell whether a dossier was folded from this fact, among others."""
        about = {one.key for one in fact.subjects}
        return any(
            one.dossier.person in about
            and fact.id <= one.dossier.last_fact_id
            and fact.created_at <= one.dossier.created_at
            for one in self.dossiers
        )


class PeopleModel(Watched):
    """People as one familiar knows them. Tells `rows` when the list is another one, `chosen` when a choice is."""

    def __init__(self, vault: Vault, familiar: FamiliarId, name: str, *, lineage: Lineage, zone: tzinfo) -> None:
        super().__init__()
        self._vault, self.familiar, self.name, self.zone = vault, familiar, name, zone
        self._lineage = lineage
        self.rows: list[PersonRow] = []
        self.query = ""
        self.order: Order = "last_seen"
        self.descending = True
        self.loaded = False
        self.chosen: tuple[PersonKey, ...] = ()
        self.facts_shown = FACTS_AT_ONCE

    @property
    def ego(self) -> PersonKey:
        """The key under which the familiar itself is listed."""
        return ego_key(self.familiar)

    @property
    def erasure(self) -> Erasure:
        """What erases people from the vault."""
        return self._vault.erasure

    @property
    def is_empty(self) -> bool:
        """Whether nobody but the familiar and its owner is known, and neither has said anything."""
        return not self.query and not any(row.turns or row.facts for row in self.rows)

    async def load(self) -> None:
        """Read the list anew."""
        query = self.query
        found = await self._vault.person_pages.list(self.familiar, search=query)
        if query != self.query:
            return
        self.rows = in_order((self._named(row) for row in found), self.order, descending=self.descending)
        self.loaded = True
        present = {row.key for row in self.rows}
        self.chosen = tuple(key for key in self.chosen if key in present)
        self.tell("rows")

    def sort(self, order: Order) -> None:
        """Order the list another way; by the same once more, the other way round."""
        self.descending = not self.descending if order == self.order else order not in _UPWARDS
        self.order = order
        self.rows = in_order(self.rows, order, descending=self.descending)
        self.tell("rows")

    def choose(self, keys: Sequence[PersonKey]) -> None:
        """Choose people; of one everything is shown, several can be merged."""
        if tuple(keys) != self.chosen:
            self.chosen, self.facts_shown = tuple(keys), FACTS_AT_ONCE
            self.tell("chosen")

    def row_of(self, key: PersonKey) -> int:
        """Return the place in the list of whoever has this identity, -1 where nobody has."""
        return next((at for at, row in enumerate(self.rows) if key in row.identities), -1)

    def rows_of(self, keys: Sequence[PersonKey]) -> list[PersonRow]:
        """Return the lines of some people."""
        return [self.rows[at] for at in map(self.row_of, keys) if at >= 0]

    async def sheet(self, key: PersonKey) -> Sheet | None:
        """Read what is known of one person, None where nobody of this key is known any more."""
        vault, pages = self._vault, self._vault.person_pages
        found = await pages.get(self.familiar, key)
        if found is None:
            return None
        row = self._named(found)
        people = [await vault.people.get(one) for one in row.identities]
        names = (span for one in people if one is not None for span in one.names)
        allowed = row.privacy.allows_memories
        return Sheet(
            row=row,
            names=tuple(sorted(names, key=lambda span: span.since)),
            dossiers=await self._dossiers(row) if allowed else (),
            facts=tuple(await pages.weightiest(self.familiar, row.identities, limit=self.facts_shown)),
            memories=await self._memories(row) if allowed else (),
            months=tuple(whole_span(await pages.months(row.identities))),
            said=tuple(await pages.last_said(row.identities, limit=MOST_SAID)),
        )

    async def own_levels(self, row: PersonRow) -> dict[PersonKey, PrivacyLevel]:
        """Return the level that was set for each identity of somebody."""
        levels = await self._vault.privacy.own_levels()
        return {one: levels.get(one, PrivacyLevel.NONE) for one in row.identities}

    async def set_levels(self, levels: dict[PersonKey, PrivacyLevel]) -> None:
        """Set how much may be kept of some identities."""
        for key, level in levels.items():
            await self._vault.privacy.set(key, level, familiar=self.familiar, by=OWNER)

    async def merge(self, aliases: Sequence[PersonKey], kept: PersonKey) -> None:
        """Let identities count as another one."""
        for alias in aliases:
            await self._vault.person_pages.merge(alias, kept, familiar=self.familiar)

    async def part(self, aliases: Sequence[PersonKey]) -> PersonKey:
        """Let merged identities stand for themselves again; returns whom the last one counted as."""
        return [await self._vault.person_pages.part(alias, familiar=self.familiar) for alias in aliases][-1]

    def _named(self, row: PersonRow) -> PersonRow:
        """Call the familiar by its name."""
        return replace(row, label=self.name) if row.key == self.ego else row

    async def _dossiers(self, row: PersonRow) -> tuple[DossierPart, ...]:
        found = [await self._vault.projections.dossier(self.familiar, one) for one in row.identities]
        several = len(row.identities) > 1
        return tuple(DossierPart(one.person if several else "", one) for one in found if one is not None)

    async def _memories(self, row: PersonRow) -> tuple[tuple[MemoryId, str], ...]:
        found: list[SavedMemory] = []
        for one in row.identities:
            question = MemoryQuestion(self._lineage, scope=Scope.PERSONAL, owner=one, limit=MOST_MEMORIES)
            found += await self._vault.saved_memories.list(question)
        return tuple((one.id, fill(one.content, user=row.label, char=self.name)) for one in found)
