"""Who belongs to a server as far as Discord tells: all members where the bot may see them, else who spoke lately."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

import discord

from familiar_app.conversation.memory_caller import chat_person
from familiar_app.discord_link.convert import author_of
from familiar_app.discord_link.incoming import Heard
from familiar_app.domain.ids import PersonKey
from familiar_app.domain.saved_memory.target import ChatPerson
from familiar_app.domain.turn import Author, Channel

MAX_MEMBERS = 10_000
MAX_SPEAKERS = 1_000


@dataclass
class Membership:
    """The members of the servers of one connection. `client` gives the connection, None while there is none."""

    client: Callable[[], discord.Client | None]
    _speakers: dict[str, OrderedDict[PersonKey, Author]] = field(default_factory=dict, init=False)

    def note(self, heard: Heard) -> None:
        """Remember that somebody spoke on a server."""
        guild = heard.spot.guild_key
        if guild is None or heard.own or heard.webhook:
            return
        speakers = self._speakers.setdefault(guild, OrderedDict())
        speakers[heard.author.key] = heard.author
        speakers.move_to_end(heard.author.key)
        if len(speakers) > MAX_SPEAKERS:
            speakers.popitem(last=False)

    def of(self, channel: Channel) -> list[ChatPerson]:
        """Return who belongs to the server of a channel; nobody where it has none."""
        if channel.guild is None:
            return []
        found: dict[PersonKey, Author] = dict(self._speakers.get(channel.guild, {}))
        found |= {author.key: author for author in self._listed(channel.guild)}
        return [chat_person(author) for author in found.values()]

    def _listed(self, guild: str) -> list[Author]:
        client, number = self.client(), guild.partition(":")[2]
        server = client.get_guild(int(number)) if client is not None and number.isdigit() else None
        if client is None or server is None:
            return []
        me = 0 if client.user is None else client.user.id
        return [author_of(one) for one in list(server.members)[:MAX_MEMBERS] if one.id != me]
