"""Has reminders that are due answered in their channels on Discord."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import discord

from familiar_app.discord_link.sender import Line
from familiar_app.discord_link.voice import Voice
from familiar_app.discord_link.wish import Wish
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.ids import PersonKey
from familiar_app.domain.turn import Channel, Turn

PLATFORM = "discord"


@dataclass(slots=True)
class Reminding:
    """Carries the reminders of one familiar. `line` raises OutsideError while there is no connection.

    `direct_on` tells whether it speaks in private.
    """

    voice: Callable[[Turn], Voice]
    line: Callable[[], Line]
    direct_on: bool

    def ready(self, channel: Channel) -> bool:
        if channel.guild is None and not self.direct_on:
            return False
        try:
            self.line()
        except OutsideError:
            return False
        return True

    async def carry(self, due: Turn, stored: Turn | None) -> None:
        # Nobody's newer message takes the place of a reminder, so it is nobody's. No message is answered; the number
        # that one of that moment would have tells where to look for an answer that was sent and not noted.
        by = PersonKey(f"reminder:{due.id}")
        moment = discord.utils.time_snowflake(due.at)
        self.voice(due).answer(Wish(due.id, moment, by, quote=False, stored=stored))
