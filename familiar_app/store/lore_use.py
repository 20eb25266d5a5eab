"""How often each lorebook entry stood in a prompt, and when last; counted as traces are stored, kept when they go.

Entries go by their book's name and their id. One that is counted under a name of its own is the same entry with a new
name.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from familiar_app.domain.ids import FamiliarId, TraceId
from familiar_app.domain.lorebook.entry import EntryKey
from familiar_app.domain.trace import PromptTrace
from familiar_app.store.engine import Engine
from familiar_app.store.moment import from_micros, to_micros
from familiar_app.store.text import storable

if TYPE_CHECKING:
    from sqlite3 import Connection


@dataclass(frozen=True, slots=True)
class LoreUse:
    """What one entry did: in how many prompts it stood, and in which last."""

    times: int
    first_at: datetime
    last_at: datetime
    last_trace: TraceId


class LoreUses:
    """The counts of one vault."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def of_familiar(self, familiar: FamiliarId) -> dict[EntryKey, LoreUse]:
        """Return the entries that ever stood in a prompt of a familiar, at the cost of one look-up."""

        def work(connection: Connection) -> dict[EntryKey, LoreUse]:
            rows = connection.execute(
                "SELECT book, entry, times, first_at, last_at, last_trace FROM lore_uses WHERE familiar = ?",
                (familiar,),
            )
            return {
                EntryKey(book, json.loads(entry)): LoreUse(times, from_micros(first), from_micros(last), TraceId(trace))
                for book, entry, times, first, last, trace in rows
            }

        return await self._engine.read(work)

    async def rename_book(self, familiar: FamiliarId, old: str, new: str) -> None:
        """Let the counts of a book follow its new name."""

        def work(connection: Connection) -> None:
            connection.execute("DELETE FROM lore_uses WHERE familiar = ? AND book = ?", (familiar, storable(new)))
            connection.execute(
                "UPDATE lore_uses SET book = ? WHERE familiar = ? AND book = ?",
                (storable(new), familiar, storable(old)),
            )

        if old != new:
            await self._engine.write(work)


def count_entries(connection: Connection, number: TraceId, trace: PromptTrace) -> None:
    """Count the entries that a trace shows in its prompt."""
    at = to_micros(trace.at)
    rows = [
        (trace.familiar, storable(one["book"]), storable(json.dumps(one["uid"])), storable(one["entry"]), at, number)
        for one in (trace.lorebook or {}).get("places") or ()
        if one["shown"] is not None
    ]
    connection.executemany(
        """INSERT INTO lore_uses (familiar, book, entry, name, times, first_at, last_at, last_trace)
        VALUES (?1, ?2, ?3, ?4, 1, ?5, ?5, ?6)
        ON CONFLICT (familiar, book, entry) DO UPDATE SET
            name = ?4, times = times + 1, first_at = min(first_at, ?5), last_at = max(last_at, ?5), last_trace = ?6""",
        rows,
    )
