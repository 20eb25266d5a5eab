"""The state of the search: what is wanted, what was found, how far it is. Knows nothing of Qt.

Listeners hear `names` (channels and people to filter by are there), `found` (other results) and `state` (searching,
or what has to be said about the results).
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import FamiliarId, TurnId
from familiar_app.domain.text import tr
from familiar_app.store.index.search_index import IndexStatus
from familiar_app.ui.kit.watch import Watched
from familiar_app.ui.search.found import Found, Group, group
from familiar_app.ui.search.prompts import Looked
from familiar_app.ui.search.reading import ENOUGH, MOST, Reading
from familiar_app.ui.search.wanted import EVERYTHING, KINDS, Wanted

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    from familiar_app.services import Services

LEAST_LETTERS = 2


@dataclass(frozen=True, slots=True)
class Trouble:
    """A kind that could not be searched, and why."""

    kind: str
    error: FamiliarError

    @property
    def text(self) -> str:
        """What to tell the person."""
        return tr("{kind} could not be searched: {error}", kind=tr(KINDS[self.kind]), error=self.error)


class SearchModel(Watched):
    """The search of one familiar. `zone` is for the dates that are typed and shown."""

    def __init__(self, services: Services, familiar: FamiliarId, zone: tzinfo) -> None:
        super().__init__()
        self._services, self.zone = services, zone
        self.reading = Reading(services, familiar, zone)
        self.wanted = Wanted()
        self.groups: tuple[Group, ...] = ()
        self.troubles: tuple[Trouble, ...] = ()
        self.searching = False
        self.searched: Wanted | None = None
        self.looked: Looked | None = None
        self._run = 0

    @property
    def enough(self) -> bool:
        """Whether there are letters enough to look for."""
        return len(self.wanted.text.strip()) >= LEAST_LETTERS

    @property
    def count(self) -> int:
        """How many things were found."""
        return sum(one.count for one in self.groups)

    @property
    def index(self) -> IndexStatus:
        """How the index of messages and facts stands."""
        return self._services.vault.index.status

    def now(self) -> datetime:
        """Return the present moment."""
        return self._services.clock.now()

    def index_words(self) -> str:
        """Say what the index lacks; "" where it lacks nothing."""
        status = self.index
        if status.state == "building":
            if not status.total:
                return tr(
                    "The search index is being built. Until then the log is read for the words as you typed them."
                )
            return tr(
                "The search index is being built: {done} of {total} messages. Until then the log is read for the words "
                "as you typed them.",
                done=status.indexed,
                total=status.total,
            )
        if status.state == "failed":
            return tr(
                "The search index failed and is being built again. The log is read for the words as you typed them."
            )
        if status.state == "off":
            return tr("There is no search index. The log is read for the words as you typed them.")
        return ""

    def prompt_words(self) -> str:
        """Say how far the prompts are looked through; "" where all of them were."""
        looked = self.looked
        if looked is None or looked.count == looked.total:
            return ""
        if self.searching:
            return tr("Looking through the prompts: {count} of {total}.", count=looked.count, total=looked.total)
        return tr("Looked through the newest {count} of {total} prompts.", count=looked.count, total=looked.total)

    async def load(self) -> None:
        """Look which channels and people there are to filter by."""
        await self.reading.read_names()
        self.tell("names")

    async def search(self) -> None:
        """Look for what is wanted, one kind beside the other. One that fails keeps nothing from the rest."""
        wanted = self.wanted
        self._run += 1
        mine, self.looked = self._run, None
        self.searching = self.enough
        if not self.enough:
            self._show(wanted, {}, ())
            return
        self.tell("state")
        try:
            found, troubles = await self._read(wanted)
            self._show(wanted, found, troubles)
            if wanted.wants("turn") and self._index_lacks(found.get("turn", ())):
                found["turn"] = await self._as_typed(wanted, found.get("turn", []))
                self._show(wanted, found, troubles)
            if wanted.wants("prompt"):
                await self._look_into_prompts(wanted, found, troubles)
        finally:
            # One that was given up for another does not speak for that one.
            if mine == self._run:
                self.searching = False
                self.tell("state")

    async def wait_for_index(self) -> bool:
        """Wait until the index is whole; tells whether it was not, so that one has to look again."""
        if self.index.state != "building":
            return False
        await self._services.vault.index.ready(lambda _status: self.tell("state"))
        return True

    async def way(self, found: Found, panels: Collection[str]) -> tuple[str, str] | None:
        """Return the panel and the place in it where a thing can be seen, None where it is nowhere any more."""
        for panel, place in found.ways:
            if panel == "turn":
                turn = await self._services.vault.turns.get(TurnId(int(place)))
                if turn is not None and "chat" in panels:
                    return "chat", f"{turn.channel}:{turn.id}"
            elif panel in panels:
                return panel, place
        return None

    async def _read(self, wanted: Wanted) -> tuple[dict[str, list[Found]], tuple[Trouble, ...]]:
        kinds = [kind for kind in KINDS if wanted.wants(kind)]
        results = await asyncio.gather(*(self._one(kind, wanted) for kind in kinds))
        troubles = tuple(one for one in results if isinstance(one, Trouble))
        return {kind: one for kind, one in zip(kinds, results, strict=True) if isinstance(one, list)}, troubles

    async def _one(self, kind: str, wanted: Wanted) -> list[Found] | Trouble:
        try:
            return await self.reading.kinds[kind](wanted)
        except FamiliarError as error:
            return Trouble(kind, error)

    def _index_lacks(self, turns: list[Found] | tuple[Found, ...]) -> bool:
        return len(turns) < ENOUGH or self.index.state != "ready"

    async def _as_typed(self, wanted: Wanted, ranked: list[Found]) -> list[Found]:
        return [*ranked, *await self.reading.turns_as_typed(wanted, ranked)][:MOST]

    async def _look_into_prompts(
        self, wanted: Wanted, found: dict[str, list[Found]], troubles: tuple[Trouble, ...]
    ) -> None:
        """Add the prompts that have the words within them, as they are found."""
        try:
            async with aclosing(self.reading.prompts_by_words(wanted)) as steps:
                async for looked in steps:
                    self.looked = looked
                    every = [*found.get("prompt", ()), *looked.found]
                    found["prompt"] = sorted(every, key=lambda one: -int(one.id))[:MOST]
                    if looked.found:
                        self._show(wanted, found, troubles)
                    self.tell("state")
                    if len(every) >= MOST:
                        return
        except FamiliarError as error:
            self._show(wanted, found, (*troubles, Trouble("prompt", error)))

    def _show(self, wanted: Wanted, found: Mapping[str, list[Found]], troubles: tuple[Trouble, ...]) -> None:
        few = wanted.kind == EVERYTHING
        self.groups = tuple(
            group(kind, found[kind], few=few, cut=len(found[kind]) >= MOST) for kind in KINDS if found.get(kind)
        )
        self.troubles, self.searched = troubles, wanted
        self.tell("found")
