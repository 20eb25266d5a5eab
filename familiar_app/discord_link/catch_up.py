"""Finds out what happened on Discord while an account was away: what was written in its channels, and what deleted."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from familiar_app.discord_link.house import House
from familiar_app.discord_link.incoming import Heard, Removed, Spot, channel_number
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import ChannelId
from familiar_app.domain.turn import Channel

_RECHECKED = 100
log = logging.getLogger(__name__)


class Archive(Protocol):
    """What can look back into channels."""

    async def newest(self, channel: int, limit: int) -> Sequence[int]: ...

    async def missed(self, channel: int, after: int, limit: int) -> Sequence[Heard]: ...

    def threads(self) -> Sequence[Spot]: ...


@dataclass
class CatchUp:
    """Catches up for the familiars of one account. Call `arrives` with all that the account hears, then `note`.

    What others have written down of a channel, or what was sent there, does not tell how far this account has heard.
    """

    house: House
    _heard_until: dict[int, int] = field(default_factory=dict)
    _not_taken: dict[int, int] = field(default_factory=dict)
    _known_until: dict[ChannelId, int] = field(default_factory=dict)
    _open: set[ChannelId] = field(default_factory=set)
    _opened_last: set[ChannelId] = field(default_factory=set)

    @property
    def missing(self) -> bool:
        """Whether there is a channel of which something may not have arrived."""
        return bool(self._open)

    def arrives(self, heard: Heard) -> None:
        """Take into account that everything in a channel before this message has arrived."""
        self._heard_until.setdefault(heard.spot.number, heard.number - 1)
        self._not_taken.setdefault(heard.spot.number, heard.number)

    def note(self, heard: Heard) -> None:
        """Take into account that this message, too, was taken in.

        One that a break cut short, or that could not be stored, is fetched again with all that came after it.
        """
        spot = heard.spot.number
        if self._not_taken.get(spot, heard.number) < heard.number:
            return
        if self._not_taken.get(spot) == heard.number:
            del self._not_taken[spot]
        self._heard_until[spot] = max(heard.number, self._heard_until.get(spot, 0))

    async def look_up(self) -> None:
        """Note how far each channel is known, so that later only what is missing is fetched.

        Where something is still missing from before, it stays noted how far that was.
        """
        self._opened_last = set()
        for channel in await self.house.load():
            if channel.id not in self._open and (known := await self._newest(channel)) is not None:
                self._known_until[channel.id] = known
                self._open.add(channel.id)
                if channel_number(channel.key) not in self._not_taken:
                    self._opened_last.add(channel.id)

    def resumed(self) -> None:
        """Take into account that the connection brought what came since its last break, and nothing from before."""
        self._open -= self._opened_last

    async def run(self, archive: Archive) -> None:
        """Fetch what was written meanwhile, and find what was deleted, in every channel and in threads that are new."""
        for channel in await self.house.load():
            await self._catch_up(archive, channel)
        await self.look_into_threads(archive)

    async def look_into_threads(self, archive: Archive) -> None:
        """Fetch what was written in threads that began meanwhile, as far as the archive knows them by now."""
        for thread in self._new_threads(archive, await self.house.load()):
            with _passing_over(thread):
                for heard in await archive.missed(thread, thread - 1, self._most):
                    await self.house.take(heard)

    def _new_threads(self, archive: Archive, channels: Sequence[Channel]) -> list[int]:
        """Return the threads below heard channels that began after the last thing that was heard anywhere.

        The number of a thread grows with the time at which it began, as those of messages do.
        """
        last = max(self._known_until.values(), default=None)
        known = {channel_number(channel.key) for channel in channels}
        if last is None:
            return []
        return sorted(
            spot.number
            for spot in archive.threads()
            if spot.number not in known
            and spot.number > last
            and any(one.scribe.listens(spot) for one in self.house.members)
        )

    @property
    def _most(self) -> int:
        return max(one.conversation.config.discord.missed_messages for one in self.house.members)

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
        there: Sequence[int] = ()
        with _passing_over(number):
            there = await archive.newest(number, _RECHECKED)
            for heard in await archive.missed(number, newest, self._most):
                await self.house.take(heard)
                self._heard_until[number] = max(heard.number, self._heard_until.get(number, 0))
            self._not_taken.pop(number, None)
            self._open.discard(channel.id)
        if not there or channel.id in self._open:
            # Without the right to read what was said earlier, Discord shows nothing at all instead of refusing.
            return
        recent = await self.house.vault.messages.recent(channel.id, _RECHECKED)
        known = [int(one) for one in recent if one.isdigit()]
        # Where all that there is was fetched, whatever is missing is gone; else only what is newer than the oldest.
        oldest = min(there, default=0) if len(there) == _RECHECKED else 0
        newest = max(newest, *there)
        if gone := tuple(one for one in known if one >= oldest and one not in there and one <= newest):
            await self.house.take(Removed(number, gone))


@contextmanager
def _passing_over(channel: int) -> Iterator[None]:
    """Let a channel that cannot be read at the moment not keep the others from being caught up on."""
    try:
        yield
    except FamiliarError as error:
        log.info("channel %d could not be caught up on: %s", channel, error.public)
