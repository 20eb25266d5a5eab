"""What there is on the make-believe Discord: people, a server, channels and messages, in the forms Discord sends.

Holds no sockets. `server.py` tells clients about it, `scene.py` lets people act in it.
"""

from __future__ import annotations

import itertools
import re
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

EPOCH_MS = 1_420_070_400_000
EVERYTHING = (1 << 51) - 1
# As long as real ones: the client library recognises no shorter ones in texts.
GUILD, GENERAL, OWNER, ME = (100_000_000_000_000_000 + number for number in (1, 10, 50, 100))
FIRST_PERSON = 100_000_000_000_001_000
SEND, READ_HISTORY, VIEW, ADD_REACTION, ATTACH = 1 << 11, 1 << 16, 1 << 10, 1 << 6, 1 << 15
TEXT, DM, PUBLIC_THREAD = 0, 1, 11
MESSAGE_CONTENT = 1 << 15
Payload = dict[str, Any]


@dataclass
class Person:
    """An account, with the nickname it has on the server."""

    id: int
    username: str
    global_name: str | None = None
    nick: str | None = None
    bot: bool = False

    def user(self) -> Payload:
        return {
            "id": str(self.id),
            "username": self.username,
            "global_name": self.global_name,
            "discriminator": "0",
            "avatar": None,
            "bot": self.bot,
            "public_flags": 0,
        }

    def member(self) -> Payload:
        return {
            "nick": self.nick,
            "roles": [],
            "joined_at": "2024-01-01T00:00:00+00:00",
            "deaf": False,
            "mute": False,
            "flags": 0,
            "avatar": None,
            "permissions": str(EVERYTHING),
        }


