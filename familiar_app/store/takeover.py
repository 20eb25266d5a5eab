"""Lets a message take the place of another one, as a copy does that a bot sends on somebody's behalf.

Both are one turn: it goes under the copy's number, name and words from then on, and the number of the message that is
gone still leads to it. Runs inside the writer's transaction.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import TurnId
from familiar_app.domain.turn import Author
from familiar_app.store.moment import to_micros
from familiar_app.store.owner_act import reword
from familiar_app.store.person_write import record_speaker
from familiar_app.store.turn_write import existing, revise_turn

if TYPE_CHECKING:
    from sqlite3 import Connection


@dataclass(frozen=True, slots=True)
class Copy:
    """The message that takes another one's place."""

    message_id: str
    author: Author
    content: str


def take_over(connection: Connection, turn: TurnId, copy: Copy, at: datetime) -> list[FactId]:
    """Let a copy take the place of a turn's message. Returns the facts that rested on the words of before.

    Of a turn that is a tombstone nothing but the number changes. Where the copy has a turn already, nothing happens.
    """
    known = existing(connection, turn)
    there = connection.execute(
        "SELECT 1 FROM turns WHERE channel = ? AND message_id = ?", (known.channel, copy.message_id)
    ).fetchone()
    if there is not None:
        return []
    if known.message_id is not None:
        connection.execute(
            "INSERT INTO message_aliases VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (known.channel, known.message_id, turn),
        )
    connection.execute("UPDATE turns SET message_id = ? WHERE id = ?", (copy.message_id, turn))
    if known.deleted or known.hidden:
        return []
    speaker, _ = record_speaker(connection, copy.author, known.guild, to_micros(known.at))
    connection.execute("UPDATE turns SET speaker = ? WHERE id = ?", (speaker, turn))
    if copy.content:
        revise_turn(connection, turn, copy.content, to_micros(at))
    # Who said it is another one now, so what was drawn from it is void even where the words are the same.
    return reword(connection, turn, at)
