"""A language for evenings on the make-believe Discord: people join, write, edit, delete, react and change their names.

In texts `@Name` of somebody known becomes a mention, as in Discord's own box for messages.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.doubles.discord.server import FakeDiscord
from tests.doubles.discord.world import DM, EVERYTHING, FIRST_PERSON, GENERAL, PUBLIC_THREAD, VIEW, Payload, Person

PATIENCE_S = 60.0
EPHEMERAL = 64


@dataclass
class Scene:
    """Acts on one Discord. Channels are called by name; `general` is there from the beginning."""

    discord: FakeDiscord
    channels: dict[str, int] = field(default_factory=dict)
    people: dict[str, Person] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.people[self.discord.world.me.global_name or ""] = self.discord.world.me
        self.channels["general"] = int(self.discord.world.add_channel("general", id=GENERAL)["id"])

    def join(self, name: str, *, nick: str | None = None, bot: bool = False) -> Person:
        """Let somebody be on the server from now on."""
        number = FIRST_PERSON + len(self.people)
        person = Person(number, re.sub(r"\W", "", name.lower()) or "x", name, nick, bot)
        self.people[name] = self.discord.world.people[number] = person
        return person

    def open_channel(self, name: str) -> int:
        """Add a channel before anybody connects."""
        self.channels[name] = int(self.discord.world.add_channel(name)["id"])
        return self.channels[name]

    async def open_thread(self, name: str, *, under: str = "general") -> int:
        """Begin a thread."""
        thread = self.discord.world.add_channel(name, kind=PUBLIC_THREAD, parent=self.channels[under])
        self.channels[name] = int(thread["id"])
        await self.discord.gateway.tell("THREAD_CREATE", {**thread, "newly_created": True})
        return self.channels[name]

    async def write(
        self,
        who: str,
        text: str,
        *,
        channel: str = "general",
        answers: int | None = None,
        ago_s: float = 0.0,
        unseen: bool = False,
        **more: Any,
    ) -> int:
        """Say something. With `unseen` nobody is told: it happened while the client was away."""
        world = self.discord.world
        if answers is not None:
            reference = {"message_id": str(answers), "channel_id": str(self.channels[channel])}
            more |= {"type": 19, "message_reference": reference, "referenced_message": world.messages.get(answers)}
        person = self.people[who]
        message = world.add_message(self.channels[channel], person, self._mentions(text), ago_s=ago_s, **more)
        if answers is not None and answers in world.messages and "quiet" not in more:
            message["mentions"] = [*message["mentions"], world.messages[answers]["author"]]
        if not unseen:
            await self._tell("MESSAGE_CREATE", world.as_event(message), channel)
        return int(message["id"])

    async def whisper(self, who: str, text: str) -> int:
        """Say something in a direct message."""
        world, person = self.discord.world, self.people[who]
        channel = world.direct_channel(person)
        self.channels[f"dm {who}"] = int(channel["id"])
        return await self.write(who, text, channel=f"dm {who}")

    async def edit(self, message: int, text: str, *, preview: Payload | None = None) -> None:
        """Change a message; with `preview` Discord adds a link's preview and the words stay."""
        kept = self.discord.world.messages[message]
        if preview is not None:
            kept["embeds"] = [preview]
        else:
            kept |= {"content": self._mentions(text), "edited_timestamp": "2024-05-01T12:00:00+00:00"}
        await self._tell("MESSAGE_UPDATE", self.discord.world.as_event(kept), self._channel_of(kept))

    async def delete(self, *messages: int, unseen: bool = False) -> None:
        """Delete messages, several at once as a moderator does."""
        removed = [self.discord.world.messages.pop(message) for message in messages]
        if unseen:
            return
        channel, guild = removed[0]["channel_id"], str(self.discord.world.guild)
        shape = {"channel_id": channel, "guild_id": guild}
        name = self._channel_of(removed[0])
        if len(messages) == 1:
            await self._tell("MESSAGE_DELETE", {**shape, "id": str(messages[0])}, name)
        else:
            await self._tell("MESSAGE_DELETE_BULK", {**shape, "ids": [str(one) for one in messages]}, name)

    async def react(self, who: str, message: int, emoji: str, *, take_back: bool = False) -> None:
        """Put an emoji under a message, or take it away."""
        kept = self.discord.world.messages[message]
        data = {
            "user_id": str(self.people[who].id),
            "channel_id": kept["channel_id"],
            "message_id": str(message),
            "guild_id": str(self.discord.world.guild),
            "emoji": {"id": None, "name": emoji},
            "burst": False,
            "type": 0,
        }
        event = "MESSAGE_REACTION_REMOVE" if take_back else "MESSAGE_REACTION_ADD"
        await self._tell(event, data, self._channel_of(kept))

    async def command(
        self, who: str, name: str, *, channel: str = "general", manager: bool = True, **options: str
    ) -> str:
        """Use a slash command, and return the answer that only this person sees."""
        world, person, answered = self.discord.world, self.people[who], len(self.discord.rest.callbacks)
        known = next(one for one in self.discord.rest.commands if one["name"] == name)
        place = world.channels[self.channels[channel]]
        await self.discord.gateway.tell(
            "INTERACTION_CREATE",
            {
                "id": str(world.snowflake()),
                "application_id": str(world.me.id),
                "type": 2,
                "token": "interaction",
                "version": 1,
                "guild_id": str(world.guild),
                "channel_id": place["id"],
                "channel": place,
                "member": {
                    "user": person.user(),
                    **person.member(),
                    "permissions": str(EVERYTHING if manager else VIEW),
                },
                "data": {
                    "id": known["id"],
                    "name": name,
                    "type": 1,
                    "options": [{"name": option, "type": 3, "value": value} for option, value in options.items()],
                },
                "locale": "en-US",
                "app_permissions": str(EVERYTHING),
                "entitlements": [],
                "authorizing_integration_owners": {"0": str(world.guild)},
                "context": 0,
                "attachment_size_limit": 1 << 20,
            },
        )
        callbacks = self.discord.rest.callbacks
        await self.until(lambda: len(callbacks) >= answered + 2, "for the answer to a command")
        deferred, answer = callbacks[answered : answered + 2]
        assert deferred["data"]["flags"] == EPHEMERAL, "an answer that everybody sees"
        return str(answer["content"])

    def rename(self, who: str, nick: str) -> None:
        """Give somebody another nickname; it shows with their next message."""
        self.people[who].nick = nick

    async def until(self, condition: Callable[[], bool], what: str = "") -> None:
        """Wait until something has come about."""
        end = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"waited in vain {what}".strip())
            await asyncio.sleep(0.01)

    async def replies(self, count: int) -> list[Payload]:
        """Wait until the bot has sent so many messages, and return them."""
        sent = self.discord.rest.sent
        await self.until(lambda: len(sent) >= count, f"for {count} messages, there are {len(sent)}")
        return sent

    def _mentions(self, text: str) -> str:
        for name, person in sorted(self.people.items(), key=lambda one: -len(one[0])):
            text = text.replace(f"@{name}", f"<@{person.id}>")
        return text

    def _channel_of(self, message: Payload) -> str:
        return next(name for name, number in self.channels.items() if str(number) == message["channel_id"])

    async def _tell(self, event: str, data: Payload, channel: str) -> None:
        direct = self.discord.world.channels[self.channels[channel]]["type"] == DM
        await self.discord.gateway.tell(event, data, direct=direct)
