"""Channels: where turns are said, and which familiar hears them.

A local channel belongs to one familiar and is found by key and familiar; any other is stored once, by its key, and
heard by those who subscribed. Subscriptions are kept as intervals, since who heard a turn is decided by its time.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

from familiar_app.domain.clock import Clock
from familiar_app.domain.errors import BadInputError, UserError
from familiar_app.domain.ids import ChannelId, ChannelKey, FamiliarId, TurnId, is_local
from familiar_app.domain.text import tr
from familiar_app.domain.turn import Channel, ChannelSummary
from familiar_app.store.engine import Engine
from familiar_app.store.moment import from_micros, to_micros
from familiar_app.store.text import storable

if TYPE_CHECKING:
    from sqlite3 import Connection

_SELECT = "SELECT id, key, familiar, title, guild, archived FROM channels"
_NEWEST_TURN = "(SELECT max(t.id) FROM turns t WHERE t.channel = c.id AND t.shown = 1)"
_HEARD = """c.archived = ? AND (c.familiar = ? OR c.id IN (
        SELECT channel FROM subscriptions WHERE familiar = ? AND until IS NULL))
    ORDER BY last_turn IS NULL, last_turn DESC, c.id"""
_SUMMARY = f"""SELECT c.id, c.key, c.familiar, c.title, c.guild, c.archived,
    (SELECT count(*) FROM turns t WHERE t.channel = c.id AND t.shown = 1),
    (SELECT count(*) FROM turns t WHERE t.channel = c.id AND t.shown = 1 AND t.id > c.read_turn),
    (SELECT max(t.at) FROM turns t WHERE t.channel = c.id AND t.shown = 1),
    {_NEWEST_TURN} AS last_turn FROM channels c WHERE {_HEARD}"""


class Channels:
    """Channels of one vault."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    async def ensure(
        self,
        key: ChannelKey,
        *,
        familiar: FamiliarId | None = None,
        title: str | None = None,
        guild: str | None = None,
    ) -> Channel:
        """Return the channel, made if it is new. A familiar given for one that is not local starts to hear it.

        A title or guild given for a known channel replaces what was known. Raises BadInputError for a local channel
        without a familiar.
        """

        def work(connection: Connection) -> Channel:
            owner = _owner(key, familiar)
            known = _find(connection, key, owner)
            if known is None:
                _add(connection, (key, owner, title, guild, self._now()))
            elif (title is not None and title != known.title) or (guild is not None and guild != known.guild):
                connection.execute(
                    "UPDATE channels SET title = coalesce(?, title), guild = coalesce(?, guild) WHERE id = ?",
                    (storable(title), guild, known.id),
                )
            channel = _find(connection, key, owner)
            if channel is None:
                raise UserError(tr("The channel was not stored."), tr("Try again."))
            if owner is None and familiar is not None:
                _subscribe(connection, channel.id, familiar, self._now())
            return channel

        return await self._engine.write(work)

    async def find(self, key: ChannelKey, *, familiar: FamiliarId | None = None) -> Channel | None:
        """Return a channel by its key (and its familiar, for a local one), or None."""
        owner = familiar if is_local(key) else None
        return await self._engine.read(lambda connection: _find(connection, key, owner))

    async def get(self, id: ChannelId) -> Channel | None:  # noqa: A002
        """Return a channel by its number, or None."""
        return await self._engine.read(lambda connection: read_channel(connection, id))

    async def list(self, familiar: FamiliarId, *, archived: bool = False) -> builtins.list[ChannelSummary]:
        """Return the channels a familiar owns or hears, the one with the newest turn first."""

        def work(connection: Connection) -> builtins.list[ChannelSummary]:
            rows = connection.execute(_SUMMARY, (int(archived), familiar, familiar))
            return [_summary(row) for row in rows]

        return await self._engine.read(work)

    async def heard(self, familiar: FamiliarId) -> builtins.list[Channel]:
        """Return the channels that `list` does, with nothing counted; much cheaper where much was said."""
        query = f"""SELECT c.id, c.key, c.familiar, c.title, c.guild, c.archived, {_NEWEST_TURN} AS last_turn
            FROM channels c WHERE {_HEARD}"""
        return await self._engine.read(lambda c: [_channel(row) for row in c.execute(query, (0, familiar, familiar))])

    async def rename(self, id: ChannelId, title: str) -> None:  # noqa: A002
        """Give a channel another title."""
        if not title.strip():
            raise BadInputError(tr("a channel needs a title."), field="title")
        await self._change(id, "UPDATE channels SET title = ? WHERE id = ?", storable(title.strip()))

    async def archive(self, id: ChannelId, on: bool) -> None:  # noqa: A002
        """Put a channel away, or bring it back."""
        await self._change(id, "UPDATE channels SET archived = ? WHERE id = ?", int(on))

    async def mark_read(self, id: ChannelId, turn: TurnId) -> None:  # noqa: A002
        """Count turns up to this one as read. An earlier turn than was marked before changes nothing."""
        await self._change(id, "UPDATE channels SET read_turn = max(read_turn, ?) WHERE id = ?", turn)

    async def is_read(self, id: ChannelId) -> bool:  # noqa: A002
        """Tell whether nothing in a channel is unread."""
        question = """SELECT EXISTS (SELECT 1 FROM channels c JOIN turns t ON t.channel = c.id
            WHERE c.id = ? AND t.shown = 1 AND t.id > c.read_turn)"""
        return await self._engine.read(lambda connection: not connection.execute(question, (id,)).fetchone()[0])

    async def mark_all_read(self, id: ChannelId) -> None:  # noqa: A002
        """Count everything that is in a channel now as read."""
        newest = "SELECT coalesce(max(t.id), 0) FROM turns t WHERE t.channel = channels.id AND t.shown = 1"
        await self._change(id, f"UPDATE channels SET read_turn = max(read_turn, ({newest}), ?) WHERE id = ?", 0)

    async def subscribe(self, id: ChannelId, familiar: FamiliarId) -> None:  # noqa: A002
        """Let a familiar hear a channel from now on."""
        await self._engine.write(lambda connection: _subscribe(connection, id, familiar, self._now()))

    async def unsubscribe(self, id: ChannelId, familiar: FamiliarId) -> None:  # noqa: A002
        """Let a familiar hear a channel no longer; what it heard before stays heard."""
        await self._engine.write(
            lambda connection: connection.execute(
                "UPDATE subscriptions SET until = ? WHERE channel = ? AND familiar = ? AND until IS NULL",
                (self._now(), id, familiar),
            ).close()
        )

    async def _change(self, channel: ChannelId, statement: str, value: object) -> None:
        def work(connection: Connection) -> None:
            if connection.execute(statement, (value, channel)).rowcount == 0:
                raise UserError(
                    tr("There is no channel {channel}.", channel=str(channel)), tr("Look at the list of channels.")
                )

        await self._engine.write(work)

    def _now(self) -> int:
        return to_micros(self._clock.now())


