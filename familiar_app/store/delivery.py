"""Remembers which messages are being answered on a platform, so that no answer is lost or doubled by an early end.

A delivery begins before the model is asked and ends once its answer was sent, or given up. The row is no part of the
log: it tells what the program was doing, not what was said.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from familiar_app.domain.clock import Clock
from familiar_app.domain.ids import ChannelId, FamiliarId, TurnId
from familiar_app.store.engine import Engine
from familiar_app.store.moment import from_micros, to_micros

if TYPE_CHECKING:
    from sqlite3 import Connection


@dataclass(frozen=True, slots=True)
class Delivery:
    """An answer under way to the turn `asked`, whose message is `message_id`. `instead` is the answer it replaces."""

    asked: TurnId
    message_id: str
    quote: bool
    begun_at: datetime
    instead: TurnId | None = None


class Deliveries:
    """Answers under way in one vault."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    async def begin(
        self, asked: TurnId, familiar: FamiliarId, message_id: str, *, quote: bool, instead: TurnId | None = None
    ) -> None:
        """Note that a familiar is about to answer a message. One that is under way to the same message is replaced."""
        note = self.beginning(familiar, message_id, quote=quote, instead=instead)
        await self._engine.write(lambda connection: note(connection, asked))

    def beginning(
        self, familiar: FamiliarId, message_id: str, *, quote: bool, instead: TurnId | None = None
    ) -> Callable[[Connection, TurnId], None]:
        """Return what notes, in the transaction that stores a message, that a familiar is about to answer it."""
        at = to_micros(self._clock.now())

        def work(connection: Connection, asked: TurnId) -> None:
            row = (asked, familiar, instead, message_id, int(quote), at)
            connection.execute("REPLACE INTO deliveries VALUES (?, ?, ?, ?, ?, ?)", row)

        return work

    async def end(self, asked: TurnId, familiar: FamiliarId) -> None:
        """Note that nothing is left to be done for a message."""
        sql = "DELETE FROM deliveries WHERE asked = ? AND familiar = ?"
        await self._engine.write(lambda c: _discard(c.execute(sql, (asked, familiar))))

    async def left(self, familiar: FamiliarId) -> list[Delivery]:
        """Return what a familiar had not finished, in the order in which it was asked."""

        def work(connection: Connection) -> list[Delivery]:
            rows = connection.execute(
                """SELECT asked, message_id, quote, begun_at, instead FROM deliveries WHERE familiar = ?
                ORDER BY begun_at, asked""",
                (familiar,),
            )
            return [
                Delivery(TurnId(asked), message, bool(quote), from_micros(at), None if old is None else TurnId(old))
                for asked, message, quote, at, old in rows
            ]

        return await self._engine.read(work)

    async def hand_over(self, old: TurnId, new: TurnId, count: int) -> list[str]:
        """Let the first `count` messages of one answer be those of another. Returns the rest, withdrawn."""
        return await self._engine.write(lambda c: _hand_over(c, old, new, count))

    async def withdrawn(self, channel: ChannelId) -> list[str]:
        """Return the messages of a channel that are still to be removed."""
        sql = "SELECT message_id FROM withdrawn_messages WHERE channel = ? ORDER BY message_id"
        return await self._engine.read(lambda c: [row[0] for row in c.execute(sql, (channel,))])

    async def removed(self, channel: ChannelId, message_id: str) -> None:
        """Note that a withdrawn message is gone."""
        sql = "DELETE FROM withdrawn_messages WHERE channel = ? AND message_id = ?"
        await self._engine.write(lambda c: _discard(c.execute(sql, (channel, message_id))))


def _hand_over(connection: Connection, old: TurnId, new: TurnId, count: int) -> list[str]:
    rows = connection.execute("SELECT message_id FROM message_parts WHERE turn = ? ORDER BY part", (old,)).fetchall()
    messages = [row[0] for row in rows]
    connection.execute("UPDATE turns SET message_id = NULL WHERE id = ?", (old,))
    connection.execute("UPDATE turns SET message_id = ? WHERE id = ?", (messages[0] if messages else None, new))
    connection.execute("DELETE FROM message_parts WHERE turn = ?", (old,))
    (channel,) = connection.execute("SELECT channel FROM turns WHERE id = ?", (new,)).fetchone()
    connection.executemany(
        "INSERT INTO message_parts VALUES (?, ?, ?, ?)",
        [(channel, message, new, number) for number, message in enumerate(messages[:count])],
    )
    connection.executemany(
        "INSERT INTO withdrawn_messages VALUES (?, ?) ON CONFLICT DO NOTHING",
        [(channel, message) for message in messages[count:]],
    )
    return messages[count:]


def _discard(_: object) -> None:
    """Let a statement's cursor not leave the transaction."""
