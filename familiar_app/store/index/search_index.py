"""Keeps the full-text index in step with the vault: builds it newest first, then follows every change.

Built in the background and searchable from the first commit on. Between two commits the turns that are not in it yet
are known by number, so that a search can read them from the vault. Where the index breaks, it is built again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeVar

from familiar_app.domain.errors import FamiliarError, LockedError
from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import TurnId
from familiar_app.domain.task import TaskRegistry
from familiar_app.store.engine import Engine
from familiar_app.store.fact_feed import FactFeed
from familiar_app.store.index.fact_source import facts_before, facts_of
from familiar_app.store.index.text_index import FACT, TURN, FactDocument, Searcher, TextIndex
from familiar_app.store.index.turn_source import Row, TurnSource
from familiar_app.store.turn import Turns

if TYPE_CHECKING:
    from sqlite3 import Connection

log = logging.getLogger(__name__)
T = TypeVar("T")

COMMIT_EVERY_S = 0.25
CHUNK_TURNS = 2000
"""Read and added at once: some tens of milliseconds."""
GROWTH, MOST_PER_COMMIT = 4, 128_000
"""Each commit while building holds so many times more than the one before: every one makes a segment, and segments have
to be merged."""
MOST_CHANGES = 500
RETRY_S = (1.0, 5.0, 30.0, 120.0)
IndexState = Literal["off", "building", "ready", "failed"]


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """How the index stands: turns in it, turns in the vault when it was begun, and why it failed where it did."""

    state: IndexState
    indexed: int = 0
    total: int = 0
    error: FamiliarError | None = None

    @property
    def missing(self) -> int:
        """How many turns cannot be found yet, the oldest ones, while it is being built."""
        return max(self.total - self.indexed, 0) if self.state == "building" else 0


@dataclass(frozen=True, slots=True)
class View:
    """What a search works with: a committed state, the newest turn in it, the turns that read otherwise by now."""

    searcher: Searcher
    newest: int
    changed: frozenset[int]


class SearchIndex:
    """The index of one vault. `start` it once; the owner of the task ends it."""

    def __init__(
        self, engine: Engine, turns: Turns, feed: FactFeed, *, make: Callable[[], TextIndex] = TextIndex
    ) -> None:
        self._engine = engine
        self._turns = turns
        self._feed = feed
        self._make = make
        self._status = IndexStatus("off")
        self._searcher: Searcher | None = None
        self._newest = 0
        self._seen = 0
        self._changed: dict[int, int] = {}
        self._changes = 0
        self._facts: set[int] = set()
        self._all_facts = False
        self._wake = asyncio.Event()
        self._moved = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._begin: Callable[[], None] = lambda: None

    @property
    def status(self) -> IndexStatus:
        return self._status

    @property
    def view(self) -> View | None:
        """Return what can be searched now, None before the first commit and after a failure."""
        if self._searcher is None:
            return None
        return View(self._searcher, self._newest, frozenset(self._changed))

    def start(self, tasks: TaskRegistry, *, owner: object = None) -> None:
        """Begin to build and to follow, unless it has begun."""
        if self._task is None or self._task.done():
            self._task = tasks.start(self.run(), name="search index", owner=owner)
            self._begin = partial(self.start, tasks, owner=owner)

    async def build_again(self) -> None:
        """Throw the index away, however it stands, and begin anew. Before `start` this does nothing."""
        if self._task is None:
            return
        self._task.cancel()
        await asyncio.wait([self._task])
        self._begin()

    async def ready(self, progress: Callable[[IndexStatus], None] | None = None) -> IndexStatus:
        """Wait until everything is indexed, or it failed; `progress` hears how far it is."""
        while self._status.state == "building" or (self._status.state == "off" and self._running()):
            await self.moved()
            if progress is not None:
                progress(self._status)
        return self._status

    async def settled(self) -> None:
        """Wait until the index itself holds everything that was stored before, or it failed or ended."""
        newest = await self._read(TurnSource().newest)
        while self._running() and self._status.state != "failed" and (self._pending() or self._newest < newest):
            await self.moved()

    async def moved(self) -> None:
        """Wait for the next change of the status or of what can be searched."""
        self._moved.clear()
        await self._moved.wait()

    def mark(self, ids: Sequence[TurnId]) -> None:
        """Take note that turns may read otherwise; without ids, that there may be new ones."""
        self._changes += 1
        for number in ids:
            self._changed[number] = self._changes
        self._wake.set()

    def mark_facts(self, facts: frozenset[FactId]) -> None:
        """Take note that facts were added or changed; an empty set means any of them."""
        self._facts |= facts
        self._all_facts = self._all_facts or not facts
        self._wake.set()

    async def run(self) -> None:
        """Build the index and follow the vault until cancelled."""
        self._turns.watch(self.mark)
        stop_facts = self._feed.listen(self.mark_facts)
        attempt = 0
        try:
            while True:
                began = time.monotonic()
                try:
                    await self._live()
                except LockedError:
                    return  # the vault was closed
                except FamiliarError as error:
                    log.warning("the search index failed and will be built again", exc_info=error)
                    self._report("failed", error=error)
                    attempt = 0 if time.monotonic() - began > RETRY_S[-1] else attempt + 1
                await asyncio.sleep(RETRY_S[min(attempt, len(RETRY_S)) - 1])
        finally:
            self._turns.unwatch(self.mark)
            stop_facts()
            self._searcher = None
            self._report("off")

    async def _live(self) -> None:
        """One life of one index."""
        thread = ThreadPoolExecutor(1, thread_name_prefix="index")
        self._report("building")
        index: TextIndex | None = None
        try:
            index = await self._in(thread, self._make)
            source = TurnSource()
            await self._build(index, source, thread)
            while True:
                await self._wake.wait()
                self._wake.clear()
                # What is said within this time shares one commit; a search reads it from the vault meanwhile.
                await asyncio.sleep(COMMIT_EVERY_S)
                await self._catch_up(index, source, thread)
        finally:
            self._searcher = None
            if index is not None:
                thread.submit(_close, index)
            thread.shutdown(wait=False)

    async def _build(self, index: TextIndex, source: TurnSource, thread: ThreadPoolExecutor) -> None:
        """Index the vault from the newest turn back; each commit holds more than the one before."""
        self._changed.clear()
        self._all_facts = True
        self._seen = below = await self._read(source.newest)
        below += 1
        total = await self._read(lambda connection: source.count(connection, below))
        self._status = replace(self._status, total=total)
        batch = CHUNK_TURNS
        reading = self._ahead(source, below)
        try:
            while True:
                done = 0
                while done < batch:
                    rows = await reading
                    if rows:
                        below = rows[-1][0]
                        reading = self._ahead(source, below)
                        await self._in(thread, partial(index.add_turns, rows))
                    done += len(rows)
                    if len(rows) < CHUNK_TURNS:
                        await self._commit(index, thread, done)
                        await self._catch_up(index, source, thread)
                        self._report("ready")
                        return
                await self._commit(index, thread, done)
                await self._catch_up(index, source, thread)
                batch = min(batch * GROWTH, MOST_PER_COMMIT)
        finally:
            reading.cancel()

    async def _catch_up(self, index: TextIndex, source: TurnSource, thread: ThreadPoolExecutor) -> None:
        """Bring in what was said or changed since the last time."""
        await self._catch_up_facts(index, thread)
        while self._changed:
            await self._exchange(index, source, thread)
        more = True
        while more:
            rows, newest = await self._read(lambda c: (source.after(c, self._seen, CHUNK_TURNS), source.newest(c)))
            more = len(rows) == CHUNK_TURNS
            # Turns that are not indexed have numbers too.
            self._seen = rows[-1][0] if more else newest
            if rows:
                await self._in(thread, partial(index.add_turns, rows))
                await self._commit(index, thread, len(rows))
            self._newest = self._seen
            self._moved.set()

    async def _catch_up_facts(self, index: TextIndex, thread: ThreadPoolExecutor) -> None:
        """Index facts that were added or changed; where any may have changed, all of them anew."""
        if self._all_facts:
            self._all_facts = False
            self._facts.clear()
            await self._in(thread, partial(index.remove_all, FACT))
            below, added, batch = 1 << 60, 0, CHUNK_TURNS
            while documents := await self._read(partial(facts_before, below=below, limit=CHUNK_TURNS)):
                below, added = documents[-1].id, added + len(documents)
                await self._in(thread, partial(index.add_facts, documents))
                # Later the old ones are found until all the new ones are there.
                if added >= batch and self._status.state == "building":
                    added, batch = 0, min(batch * GROWTH, MOST_PER_COMMIT)
                    await self._commit(index, thread, 0)
            await self._commit(index, thread, 0)
        while self._facts:
            taken = frozenset(list(self._facts)[:MOST_CHANGES])
            self._facts -= taken
            documents = await self._read(partial(facts_of, ids=taken))
            await self._in(thread, partial(_replace_facts, index, taken, documents))
            await self._commit(index, thread, 0)

    async def _exchange(self, index: TextIndex, source: TurnSource, thread: ThreadPoolExecutor) -> None:
        """Index some of the changed turns anew; those that are not to be found any more only leave it."""
        taken = dict(list(self._changed.items())[:MOST_CHANGES])
        rows, touched = await self._read(partial(_reread, source, list(taken)))
        await self._in(thread, partial(_replace, index, {number for number in touched if number <= self._seen}, rows))
        await self._commit(index, thread, 0)
        for number, change in taken.items():
            if self._changed.get(number) == change:
                del self._changed[number]
        self._moved.set()

    async def _commit(self, index: TextIndex, thread: ThreadPoolExecutor, added: int) -> None:
        self._searcher = await self._in(thread, index.commit)
        self._newest = self._seen
        self._status = replace(self._status, indexed=self._status.indexed + added)
        self._moved.set()

    def _ahead(self, source: TurnSource, below: int) -> asyncio.Future[list[Row]]:
        """Begin to read the next chunk while the present one is added."""
        return asyncio.ensure_future(self._read(lambda connection: source.before(connection, below, CHUNK_TURNS)))

    async def _read(self, work: Callable[[Connection], T]) -> T:
        return await self._engine.read(work)

    async def _in(self, thread: ThreadPoolExecutor, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(thread, work)

    def _report(self, state: IndexState, *, error: FamiliarError | None = None) -> None:
        if state in ("building", "off"):
            self._status = IndexStatus(state)
        else:
            self._status = replace(self._status, state=state, error=error)
        self._moved.set()

    def _pending(self) -> bool:
        return bool(self._changed or self._facts or self._all_facts)

    def _running(self) -> bool:
        return self._task is not None and not self._task.done()


def _reread(source: TurnSource, ids: Sequence[int], connection: Connection) -> tuple[list[Row], list[int]]:
    touched = source.together(connection, ids)
    return source.of(connection, touched), touched


def _replace_facts(index: TextIndex, ids: Collection[int], documents: Sequence[FactDocument]) -> None:
    index.remove(FACT, ids)
    index.add_facts(documents)


def _replace(index: TextIndex, touched: Collection[int], rows: Sequence[Row]) -> None:
    index.remove(TURN, touched)
    index.add_turns(row for row in rows if row[0] in touched)


def _close(index: TextIndex) -> None:
    try:
        index.close()
    except FamiliarError as error:
        log.warning("the search index did not end cleanly", exc_info=error)
