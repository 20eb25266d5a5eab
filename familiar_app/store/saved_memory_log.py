"""The acts that saved memories are made of: written to the log, carried out, and carried out again after a rebuild.

An act is one turn: of a tool (its call stands in `tool_calls`, what it did in words in the text) or of an operator. It
holds the operations that were decided on then, so a replay decides nothing anew: what was evicted stays evicted. Runs
inside the writer's transaction.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from familiar_app.domain.ids import MAIN_CHANNEL, ChannelId, ChannelKey, FamiliarId, TurnId, is_local
from familiar_app.domain.saved_memory.memory import MemoryId, MemoryPlace, content_identity
from familiar_app.store.channel import ensure_heard, ensure_local
from familiar_app.store.text import storable

if TYPE_CHECKING:
    from sqlite3 import Connection

PROJECTOR = "saved_memory"
TABLE = "saved_memories"
Op = dict[str, Any]

_ACTS = """SELECT id, at, role, mode, content, tool_calls FROM turns INDEXED BY turns_memory
    WHERE role IN ('tool', 'operator') AND mode GLOB 'memory_*' AND id > ? AND deleted = 0 ORDER BY id"""


@dataclass(frozen=True, slots=True)
class ActPlace:
    """Where an act is logged. Without a channel it goes to the familiar's own main one."""

    familiar: FamiliarId
    channel: ChannelKey | None = None
    guild: str | None = None


@dataclass(frozen=True, slots=True)
class Act:
    """One act: its name (the turn's mode without `memory_`), who did it, and what it does."""

    name: str
    by: str | None
    ops: Sequence[Op]


def put_op(number: MemoryId, place: MemoryPlace, content: str, tags: Sequence[str], **more: Any) -> Op:
    """Return the operation of storing a memory; `more` has persona, taught_by, source_turn and manual."""
    return {"op": "put", "id": number, **place_fields(place), "content": content, "tags": list(tags), **more}


def place_fields(place: MemoryPlace) -> Op:
    """Return a place as operations hold it."""
    return {"scope": str(place.scope), "owner": place.owner, "lineage": place.lineage}


def next_number(connection: Connection) -> MemoryId:
    """Return the number of the next memory. No number is given twice, not even after an erasure."""
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (TABLE,)).fetchone()
    return MemoryId(1 if row is None else int(row[0]) + 1)


def log_call(
    connection: Connection, place: ActPlace, act: Act, now: int, *, text: str, call: Mapping[str, Any]
) -> TurnId:
    """Append the turn of a tool and carry it out. `call` is the tool's name, its arguments and its result."""
    inside = storable(json.dumps({**call, "by": act.by, "ops": list(act.ops)}, ensure_ascii=False))
    number = _append(connection, place, ("tool", act.name), (storable(text), inside, call.get("id")), now)
    _carry_out(connection, act, number, now)
    return number


def log_act(connection: Connection, place: ActPlace, act: Act, now: int) -> TurnId:
    """Append the turn of an operator and carry it out."""
    content = {"act": f"memory_{act.name}", "by": act.by, "ops": list(act.ops)}
    inside = storable(json.dumps(content, ensure_ascii=False))
    number = _append(connection, place, ("operator", act.name), (inside, None, None), now)
    _carry_out(connection, act, number, now)
    return number


def catch_up(connection: Connection) -> int:
    """Carry out the acts that the tables do not show: all of them where rows went by hand. Returns how many."""
    position = watermark(connection)
    if position is None:
        if not has_rows(connection) and not pending(connection):
            return 0
        empty(connection)
    acts = _acts(connection, position or 0)
    count, last = 0, (position or 0, 0)
    for number, at, act in acts:
        apply_ops(connection, act, number, at)
        count, last = count + 1, (number, at)
    if count or position is None:
        set_watermark(connection, *last)
    return count


def pending(connection: Connection) -> int:
    """Count the acts that the tables do not show."""
    position = watermark(connection) or 0
    row = connection.execute(
        """SELECT count(*) FROM turns INDEXED BY turns_memory WHERE role IN ('tool', 'operator')
        AND mode GLOB 'memory_*' AND id > ? AND deleted = 0""",
        (position,),
    ).fetchone()
    return int(row[0])


def empty(connection: Connection) -> None:
    """Take every row out; the log has them."""
    connection.execute("DELETE FROM saved_memory_states")
    connection.execute("DELETE FROM saved_memories")
    connection.execute("DELETE FROM person_privacy")


def watermark(connection: Connection) -> int | None:
    """Return the last act that the tables show."""
    row = connection.execute(
        "SELECT position FROM watermarks WHERE projector = ? AND familiar = '' AND scope = ''", (PROJECTOR,)
    ).fetchone()
    return None if row is None else int(row[0])


def set_watermark(connection: Connection, position: int, at: int) -> None:
    """Remember that the tables show every act up to a turn."""
    connection.execute(
        """INSERT INTO watermarks VALUES (?, '', '', ?, ?, ?) ON CONFLICT (projector, familiar, scope)
        DO UPDATE SET position = excluded.position, set_at = excluded.set_at""",
        (PROJECTOR, position, TABLE, at),
    )


