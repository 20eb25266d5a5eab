"""What an edit does to the facts that were drawn from a turn's earlier words. Runs inside the writer's transaction.

The citations stay, marked with the operator turn that says so: they tell where a fact came from and who may hear it.
But they support nothing any more, and a fact that nothing else supports is believed no longer. Whoever drew facts from
the turn reads it again.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from familiar_app.domain.fact import Cause, FactId
from familiar_app.domain.ids import FamiliarId, TurnId
from familiar_app.store.fact_row import existing_fact
from familiar_app.store.fact_write import Stamp, end_belief
from familiar_app.store.moment import to_micros

if TYPE_CHECKING:
    from sqlite3 import Connection

REWORD = "reword"
_RESTED_ON = """SELECT s.fact FROM fact_sources s JOIN facts f ON f.id = s.fact
    WHERE s.turn = ?1 AND s.reworded IS NULL AND s.since <= ?2 AND (?3 IS NULL OR f.familiar = ?3)"""
_UNSUPPORTED = """SELECT superseded_at IS NULL AND act IS NULL AND NOT EXISTS
    (SELECT 1 FROM fact_sources s WHERE s.fact = facts.id AND s.reworded IS NULL) FROM facts WHERE id = ?"""


def is_read(connection: Connection, turn: TurnId) -> bool:
    """Tell whether somebody has drawn facts from a turn, or has read it and found none."""
    row = connection.execute(
        """SELECT EXISTS (SELECT 1 FROM watermarks WHERE projector = 'rich_note' AND scope = '' AND position >= ?1)
        OR EXISTS (SELECT 1 FROM fact_sources WHERE turn = ?1)""",
        (turn,),
    ).fetchone()
    return bool(row[0])


def log_reword(connection: Connection, turn: TurnId, now: int) -> int:
    """Append the operator turn that says a turn reads otherwise now. Returns its number."""
    act: dict[str, Any] = {"act": REWORD, "turn": turn}
    row = connection.execute(
        """INSERT INTO turns (channel, role, content, at, arrived_at, mode)
        SELECT channel, 'operator', ?, ?, ?, ? FROM turns WHERE id = ? RETURNING id""",
        (json.dumps(act), now, now, REWORD, turn),
    ).fetchone()
    return int(row[0])


def take_support(
    connection: Connection, turn: TurnId, act: int, at: datetime, familiar: FamiliarId | None = None
) -> list[FactId]:
    """Let the words of before support nothing any more, of one familiar's facts or all. Returns the facts that cited.

    Doing it twice does nothing more.
    """
    cited = connection.execute(_RESTED_ON, (turn, to_micros(at), familiar)).fetchall()
    facts = [FactId(number) for (number,) in cited]
    for fact in facts:
        connection.execute("UPDATE fact_sources SET reworded = ? WHERE fact = ? AND turn = ?", (act, fact, turn))
        if connection.execute(_UNSUPPORTED, (fact,)).fetchone()[0]:
            end_belief(connection, existing_fact(connection, fact), Cause.SOURCE_EDITED, Stamp(at))
    return facts
