"""The places a familiar learns in and speaks in, with their readers, and what may be heard where.

The rules are in `domain/audience.py`. Who reads a channel is told by the link to its platform; nobody else knows.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from familiar_app.domain.audience import (
    Audience,
    AudienceMode,
    Place,
    PlaceKind,
    Reader,
    Readers,
    audience_of,
    audience_of_reader,
    outside_direct_messages,
)
from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import ChannelId, FamiliarId, PersonKey, is_local
from familiar_app.domain.text import tr
from familiar_app.domain.turn import Channel
from familiar_app.store.engine import Engine
from familiar_app.store.provenance import Provenance, read_provenance

if TYPE_CHECKING:
    from sqlite3 import Connection

_PLACES = """SELECT id, key, guild, readers FROM channels WHERE familiar = ?1
    OR id IN (SELECT channel FROM subscriptions WHERE familiar = ?1)"""


class Audiences:
    """Who may hear what, in one vault."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def of(self, familiar: FamiliarId, channel: Channel, mode: AudienceMode) -> Audience:
        """Return what may be heard in a channel of all that a familiar has learned; the channel need not exist yet."""
        return await self._engine.read(lambda connection: read_audience(connection, familiar, channel, mode))

    async def direct_messages(self, familiar: FamiliarId) -> frozenset[ChannelId]:
        """Return the channels of a familiar that are conversations with one person, or with a few."""
        places = await self._engine.read(lambda connection: _places(connection, familiar))
        return frozenset(one.channel for one in places if one.kind is PlaceKind.DIRECT)

    async def outside_direct_messages(self, familiar: FamiliarId) -> Audience:
        """Return all that a familiar has learned, but for what it learned in direct messages."""
        return outside_direct_messages(await self._engine.read(lambda connection: _places(connection, familiar)))

    async def of_reader(self, familiar: FamiliarId, reader: Reader, channel: ChannelId | None) -> Audience:
        """Return what may be told to one person alone, who asks from a channel, of all that a familiar has learned."""
        places = await self._engine.read(lambda connection: _places(connection, familiar))
        return audience_of_reader(reader, places, channel)

    async def provenance(self, facts: Collection[int]) -> dict[int, Provenance]:
        """Return where and from whom facts were learned."""
        return await self._engine.read(lambda connection: read_provenance(connection, facts))

    async def readers(self, channel: ChannelId) -> Readers | None:
        """Return who reads a channel, None where nobody has told."""
        row = await self._engine.read(
            lambda c: c.execute("SELECT readers FROM channels WHERE id = ?", (channel,)).fetchone()
        )
        return None if row is None else _readers(row[0])

    async def tell_readers(self, channel: ChannelId, readers: Readers | None) -> None:
        """Note who reads a channel now; it counts from the next prompt on. None: it is not known any more."""

        def work(connection: Connection) -> None:
            changed = connection.execute(
                "UPDATE channels SET readers = ? WHERE id = ?", (None if readers is None else _json(readers), channel)
            )
            if changed.rowcount == 0:
                raise UserError(
                    tr("There is no channel {channel}.", channel=str(channel)), tr("Look at the list of channels.")
                )

        await self._engine.write(work)


def read_audience(connection: Connection, familiar: FamiliarId, channel: Channel, mode: AudienceMode) -> Audience:
    """Weigh every place a familiar has or had against one channel."""
    places = _places(connection, familiar)
    row = connection.execute("SELECT readers FROM channels WHERE id = ?", (channel.id,)).fetchone()
    here = _place((channel.id, channel.key, channel.guild, None if row is None else row[0]))
    return audience_of(here, places, mode)


def _places(connection: Connection, familiar: FamiliarId) -> list[Place]:
    return [_place(row) for row in connection.execute(_PLACES, (familiar,))]


def _place(row: tuple[Any, ...]) -> Place:
    number, key, guild, readers = row
    shared = PlaceKind.DIRECT if guild is None else PlaceKind.SERVER
    kind = PlaceKind.LOCAL if is_local(key) else shared
    return Place(ChannelId(number), kind, guild, _readers(readers))


def _readers(text: str | None) -> Readers | None:
    if text is None:
        return None
    told = json.loads(text)
    tokens = told.get("tokens")
    return Readers(
        people=frozenset(PersonKey(key) for key in told.get("people", ())),
        tokens=None if tokens is None else frozenset(tokens),
        everyone=bool(told.get("everyone", False)),
        barred=frozenset(told.get("barred", ())),
    )


def _json(readers: Readers) -> str:
    tokens = None if readers.tokens is None else sorted(readers.tokens)
    told = {"people": sorted(readers.people), "tokens": tokens, "everyone": readers.everyone}
    return json.dumps(told | ({"barred": sorted(readers.barred)} if readers.barred else {}))
