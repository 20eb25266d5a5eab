"""What an edit or a deletion does to facts that rest on other words too. Runs inside the writer's transaction.

After an edit the citations stay, marked with the operator turn that says so: they tell where a fact came from and who
may hear it. But they support nothing any more, and a fact that nothing else supports is believed no longer. Whoever
drew facts from the turn reads it again.

What was drawn from several turns of which one is deleted may tell what was said there. So the others are read again,
and what they alone do not say is believed no longer.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from familiar_app.domain.fact import Cause, FactId
from familiar_app.domain.ids import FamiliarId, TurnId
from familiar_app.store.fact_row import existing_fact
from familiar_app.store.fact_write import Stamp, end_belief, hide_groundless
from familiar_app.store.moment import to_micros

if TYPE_CHECKING:
    from sqlite3 import Connection

REWORD, REREAD = "reword", "reread"
_LEFT = """SELECT DISTINCT s.turn FROM fact_sources s JOIN facts f ON f.id = s.fact
    JOIN fact_lost_places l ON l.fact = s.fact AND l.since = s.since
    WHERE s.fact = ? AND s.reworded IS NULL AND f.superseded_at IS NULL AND f.act IS NULL"""
_UNSURE = """SELECT s.fact FROM fact_sources s JOIN facts f ON f.id = s.fact
    JOIN fact_lost_places l ON l.fact = s.fact AND l.since = s.since
    WHERE s.turn = ? AND f.familiar = ? AND s.reworded IS NULL AND f.superseded_at IS NULL AND f.act IS NULL
    GROUP BY s.fact"""
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


def log_reword(connection: Connection, turn: TurnId, now: int, name: str = REWORD) -> int:
    """Append the operator turn that says a turn reads otherwise now, or is to be read again. Returns its number."""
    act: dict[str, Any] = {"act": name, "turn": turn}
    row = connection.execute(
        """INSERT INTO turns (channel, role, content, at, arrived_at, mode)
        SELECT channel, 'operator', ?, ?, ?, ? FROM turns WHERE id = ? RETURNING id""",
        (json.dumps(act), now, now, name, turn),
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


def read_rest_again(connection: Connection, facts: Iterable[FactId], at: datetime) -> None:
    """Have those turns read again that still support facts which have lost another source to a deletion."""
    turns: dict[int, None] = {}
    for fact in facts:
        turns |= {turn: None for (turn,) in connection.execute(_LEFT, (fact,))}
    for turn in turns:
        log_reword(connection, TurnId(turn), to_micros(at), REREAD)


def drop_unsaid(
    connection: Connection, familiar: FamiliarId, turn: TurnId, act: int, said: Collection[FactId], at: datetime
) -> list[FactId]:
    """Let a turn that was read again support no fact that it does not say by itself. Returns the facts that changed."""
    unsure = [FactId(number) for (number,) in connection.execute(_UNSURE, (turn, familiar)).fetchall()]
    dropped = [fact for fact in unsure if fact not in said]
    for fact in dropped:
        connection.execute("UPDATE fact_sources SET reworded = ? WHERE fact = ? AND turn = ?", (act, fact, turn))
        hide_groundless(connection, fact, at)
    return dropped
