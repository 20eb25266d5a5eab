"""What the client library is asked for: which events, who may be pinged, what goes along as a file."""

from __future__ import annotations

import io
from collections.abc import Sequence

import discord


def intents(*, ambient: bool) -> discord.Intents:
    """Return what the connection asks for. Only listening to everything needs a privileged one."""
    asked = discord.Intents(guilds=True, guild_messages=True, dm_messages=True)
    asked.guild_reactions = asked.dm_reactions = asked.guild_typing = asked.dm_typing = True
    asked.message_content = ambient
    return asked


def attached(text: str) -> discord.File:
    """Return what did not go into messages, as a file."""
    return discord.File(io.BytesIO(text.encode()), filename="continued.md")


def allowed(people: Sequence[int]) -> discord.AllowedMentions:
    """Return leave to ping these people and nobody else."""
    users = [discord.Object(number) for number in people]
    return discord.AllowedMentions(everyone=False, roles=False, replied_user=False, users=users)


def emoji_name(emoji: discord.PartialEmoji) -> str:
    return f":{emoji.name}:" if emoji.id is not None else str(emoji.name)
