"""Reads from the client library which servers and channels there are, and what the bot may do in each. Asks nobody."""

from __future__ import annotations

from collections.abc import Iterator

import discord

from familiar_app.discord_link.name import safe_name
from familiar_app.discord_link.server import Kind, Place, Server

CHANGING = frozenset({
    "guild_join", "guild_remove", "guild_available", "guild_unavailable", "guild_update", "guild_role_create",
    "guild_role_delete", "guild_role_update", "guild_channel_create", "guild_channel_delete", "guild_channel_update",
    "thread_create", "thread_join", "thread_remove", "thread_delete", "thread_update", "member_update", "ready",
    "resumed",
})  # fmt: skip
"""Events after which a survey may read otherwise."""


def survey(client: discord.Client) -> tuple[Server, ...]:
    """Return all servers of a client by name, each with its channels in Discord's order and threads under theirs."""
    found = [_server(guild) for guild in client.guilds if not guild.unavailable]
    return tuple(sorted(found, key=lambda one: (one.name.casefold(), one.number)))


def _server(guild: discord.Guild) -> Server:
    name = safe_name(guild.name) or f"server {guild.id}"
    return Server(guild.id, name, tuple(_places(guild)))


def _places(guild: discord.Guild) -> Iterator[Place]:
    threads: dict[int, list[discord.Thread]] = {}
    for thread in guild.threads:
        threads.setdefault(thread.parent_id, []).append(thread)
    for category, channels in guild.by_category():
        above = "" if category is None else safe_name(category.name)
        for channel in channels:
            kind = _kind(channel)
            if kind is None:
                continue
            yield _place(guild, channel, kind, above)
            for thread in sorted(threads.get(channel.id, ()), key=lambda one: one.id):
                yield _place(guild, thread, "thread", above)


def _kind(channel: object) -> Kind | None:
    if isinstance(channel, discord.TextChannel):
        return "text"
    if isinstance(channel, discord.ForumChannel):
        return "forum"
    return "voice" if isinstance(channel, discord.VoiceChannel | discord.StageChannel) else None


def _place(guild: discord.Guild, channel: discord.abc.GuildChannel | discord.Thread, kind: Kind, above: str) -> Place:
    parent = channel.parent_id if isinstance(channel, discord.Thread) else None
    allowed = 0 if guild.me is None else channel.permissions_for(guild.me).value
    return Place(channel.id, safe_name(channel.name) or f"channel {channel.id}", kind, above, parent, allowed)