def ensure_local(connection: Connection, key: ChannelKey, familiar: FamiliarId, now: int) -> ChannelId:
    """Return a familiar's own channel, made if it is new, within a transaction that does more."""
    if _find(connection, key, familiar) is None:
        _add(connection, (key, familiar, None, None, now))
    found = _find(connection, key, familiar)
    if found is None:
        raise UserError(tr("The channel was not stored."), tr("Try again."))
    return found.id


def ensure_heard(
    connection: Connection, key: ChannelKey, familiar: FamiliarId, guild: str | None, now: int
) -> ChannelId:
    """Return a channel that several may hear, made if it is new; the familiar hears it from now on."""
    known = _find(connection, key, None)
    if known is None:
        _add(connection, (key, None, None, guild, now))
        known = _find(connection, key, None)
    if known is None:
        raise UserError(tr("The channel was not stored."), tr("Try again."))
    _subscribe(connection, known.id, familiar, now)
    return known.id


def _add(connection: Connection, channel: tuple[ChannelKey, FamiliarId | None, str | None, str | None, int]) -> None:
    key, owner, title, guild, now = channel
    connection.execute(
        "INSERT INTO channels (key, familiar, title, guild, created_at) VALUES (?, ?, ?, ?, ?)",
        (key, owner, storable(title or key.partition(":")[2] or key), guild, now),
    )


def _owner(key: ChannelKey, familiar: FamiliarId | None) -> FamiliarId | None:
    if not is_local(key):
        return None
    if familiar is None:
        raise BadInputError(tr("a local channel belongs to a familiar, and none was given."), field="channel")
    return familiar


def _find(connection: Connection, key: ChannelKey, owner: FamiliarId | None) -> Channel | None:
    row = connection.execute(
        f"{_SELECT} WHERE key = ? AND coalesce(familiar, '') = ?", (key, owner if owner is not None else "")
    ).fetchone()
    return None if row is None else _channel(row)


def read_channel(connection: Connection, channel: ChannelId) -> Channel | None:
    row = connection.execute(f"{_SELECT} WHERE id = ?", (channel,)).fetchone()
    return None if row is None else _channel(row)


def _subscribe(connection: Connection, channel: ChannelId, familiar: FamiliarId, now: int) -> None:
    if read_channel(connection, channel) is None:
        raise UserError(tr("There is no channel {channel}.", channel=str(channel)), tr("Look at the list of channels."))
    connection.execute(
        "INSERT INTO subscriptions (channel, familiar, since) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        (channel, familiar, now),
    )


def _channel(row: tuple[Any, ...]) -> Channel:
    familiar = None if row[2] is None else FamiliarId(row[2])
    return Channel(ChannelId(row[0]), ChannelKey(row[1]), familiar, row[3], row[4], bool(row[5]))


def _summary(row: tuple[Any, ...]) -> ChannelSummary:
    return ChannelSummary(
        channel=_channel(row),
        turns=row[6],
        unread=row[7],
        last_at=None if row[8] is None else from_micros(row[8]),
        last_turn=None if row[9] is None else TurnId(row[9]),
    )
