"""Finds out what happened on Discord while an account was away: what was written in its channels, and what deleted."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from familiar_app.discord_link.house import House
from familiar_app.discord_link.incoming import Heard, Removed, channel_number
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.ids import ChannelId
from familiar_app.domain.turn import Channel

_RECHECKED = 100
log = logging.getLogger(__name__)


class Archive(Protocol):
    """What can look back into channels."""

    async def newest(self, channel: int, limit: int) -> Sequence[int]: ...

    async def missed(self, channel: int, after: int, limit: int) -> Sequence[Heard]: ...


@dataclass
class CatchUp:
    """Catches up for the familiars of one account. Call `note` with all that the account hears.

    What others have written down of a channel, or what was sent there, does not tell how far this account has heard.
    """

    house: House
    _heard_until: dict[int, int] = field(default_factory=dict)
    _known_until: dict[ChannelId, int] = field(default_factory=dict)
    _open: set[ChannelId] = field(default_factory=set)

    def note(self, heard: Heard) -> None:
        """Take into account that everything in a channel up to this message has arrived."""
        spot = heard.spot.number
        self._heard_until[spot] = max(heard.number, self._heard_until.get(spot, 0))

    async def look_up(self) -> None:
        """Note how far each channel is known, so that later only what is missing is fetched.

        Where something is still missing from before, it stays noted how far that was.
        """
        for channel in await self.house.load():
            if channel.id not in self._open and (known := await self._newest(channel)) is not None:
                self._known_until[channel.id] = known
                self._open.add(channel.id)

    def resumed(self) -> None:
        """Take into account that the connection brought what was missing."""
        self._open.clear()

    async def run(self, archive: Archive) -> None:
        """Fetch what was written meanwhile, and find what was deleted, in every channel."""
        for channel in await self.house.load():
            await self._catch_up(archive, channel)

    async def _newest(self, channel: Channel) -> int | None:
        number = channel_number(channel.key)
        if number in self._heard_until:
            return self._heard_until[number]
        newest = await self.house.vault.messages.newest(channel.id)
        return int(newest) if newest is not None and newest.isdigit() else None

    async def _catch_up(self, archive: Archive, channel: Channel) -> None:
        number, newest = channel_number(channel.key), self._known_until.get(channel.id)
        if number is None or newest is None:
            return
        try:
            there = await archive.newest(number, _RECHECKED)
            most = max(one.conversation.config.discord.missed_messages for one in self.house.members)
            for heard in await archive.missed(number, newest, most):
                await self.house.take(heard)
        except OutsideError as error:
            log.info("channel %d could not be caught up on: %s", channel.id, error.message)
            return
        self._open.discard(channel.id)
        if not there:
            # Without the right to read what was said earlier, Discord shows nothing at all instead of refusing.
            return
        recent = await self.house.vault.messages.recent(channel.id, _RECHECKED)
        known = [int(one) for one in recent if one.isdigit()]
        # Where all that there is was fetched, whatever is missing is gone; else only what is newer than the oldest.
        oldest = min(there, default=0) if len(there) == _RECHECKED else 0
        newest = max(newest, *there)
        if gone := tuple(one for one in known if one >= oldest and one not in there and one <= newest):
            await self.house.take(Removed(number, gone))
