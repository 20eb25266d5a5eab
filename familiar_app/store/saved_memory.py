"""Saved memories of one vault: what the tools and people keep, change and forget, and what a prompt may show of it.

Whatever changes something is logged in the same transaction, so that the table can be emptied and comes back. A write
first brings back what the table has lost.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from familiar_app.domain.clock import Clock
from familiar_app.domain.errors import BugError
from familiar_app.domain.ids import ChannelKey, FamiliarId, Lineage, PersonKey, TurnId
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.saved_memory.capacity import Decay
from familiar_app.domain.saved_memory.keeper import Keeper, Wording
from familiar_app.domain.saved_memory.memory import (
    GLOBAL_LINEAGE,
    MemoryId,
    MemoryPlace,
    MemoryState,
    SavedMemory,
    Scope,
)
from familiar_app.domain.saved_memory.named import names_somebody
from familiar_app.domain.saved_memory.request import Limits, SaveIntent, UpdateIntent
from familiar_app.domain.turn import Turn
from familiar_app.store import saved_memory_erase, saved_memory_hand, saved_memory_log, saved_memory_tool, turn_write
from familiar_app.store.engine import Engine
from familiar_app.store.privacy import private_names, read_levels
from familiar_app.store.saved_memory_hand import Imported
from familiar_app.store.saved_memory_row import active_in, read_memories, read_memory, read_states, shown_then
from familiar_app.store.saved_memory_tool import ToolCall, ToolOutcome
from familiar_app.store.turn import Turns
from familiar_app.store.turn_row import read_turn

if TYPE_CHECKING:
    from sqlite3 import Connection

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class MemoryQuestion:
    """Which memories are asked for. Those of private people, and retired ones, only where they are asked for."""

    lineage: Lineage
    scope: Scope | None = None
    owner: str | None = None
    search: str = ""
    include_retired: bool = False
    include_private: bool = False
    limit: int = 1_000
    before: MemoryId | None = None


@dataclass(frozen=True, slots=True)
class MemoryHistory:
    """A memory with everything it was, and the turn it was learned from, where that is still there."""

    memory: SavedMemory
    states: tuple[MemoryState, ...]
    source: Turn | None


@dataclass(frozen=True, slots=True)
class MemoryOwner:
    """Somebody or some server there are memories about, and how many count against the limit."""

    scope: Scope
    owner: str
    count: int


class SavedMemories:
    """Lists are newest first. A write is on the disk when it returns."""

    def __init__(self, engine: Engine, clock: Clock, turns: Turns) -> None:
        self._engine = engine
        self._clock = clock
        self._turns = turns
        self._watchers: builtins.list[Callable[[], None]] = []

    def watch(self, watcher: Callable[[], None]) -> Callable[[], None]:
        """Call `watcher` after each write, on the loop of whoever wrote. Returns how to stop it."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher)

    async def save(self, intent: SaveIntent, call: ToolCall, limits: Limits, decay: Decay) -> ToolOutcome:
        """Carry out a checked call of the saving tool. Raises OutsideError where the vault fails."""
        at = self._clock.now()
        return await self._write(lambda c: saved_memory_tool.save(c, intent, call, limits, decay, at))

    async def update(self, intent: UpdateIntent, call: ToolCall) -> ToolOutcome:
        """Carry out a checked call of the updating tool. Raises OutsideError where the vault fails."""
        at = self._clock.now()
        return await self._write(lambda c: saved_memory_tool.update(c, intent, call, at))

    async def add(self, keeper: Keeper, new: Wording, *, by: PersonKey, source: TurnId | None = None) -> SavedMemory:
        """Store what a person wrote down. Raises UserError (full, private), BadInputError (text, tags)."""
        return await self._by_hand(lambda c, at: saved_memory_hand.add(c, keeper, new, by, at, source))

    async def edit(
        self,
        keeper: Keeper,
        memory: MemoryId,
        *,
        by: PersonKey,
        content: str | None = None,
        tags: Sequence[str] | None = None,
    ) -> SavedMemory:
        """Change text or tags by hand; the memory is protected from then on."""
        return await self._by_hand(lambda c, at: saved_memory_hand.edit(c, keeper, memory, content, tags, by, at))

    async def protect(self, keeper: Keeper, memory: MemoryId, on: bool, *, by: PersonKey) -> SavedMemory:
        """Keep a memory from being forgotten to make room, or let it be."""
        return await self._by_hand(lambda c, at: saved_memory_hand.protect(c, keeper, memory, on, by, at))

    async def retire(self, keeper: Keeper, memory: MemoryId, *, by: PersonKey) -> SavedMemory:
        """Take a memory out of every prompt, count and list."""
        return await self._by_hand(lambda c, at: saved_memory_hand.retire(c, keeper, memory, by, at))

    async def restore(self, keeper: Keeper, memory: MemoryId, *, by: PersonKey) -> SavedMemory:
        """Bring a retired memory back, whoever retired it. Raises UserError where there is no room."""
        return await self._by_hand(lambda c, at: saved_memory_hand.restore(c, keeper, memory, by, at))

    async def move(self, keeper: Keeper, memory: MemoryId, place: MemoryPlace, *, by: PersonKey) -> SavedMemory:
        """Let a memory be about another server or person, or known to every familiar (lineage 0)."""
        return await self._by_hand(lambda c, at: saved_memory_hand.move(c, keeper, memory, place, by, at))

    async def bring_in(
        self, keeper: Keeper, items: Sequence[Wording], *, replace: bool, by: PersonKey, dry_run: bool = False
    ) -> Imported:
        """Store memories from a file, all or none, or only count. Raises UserError, BadInputError that name the one."""
        at = self._clock.now()
        return await self._write(
            lambda c: saved_memory_hand.bring_in(c, keeper, items, replace, by, at, dry_run=dry_run)
        )

    async def reinforce(self, familiar: FamiliarId, channel: ChannelKey, memories: Sequence[MemoryId]) -> None:
        """Remember that memories were brought back by what was said in a channel."""
        at = self._clock.now()
        await self._write(lambda c: saved_memory_hand.reinforce(c, familiar, channel, memories, at))

    async def erase(self, memories: Sequence[MemoryId]) -> None:
        """Remove memories for good, with every act that holds their text: only for a person's erasure."""
        at, chosen = self._clock.now(), frozenset(memories)
        await self._turns.erase(lambda c: turn_write.scrub_turns(c, (), at, memories=chosen))

    async def about(self, person: PersonKey) -> builtins.list[MemoryId]:
        """Return the memories about somebody, of every familiar, retired ones too: what their erasure removes."""
        return sorted(await self._engine.read(lambda c: saved_memory_erase.about(c, person)))

    async def bring_back(self) -> int:
        """Carry out what the log has and the table has lost. Returns how many acts; costs one look where none."""
        if not await self._engine.read(_is_behind):
            return 0
        return await self._write(saved_memory_log.catch_up)

    async def lag(self) -> tuple[int | None, int]:
        """Return the last act that the table shows, and how many it does not."""
        return await self._engine.read(lambda c: (saved_memory_log.watermark(c), saved_memory_log.pending(c)))

    async def list(self, question: MemoryQuestion) -> builtins.list[SavedMemory]:
        """Return memories that a familiar of a lineage sees."""
        return await self._engine.read(lambda c: _listed(c, question))

    async def get(self, memory: MemoryId) -> SavedMemory | None:
        """Return a memory, retired or not, of whatever lineage."""
        return await self._engine.read(lambda c: read_memory(c, memory))

    async def history(self, memory: MemoryId) -> MemoryHistory | None:
        """Return a memory with everything it was."""

        def work(connection: Connection) -> MemoryHistory | None:
            known = read_memory(connection, memory)
            if known is None:
                return None
            source = None if known.source_turn is None else read_turn(connection, known.source_turn)
            return MemoryHistory(known, tuple(read_states(connection, memory)), source)

        return await self._engine.read(work)

    async def count(self, place: MemoryPlace) -> int:
        """Count what counts against the limit of a place."""
        return await self._engine.read(lambda c: len(active_in(c, place)))

    async def owners(self, lineage: Lineage) -> builtins.list[MemoryOwner]:
        """Return about whom and which servers there are active memories, servers first."""
        sql = """SELECT scope, owner, count(*) FROM saved_memories WHERE retired_at IS NULL
            AND persona_lineage_id IN (?, ?) GROUP BY scope, owner ORDER BY scope DESC, owner"""
        rows = await self._engine.read(lambda c: c.execute(sql, (lineage, GLOBAL_LINEAGE)).fetchall())
        return [MemoryOwner(Scope(row[0]), row[1], row[2]) for row in rows]

    async def shown(
        self, server: str, people: Sequence[PersonKey], lineage: Lineage, *, at: datetime | None = None
    ) -> tuple[builtins.list[SavedMemory], builtins.list[SavedMemory]]:
        """Return the memories about a server and people that a prompt may show, and those that privacy keeps back.

        With `at` as they stood then; today's privacy counts all the same.
        """
        return await self._engine.read(lambda c: _shown(c, server, people, lineage, at))

    async def drawn_from(self, turns: Sequence[TurnId]) -> builtins.list[SavedMemory]:
        """Return the active memories that were learned from some turns."""
        marks = ",".join("?" for _ in turns)
        where = f"m.retired_at IS NULL AND m.source_turn IN ({marks}) ORDER BY m.id DESC"
        return await self._engine.read(lambda c: read_memories(c, where, tuple(turns)))

    async def _by_hand(self, work: Callable[[Connection, datetime], MemoryId]) -> SavedMemory:
        at = self._clock.now()

        def run(connection: Connection) -> SavedMemory:
            stored = read_memory(connection, work(connection, at))
            if stored is None:
                raise BugError("A memory cannot be read in the transaction that stored it.")
            return stored

        return await self._write(run)

    async def _write(self, work: Callable[[Connection], T]) -> T:
        try:
            return await self._engine.write(work)
        finally:
            # Where nobody waits any more, it may be stored all the same.
            for watcher in tuple(self._watchers):
                watcher()
            self._turns.announce()


