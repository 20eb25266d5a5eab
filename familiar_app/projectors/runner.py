"""All projectors of one familiar: started as tasks, paused, run to their end at once, rebuilt, asked how they stand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from familiar_app.domain.errors import FamiliarError, OutsideError, UserError
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.text import tr
from familiar_app.projectors.loop import ProjectorLoop
from familiar_app.projectors.port import Desk, MemoryProjector, Tick
from familiar_app.projectors.registry import build_projectors, check_projectors, known_projectors
from familiar_app.projectors.status import ProjectorStatus, RunRecord, RunRecords
from familiar_app.store.memory_writer import MemoryWriter

RETRIES = 4
FIRST_RETRY_S = 0.25
STOP_TIMEOUT_S = 5.0

Report = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What became of one projector when it was run at once: how often it worked, and what ended it early."""

    name: str
    ticks: int
    error: FamiliarError | None = None


class Projectors:
    """The projectors that a familiar's settings name. Raises BadInputError for unknown names."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._active = tuple(desk.config.providers.memory.projectors)
        check_projectors(self._active)
        self._records = RunRecords(desk.vault, desk.familiar)
        self._tasks: list[asyncio.Task[Any]] = []
        self._built = {one.name: one for one in build_projectors(self._active, desk)}

    @property
    def names(self) -> tuple[str, ...]:
        """The active projectors, in the order in which one builds on another."""
        return tuple(self._built)

    def start(self, tasks: TaskRegistry, *, owner: object) -> None:
        """Run each projector in a task of its own, until `stop` or the end of the owner."""
        for name, projector in self._built.items():
            title = f"projector {name} of {self._desk.familiar}"
            self._tasks.append(tasks.start(projector.run(), name=title, owner=owner))

    async def stop(self) -> None:
        """End the tasks. What is half done leaves nothing behind."""
        ending, self._tasks = self._tasks, []
        for task in ending:
            task.cancel()
        if ending:
            await asyncio.wait(ending, timeout=STOP_TIMEOUT_S)

    async def pause(self, name: str, on: bool) -> None:
        """Pause a projector or let it go on; the vault remembers it."""
        self._one(name)
        await self._records.pause(name, on)
        if not on:
            self.wake(name)

    def wake(self, name: str) -> None:
        """Let a projector's next tick come at once."""
        projector = self._one(name)
        if isinstance(projector, ProjectorLoop):
            projector.wake()

    async def status(self) -> list[ProjectorStatus]:
        """Tell how each active projector stands."""
        return [await self._status(projector) for projector in self._built.values()]

    async def run(
        self, names: Sequence[str] = (), *, until_idle: bool, report: Report | None = None
    ) -> list[RunOutcome]:
        """Run projectors now: one tick each, or until none has anything left to do.

        Without names all that are active and not paused. One that fails is left; the others go on.
        """
        chosen = await self._chosen(names)
        ticks = dict.fromkeys((one.name for one in chosen), 0)
        failed: dict[str, FamiliarError] = {}
        going = True
        while going:
            going = False
            for projector in chosen:
                if projector.name in failed:
                    continue
                try:
                    done = await self._run_one(projector, until_idle, ticks, report)
                except FamiliarError as error:
                    failed[projector.name] = error
                    continue
                going = going or (done and until_idle)
        return [RunOutcome(one.name, ticks[one.name], failed.get(one.name)) for one in chosen]

    async def rebuild(self, names: Sequence[str], *, fresh: bool, report: Report | None = None) -> list[RunOutcome]:
        """Empty projections and bring them back: from the ledger, or with `fresh` by asking the model again."""
        chosen = self._loops(names or self._active)

        def empty(writer: MemoryWriter) -> None:
            for projector in chosen:
                projector.ticking.empty(writer, fresh=fresh)

        await self._desk.vault.projections.write(empty)
        for projector in chosen:
            await projector.ticking.replay()
        if not fresh:
            return [RunOutcome(projector.name, 0) for projector in chosen]
        return await self.run([one.name for one in chosen], until_idle=True, report=report)

    async def _run_one(
        self, projector: ProjectorLoop, until_idle: bool, ticks: dict[str, int], report: Report | None
    ) -> bool:
        """Run one projector; tell whether it did anything."""
        worked = False
        while True:
            done = await _tick_patiently(projector, flush=until_idle, patient=until_idle)
            worked = worked or done.worked
            ticks[projector.name] += done.worked
            if report is not None and done.worked:
                report(projector.name, ticks[projector.name])
            if not until_idle or not done.worked or done.stalled:
                await self._records.ran(projector.name, self._desk.clock.now(), None)
                return worked

    async def _chosen(self, names: Sequence[str]) -> list[ProjectorLoop]:
        if names:
            return self._loops(names)
        return [one for one in self._loops(self._active) if not (await self._records.get(one.name)).paused]

    def _loops(self, names: Iterable[str]) -> list[ProjectorLoop]:
        """Return those that work in ticks, active ones as they are and others built for this once."""
        wanted = tuple(dict.fromkeys(names))
        check_projectors(wanted)
        others = build_projectors([name for name in wanted if name not in self._built], self._desk)
        known = {**self._built, **{one.name: one for one in others}}
        ordered = [known[name] for name in known_projectors() if name in wanted]
        return [one for one in ordered if isinstance(one, ProjectorLoop)]

    def _one(self, name: str) -> MemoryProjector:
        if name not in self._built:
            raise UserError(
                tr("There is no active projector of this name."), tr("Active: {names}.", names=", ".join(self.names))
            )
        return self._built[name]

    async def _status(self, projector: MemoryProjector) -> ProjectorStatus:
        record: RunRecord = await self._records.get(projector.name)
        tokens = await self._desk.vault.projections.tokens_used(projector.name, self._desk.familiar)
        progress = await projector.progress() if isinstance(projector, ProjectorLoop) else None
        return ProjectorStatus(
            projector.name,
            progress.watermark if progress else None,
            progress.lag if progress else None,
            record.last_run_at,
            record.last_error,
            record.paused,
            tokens,
            record.failures,
            progress.fullest if progress else None,
        )


async def _tick_patiently(projector: ProjectorLoop, *, flush: bool, patient: bool) -> Tick:
    """Tick; where the model failed in a way that may pass, try a few times more."""
    tries = 0
    while True:
        try:
            return await projector.tick(flush=flush)
        except OutsideError as error:
            if not patient or not error.retryable or tries >= RETRIES:
                raise
        await asyncio.sleep(FIRST_RETRY_S * 2**tries)
        tries += 1
