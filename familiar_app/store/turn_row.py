"""Reads turns out of the database: the one place that knows their columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from familiar_app.domain.ids import ChannelId, ChannelKey, FamiliarId, PersonKey, TraceId, TurnId
from familiar_app.domain.turn import Author, NewTurn, Role, Turn
from familiar_app.store.moment import from_micros, to_micros
from familiar_app.store.text import storable

if TYPE_CHECKING:
    from sqlite3 import Connection

# The text as it reads now. A turn that was never revised costs no look-up.
TEXT = """CASE WHEN t.revision = 1 THEN t.content ELSE
    (SELECT r.content FROM revisions r WHERE r.turn = t.id AND r.number = t.revision) END"""

_SIBLING = "s.answers = t.answers AND s.role = 'assistant' AND NOT s.hidden AND NOT s.deleted"
_HAS_SIBLINGS = "t.answers IS NOT NULL AND t.role = 'assistant'"

SELECT = f"""SELECT t.id, t.channel, c.key, t.role, {TEXT}, t.at, t.arrived_at,
    p.key, p.name, p.username, p.global_name, p.nickname, p.bot,
    t.familiar, t.guild, t.message_id, t.reply_to, t.mode, t.answers,
    CASE WHEN {_HAS_SIBLINGS} THEN (SELECT count(*) FROM turns s WHERE {_SIBLING} AND s.id < t.id) + 1 ELSE 1 END,
    CASE WHEN {_HAS_SIBLINGS} THEN (SELECT count(*) FROM turns s WHERE {_SIBLING}) ELSE 1 END,
    t.active, t.revision, t.hidden, t.deleted, t.tool_calls, t.tool_call_id, t.attachments,
    CASE WHEN t.role = 'assistant' THEN (SELECT max(x.id) FROM traces x WHERE x.reply_turn = t.id) END
    FROM turns t JOIN channels c ON c.id = t.channel LEFT JOIN speakers p ON p.id = t.speaker
"""


def read_turns(connection: Connection, where: str, values: Iterable[Any] = ()) -> list[Turn]:
    """Return the turns of `SELECT … WHERE where`, in which a turn is called `t`."""
    return [_turn(row) for row in connection.execute(f"{SELECT} WHERE {where}", tuple(values))]


def read_turn(connection: Connection, turn: TurnId) -> Turn | None:
    """Return one turn, or None."""
    found = read_turns(connection, "t.id = ?", (turn,))
    return found[0] if found else None


def as_stored(connection: Connection, turn: NewTurn, number: TurnId, arrived_at: int) -> Turn:
    """Return what `read_turn` would for a turn stored just now that answers none, at a fraction of its cost."""
    key = connection.execute("SELECT key FROM channels WHERE id = ?", (turn.channel,)).fetchone()[0]
    by = turn.author
    author = by and Author(
        by.key, storable(by.name), storable(by.username), storable(by.global_name), storable(by.nickname), by.bot
    )
    return Turn(
        id=number,
        channel=turn.channel,
        channel_key=ChannelKey(key),
        role=turn.role,
        content=storable(turn.content),
        at=from_micros(to_micros(turn.at)),
        arrived_at=from_micros(arrived_at),
        author=author,
        familiar=turn.familiar,
        guild=turn.guild,
        message_id=turn.message_id,
        reply_to=turn.reply_to,
        mode=turn.mode,
        tool_calls=storable(turn.tool_calls),
        tool_call_id=turn.tool_call_id,
        attachments=storable(turn.attachments),
    )


def _turn(row: tuple[Any, ...]) -> Turn:
    author = None
    if row[7] is not None:
        author = Author(PersonKey(row[7]), row[8], row[9], row[10], row[11], bool(row[12]))
    return Turn(
        id=TurnId(row[0]),
        channel=ChannelId(row[1]),
        channel_key=ChannelKey(row[2]),
        role=Role(row[3]),
        content=row[4],
        at=from_micros(row[5]),
        arrived_at=from_micros(row[6]),
        author=author,
        familiar=None if row[13] is None else FamiliarId(row[13]),
        guild=row[14],
        message_id=row[15],
        reply_to=row[16],
        mode=row[17],
        answers=None if row[18] is None else TurnId(row[18]),
        alternative=row[19],
        alternatives=max(row[19], row[20]),
        active=bool(row[21]),
        revision=row[22],
        hidden=bool(row[23]),
        deleted=bool(row[24]),
        tool_calls=row[25],
        tool_call_id=row[26],
        attachments=row[27],
        trace=None if row[28] is None else TraceId(row[28]),
    )
