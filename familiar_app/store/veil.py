"""Keeps what people at privacy level `full` say out of the log, and hides what they had said before.

Of a new message nothing but its number and its id stays: a tombstone without an author. Earlier turns are hidden while
the level holds. `hidden` of a turn is a sum: 1 where the owner took it out, 2 (`VEILED`) where its author's level does.
Runs inside a transaction.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from familiar_app.domain.ids import PersonKey, TurnId
from familiar_app.domain.turn import NewTurn
from familiar_app.store.erasure_list import brings_back as brings_back
from familiar_app.store.erasure_list import is_erased

if TYPE_CHECKING:
    from sqlite3 import Connection

VEILED = 2
_OF_PERSON = "speaker IN (SELECT id FROM speakers WHERE key = ?)"
_WRONG = f"""SELECT t.id FROM turns t LEFT JOIN speakers s ON s.id = t.speaker
    WHERE (t.hidden & {VEILED} <> 0) <> (s.key IS NOT NULL AND s.key IN (SELECT person FROM veiled_people))"""


def draw(connection: Connection, people: Collection[PersonKey]) -> list[TurnId]:
    """Let exactly these people be veiled. Returns the turns that were hidden or came back."""
    before = {PersonKey(key) for (key,) in connection.execute("SELECT person FROM veiled_people")}
    changed: list[TurnId] = []
    for person in sorted(before.symmetric_difference(people)):
        if person in before:
            connection.execute("DELETE FROM veiled_people WHERE person = ?", (person,))
            change = f"UPDATE turns SET hidden = hidden & ~{VEILED} WHERE {_OF_PERSON} RETURNING id"
        else:
            connection.execute("INSERT INTO veiled_people VALUES (?)", (person,))
            change = f"UPDATE turns SET hidden = hidden | {VEILED} WHERE {_OF_PERSON} RETURNING id"
        changed.extend(TurnId(number) for (number,) in connection.execute(change, (person,)).fetchall())
    return changed


def is_veiled(connection: Connection, turn: NewTurn) -> bool:
    """Tell whether nothing of a new turn may be kept: because of who says it, or because it was erased before."""
    if turn.author is not None:
        found = connection.execute("SELECT 1 FROM veiled_people WHERE person = ?", (turn.author.key,)).fetchone()
        if found is not None:
            return True
    return is_erased(connection, turn)


def emptied(turn: NewTurn) -> NewTurn:
    """Return what may be stored of a turn of which nothing may be kept: where and when, and its message's id."""
    return replace(turn, content="", author=None, reply_to=None, tool_calls=None, attachments=None, mentions=())


def bury(connection: Connection, turn: TurnId, now: int) -> None:
    """Make a turn that was stored without a text a tombstone, so that it is shown nowhere and never comes back."""
    connection.execute("UPDATE turns SET deleted = 1, deleted_at = ? WHERE id = ?", (now, turn))


def cover(connection: Connection, turns: Sequence[TurnId]) -> None:
    """Hide those of some turns again whose authors are veiled, whatever the owner has just decided about them."""
    connection.execute(
        f"""UPDATE turns SET hidden = hidden | {VEILED} WHERE id IN (SELECT value FROM json_each(?))
        AND speaker IN (SELECT s.id FROM speakers s JOIN veiled_people v ON v.person = s.key)""",
        (json.dumps(list(turns)),),
    )


def covers(connection: Connection, turn: TurnId) -> bool:
    """Tell whether a stored turn is hidden because of its author."""
    row = connection.execute(f"SELECT hidden & {VEILED} FROM turns WHERE id = ?", (turn,)).fetchone()
    return row is not None and bool(row[0])


def wrongly_shown_or_hidden(connection: Connection) -> Iterator[tuple[int, str]]:
    """Yield the turn and the column of each value that differs from what the veiled people say."""
    for (turn,) in connection.execute(_WRONG):
        yield turn, "hidden"
