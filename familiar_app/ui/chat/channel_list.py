"""The channels of one familiar: which there are, what waits in them, and which one is open."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import Protocol

from familiar_app.domain.clock import local_time
from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import MAIN_CHANNEL, ChannelId, ChannelKey, FamiliarId, TurnId, is_local
from familiar_app.domain.text import tr
from familiar_app.domain.turn import Channel, ChannelSummary
from familiar_app.ui.chat.row import clock_time
from familiar_app.ui.kit.channel_title import channel_title
from familiar_app.ui.kit.date_text import short_date, short_day
from familiar_app.ui.kit.watch import Watched

TITLE_CHARS = 80


class ChannelStore(Protocol):
    """The part of the vault's channels that the list needs."""

    async def ensure(
        self, key: ChannelKey, *, familiar: FamiliarId | None = None, title: str | None = None, guild: str | None = None
    ) -> Channel: ...

    async def find(self, key: ChannelKey, *, familiar: FamiliarId | None = None) -> Channel | None: ...

    async def list(self, familiar: FamiliarId, *, archived: bool = False) -> list[ChannelSummary]: ...

    async def rename(self, id: ChannelId, title: str) -> None: ...  # noqa: A002

    async def archive(self, id: ChannelId, on: bool) -> None: ...  # noqa: A002

    async def mark_read(self, id: ChannelId, turn: TurnId) -> None: ...  # noqa: A002


class ChannelListModel(Watched):
    """Tells `channels` when the list changed. `show_archived` lists archived channels as well."""

    def __init__(self, store: ChannelStore, familiar: FamiliarId) -> None:
        super().__init__()
        self._store = store
        self._familiar = familiar
        self.summaries: list[ChannelSummary] = []
        self.show_archived = False

    async def load(self) -> None:
        """Read the list; the main channel is made where the familiar has none."""
        found = await self._read()
        if not found and not self.show_archived:
            await self._store.ensure(MAIN_CHANNEL, familiar=self._familiar, title="Main")
            found = await self._read()
        self.summaries = found
        self.tell("channels")

    async def _read(self) -> list[ChannelSummary]:
        found = list(await self._store.list(self._familiar, archived=self.show_archived))
        return sorted(found, key=_order)

    @property
    def unread(self) -> int:
        """How many turns wait in all channels."""
        return sum(summary.unread for summary in self.summaries)

    def find(self, channel: ChannelId) -> ChannelSummary | None:
        """Return one channel of the list."""
        return next((one for one in self.summaries if one.channel.id == channel), None)

    async def new(self, title: str) -> Channel:
        """Make a local channel. Raises UserError for a title that cannot be used."""
        title = clean_title(title)
        channel = await self._store.ensure(await self.free_key(title), familiar=self._familiar, title=title)
        await self.load()
        return channel

    async def free_key(self, title: str) -> ChannelKey:
        """Return a key after a title that no local channel has yet."""
        stem = re.sub(r"[^a-z0-9]+", "-", title.casefold()).strip("-")[:40] or "channel"
        key, number = ChannelKey(f"local:{stem}"), 2
        while await self._store.find(key, familiar=self._familiar) is not None:
            key, number = ChannelKey(f"local:{stem}-{number}"), number + 1
        return key

    async def rename(self, channel: ChannelId, title: str) -> str:
        """Give a channel another title and return the one it had."""
        title = clean_title(title)
        summary = self.find(channel)
        before = summary.channel.title if summary else ""
        await self._store.rename(channel, title)
        await self.load()
        return before

    async def archive(self, channel: ChannelId, *, on: bool = True) -> None:
        """Put a channel out of sight, or bring it back."""
        await self._store.archive(channel, on)
        await self.load()

    async def mark_read(self, channel: ChannelId, turn: TurnId) -> None:
        """Remember that everything up to `turn` was seen."""
        summary = self.find(channel)
        await self._store.mark_read(channel, turn)
        if summary is None or summary.unread:
            await self.load()


def clean_title(title: str) -> str:
    """Return a usable title. Raises UserError where it is empty or too long."""
    title = " ".join(title.split())
    if not title:
        raise UserError(tr("A channel needs a name."), tr("Type one."))
    if len(title) > TITLE_CHARS:
        raise UserError(
            tr("This name has {n} characters; {most} are the most.", n=len(title), most=TITLE_CHARS), tr("Shorten it.")
        )
    return title


def last_time(summary: ChannelSummary, *, now: datetime, zone: tzinfo) -> str:
    """Say when something was last said: the time today, else the day."""
    if summary.last_at is None:
        return ""
    there, today = local_time(summary.last_at, zone).date(), local_time(now, zone).date()
    if there == today:
        return clock_time(summary.last_at, zone)
    if (today - there).days == 1:
        return tr("Yesterday")
    return short_day(there) if there.year == today.year else short_date(there)


def badge(unread: int) -> str:
    """Write a count of unread turns; more than 999 take too much room."""
    return "" if unread <= 0 else str(unread) if unread < 1000 else "999+"


def _order(summary: ChannelSummary) -> tuple[bool, bool, str, int]:
    channel = summary.channel
    return (not is_local(channel.key), channel.key != MAIN_CHANNEL, channel_title(channel).casefold(), channel.id)


def spoken_channels(summaries: Sequence[ChannelSummary]) -> list[str]:
    """Return each channel as a screen reader should say it."""
    return [
        tr("{channel}, {n} unread", channel=channel_title(one.channel), n=one.unread)
        if one.unread
        else channel_title(one.channel)
        for one in summaries
    ]
