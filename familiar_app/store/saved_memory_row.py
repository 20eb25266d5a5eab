"""Reads saved memories and their earlier states out of the database: the one place that knows their columns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import ChannelId, FamiliarId, Lineage, PersonKey, TurnId
from familiar_app.domain.saved_memory.memory import (
    GLOBAL_LINEAGE,
    MemoryId,
    MemoryPlace,
    MemoryState,
    SavedMemory,
    Scope,
)
from familiar_app.domain.text import tr
from familiar_app.store.moment import from_micros, to_micros

if TYPE_CHECKING:
    from sqlite3 import Connection

_LEARNED_IN = """(SELECT t.channel FROM saved_memory_states f JOIN turns t ON t.id = f.turn
    WHERE f.memory = m.id AND f.number = 1 AND t.role = 'tool')"""
_COLUMNS = f"""m.id, m.scope, m.owner, m.persona_lineage_id, m.persona, m.taught_by, m.source_turn, m.content, m.tags,
    m.created_at, m.updated_at, m.manually_written, m.last_reinforced_at, m.retired_at, m.retired_reason,
    m.retired_by, {_LEARNED_IN}"""
_THEN = f"""m.id, s.scope, s.owner, s.persona_lineage_id, m.persona, m.taught_by, m.source_turn, s.content, s.tags,
    m.created_at, s.at, m.manually_written, NULL, NULL, NULL, NULL, {_LEARNED_IN}"""


def read_memories(connection: Connection, where: str, values: Sequence[Any] = ()) -> list[SavedMemory]:
    """Return the memories of `WHERE where`, in which a memory is called `m`."""
    return [
        _memory(row) for row in connection.execute(f"SELECT {_COLUMNS} FROM saved_memories m WHERE {where}", values)
    ]


def read_memory(connection: Connection, number: int) -> SavedMemory | None:
    """Return one memory, retired or not, or None."""
    found = read_memories(connection, "m.id = ?", (number,))
    return found[0] if found else None


def existing_memory(connection: Connection, number: int, lineage: Lineage) -> SavedMemory:
    """Return a memory that a familiar of this lineage sees. Raises UserError where there is none."""
    found = read_memory(connection, number)
    if found is None or found.place.lineage not in (lineage, GLOBAL_LINEAGE):
        raise UserError(
            tr("There is no memory {number}.", number=str(number)),
            tr("'familiar memory list --include-retired' lists them."),
        )
    return found


def active_in(connection: Connection, place: MemoryPlace) -> list[SavedMemory]:
    """Return the memories that count against the limit of a place: a person's global ones too."""
    if place.scope is Scope.SERVER or place.is_global:
        lineages: tuple[str, ...] = (place.lineage,)
    else:
        lineages = (place.lineage, GLOBAL_LINEAGE)
    marks = ",".join("?" for _ in lineages)
    where = f"m.retired_at IS NULL AND m.scope = ? AND m.owner = ? AND m.persona_lineage_id IN ({marks}) ORDER BY m.id"
    return read_memories(connection, where, (place.scope, place.owner, *lineages))


def shown_then(
    connection: Connection, servers: Sequence[str], people: Sequence[str], lineage: Lineage, at: datetime | None
) -> list[SavedMemory]:
    """Return the active memories about some servers and people as a familiar sees them now, or saw them at an instant.

    Newest first. Nothing that was learned or changed after the instant shows.
    """
    table = "m" if at is None else "s"
    alive = f"({table}.retired_at IS NULL)" if at is None else "NOT s.retired"
    where = f"""{alive} AND (({table}.scope = 'server' AND {table}.persona_lineage_id = ? AND {table}.owner IN
        ({_marks(servers)})) OR ({table}.scope = 'personal' AND {table}.persona_lineage_id IN (?, '{GLOBAL_LINEAGE}')
        AND {table}.owner IN ({_marks(people)}))) ORDER BY m.created_at DESC, m.id DESC"""
    values = (lineage, *servers, lineage, *people)
    if at is None:
        return read_memories(connection, where, values)
    micros = to_micros(at)
    rows = connection.execute(
        f"""SELECT {_THEN} FROM saved_memories m JOIN saved_memory_states s ON s.memory = m.id AND s.number =
        (SELECT max(number) FROM saved_memory_states WHERE memory = m.id AND at <= ?)
        WHERE m.persona_lineage_id IN (?, '{GLOBAL_LINEAGE}') AND {where}""",
        (micros, lineage, *values),
    )
    return [_memory(row) for row in rows]


def all_then(connection: Connection, lineage: Lineage, at: datetime | None, limit: int) -> list[SavedMemory]:
    """Return the newest active memories that a familiar has, or had at an instant, whatever they are about."""
    if at is None:
        where = f"""m.retired_at IS NULL AND m.persona_lineage_id IN (?, '{GLOBAL_LINEAGE}')
            ORDER BY m.created_at DESC, m.id DESC LIMIT ?"""
        return read_memories(connection, where, (lineage, limit))
    rows = connection.execute(
        f"""SELECT {_THEN} FROM saved_memories m JOIN saved_memory_states s ON s.memory = m.id AND s.number =
        (SELECT max(number) FROM saved_memory_states WHERE memory = m.id AND at <= ?)
        WHERE NOT s.retired AND s.persona_lineage_id IN (?, '{GLOBAL_LINEAGE}')
        ORDER BY m.created_at DESC, m.id DESC LIMIT ?""",
        (to_micros(at), lineage, limit),
    )
    return [_memory(row) for row in rows]


def read_states(connection: Connection, number: MemoryId) -> list[MemoryState]:
    """Return what a memory was after each act, the first one first."""
    rows = connection.execute(
        """SELECT number, at, turn, cause, by, scope, owner, persona_lineage_id, content, tags, retired
        FROM saved_memory_states WHERE memory = ? ORDER BY number""",
        (number,),
    )
    return [
        MemoryState(
            row[0],
            from_micros(row[1]),
            TurnId(row[2]),
            row[3],
            row[4],
            MemoryPlace(Scope(row[5]), row[6], Lineage(row[7])),
            row[8],
            tuple(json.loads(row[9])),
            bool(row[10]),
        )
        for row in rows
    ]


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" for _ in values)


def _memory(row: tuple[Any, ...]) -> SavedMemory:
    return SavedMemory(
        id=MemoryId(row[0]),
        place=MemoryPlace(Scope(row[1]), row[2], Lineage(row[3])),
        persona=FamiliarId(row[4]),
        taught_by=None if row[5] is None else PersonKey(row[5]),
        source_turn=None if row[6] is None else TurnId(row[6]),
        content=row[7],
        tags=tuple(json.loads(row[8])),
        created_at=from_micros(row[9]),
        updated_at=from_micros(row[10]),
        manually_written=bool(row[11]),
        last_reinforced_at=None if row[12] is None else from_micros(row[12]),
        retired_at=None if row[13] is None else from_micros(row[13]),
        retired_reason=row[14],
        retired_by=row[15],
        learned_in=None if row[16] is None else ChannelId(row[16]),
    )