@dataclass
class World:
    """One server and everybody on it. `ahead_s` sets the clock of the world against the real one."""

    me: Person = field(default_factory=lambda: Person(ME, "mira", "Mira", bot=True))
    guild: int = GUILD
    guild_name: str = "The Tavern"
    ahead_s: float = 0.0
    people: dict[int, Person] = field(default_factory=dict)
    other_bots: dict[str, Person] = field(default_factory=dict)
    """Further bots by their tokens."""
    channels: dict[int, Payload] = field(default_factory=dict)
    messages: dict[int, Payload] = field(default_factory=dict)
    silenced: set[int] = field(default_factory=set)
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        self.people[self.me.id] = self.me

    def snowflake(self, ago_s: float = 0.0) -> int:
        """Return the next id; ids of the same moment still grow."""
        ms = int((time.time() + self.ahead_s - ago_s) * 1000) - EPOCH_MS
        return (ms << 22) | (next(self._numbers) & 0x3FFFFF)

    def add_channel(self, name: str, *, kind: int = TEXT, parent: int | None = None, id: int | None = None) -> Payload:  # noqa: A002
        number = id or self.snowflake()
        channel: Payload = {
            "id": str(number),
            "type": kind,
            "guild_id": str(self.guild),
            "name": name,
            "position": len(self.channels),
            "permission_overwrites": [],
            "parent_id": None if parent is None else str(parent),
            "topic": None,
            "nsfw": False,
            "last_message_id": None,
            "rate_limit_per_user": 0,
        }
        if kind == PUBLIC_THREAD:
            channel |= {"owner_id": str(self.me.id), "message_count": 0, "member_count": 1}
            channel["thread_metadata"] = {
                "archived": False,
                "auto_archive_duration": 1440,
                "archive_timestamp": "2024-01-01T00:00:00+00:00",
                "locked": False,
            }
        self.channels[number] = channel
        return channel

    def direct_channel(self, person: Person) -> Payload:
        """Return the conversation with one person, made if it is new."""
        for channel in self.channels.values():
            if channel["type"] == DM and channel["recipients"][0]["id"] == str(person.id):
                return channel
        number = self.snowflake()
        made: Payload = {"id": str(number), "type": DM, "recipients": [person.user()], "last_message_id": None}
        self.channels[number] = made
        return made

    def guild_payload(self, me: Person) -> Payload:
        role = {
            "id": str(self.guild),
            "name": "@everyone",
            "permissions": str(EVERYTHING),
            "position": 0,
            "color": 0,
            "hoist": False,
            "managed": False,
            "mentionable": False,
            "flags": 0,
        }
        of_guild = [one for one in self.channels.values() if one.get("guild_id")]
        return {
            "id": str(self.guild),
            "name": self.guild_name,
            "owner_id": str(OWNER),
            "roles": [role],
            "emojis": [],
            "stickers": [],
            "features": [],
            "channels": [one for one in of_guild if one["type"] != PUBLIC_THREAD],
            "threads": [one for one in of_guild if one["type"] == PUBLIC_THREAD],
            "members": [{"user": me.user(), **me.member()}],
            "member_count": len(self.people),
            "voice_states": [],
            "presences": [],
            "stage_instances": [],
            "guild_scheduled_events": [],
            "verification_level": 0,
            "default_message_notifications": 0,
            "explicit_content_filter": 0,
            "mfa_level": 0,
            "nsfw_level": 0,
            "premium_tier": 0,
            "system_channel_flags": 0,
            "preferred_locale": "en-US",
            "afk_timeout": 60,
            "joined_at": "2024-01-01T00:00:00+00:00",
            "large": False,
            "unavailable": False,
        }

    def add_message(self, channel: int, author: Person, content: str, /, *, ago_s: float = 0.0, **more: Any) -> Payload:
        number = self.snowflake(ago_s)
        sent_at = datetime.fromtimestamp(((number >> 22) + EPOCH_MS) / 1000, UTC)
        mentioned = {int(one) for one in re.findall(r"<@!?(\d+)>", content)}
        message: Payload = {
            "id": str(number),
            "type": 0,
            "channel_id": str(channel),
            "author": author.user(),
            "content": content,
            "timestamp": sent_at.isoformat(),
            "edited_timestamp": None,
            "tts": False,
            "mention_everyone": "@everyone" in content or "@here" in content,
            "mentions": [self.people[one].user() for one in sorted(mentioned) if one in self.people],
            "mention_roles": [],
            "attachments": [],
            "embeds": [],
            "pinned": False,
            "flags": 0,
            "components": [],
        } | more
        self.messages[number] = message
        self.channels[channel]["last_message_id"] = str(number)
        return message

    def as_event(self, message: Payload) -> Payload:
        """Return a message as the gateway sends it: with its server and the author's membership."""
        channel = self.channels[int(message["channel_id"])]
        if channel["type"] == DM:
            return dict(message)
        author = self.people.get(int(message["author"]["id"]))
        member = {} if author is None or message.get("webhook_id") else {"member": author.member()}
        return {**message, "guild_id": channel["guild_id"], **member}

    def readable_for(self, me: Person, message: Payload, intents: int) -> Payload:
        """Blank what a bot may not read without the intent for message content."""
        direct = self.channels[int(message["channel_id"])]["type"] == DM
        mentioned = any(int(one["id"]) == me.id for one in message.get("mentions", ()))
        own = int(message["author"]["id"]) == me.id
        if intents & MESSAGE_CONTENT or direct or mentioned or own:
            return message
        return {**message, "content": "", "embeds": [], "attachments": [], "components": []}


def pinged(message: Payload) -> set[str]:
    """Return who is notified by a message that a bot sent, by Discord's rules about `allowed_mentions`."""
    content, allowed = message["content"], message.get("allowed_mentions")
    people = set(re.findall(r"<@!?(\d+)>", content))
    everyone = {word for word in ("@everyone", "@here") if word in content}
    roles = {f"role:{number}" for number in re.findall(r"<@&(\d+)>", content)}
    if allowed is None:
        return people | everyone | roles
    parse = allowed.get("parse", [])
    found = people if "users" in parse else people & {str(one) for one in allowed.get("users", ())}
    found |= roles if "roles" in parse else roles & {f"role:{one}" for one in allowed.get("roles", ())}
    found |= everyone if "everyone" in parse else set()
    if allowed.get("replied_user") and message.get("referenced_message"):
        found.add(message["referenced_message"]["author"]["id"])
    return found
