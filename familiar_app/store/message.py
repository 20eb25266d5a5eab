"""Finds turns by the messages of their platform, and remembers which messages a reply became."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from familiar_app.domain.ids import ChannelId, TurnId
from familiar_app.domain.turn import Turn
from familiar_app.store.engine import Engine
from familiar_app.store.turn_row import read_turn

if TYPE_CHECKING:
    from sqlite3 import Connection

# Numbers grow with time, so the highest is among the latest; what is not shown is little. A channel can be long, and
# neither query reads all of it.
_NEWEST = """SELECT message_id FROM (
        SELECT * FROM (SELECT message_id FROM turns INDEXED BY turns_day WHERE channel = ?1 AND shown = 1
            AND message_id IS NOT NULL AND role <> 'assistant' ORDER BY at DESC LIMIT 100)
        UNION ALL SELECT message_id FROM turns INDEXED BY turns_channel WHERE channel = ?1 AND shown = 0
            AND message_id IS NOT NULL AND role <> 'assistant')
    ORDER BY length(message_id) DESC, message_id DESC LIMIT 1"""
_NEWEST_OWN = """SELECT message_id FROM turns WHERE channel = ? AND message_id IS NOT NULL
    ORDER BY length(message_id) DESC, message_id DESC LIMIT 1"""
_RECENT = """SELECT id, message_id FROM turns INDEXED BY turns_channel
        WHERE channel = ?1 AND shown = 1 AND message_id IS NOT NULL
    UNION ALL SELECT id, message_id FROM turns INDEXED BY turns_channel
        WHERE channel = ?1 AND shown = 0 AND message_id IS NOT NULL AND deleted = 0
    ORDER BY id DESC LIMIT ?2"""


class Messages:
    """Messages of the channels of one vault. Ids are the platform's, and grow with time."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def find(self, channel: ChannelId, message_id: str, *, aliases: bool = False) -> Turn | None:
        """Return the turn a message belongs to, scrubbed or not; each part of a reply finds the whole.

        With `aliases`, a message that another one took the place of finds their turn too.
        """

        def work(connection: Connection) -> Turn | None:
            row = connection.execute(
                """SELECT id FROM turns WHERE channel = ?1 AND message_id = ?2
                UNION ALL SELECT turn FROM message_parts WHERE channel = ?1 AND message_id = ?2
                UNION ALL SELECT turn FROM message_aliases WHERE ?3 AND channel = ?1 AND message_id = ?2 LIMIT 1""",
                (channel, message_id, aliases),
            ).fetchone()
            return None if row is None else read_turn(connection, TurnId(row[0]))

        return await self._engine.read(work)

    async def sent(self, turn: TurnId, message_ids: Sequence[str]) -> None:
        """Note the messages that a reply was sent as, in order. Those noted before stay."""

        def work(connection: Connection) -> None:
            channel, known = connection.execute(
                "SELECT channel, (SELECT count(*) FROM message_parts WHERE turn = ?1) FROM turns WHERE id = ?1", (turn,)
            ).fetchone()
            connection.executemany(
                "INSERT INTO message_parts VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                [(channel, one, turn, known + number) for number, one in enumerate(message_ids)],
            )
            connection.execute(
                "UPDATE turns SET message_id = ? WHERE id = ? AND message_id IS NULL", (message_ids[0], turn)
            )

        if message_ids:
            await self._engine.write(work)

    async def parts(self, turn: TurnId) -> list[str]:
        """Return the messages that a reply was sent as, in order."""
        return await self._engine.read(
            lambda c: [
                row[0]
                for row in c.execute("SELECT message_id FROM message_parts WHERE turn = ? ORDER BY part", (turn,))
            ]
        )

    async def newest(self, channel: ChannelId) -> str | None:
        """Return the newest message of a channel, whatever became of it: an own one only where there is no other.

        Own ones are written down when they are sent, which can be before earlier ones of others have arrived.
        """

        def work(connection: Connection) -> str | None:
            row = connection.execute(_NEWEST, (channel,)).fetchone()
            row = row or connection.execute(_NEWEST_OWN, (channel,)).fetchone()
            return None if row is None else str(row[0])

        return await self._engine.read(work)

    async def recent(self, channel: ChannelId, limit: int) -> list[str]:
        """Return the newest messages whose words are still kept, newest first."""
        return await self._engine.read(lambda c: [row[1] for row in c.execute(_RECENT, (channel, limit))])
