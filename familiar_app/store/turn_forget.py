"""Removes what turns said, and whatever tells of it elsewhere. Runs inside the writer's transaction.

Texts, revisions, traces, facts and memories are `turn_write`'s; here also summaries, thoughts that rest on hidden facts
alone, and the turns that have to be read again.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import TurnId
from familiar_app.domain.kept_answer import KeptAnswer
from familiar_app.store.moment import to_micros
from familiar_app.store.reword import read_rest_again
from familiar_app.store.turn_write import existing, scrub_turns

if TYPE_CHECKING:
    from sqlite3 import Connection

_SUMMARY = "rolling_summary"


def forget_turns(connection: Connection, turns: Sequence[TurnId], at: datetime) -> list[FactId]:
    """Make turns tombstones and take back what rests on them. Returns the facts that cited them."""
    for turn in dict.fromkeys(turns):
        drop_summaries(connection, turn, at)
    facts = scrub_turns(connection, turns, at)
    _drop_thoughts(connection)
    read_rest_again(connection, facts, at)
    return facts


def drop_summaries(connection: Connection, turn: TurnId, at: datetime) -> None:
    """Take a channel's story back to where it stood before a turn; it is told again from there, without the turn."""
    channel = existing(connection, turn).channel
    told = connection.execute(
        "DELETE FROM summaries WHERE channel = ? AND last_turn_id >= ? RETURNING familiar", (channel, turn)
    ).fetchall()
    connection.execute(
        """UPDATE ledger SET void_at = coalesce(void_at, ?), answer = ?
        WHERE projector = ? AND scope = ? AND last >= ?""",
        (to_micros(at), KeptAnswer("").encode(), _SUMMARY, str(channel), turn),
    )
    for familiar in {name for (name,) in told}:
        connection.execute(
            """UPDATE watermarks SET position = coalesce((SELECT max(last_turn_id) FROM summaries
                WHERE familiar = ?1 AND channel = ?2), 0)
            WHERE projector = ?3 AND familiar = ?1 AND scope = ?4""",
            (familiar, channel, _SUMMARY, str(channel)),
        )


def _drop_thoughts(connection: Connection) -> None:
    """Take out reflections that cite hidden facts and nothing else."""
    connection.execute(
        """DELETE FROM reflections
        WHERE NOT EXISTS (SELECT 1 FROM reflection_turns t WHERE t.reflection = reflections.id)
        AND EXISTS (SELECT 1 FROM reflection_facts c JOIN facts f ON f.id = c.fact
            WHERE c.reflection = reflections.id AND f.hidden)
        AND NOT EXISTS (SELECT 1 FROM reflection_facts c JOIN facts f ON f.id = c.fact
            WHERE c.reflection = reflections.id AND NOT f.hidden)"""
    )