def apply_ops(connection: Connection, act: Act, turn: TurnId, at: int) -> None:
    """Change the tables as an act says."""
    for op in act.ops:
        if op["op"] == "privacy":
            connection.execute(
                """INSERT INTO person_privacy (person, level, since, agreed) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (person) DO UPDATE SET level = ?2, since = ?3, agreed = ?4""",
                (op["person"], op["level"], at, int(op["level"] == "none" and act.by == op["person"])),
            )
        elif op["op"] == "put":
            _put(connection, op, at)
            _add_state(connection, op["id"], act, turn, at)
        else:
            _change(connection, op, act, at)
            if op["op"] != "reinforce":
                _add_state(connection, op["id"], act, turn, at)


def _carry_out(connection: Connection, act: Act, turn: TurnId, at: int) -> None:
    apply_ops(connection, act, turn, at)
    set_watermark(connection, turn, at)


def _put(connection: Connection, op: Op, at: int) -> None:
    connection.execute(
        """INSERT INTO saved_memories (id, scope, owner, persona_lineage_id, persona, taught_by, source_turn, content,
        identity, tags, created_at, updated_at, manually_written) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)""",
        (
            op["id"], op["scope"], op["owner"], op["lineage"], op["persona"], op.get("taught_by"),
            _still_there(connection, op.get("source_turn")), op["content"], content_identity(op["content"]),
            json.dumps(op["tags"], ensure_ascii=False), at, at, int(op.get("manual", False)),
        ),
    )  # fmt: skip


def _change(connection: Connection, op: Op, act: Act, at: int) -> None:
    kind, number = op["op"], op["id"]
    values: dict[str, Any] = {}
    if kind == "retire":
        values = {"retired_at": at, "retired_reason": op["reason"], "retired_by": act.by}
    elif kind == "restore":
        values = {"retired_at": None, "retired_reason": None, "retired_by": None}
    elif kind == "reinforce":
        values = {"last_reinforced_at": at}
    else:
        values = {"updated_at": at, "last_reinforced_at": at}
        if "content" in op:
            values |= {"content": op["content"], "identity": content_identity(op["content"])}
        if "tags" in op:
            values["tags"] = json.dumps(op["tags"], ensure_ascii=False)
        if "manual" in op:
            values["manually_written"] = int(op["manual"])
        if "scope" in op:
            values |= {"scope": op["scope"], "owner": op["owner"], "persona_lineage_id": op["lineage"]}
    if kind == "protect":
        values = {"manually_written": int(op["manual"])}
    assigned = ", ".join(f"{name} = ?" for name in values)
    connection.execute(f"UPDATE saved_memories SET {assigned} WHERE id = ?", (*values.values(), number))


def _add_state(connection: Connection, number: int, act: Act, turn: TurnId, at: int) -> None:
    connection.execute("UPDATE saved_memories SET states = states + 1 WHERE id = ?", (number,))
    connection.execute(
        """INSERT INTO saved_memory_states SELECT id, states, ?, ?, ?, ?, scope, owner, persona_lineage_id, content,
        tags, retired_at IS NOT NULL FROM saved_memories WHERE id = ?""",
        (at, turn, act.name, act.by, number),
    )


def _still_there(connection: Connection, turn: int | None) -> int | None:
    row = None if turn is None else connection.execute("SELECT 1 FROM turns WHERE id = ?", (turn,)).fetchone()
    return None if row is None else turn


def _append(
    connection: Connection, place: ActPlace, kind: tuple[str, str], texts: tuple[str, str | None, str | None], now: int
) -> TurnId:
    channel = _channel(connection, place, now)
    role, name = kind
    content, tool_calls, call_id = texts
    number = connection.execute(
        """INSERT INTO turns (channel, role, content, at, arrived_at, familiar, guild, mode, tool_calls, tool_call_id)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id""",
        (channel, role, content, now, now, place.familiar, place.guild, f"memory_{name}", tool_calls, call_id),
    ).fetchone()[0]
    return TurnId(number)


def _channel(connection: Connection, place: ActPlace, now: int) -> ChannelId:
    if place.channel is None or is_local(place.channel):
        return ensure_local(connection, place.channel or MAIN_CHANNEL, place.familiar, now)
    return ensure_heard(connection, place.channel, place.familiar, place.guild, now)


def _acts(connection: Connection, after: int) -> Iterator[tuple[TurnId, int, Act]]:
    """Yield the acts behind a turn. What only looks like one, such as an imported turn, holds no operations."""
    for number, at, role, mode, content, calls in connection.execute(_ACTS, (after,)).fetchall():
        inside = calls if role == "tool" else content
        fields = json.loads(inside) if inside else {}
        if isinstance(fields, dict) and isinstance(fields.get("ops"), list):
            yield TurnId(number), at, Act(mode.removeprefix("memory_"), fields.get("by"), fields["ops"])


def has_rows(connection: Connection) -> bool:
    """Tell whether any of the tables has a row."""
    tables = ("saved_memories", "saved_memory_states", "person_privacy")
    return any(connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() for table in tables)
