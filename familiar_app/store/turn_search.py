"""Finds text in the log by reading it newest first, without an index: nothing readable has to be kept for it.

The database joins the texts of a few hundred turns into one string, so that the interpreter lock is taken once for
each such block and a block without a hit is passed over by one search in it.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from familiar_app.domain.ids import ChannelId, TurnId
from familiar_app.domain.turn import Turn
from familiar_app.store.engine import Engine
from familiar_app.store.turn_row import TEXT, read_turns

if TYPE_CHECKING:
    from sqlite3 import Connection

_BLOCK = 500
_SEPARATOR = "\x1e"


async def search(engine: Engine, text: str, channel: ChannelId | None, limit: int, before: TurnId | None) -> list[Turn]:
    """Return up to `limit` shown turns that contain `text`, newest first. Cancelled, it stops at the next block."""
    given_up = threading.Event()
    try:
        return await engine.read(lambda connection: _search(connection, text, channel, limit, before, given_up))
    finally:
        given_up.set()


def _search(
    connection: Connection,
    text: str,
    channel: ChannelId | None,
    limit: int,
    before: TurnId | None,
    given_up: threading.Event,
) -> list[Turn]:
    needle = text.casefold()
    found: list[int] = []
    below = before if before is not None else 1 << 62
    while needle and len(found) < limit and not given_up.is_set():
        ids, texts = _block(connection, channel, below)
        if not ids:
            break
        below = ids[-1]
        if needle in texts.casefold() or _SEPARATOR in needle:
            found.extend(_hits(ids, texts, needle, connection))
    return [turn for number in found[:limit] for turn in read_turns(connection, "t.id = ?", (number,))]


def _block(connection: Connection, channel: ChannelId | None, below: int) -> tuple[list[int], str]:
    of_channel = "" if channel is None else "t.channel = ? AND"
    row = connection.execute(
        f"""SELECT group_concat(id, ','), group_concat(text, ?) FROM (
            SELECT t.id AS id, {TEXT} AS text FROM turns t WHERE {of_channel} t.shown = 1 AND t.id < ?
            ORDER BY t.id DESC LIMIT ?)""",
        (_SEPARATOR, *(() if channel is None else (channel,)), below, _BLOCK),
    ).fetchone()
    return ([], "") if row[0] is None else ([int(number) for number in row[0].split(",")], row[1])


def _hits(ids: list[int], texts: str, needle: str, connection: Connection) -> list[int]:
    parts = texts.split(_SEPARATOR)
    if len(parts) != len(ids):
        # A text holds the separator itself: read these turns one by one.
        rows = (connection.execute(f"SELECT {TEXT} FROM turns t WHERE t.id = ?", (number,)) for number in ids)
        parts = [row.fetchone()[0] for row in rows]
    return [number for number, part in zip(ids, parts, strict=True) if needle in part.casefold()]
