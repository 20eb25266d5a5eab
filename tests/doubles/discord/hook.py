"""Webhooks of the make-believe Discord: made, listed and used by bots, each with a name and a token of its own."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aiohttp import web

from tests.doubles.discord.refusal import RefusedError
from tests.doubles.discord.world import PUBLIC_THREAD, Payload, Person

if TYPE_CHECKING:
    from tests.doubles.discord.rest import Asked, Rest

MOST_IN_A_CHANNEL = 15


@dataclass
class Hooks:
    """Answers for the webhooks. `sent` has what they wrote, `forbidden` the channels in which none may be made."""

    rest: Rest
    all: dict[int, Payload] = field(default_factory=dict)
    sent: list[Payload] = field(default_factory=list)
    forbidden: set[int] = field(default_factory=set)

    def routes(self) -> list[tuple[str, str, Callable[..., Awaitable[Any]]]]:
        message = r"/webhooks/(\d+)/([^/]+)/messages/(\d+)"
        return [
            ("GET", r"/channels/(\d+)/webhooks", self._list),
            ("POST", r"/channels/(\d+)/webhooks", self._make),
            ("PATCH", r"/webhooks/(\d+)", self._change),
            ("DELETE", r"/webhooks/(\d+)", self._drop),
            ("GET", message, self._read),
            ("PATCH", message, self._edit),
            ("DELETE", message, self._delete),
        ]

    def of(self, channel: int) -> list[Payload]:
        """Return the webhooks of a channel."""
        return [one for one in self.all.values() if one["channel_id"] == str(channel)]

    def forget(self) -> None:
        """Let somebody delete all webhooks."""
        self.all.clear()

    async def execute(self, request: web.Request, asked: Asked, number: int, token: str) -> Payload | None:
        """Let a webhook write."""
        hook, body = self._known(number, token), asked.body
        channel = int(request.query.get("thread_id", hook["channel_id"]))
        place = self.rest.world.channels.get(channel)
        home = place and (place["parent_id"] if place["type"] == PUBLIC_THREAD else place["id"])
        if home != hook["channel_id"]:
            raise RefusedError(400, 10003, "Unknown Channel")
        self.rest.check(body, asked.files)
        if body.get("message_reference"):
            raise RefusedError(400, 50035, "A webhook cannot reply")
        if body.get("components") and request.query.get("with_components") not in ("true", "1"):
            raise RefusedError(400, 50035, "No components without saying so")
        name = body.get("username") or hook["name"]
        _check_name(name)
        more = {
            "webhook_id": str(number),
            "application_id": hook["application_id"],
            "allowed_mentions": body.get("allowed_mentions"),
            "components": body.get("components") or [],
        }
        author = Person(number, name, bot=True)
        message = self.rest.world.add_message(channel, author, body.get("content") or "", **more)
        message["author"] |= {"username": name, "avatar": hook["avatar"]}
        self.sent.append({**message, "files": asked.files})
        await self.rest.gateway.tell("MESSAGE_CREATE", self.rest.world.as_event(message))
        return message if request.query.get("wait") in ("true", "1") else None

    async def _list(self, request: web.Request, _: Asked, channel: int) -> list[Payload]:
        self._may(channel)
        me = str(self.rest.asker(request).id)
        # A webhook's token is shown to the application that made it alone.
        hide = {"token"}
        return [
            one if one["application_id"] == me else {key: value for key, value in one.items() if key not in hide}
            for one in self.of(channel)
        ]

    async def _make(self, request: web.Request, asked: Asked, channel: int) -> Payload:
        self._may(channel)
        if self.rest.world.channels[channel]["type"] == PUBLIC_THREAD:
            raise RefusedError(400, 10003, "Unknown Channel")
        if len(self.of(channel)) >= MOST_IN_A_CHANNEL:
            raise RefusedError(400, 30007, "Maximum number of webhooks reached (15)")
        _check_name(asked.body["name"])
        me = self.rest.asker(request)
        return self.add(channel, me, asked.body["name"], asked.body.get("avatar"))

    def add(self, channel: int, owner: Person, name: str, avatar: str | None = None, *, own: bool = True) -> Payload:
        """Make a webhook; with `own=False` as a person makes one by hand."""
        number = self.rest.world.snowflake()
        self.all[number] = {
            "id": str(number),
            "type": 1,
            "guild_id": str(self.rest.world.guild),
            "channel_id": str(channel),
            "name": name,
            "avatar": None if avatar is None else f"{len(avatar):032x}",
            "token": secrets.token_urlsafe(24),
            "application_id": str(owner.id) if own else None,
            "user": owner.user(),
        }
        return self.all[number]

    async def _change(self, request: web.Request, asked: Asked, number: int) -> Payload:
        hook = self._known(number)
        if hook["application_id"] != str(self.rest.asker(request).id):
            raise RefusedError(403, 50013, "Missing Permissions")
        if "name" in asked.body:
            _check_name(asked.body["name"])
            hook["name"] = asked.body["name"]
        if "avatar" in asked.body:
            avatar = asked.body["avatar"]
            hook["avatar"] = None if avatar is None else f"{len(avatar):032x}"
        return hook

    async def _drop(self, _: web.Request, __: Asked, number: int) -> None:
        self._known(number)
        del self.all[number]

    async def _read(self, _: web.Request, __: Asked, number: int, token: str, message: int) -> Payload:
        return self._message(number, token, message)

    async def _edit(self, request: web.Request, asked: Asked, number: int, token: str, message: int) -> Payload:
        kept = self._message(number, token, message, request)
        self.rest.check(asked.body, {})
        changes = {name: asked.body[name] for name in ("content", "components", "attachments") if name in asked.body}
        kept |= {**changes, "allowed_mentions": asked.body.get("allowed_mentions")}
        self.rest.edited.append(dict(kept))
        await self.rest.gateway.tell("MESSAGE_UPDATE", self.rest.world.as_event(kept))
        return kept

    async def _delete(self, request: web.Request, _: Asked, number: int, token: str, message: int) -> None:
        kept = self._message(number, token, message, request)
        del self.rest.world.messages[message]
        data = {"id": str(message), "channel_id": kept["channel_id"], "guild_id": str(self.rest.world.guild)}
        await self.rest.gateway.tell("MESSAGE_DELETE", data)

    def _message(self, number: int, token: str, message: int, request: web.Request | None = None) -> Payload:
        hook, kept = self._known(number, token), self.rest.world.messages.get(message)
        if kept is None or kept.get("webhook_id") != str(number):
            raise RefusedError(404, 10008, "Unknown Message")
        thread = None if request is None else request.query.get("thread_id")
        if request is not None and kept["channel_id"] != (thread or hook["channel_id"]):
            raise RefusedError(404, 10008, "Unknown Message")
        return kept

    def _known(self, number: int, token: str | None = None) -> Payload:
        hook = self.all.get(number)
        if hook is None:
            raise RefusedError(404, 10015, "Unknown Webhook")
        if token is not None and hook["token"] != token:
            raise RefusedError(401, 50027, "Invalid Webhook Token")
        return hook

    def _may(self, channel: int) -> None:
        if channel not in self.rest.world.channels:
            raise RefusedError(404, 10003, "Unknown Channel")
        if channel in self.forbidden:
            raise RefusedError(403, 50013, "Missing Permissions")


def _check_name(name: str) -> None:
    if not 1 <= len(name.strip()) <= 80 or any(
        word in name.lower() for word in ("discord", "clyde", "@", "#", ":", "```")
    ):
        raise RefusedError(400, 50035, "Invalid Form Body: name")
