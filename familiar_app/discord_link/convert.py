"""Turns objects of the client library into the link's own values. Reads them only; nothing is fetched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import discord

from familiar_app.discord_link.button import Whisper, read_button_id
from familiar_app.discord_link.incoming import Changed, Heard, Pressed, Spot, Typing
from familiar_app.discord_link.message_text import Extra, Labels, described, readable, unmarked
from familiar_app.discord_link.name import name_or_number, safe_name
from familiar_app.discord_link.ping import user_key
from familiar_app.domain.audience import Readers
from familiar_app.domain.turn import Author

if TYPE_CHECKING:
    from discord.abc import MessageableChannel

_SPOKEN = (
    discord.MessageType.default,
    discord.MessageType.reply,
    discord.MessageType.chat_input_command,
    discord.MessageType.context_menu_command,
)
# What Discord itself says, in one plain sentence; for the rest the library's words are taken.
_SAID_BY_DISCORD = {
    discord.MessageType.new_member: "{who} joined the server.",
    discord.MessageType.pins_add: "{who} pinned a message.",
    discord.MessageType.thread_created: "{who} began the thread “{text}”.",
    discord.MessageType.channel_name_change: "{who} renamed the channel to “{text}”.",
    discord.MessageType.poll_result: "The poll of {who} has ended.",
}
_DIRECT = "direct message"


def heard(message: discord.Message, me: int, *, missed: bool = False) -> Heard:
    """Return a message as it reads now. `me` is the familiar's own number."""
    spot = spot_of(message.channel, message.guild, other=message.author if message.author.id != me else None)
    found = message.reference.resolved if message.reference is not None else None
    answered = found if isinstance(found, discord.Message) else None
    answered_by = None if answered is None else answered.author.id
    to_us = answered is not None and _is_ours(answered, me)
    people = [user.id for user in message.mentions if user.id not in (me, answered_by if to_us else me)]
    # A reply counts its author among the mentioned; only who stands in the words is spoken to.
    in_words = {number for number in message.raw_mentions if number != me}
    return Heard(
        spot=spot,
        number=message.id,
        author=author_of(message.author, webhook=message.webhook_id),
        text=said_by_discord(message) if message.type not in _SPOKEN else text_of(message),
        at=message.created_at,
        extras=described(_extras(message)),
        answers=message.reference.message_id if message.reference is not None else None,
        mentions=tuple(user_key(number) for number in people),
        own=_is_ours(message, me),
        webhook=message.webhook_id is not None,
        system=message.type not in _SPOKEN,
        mentioned=me in message.raw_mentions,
        replied_to=to_us,
        replied_name=answered.author.name if answered is not None and to_us and answered.webhook_id is not None else "",
        others_mentioned=bool(in_words) or (answered is not None and not to_us),
        missed=missed,
        bare=unmarked(message.content),
        application=message.application_id if message.webhook_id is not None else None,
    )


def missed(message: discord.Message, me: int, *, ambient: bool) -> Heard:
    """Return a message that is fetched later, as the gateway would have told of it.

    Looking back, Discord shows all that its portal allows, also to a connection that asked for its mentions alone.
    """
    found = heard(message, me, missed=True)
    mentioned = any(user.id == me for user in message.mentions)
    if ambient or mentioned or found.spot.direct or found.own or found.system:
        return found
    return replace(found, text="", bare="", extras=None)


def _is_ours(message: discord.Message, me: int) -> bool:
    """Tell whether the account wrote a message, or one of its webhooks."""
    return message.author.id == me or (message.webhook_id is not None and message.application_id == me)


def changed(message: discord.Message) -> Changed:
    """Return what an edit, or the arrival of a link's preview, made of a message."""
    previews = [_embed(embed) for embed in message.embeds]
    return Changed(message.channel.id, message.id, text_of(message), described(previews))


def typing(event: discord.RawTypingEvent, me: int) -> list[Typing]:
    """Return who is writing; nobody where it is the familiar itself."""
    if event.user_id == me:
        return []
    return [Typing(event.channel_id, user_key(event.user_id), event.user is not None and event.user.bot)]


def pressed(interaction: discord.Interaction, whisper: Whisper) -> Pressed | None:
    """Return the press of a button under an answer, None for anything else."""
    if interaction.type is not discord.InteractionType.component or interaction.message is None:
        return None
    data: Mapping[str, object] = {**interaction.data} if interaction.data else {}
    read = read_button_id(str(data.get("custom_id", "")))
    if read is None or interaction.channel_id is None:
        return None
    action, buttons = read
    rights = interaction.permissions
    return Pressed(
        channel=interaction.channel_id,
        number=interaction.message.id,
        action=action,
        familiar=buttons.familiar,
        asked=buttons.asked,
        by=user_key(interaction.user.id),
        moderator=interaction.guild_id is not None and (rights.manage_messages or rights.manage_guild),
        tell=whisper,
    )


