"""What the owner decides about reflections: pinned ones and hidden ones, read from the owner's acts in the log.

A mark names its reflection by time and text, so that it finds it again where reflections were brought back under other
numbers. Runs inside a transaction.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal

from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.projection import ReflectionId
from familiar_app.domain.text import tr
from familiar_app.store.moment import to_micros
from familiar_app.store.owner_act import log_act

if TYPE_CHECKING:
    from datetime import datetime
    from sqlite3 import Connection

MarkAct = Literal["pin", "unpin", "hide", "show"]
_ACTS = """SELECT content FROM turns INDEXED BY turns_reflection WHERE role = 'operator' AND mode GLOB 'reflection_*'
    AND familiar = ? AND at <= ? AND deleted = 0 ORDER BY id"""
_PAIRS: dict[str, tuple[str, bool]] = {
    "reflection_pin": ("pinned", True),
    "reflection_unpin": ("pinned", False),
    "reflection_hide": ("hidden", True),
    "reflection_show": ("hidden", False),
}


@dataclass(frozen=True, slots=True)
class ReflectionMarks:
    """The reflections that always stand among those shown, and those that never do. Hidden ones are not pinned."""

    pinned: frozenset[ReflectionId] = frozenset()
    hidden: frozenset[ReflectionId] = frozenset()


def read_marks(connection: Connection, familiar: FamiliarId, known_at: datetime | None = None) -> ReflectionMarks:
    """Return the marks as they are, or as they stood at a moment."""
    until = 1 << 62 if known_at is None else to_micros(known_at)
    marked: dict[str, set[tuple[int, str]]] = {"pinned": set(), "hidden": set()}
    for (content,) in connection.execute(_ACTS, (familiar, until)):
        act = json.loads(content)
        name, on = _PAIRS[act["act"]]
        (marked[name].add if on else marked[name].discard)((act["written"], act["identity"]))
    hidden = _found(connection, familiar, marked["hidden"])
    return ReflectionMarks(_found(connection, familiar, marked["pinned"]) - hidden, hidden)


def mark(connection: Connection, reflection: ReflectionId, act: MarkAct, at: datetime) -> None:
    """Log what the owner decides about a reflection. Raises UserError where it is gone."""
    row = connection.execute(
        "SELECT familiar, created_at, text FROM reflections WHERE id = ?", (reflection,)
    ).fetchone()
    if row is None:
        raise UserError(tr("This reflection is gone."), tr("Look at the list again."))
    content = {"act": f"reflection_{act}", "written": row[1], "identity": identity_of_text(row[2])}
    log_act(connection, FamiliarId(row[0]), content, to_micros(at))


def _found(connection: Connection, familiar: FamiliarId, marked: set[tuple[int, str]]) -> frozenset[ReflectionId]:
    return frozenset(
        ReflectionId(number)
        for written, identity in marked
        for number, text in connection.execute(
            "SELECT id, text FROM reflections WHERE familiar = ? AND created_at = ?", (familiar, written)
        )
        if identity_of_text(text) == identity
    )


def identity_of_text(text: str) -> str:
    """Return what a mark knows the text of a reflection by."""
    return blake2b(text.encode(), digest_size=16).hexdigest()
