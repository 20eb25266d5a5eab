"""Reads the log through its indexes: pages, days, alternatives, revisions, reactions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple
from zoneinfo import ZoneInfo

from familiar_app.domain.clock import local_time
from familiar_app.domain.errors import BadInputError
from familiar_app.domain.ids import ChannelId, TurnId
from familiar_app.domain.text import tr
from familiar_app.domain.turn import DayMark, Reaction, Revision, Turn
from familiar_app.store.moment import from_micros, to_micros
from familiar_app.store.turn_row import read_turn, read_turns

if TYPE_CHECKING:
    from sqlite3 import Connection


class Span(NamedTuple):
    """Which turns a page takes; see `Turns.page`."""

    before: TurnId | None
    after: TurnId | None
    limit: int
    inactive: bool = False
    hidden: bool = False


def page(connection: Connection, channel: ChannelId | None, span: Span) -> list[Turn]:
    """Return a page of a channel, or of the whole log where it is None."""
    terms, values = _shown(span.inactive, span.hidden)
    if channel is not None:
        terms.append("t.channel = ?")
        values.append(channel)
    if span.before is not None:
        terms.append("t.id < ?")
        values.append(span.before)
    if span.after is not None:
        terms.append("t.id > ?")
        values.append(span.after)
    order = "ASC" if span.after is not None else "DESC"
    where = f"{' AND '.join(terms)} ORDER BY t.id {order} LIMIT ?"
    turns = read_turns(connection, where, (*values, max(span.limit, 0)))
    return turns if order == "ASC" else turns[::-1]


def around(connection: Connection, turn: TurnId, limit: int) -> list[Turn]:
    """Return a turn between its neighbours; at an end of the channel the other side gets the room."""
    centre = read_turn(connection, turn)
    if centre is None:
        return []
    others = max(limit - 1, 0)
    earlier = page(connection, centre.channel, Span(turn, None, others))
    later = page(connection, centre.channel, Span(None, turn, others))
    half = others // 2
    take_later = min(len(later), max(others - half, others - len(earlier)))
    take_earlier = min(len(earlier), others - take_later)
    return [*earlier[len(earlier) - take_earlier :], centre, *later[:take_later]]


def revisions(connection: Connection, turn: TurnId) -> list[Revision]:
    """Return the first text and every later one."""
    rows = connection.execute(
        """SELECT 1, content, at FROM turns WHERE id = ?1
        UNION ALL SELECT number, content, at FROM revisions WHERE turn = ?1 ORDER BY 1""",
        (turn,),
    )
    return [Revision(turn, number, content, from_micros(at)) for number, content, at in rows]


def answers(connection: Connection, turn: TurnId) -> list[Turn]:
    """Return the alternatives that answer a turn, without removed ones."""
    return read_turns(
        connection,
        "t.answers = ? AND t.role = 'assistant' AND NOT t.hidden AND NOT t.deleted ORDER BY t.id",
        (turn,),
    )


def count(connection: Connection, channel: ChannelId | None) -> int:
    """Count shown turns, of one channel or of all."""
    if channel is None:
        row = connection.execute("SELECT count(*) FROM turns WHERE shown = 1").fetchone()
    else:
        row = connection.execute("SELECT count(*) FROM turns WHERE channel = ? AND shown = 1", (channel,)).fetchone()
    return int(row[0])


def count_said(connection: Connection, channel: ChannelId, until: TurnId | None) -> int:
    """Count what a familiar said in a channel before the turn `until` is answered, without replaced answers."""
    row = connection.execute(
        """SELECT count(*) FROM turns WHERE channel = ?1 AND shown = 1 AND role = 'assistant'
        AND (?2 IS NULL OR CASE WHEN answers IS NULL THEN id <= ?2 ELSE answers < ?2 END)""",
        (channel, until),
    ).fetchone()
    return int(row[0])


def days(connection: Connection, channel: ChannelId, zone: str) -> list[DayMark]:
    """Return one mark for each day, by one jump in the index for each day that has turns."""
    local = _zone(zone)
    marks: list[DayMark] = []
    start = _next_at(connection, channel, None)
    while start is not None:
        day = _day_of(start, local)
        end = _end_of(day, local)
        row = connection.execute(
            "SELECT count(*) FROM turns WHERE channel = ? AND shown = 1 AND at >= ? AND at < ?", (channel, start, end)
        ).fetchone()
        first = first_at(connection, channel, start)
        if first is not None:
            marks.append(DayMark(day.isoformat(), first, int(row[0])))
        start = _next_at(connection, channel, end)
    return marks


def first_at(connection: Connection, channel: ChannelId, at: int) -> TurnId | None:
    """Return the earliest shown turn at or after an instant."""
    row = connection.execute(
        "SELECT id FROM turns WHERE channel = ? AND shown = 1 AND at >= ? ORDER BY at, id LIMIT 1", (channel, at)
    ).fetchone()
    return None if row is None else TurnId(row[0])


def reactions(connection: Connection, channel: ChannelId, messages: Sequence[str]) -> dict[str, list[Reaction]]:
    """Return the reactions of those messages that have some left."""
    found: dict[str, list[Reaction]] = {}
    for message in messages:
        rows = connection.execute(
            """SELECT emoji, count FROM reactions WHERE channel = ? AND message_id = ? AND count > 0
            ORDER BY count DESC, emoji""",
            (channel, message),
        )
        for emoji, number in rows:
            found.setdefault(message, []).append(Reaction(message, emoji, number))
    return found


def empty_log(connection: Connection) -> None:
    """Bring the write-ahead log into the database, so that pages with removed text are gone from it too."""
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _shown(inactive: bool, hidden: bool) -> tuple[list[str], list[object]]:
    if not inactive and not hidden:
        return ["t.shown = 1"], []
    terms = ["t.deleted = 0", "t.role <> 'operator'"]
    if not inactive:
        terms.append("t.active = 1")
    if not hidden:
        terms.append("t.hidden = 0")
    return terms, []


def _next_at(connection: Connection, channel: ChannelId, at: int | None) -> int | None:
    if at is None:
        row = connection.execute("SELECT min(at) FROM turns WHERE channel = ? AND shown = 1", (channel,)).fetchone()
    else:
        row = connection.execute(
            "SELECT min(at) FROM turns WHERE channel = ? AND shown = 1 AND at >= ?", (channel, at)
        ).fetchone()
    found: int | None = row[0]
    return found


def _day_of(at: int, zone: ZoneInfo) -> date:
    return local_time(from_micros(at), zone).date()


def _end_of(day: date, zone: ZoneInfo) -> int:
    if day == date.max:
        return 1 << 62
    following = day + timedelta(days=1)
    return to_micros(datetime(following.year, following.month, following.day, tzinfo=zone))


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, OSError, ValueError) as error:
        raise BadInputError(
            tr("{name!r} is not a time zone.", name=name),
            field="zone",
            next_step=tr("Write it like Europe/Berlin or UTC."),
        ) from error