def text_of(message: discord.Message) -> str:
    """Return the words of a message with all its mentions spelled out."""
    channels = {channel.id: channel.name for channel in message.channel_mentions}
    labels = Labels(
        people={user.id: _label(user) for user in message.mentions},
        roles={role.id: role.name for role in message.role_mentions},
        channels=channels,
    )
    return readable(message.content, labels)


def said_by_discord(message: discord.Message) -> str:
    """Return what a message tells that nobody wrote, such as that somebody joined."""
    who, text = _label(message.author), text_of(message)
    if (words := _SAID_BY_DISCORD.get(message.type)) is not None:
        return words.format(who=who, text=safe_name(text))
    said = text or message.system_content or ""
    return " ".join(said.replace(message.author.name, who).split())


def author_of(user: discord.User | discord.Member, *, webhook: int | None = None) -> Author:
    """Return who speaks. A webhook is nobody's identity: it is known by its own number."""
    nick = user.nick if isinstance(user, discord.Member) else None
    return Author(
        key=user_key(webhook if webhook is not None else user.id),
        name=_label(user),
        username=safe_name(user.name) or None,
        global_name=safe_name(user.global_name or "") or None,
        nickname=safe_name(nick or "") or None,
        bot=user.bot or webhook is not None,
    )


def spot_of(channel: MessageableChannel, guild: discord.Guild | None, *, other: discord.abc.User | None = None) -> Spot:
    """Return where a message stands, with those who can read there as far as it is known.

    `other` is whoever writes to the familiar; the library does not always know whose direct messages these are.
    """
    if guild is None:
        person = getattr(channel, "recipient", None) or other
        title = _DIRECT if person is None else f"{_DIRECT} with {_label(person)}"
        people = frozenset() if person is None else frozenset({user_key(person.id)})
        return Spot(channel.id, title, readers=Readers(people=people) if people else None)
    parent = channel.parent_id if isinstance(channel, discord.Thread) else None
    title = safe_name(getattr(channel, "name", None) or "") or f"channel {channel.id}"
    return Spot(channel.id, title, guild.id, parent, _readers(channel, guild))


def _readers(place: object, guild: discord.Guild) -> Readers | None:
    """Return who can read a channel of a server: everybody, or the roles and people that its settings let in.

    A thread is read by whoever reads its channel; but a private one by those who were added to it, whom nobody tells.
    """
    if isinstance(place, discord.Thread):
        return None if place.is_private() else _readers(place.parent, guild)
    if not isinstance(place, discord.abc.GuildChannel):
        return None
    shut = (target for target, rights in place.overwrites.items() if rights.view_channel is False)
    barred = frozenset(_mark(target) for target in shut if target.id != guild.id)
    if place.permissions_for(guild.default_role).view_channel:
        return Readers(everyone=True, barred=barred)
    tokens = {f"role:{role.id}" for role in guild.roles if place.permissions_for(role).view_channel}
    for target, rights in place.overwrites.items():
        if rights.view_channel:
            tokens.add(_mark(target))
    return Readers(tokens=frozenset(tokens), barred=barred)


def _mark(target: discord.Role | discord.Member | discord.Object) -> str:
    """Return the mark of a role or a person that the settings of a channel name, known to the library or not."""
    kind = target.type if isinstance(target, discord.Object) else type(target)
    return f"role:{target.id}" if issubclass(kind, discord.Role) else str(user_key(target.id))


def _label(user: discord.abc.User) -> str:
    return name_or_number(user.display_name, user.id)


def _extras(message: discord.Message) -> list[Extra]:
    files = [_file(one, voice=message.flags.voice) for one in message.attachments]
    stickers = [Extra("sticker", one.name) for one in message.stickers]
    poll = [] if message.poll is None else [_poll(message.poll)]
    forwarded = [_forwarded(one) for one in message.message_snapshots]
    return [*files, *stickers, *poll, *forwarded, *(_embed(embed) for embed in message.embeds)]


def _file(file: discord.Attachment, *, voice: bool) -> Extra:
    if voice:
        return Extra("voice message", "" if file.duration is None else f"of {round(file.duration)} s")
    return Extra((file.content_type or "file").partition("/")[0], file.filename, file.description or "")


def _forwarded(message: discord.MessageSnapshot) -> Extra:
    """Return a message from elsewhere, with what was attached to it there."""
    attached = [*(_file(one, voice=message.flags.voice) for one in message.attachments), *map(_embed, message.embeds)]
    words, more = readable(message.content, Labels()), described(attached)
    return Extra("forwarded", "", " ".join(one for one in (words, f"({more})" if more else "") if one))


def _embed(embed: discord.Embed) -> Extra:
    return Extra("link", embed.title or embed.author.name or "", embed.description or "")


def _poll(poll: discord.Poll) -> Extra:
    return Extra("poll", poll.question or "", " / ".join(answer.text for answer in poll.answers))
