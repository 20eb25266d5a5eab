"""Reads turns for the index: only what it needs, a chunk at a time."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import TYPE_CHECKING

from familiar_app.store.index.analysis import day_words, spaced
from familiar_app.store.turn_row import TEXT

if TYPE_CHECKING:
    from sqlite3 import Connection

# Answers of tools mostly repeat what stands elsewhere.
INDEXED = "t.shown = 1 AND t.role <> 'tool'"
_SELECT = f"SELECT t.id, t.channel, t.speaker, t.familiar, t.at, {TEXT} FROM turns t WHERE {INDEXED}"
# Each answer that is chosen puts the others aside, so they are read together.
_TOGETHER = """SELECT value FROM json_each(?1)
    UNION SELECT s.id FROM json_each(?1) j JOIN turns s ON s.answers = j.value
    UNION SELECT s.id FROM json_each(?1) j JOIN turns o ON o.id = j.value JOIN turns s ON s.answers = o.answers"""

Row = tuple[int, int, str, str]
"""What the index takes: id, channel, author's key, text with its date."""


class TurnSource:
    """Reads rows of turns. Keeps the keys of speakers, which never change."""

    def __init__(self) -> None:
        self._keys: dict[int, str] = {}

    def newest(self, connection: Connection) -> int:
        """Return the highest number that a turn has; 0 where there is none."""
        return int(connection.execute("SELECT coalesce(max(id), 0) FROM turns").fetchone()[0])

    def count(self, connection: Connection, up_to: int) -> int:
        """Count the turns that the index will hold."""
        row = connection.execute("SELECT count(*) FROM turns t WHERE t.shown = 1 AND t.id <= ?", (up_to,)).fetchone()
        return int(row[0])

    def before(self, connection: Connection, below: int, limit: int) -> list[Row]:
        """Return the newest `limit` turns with lower numbers than `below`, the newest first."""
        return self._rows(connection, f"{_SELECT} AND t.id < ? ORDER BY t.id DESC LIMIT ?", (below, limit))

    def after(self, connection: Connection, above: int, limit: int) -> list[Row]:
        """Return the oldest `limit` turns with higher numbers than `above`, the oldest first."""
        return self._rows(connection, f"{_SELECT} AND t.id > ? ORDER BY t.id LIMIT ?", (above, limit))

    def latest(self, connection: Connection, above: int, limit: int) -> list[Row]:
        """Return the newest `limit` turns with higher numbers than `above`."""
        return self._rows(connection, f"{_SELECT} AND t.id > ? ORDER BY t.id DESC LIMIT ?", (above, limit))

    def together(self, connection: Connection, ids: Collection[int]) -> list[int]:
        """Return the turns with all answers to them, and all other answers where they are answers themselves."""
        return [row[0] for row in connection.execute(_TOGETHER, (json.dumps(list(ids)),))]

    def of(self, connection: Connection, ids: Collection[int]) -> list[Row]:
        """Return those of the turns that the index is to hold."""
        return self._rows(
            connection, f"{_SELECT} AND t.id IN (SELECT value FROM json_each(?))", (json.dumps(list(ids)),)
        )

    def _rows(self, connection: Connection, statement: str, values: tuple[object, ...]) -> list[Row]:
        keys = self._keys
        rows = []
        for number, channel, speaker, familiar, at, text in connection.execute(statement, values):
            key = keys.get(speaker) or self._key(connection, speaker, familiar)
            words = text if text.isascii() else spaced(text)
            rows.append((number, channel, key, f"{day_words(at)} {words}"))
        return rows

    def _key(self, connection: Connection, speaker: int | None, familiar: str | None) -> str:
        if speaker is None:
            return "" if familiar is None else f"ego:{familiar}"
        known: str = connection.execute("SELECT key FROM speakers WHERE id = ?", (speaker,)).fetchone()[0]
        self._keys[speaker] = known
        return known
