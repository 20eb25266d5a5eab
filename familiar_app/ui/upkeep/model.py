"""The upkeep of one familiar's memory: what is read of it, and what runs by hand. Knows no Qt."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo
from typing import TYPE_CHECKING

from familiar_app.domain.fact import Fact
from familiar_app.domain.memory_settings import MemorySettings
from familiar_app.domain.text import ntr, tr
from familiar_app.projectors.runner import RunOutcome
from familiar_app.store.health import MemoryHealth, ProjectorFigures
from familiar_app.store.index.search_index import IndexStatus
from familiar_app.store.vault import Vault
from familiar_app.ui.kit.projector_name import projector_name
from familiar_app.ui.kit.watch import Watched
from familiar_app.ui.upkeep.came import came_text
from familiar_app.ui.upkeep.word import Pulse, Row, pulse_of, row_of

if TYPE_CHECKING:
    from familiar_app.services import Hosted

ALL = ""
"""Stands for all projectors at once."""
MOST_LISTED = 100


class UpkeepModel(Watched):
    """Holds what the panel shows. Tells `rows`, `health` or `work`."""

    def __init__(self, hosted: Hosted, vault: Vault, zone: tzinfo) -> None:
        super().__init__()
        self.hosted, self.zone = hosted, zone
        self._vault = vault
        self.rows: tuple[Row, ...] = ()
        self.health: MemoryHealth | None = None
        self.vectors: int | None = None
        self.failures = 0
        self.loaded = False
        self._work: dict[str, str] = {}

    @property
    def weak(self) -> bool:
        """Whether the model would make things up, so that nothing runs by itself."""
        return self.hosted.background.info.weak

    @property
    def index(self) -> IndexStatus:
        return self._vault.index.status

    @property
    def pulse(self) -> Pulse:
        return pulse_of(self.rows, self.index, weak=self.weak)

    @property
    def busy(self) -> bool:
        return bool(self._work)

    def work_of(self, name: str) -> str:
        """Say what is being done by hand with a projector, "" for nothing."""
        return self._work.get(name, "") or self._work.get(ALL, "")

    async def look(self) -> None:
        """Read how the projectors stand; cheap enough to be asked every few seconds."""
        known = self._figures()
        batches = _batches(self.hosted.config.memory)
        statuses = await self.hosted.projectors.status()
        self.failures = sum(one.failures for one in statuses)
        self.rows = tuple(
            row_of(one, known.get(one.name), batches.get(one.name, 1), self.zone, work=self.work_of(one.name))
            for one in statuses
        )
        self.loaded = True
        self.tell("rows")

    async def load(self) -> None:
        """Read everything, the figures of health too."""
        self.health = await self._vault.health.of(self.hosted.id)
        embedder = self.hosted.embedder
        self.vectors = None if embedder is None else await self._vault.vectors.count("fact", embedder.name)
        await self.look()
        self.tell("health")

    async def pause(self, name: str, on: bool) -> None:
        """Pause a projector or let it go on."""
        await self.hosted.projectors.pause(name, on)
        await self.look()

    async def run(self, name: str) -> str:
        """Run one projector, or all that are not paused, until nothing is left; say what came of it.

        Raises the first error.
        """
        names = [] if name == ALL else [name]
        before = await self._vault.health.drawn(self.hosted.id)
        await self._working(
            name, tr("Running…"), lambda: self.hosted.projectors.run(names, until_idle=True, report=self._report(name))
        )
        return came_text(before, await self._vault.health.drawn(self.hosted.id))

    async def rebuild(self, name: str, *, fresh: bool) -> None:
        """Empty projections and bring them back, from kept answers or with `fresh` from the model. Raises as `run`."""
        names = [] if name == ALL else [name]
        text = tr("Asking the model again…") if fresh else tr("Coming back from kept answers…")
        await self._working(
            name, text, lambda: self.hosted.projectors.rebuild(names, fresh=fresh, report=self._report(name))
        )

    async def build_index(self) -> None:
        """Build the search index anew."""
        await self._vault.index.build_again()
        self.tell("health")

    def figures_of(self, name: str) -> ProjectorFigures | None:
        """Return what a projector got from models so far."""
        return self._figures().get(name)

    async def duplicates(self) -> list[tuple[Fact, ...]]:
        """Return groups of facts that say the same."""
        return await self._vault.health.duplicates(self.hosted.id, limit=MOST_LISTED)

    async def never_recalled(self) -> list[Fact]:
        """Return facts that never stood in a prompt, newest first."""
        return await self._vault.health.never_recalled(self.hosted.id, limit=MOST_LISTED)

    def _figures(self) -> Mapping[str, ProjectorFigures]:
        return {one.name: one for one in self.health.projectors} if self.health is not None else {}

    def _report(self, name: str):
        def report(projector: str, ticks: int) -> None:
            self._work[name] = ntr(
                "Running: {projector}, {n} piece of work done",
                "Running: {projector}, {n} pieces of work done",
                ticks,
                projector=projector_name(projector),
            )
            self.tell("work")

        return report

    async def _working(self, name: str, text: str, work) -> None:
        self._work[name] = text
        self.tell("work")
        try:
            outcomes: list[RunOutcome] = await work()
        finally:
            self._work.pop(name, None)
            self.tell("work")
        await self.load()
        for one in outcomes:
            if one.error is not None:
                raise one.error


def _batches(memory: MemorySettings) -> dict[str, int]:
    """Return how many things some projectors wait for before they begin."""
    return {"reflection": memory.reflection.new_turns, "rolling_summary": memory.rolling_summary.new_turns}
