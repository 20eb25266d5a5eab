"""Reads turns out of the database: the one place that knows their columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from familiar_app.domain.ids import ChannelKey, TurnId
from familiar_app.domain.turn import Author, NewTurn, Role, Turn
from familiar_app.store.moment import from_micros, to_micros
from familiar_app.store.text import storable

if TYPE_CHECKING:
    from sqlite3 import Connection

# The text as it reads now. A turn that was never revised costs no look-up.
TEXT = """CASE WHEN t.revision = 1 THEN t.content ELSE
    (SELECT r.content FROM revisions r WHERE r.turn = t.id AND r.number = t.revision) END"""

_ROLES = {role.value: role for role in Role}

# Several familiars may answer one turn; alternatives are answers of the same one.
_SIBLING = """s.answers = t.answers AND s.familiar IS t.familiar AND s.role = 'assistant'
    AND NOT s.hidden AND NOT s.deleted"""
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
    # By position: a page of hundreds of turns is read for every prompt, and names would be half of what it costs.
    (number, channel, channel_key, role, content, at, arrived_at, key, name, username, global_name, nickname, bot,
     familiar, guild, message_id, reply_to, mode, answers, alternative, alternatives, active, revision, hidden, deleted,
     tool_calls, tool_call_id, attachments, trace) = row  # fmt: skip
    author = None if key is None else Author(key, name, username, global_name, nickname, bool(bot))
    return Turn(
        number, channel, channel_key, _ROLES[role], content, from_micros(at), from_micros(arrived_at), author,
        familiar, guild, message_id, reply_to, mode, answers, alternative, max(alternative, alternatives), bool(active),
        revision, bool(hidden), bool(deleted), tool_calls, tool_call_id, attachments, trace,
    )  # fmt: skip
