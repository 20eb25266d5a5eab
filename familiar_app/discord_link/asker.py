"""Whoever uses a command: their key, where they are, and what they may there. Read anew at every press."""

from __future__ import annotations

from dataclasses import dataclass

import discord

from familiar_app.discord_link.incoming import channel_key
from familiar_app.discord_link.name import name_or_number
from familiar_app.discord_link.ping import user_key
from familiar_app.domain.audience import Reader
from familiar_app.domain.ids import ChannelKey, PersonKey


@dataclass(frozen=True, slots=True)
class Asker:
    """A person on Discord. `tokens` are the marks by which channels of the server let them read.

    `manages` tells whether they may manage the server, `moderates` whether they may remove messages in this channel.
    """

    key: PersonKey
    name: str
    channel: ChannelKey
    guild: str | None = None
    tokens: frozenset[str] = frozenset()
    manages: bool = False
    moderates: bool = False

    def reader(self, identities: tuple[PersonKey, ...]) -> Reader:
        """Return them as somebody who reads alone, under all their identities."""
        return Reader(frozenset(identities), self.tokens, self.guild)


def asker_of(interaction: discord.Interaction) -> Asker:
    """Return who used a command or pressed a button."""
    user, guild = interaction.user, interaction.guild_id
    key = user_key(user.id)
    roles = [f"role:{role.id}" for role in user.roles] if isinstance(user, discord.Member) else []
    rights = interaction.permissions
    return Asker(
        key=key,
        name=name_or_number(user.display_name, user.id),
        channel=channel_key(interaction.channel_id or 0),
        guild=None if guild is None else f"discord:{guild}",
        tokens=frozenset({key, *roles, *([] if guild is None else [f"role:{guild}"])}),
        manages=guild is not None and rights.manage_guild,
        moderates=guild is not None and rights.manage_messages,
    )
