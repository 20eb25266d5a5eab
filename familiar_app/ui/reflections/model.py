"""The state of the Reflections panel without Qt: which page of thoughts is shown, and what the owner does with them."""

from __future__ import annotations

from dataclasses import replace
from datetime import tzinfo
from typing import Protocol

from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import ChannelId, FamiliarId, TurnId
from familiar_app.domain.projection import ReflectionId
from familiar_app.domain.text import tr
from familiar_app.domain.turn import Turn
from familiar_app.projectors.reflection import REFLECTION
from familiar_app.projectors.runner import Projectors
from familiar_app.store.fact import FactHistory
from familiar_app.store.reflection_mark import MarkAct
from familiar_app.store.reflection_page import ReflectionCase, ReflectionFilter
from familiar_app.store.vault import Vault
from familiar_app.ui.kit.channel_title import channel_title
from familiar_app.ui.kit.watch import Watched
from familiar_app.ui.reflections.word import NOWHERE, came_of, too_little

PAGE = 20
AROUND = 9
BACK: dict[MarkAct, MarkAct] = {"pin": "unpin", "unpin": "pin", "hide": "show", "show": "hide"}


class Thinks(Protocol):
    """A familiar, as far as its thinking goes."""

    @property
    def name(self) -> str: ...

    @property
    def projectors(self) -> Projectors: ...


class ReflectionsModel(Watched):
    """Thoughts of one familiar, a page at a time, newest first. Tells `page` when another one is there.

    `needed` is after how many turns the familiar thinks.
    """

    def __init__(self, vault: Vault, familiar: FamiliarId, hosted: Thinks, *, zone: tzinfo, needed: int) -> None:
        super().__init__()
        self._vault, self._hosted, self._needed = vault, hosted, needed
        self.familiar, self.name, self.zone = familiar, hosted.name, zone
        self.wanted = ReflectionFilter()
        self.cases: list[ReflectionCase] = []
        self.channels: list[tuple[ChannelId | None, str]] = []
        self.total = 0
        self.loaded = False
        self._begins: list[ReflectionId | None] = [None]
        self._shown: tuple[object, ...] = ()

    @property
    def first(self) -> int:
        """How many thoughts stand before this page."""
        return (len(self._begins) - 1) * PAGE

    @property
    def has_older(self) -> bool:
        return self.first + len(self.cases) < self.total

    @property
    def has_newer(self) -> bool:
        return len(self._begins) > 1

    @property
    def is_empty(self) -> bool:
        """Whether there is no thought at all, whatever is filtered."""
        return not self.channels

    async def load(self) -> None:
        """Read the page anew."""
        pages, wanted, begins = self._vault.reflection_pages, self.wanted, list(self._begins)
        cases = await pages.page(self.familiar, wanted, before=begins[-1], limit=PAGE)
        total = await pages.count(self.familiar, wanted)
        channels = [(one, await self._title(one)) for one in await pages.channels(self.familiar)]
        if wanted != self.wanted or begins != self._begins:
            return
        if not cases and self.has_newer:
            self._begins.pop()
            await self.load()
            return
        shown = (self.wanted, begins, cases, total, channels)
        if shown == self._shown:
            return
        self._shown = shown
        self.cases, self.total, self.channels, self.loaded = cases, total, channels, True
        self.tell("page")

    def filter(self, wanted: ReflectionFilter) -> None:
        """Ask for other thoughts, from the newest on."""
        self.wanted, self._begins = wanted, [None]

    def older(self) -> None:
        if self.cases and self.has_older:
            self._begins.append(self.cases[-1].reflection.id)

    def newer(self) -> None:
        if self.has_newer:
            self._begins.pop()

    async def reveal(self, reflection: ReflectionId) -> bool:
        """Turn to the page that begins with a thought; False where it is gone."""
        case = await self._vault.reflection_pages.around(reflection)
        if case is None or case.reflection.familiar != self.familiar:
            return False
        if all(one.reflection.id != reflection for one in self.cases):
            self.filter(ReflectionFilter("hidden" if case.hidden else "shown"))
            numbers = await self._vault.reflection_pages.down_to(self.familiar, self.wanted, reflection)
            # A page begins behind the last thought of the page before it.
            self._begins += [number for number in numbers[PAGE - 1 :: PAGE] if number != reflection]
            await self.load()
        return True

    def place_of(self, case: ReflectionCase) -> str:
        """Return the title of the channel a thought came up in."""
        return next((title for channel, title in self.channels if channel == case.reflection.channel), tr(NOWHERE))

    async def mark(self, reflection: ReflectionId, act: MarkAct) -> None:
        """Pin or hide a thought, or take that back."""
        await self._vault.reflection_pages.mark(reflection, act)

    async def surroundings(self, turn: TurnId) -> list[Turn]:
        """Return a turn among its neighbours."""
        return await self._vault.turns.around(turn, limit=AROUND)

    async def history(self, fact: FactId) -> FactHistory | None:
        """Return a fact with its sources and its chain."""
        return await self._vault.facts.history(fact)

    async def texts(self, history: FactHistory) -> dict[FactId, str]:
        """Return what the facts before and after one say."""
        numbers = (*history.supersedes, *history.successors)
        return {fact.id: fact.text for fact in await self._vault.facts.many(numbers)}

    async def reflect(self) -> str:
        """Let the familiar think now, and say what came of it. Raises what its model raised."""
        vault = self._vault
        mark = await vault.projections.watermark(REFLECTION, self.familiar)
        after = 0 if mark is None else mark.position
        waiting = await vault.projections.count_heard(self.familiar, after=after)
        if waiting < self._needed:
            return too_little(waiting, self._needed)
        before = await self._all()
        for outcome in await self._hosted.projectors.run((REFLECTION,), until_idle=False):
            if outcome.error is not None:
                raise outcome.error
        self.filter(replace(self.wanted, which="shown"))
        return came_of(max(0, await self._all() - before))

    async def _all(self) -> int:
        pages = self._vault.reflection_pages
        shown, hidden = ReflectionFilter(), ReflectionFilter("hidden")
        return await pages.count(self.familiar, shown) + await pages.count(self.familiar, hidden)

    async def _title(self, number: ChannelId | None) -> str:
        channel = None if number is None else await self._vault.channels.get(number)
        return tr(NOWHERE) if channel is None else channel_title(channel)
