"""Tells a channel that something was saved to memory: all of it, only that it was, or nothing, as the settings say.

What a channel is not shown, or is too long for it, lies behind a button, and is shown to whoever may see it, alone. A
notice that cannot be shown changes nothing, and nothing waits for it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any

import discord

from familiar_app.conversation.memory_tool import NoticeSink
from familiar_app.discord_link.fault import explaining
from familiar_app.discord_link.incoming import channel_number
from familiar_app.discord_link.page import id_of
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import FamiliarId, TurnId
from familiar_app.domain.saved_memory.memory import MemoryId
from familiar_app.domain.saved_memory.notice import ChannelNotice, MemoryNotice
from familiar_app.domain.saved_memory.placeholder import fill
from familiar_app.domain.saved_memory.request import ToolContext
from familiar_app.store.vault import Vault

SHOW = "notice.show"
_LABEL = "What was it?"
Start = Callable[[Coroutine[Any, Any, None], str], object]
log = logging.getLogger(__name__)


@dataclass
class DiscordNotices:
    """Shows the notices of one familiar where it speaks on Discord; others go to `beside`.

    `client` gives the connection, None while there is none. `whose` names the familiar where several share an account.
    """

    familiar: FamiliarId
    vault: Vault
    client: Callable[[], discord.Client | None]
    start: Start
    beside: NoticeSink | None = None
    whose: str = ""

    async def show(self, notice: MemoryNotice, in_channel: ChannelNotice | None, context: ToolContext) -> None:
        number = None if context.channel is None else channel_number(context.channel)
        if number is None:
            if self.beside is not None:
                await self.beside.show(notice, in_channel, context)
            return
        log.info("memory %d: %s; the channel is shown %s", notice.memory, notice.title, _shown(in_channel))
        if in_channel is not None:
            # The tool has ten seconds for all it does, and Discord may ask to wait longer.
            speaker = "somebody" if context.speaker is None else context.speaker.name
            card = fill(in_channel.card or "", user=notice.about or speaker, char=context.char)
            self.start(
                self._send(MemoryId(notice.memory), replace(in_channel, card=card), number), "notice of a memory"
            )

    async def _send(self, memory: MemoryId, notice: ChannelNotice, channel: int) -> None:
        client = self.client()
        turn = await self._turn(memory)
        if client is None:
            return
        title = f"{self.whose}: {notice.title}" if self.whose else notice.title
        options: dict[str, Any] = {"allowed_mentions": discord.AllowedMentions.none(), "silent": True}
        if notice.card:
            options["embed"] = discord.Embed(title=title, description=notice.card)
        else:
            options["content"] = f"-# {title}"
            if turn is not None:
                options["view"] = _button(id_of(SHOW, self.familiar, (str(turn),)))
        try:
            with explaining(client.is_closed):
                place = client.get_channel(channel) or await client.fetch_channel(channel)
                if isinstance(place, discord.abc.Messageable):
                    await place.send(**options)
        except FamiliarError:
            log.info("the notice of memory %d could not be shown", memory)

    async def _turn(self, memory: MemoryId) -> TurnId | None:
        """Return the turn in which a memory became what it is."""
        history = await self.vault.saved_memories.history(memory)
        return None if history is None or not history.states else history.states[-1].turn


def _shown(notice: ChannelNotice | None) -> str:
    if notice is None:
        return "nothing"
    return "the title" if notice.card is None and notice.attachment is None else "all of it"


def _button(custom_id: str) -> discord.ui.View:
    """Return a button as the client library sends it. Its press is found by its id, so nothing is to be remembered."""
    view = discord.ui.View(timeout=None)
    button: discord.ui.Button[Any] = discord.ui.Button(label=_LABEL, custom_id=custom_id)
    view.add_item(button)
    view.stop()
    return view
