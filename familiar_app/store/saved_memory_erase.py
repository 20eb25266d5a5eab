"""Finds what has to go with a scrubbed turn: the memories that were drawn from it, and every act that holds their text.

Acts about nothing else become tombstones like the turn itself; from others only the part about these memories is taken
out. Runs inside the writer's transaction, before the turns are scrubbed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from familiar_app.domain.ids import PersonKey, TurnId
from familiar_app.domain.saved_memory import placeholder
from familiar_app.domain.saved_memory.memory import MemoryId
from familiar_app.store.saved_memory_log import catch_up, empty

if TYPE_CHECKING:
    from sqlite3 import Connection

REMOVED = "[removed]"
_ACTS = """SELECT id, role, content, tool_calls FROM turns INDEXED BY turns_memory
    WHERE role IN ('tool', 'operator') AND mode GLOB 'memory_*' AND deleted = 0"""
_MIN_PIECE_CHARS = 12


@dataclass(frozen=True, slots=True)
class Doomed:
    """What goes along: further turns to scrub, and the texts to take out of stored prompts."""

    memories: frozenset[MemoryId]
    turns: tuple[TurnId, ...]
    texts: frozenset[str]


def drawn_from(connection: Connection, turns: Sequence[TurnId]) -> frozenset[MemoryId]:
    """Return the memories that were learned from some turns, or whose text stands in them."""
    catch_up(connection)
    found: set[MemoryId] = set()
    for turn in turns:
        rows = connection.execute(
            """SELECT id FROM saved_memories WHERE source_turn = ?1
            UNION SELECT memory FROM saved_memory_states WHERE turn = ?1""",
            (turn,),
        )
        found.update(MemoryId(number) for (number,) in rows)
    return frozenset(found)


def about(connection: Connection, person: PersonKey) -> frozenset[MemoryId]:
    """Return the personal memories about somebody, of every familiar, retired ones too."""
    rows = connection.execute(
        """SELECT id FROM saved_memories WHERE scope = 'personal' AND owner = ?1
        UNION SELECT memory FROM saved_memory_states WHERE scope = 'personal' AND owner = ?1""",
        (person,),
    )
    return frozenset(MemoryId(number) for (number,) in rows)


def doom(connection: Connection, memories: frozenset[MemoryId]) -> Doomed:
    """Take memories out of every act that is about others too. Returns what else has to be scrubbed."""
    if not memories:
        return Doomed(memories, (), frozenset())
    texts = _texts(connection, memories)
    whole: list[TurnId] = []
    for turn, role, content, calls in connection.execute(_ACTS).fetchall():
        inside = calls if role == "tool" else content
        fields = json.loads(inside) if inside else {}
        ops = fields.get("ops") if isinstance(fields, dict) else None
        if not ops or not any(op.get("id") in memories for op in ops):
            continue
        left = [op for op in ops if op.get("id") not in memories]
        if not left:
            whole.append(TurnId(turn))
            continue
        rest = json.dumps(_without({**fields, "ops": left}, texts), ensure_ascii=False)
        words = (rest, None) if role == "operator" else (_without(content, texts), rest)
        connection.execute("UPDATE turns SET content = ?, tool_calls = ? WHERE id = ?", (*words, turn))
    return Doomed(memories, tuple(whole), frozenset(_as_shown(connection, memories, texts)))


def bring_up_to_date(connection: Connection) -> None:
    """Make the tables anew, out of what the log still has."""
    empty(connection)
    catch_up(connection)


def _texts(connection: Connection, memories: Iterable[MemoryId]) -> set[str]:
    found: set[str] = set()
    for number in memories:
        rows = connection.execute(
            """SELECT content FROM saved_memories WHERE id = ?1
            UNION SELECT content FROM saved_memory_states WHERE memory = ?1""",
            (number,),
        )
        found.update(text for (text,) in rows)
    return found


def _as_shown(connection: Connection, memories: Iterable[MemoryId], texts: set[str]) -> set[str]:
    """Return the texts, and what they look like in prompts: with names filled in, and their longer pieces."""
    names: set[str] = set()
    for number in memories:
        rows = connection.execute(
            "SELECT DISTINCT n.name FROM saved_memories m JOIN names n ON n.person = m.owner WHERE m.id = ?", (number,)
        )
        names.update(name for (name,) in rows)
    shown = set(texts)
    for text in texts:
        shown.update(placeholder.name_user(text, name) for name in names)
        shown.update(piece for piece in placeholder.pieces(text) if len(piece) >= _MIN_PIECE_CHARS)
        shown.update(line for line in text.splitlines() if len(line) >= _MIN_PIECE_CHARS)
    return shown


def _without(value: Any, texts: set[str]) -> Any:
    if isinstance(value, str):
        for text in sorted(texts, key=len, reverse=True):
            value = value.replace(text, REMOVED) if text else value
        return value
    if isinstance(value, dict):
        return {name: part if name == "op" else _without(part, texts) for name, part in value.items()}
    if isinstance(value, list):
        return [_without(part, texts) for part in value]
    return value