def _is_behind(connection: Connection) -> bool:
    if saved_memory_log.pending(connection) > 0:
        return True
    return saved_memory_log.watermark(connection) is None and saved_memory_log.has_rows(connection)


def _listed(connection: Connection, question: MemoryQuestion) -> list[SavedMemory]:
    terms = ["m.persona_lineage_id IN (?, ?)"]
    values: list[object] = [question.lineage, GLOBAL_LINEAGE]
    if not question.include_retired:
        terms.append("m.retired_at IS NULL")
    if question.scope is not None:
        terms.append("m.scope = ?")
        values.append(question.scope)
    if question.owner is not None:
        terms.append("m.owner = ?")
        values.append(question.owner)
    if question.before is not None:
        terms.append("m.id < ?")
        values.append(question.before)
    rows = read_memories(connection, f"{' AND '.join(terms)} ORDER BY m.created_at DESC, m.id DESC", values)
    if not question.include_private:
        rows = _parted(connection, rows)[0]
    needle = question.search.casefold()
    return [row for row in rows if needle in row.content.casefold()][: question.limit]


def _shown(
    connection: Connection, server: str, people: Sequence[PersonKey], lineage: Lineage, at: datetime | None
) -> tuple[list[SavedMemory], list[SavedMemory]]:
    return _parted(connection, shown_then(connection, (server,), people, lineage, at))


def _parted(connection: Connection, rows: list[SavedMemory]) -> tuple[list[SavedMemory], list[SavedMemory]]:
    """Part memories into those that may be shown and those that somebody's privacy keeps back."""
    levels = read_levels(connection)
    if not levels:
        return rows, []
    names = private_names(connection, levels)

    def may_be_shown(row: SavedMemory) -> bool:
        if row.place.scope is Scope.PERSONAL:
            return levels.get(PersonKey(row.place.owner), PrivacyLevel.NONE).allows_memories
        return not names_somebody(row.content, names)

    kept = [row for row in rows if may_be_shown(row)]
    return kept, [row for row in rows if not may_be_shown(row)]
