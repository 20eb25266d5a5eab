"""Which channels a familiar attends to, and what is unread in those it does not.

Nothing here is memory: it is how things stand. Without a channel that is attended to, all are. The owner pins; what the
familiar chooses itself gives way to its next choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from familiar_app.domain.ids import ChannelId, FamiliarId, TurnId
from familiar_app.domain.turn import Channel
from familiar_app.store.channel import read_channel
from familiar_app.store.engine import Engine

if TYPE_CHECKING:
    from sqlite3 import Connection

_FOCUS = "SELECT channel, pinned FROM attention WHERE familiar = ? AND focused = 1"
_UNREAD = """SELECT s.channel, (SELECT count(*) FROM turns t WHERE t.channel = s.channel AND t.shown = 1
        AND t.id > coalesce(a.seen, 0) AND t.role = 'user' AND t.arrived_at >= s.since)
    FROM subscriptions s JOIN channels c ON c.id = s.channel AND c.guild IS NOT NULL
    LEFT JOIN attention a ON a.familiar = s.familiar AND a.channel = s.channel
    WHERE s.familiar = ?1 AND s.until IS NULL AND coalesce(a.focused, 0) = 0 AND (?2 IS NULL OR s.channel = ?2)"""
_ALL_SEEN = """INSERT INTO attention (familiar, channel, seen) SELECT ?1, s.channel, coalesce(
        (SELECT max(t.id) FROM turns t WHERE t.channel = s.channel AND t.shown = 1), 0)
    FROM subscriptions s WHERE s.familiar = ?1 AND s.until IS NULL
    ON CONFLICT (familiar, channel) DO UPDATE SET seen = max(seen, excluded.seen)"""
_SET = """INSERT INTO attention (familiar, channel, focused, pinned) VALUES (?1, ?2, 1, ?3)
    ON CONFLICT (familiar, channel) DO UPDATE SET focused = 1, pinned = max(pinned, excluded.pinned)"""


@dataclass(frozen=True, slots=True)
class Focus:
    """A channel that is attended to; `pinned` by the owner, else chosen by the familiar."""

    channel: Channel
    pinned: bool


@dataclass(frozen=True, slots=True)
class Unread:
    """How many messages of others stand in a channel that nobody has looked into since."""

    channel: Channel
    count: int


@dataclass(frozen=True, slots=True)
class Regard:
    """What one channel has of the attention. `chosen` tells that the familiar does not attend to all channels."""

    attends: bool = True
    chosen: bool = False
    pinned: bool = False
    unread: int = 0


class Attention:
    """What the familiars of one vault attend to. Only channels of servers count: at home, and in direct
    messages, they always listen.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def focus(self, familiar: FamiliarId) -> list[Focus]:
        """Return the channels that are attended to; none means all."""

        def work(connection: Connection) -> list[Focus]:
            rows = connection.execute(f"{_FOCUS} ORDER BY channel", (familiar,)).fetchall()
            found = [(read_channel(connection, ChannelId(number)), bool(pinned)) for number, pinned in rows]
            return [Focus(channel, pinned) for channel, pinned in found if channel is not None]

        return await self._engine.read(work)

    async def of(self, familiar: FamiliarId, channel: ChannelId) -> Regard:
        """Tell whether a channel has the familiar's attention, and how much is unread there if not."""

        def work(connection: Connection) -> Regard:
            focus = {number: bool(pinned) for number, pinned in connection.execute(_FOCUS, (familiar,))}
            if not focus or channel in focus:
                return Regard(chosen=bool(focus), pinned=focus.get(channel, False))
            unread = connection.execute(_UNREAD, (familiar, channel)).fetchone()
            return Regard(attends=False, chosen=True, unread=0 if unread is None else unread[1])

        return await self._engine.read(work)

    async def pin(self, familiar: FamiliarId, channel: ChannelId) -> None:
        """Let the familiar attend to a channel until the owner says otherwise; other pinned ones stay."""

        def work(connection: Connection) -> None:
            _begin(connection, familiar)
            connection.execute(_SET, (familiar, channel, 1))

        await self._engine.write(work)

    async def release(self, familiar: FamiliarId, channel: ChannelId | None = None) -> None:
        """Let go of a channel, pinned or not; without one, of all."""
        await self._engine.write(
            lambda connection: connection.execute(
                """UPDATE attention SET focused = 0, pinned = 0
                WHERE familiar = ?1 AND focused = 1 AND (?2 IS NULL OR channel = ?2)""",
                (familiar, channel),
            ).close()
        )

    async def shift(self, familiar: FamiliarId, channel: ChannelId | None) -> None:
        """Do as the familiar itself wants: attend to this channel, and no longer to the one it chose before."""

        def work(connection: Connection) -> None:
            connection.execute("UPDATE attention SET focused = 0 WHERE familiar = ? AND pinned = 0", (familiar,))
            if channel is not None:
                _begin(connection, familiar)
                connection.execute(_SET, (familiar, channel, 0))

        await self._engine.write(work)

    async def seen(self, familiar: FamiliarId, channel: ChannelId, turn: TurnId) -> None:
        """Note that the familiar has looked into a channel up to a turn."""
        await self._engine.write(
            lambda connection: connection.execute(
                """INSERT INTO attention (familiar, channel, seen) VALUES (?, ?, ?)
                ON CONFLICT (familiar, channel) DO UPDATE SET seen = max(seen, excluded.seen)""",
                (familiar, channel, turn),
            ).close()
        )

    async def unread(self, familiar: FamiliarId) -> list[Unread]:
        """Return what is unread, most first. Where all channels are attended to, nothing is."""

        def work(connection: Connection) -> list[Unread]:
            if connection.execute(f"{_FOCUS} LIMIT 1", (familiar,)).fetchone() is None:
                return []
            rows = [(number, count) for number, count in connection.execute(_UNREAD, (familiar, None)) if count]
            rows.sort(key=lambda row: (-row[1], row[0]))
            found = [(read_channel(connection, ChannelId(number)), count) for number, count in rows]
            return [Unread(channel, count) for channel, count in found if channel is not None]

        return await self._engine.read(work)


def _begin(connection: Connection, familiar: FamiliarId) -> None:
    """Where all channels had the familiar's attention until now, it has seen all that was said."""
    if connection.execute(f"{_FOCUS} LIMIT 1", (familiar,)).fetchone() is None:
        connection.execute(_ALL_SEEN, (familiar,))
