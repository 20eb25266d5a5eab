"""The REST side of the make-believe Discord: version 10, as far as a chatting bot needs it, with its refusals."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import BodyPartReader, web

from tests.doubles.discord.gateway import Gateway
from tests.doubles.discord.hook import Hooks
from tests.doubles.discord.refusal import RefusedError
from tests.doubles.discord.world import DM, OWNER, Payload, Person, World

LIMIT = 2000
MAX_NONCE_CHARS = 25


@dataclass
class Fault:
    """Answers the next requests that fit with an error. `times` counts down."""

    method: str
    path: str
    status: int
    times: int = 1
    retry_after_s: float = 0.05
    code: int = 0


@dataclass
class Asked:
    """A request that came in."""

    method: str
    path: str
    body: Payload
    files: dict[str, bytes] = field(default_factory=dict)


@dataclass
class Rest:
    """Answers requests. `asked` has all of them in order, `sent` the messages that the bot wrote."""

    world: World
    gateway: Gateway
    token: str
    asked: list[Asked] = field(default_factory=list)
    sent: list[Payload] = field(default_factory=list)
    edited: list[Payload] = field(default_factory=list)
    typing: list[int] = field(default_factory=list)
    callbacks: list[Payload] = field(default_factory=list)
    commands: list[Payload] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    missing: set[int] = field(default_factory=set)
    deaf_after_send: bool = False
    hooks: Hooks = field(init=False)

    def __post_init__(self) -> None:
        self.hooks = Hooks(self)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        path = request.path.removeprefix("/api/v10")
        asked = Asked(request.method, path, *await _body(request))
        self.asked.append(asked)
        headers = {
            "X-RateLimit-Limit": "50",
            "X-RateLimit-Remaining": "49",
            "X-RateLimit-Reset-After": "1.0",
            "X-RateLimit-Reset": "9999999999.0",
            "X-RateLimit-Bucket": re.sub(r"\d+", "n", f"{request.method}{path}"),
            "Via": "1.1 double",
        }
        try:
            if (answer := self._fault(asked, headers)) is not None:
                return answer
            data = await self._answer(request, asked)
        except RefusedError as refused:
            shape = {"code": refused.code, "message": str(refused)}
            return _json(shape, status=refused.status, headers=headers)
        if data is None:
            return web.Response(status=204, headers=headers)
        return _json(data, headers=headers)

    def _fault(self, asked: Asked, headers: dict[str, str]) -> web.Response | None:
        for fault in self.faults:
            if fault.times > 0 and fault.method == asked.method and re.search(fault.path, asked.path):
                fault.times -= 1
                if fault.status == 429:
                    headers["X-RateLimit-Remaining"] = "0"
                    wait = {"message": "Slow down.", "retry_after": fault.retry_after_s, "global": False}
                    return _json(wait, status=429, headers=headers)
                shape = {"code": fault.code, "message": "made to fail"}
                return _json(shape, status=fault.status, headers=headers)
        return None

    async def _answer(self, request: web.Request, asked: Asked) -> Any:
        for method, pattern, answer in self._routes():
            match = re.fullmatch(pattern, asked.path)
            if method == asked.method and match is not None:
                is_open = asked.path.startswith(("/interactions/", "/webhooks/"))
                if not is_open and self._who(request) is None:
                    raise RefusedError(401, 0, "401: Unauthorized")
                return await answer(request, asked, *(int(one) if one.isdigit() else one for one in match.groups()))
        raise RefusedError(404, 0, f"the double knows no {asked.method} {asked.path}")

    def _routes(self) -> list[tuple[str, str, Callable[..., Awaitable[Any]]]]:
        message = r"/channels/(\d+)/messages/(\d+)"
        return [
            ("GET", "/users/@me", self._me),
            ("GET", "/(?:oauth2/)?applications/@me", self._application),
            ("GET", "/gateway(?:/bot)?", self._gateway),
            ("POST", "/users/@me/channels", self._open_direct),
            ("GET", r"/channels/(\d+)", self._channel),
            ("POST", r"/channels/(\d+)/typing", self._type),
            ("GET", r"/channels/(\d+)/messages", self._history),
            ("POST", r"/channels/(\d+)/messages", self._send),
            ("GET", message, self._read),
            ("PATCH", message, self._edit),
            ("DELETE", message, self._delete),
            ("PUT", message + r"/reactions/[^/]+/@me", self._nothing),
            ("GET", r"/guilds/(\d+)/members/(\d+)", self._member),
            ("PUT", r"/applications/\d+/commands", self._set_commands),
            ("GET", r"/applications/\d+/commands", self._get_commands),
            ("POST", r"/interactions/(\d+)/([^/]+)/callback", self._callback),
            *self.hooks.routes(),
            ("POST", r"/webhooks/(\d+)/([^/]+)", self._execute),
            ("PATCH", r"/webhooks/(\d+)/([^/]+)/messages/@original", self._follow_up),
        ]

    def _who(self, request: web.Request) -> Person | None:
        token = request.headers.get("Authorization", "").removeprefix("Bot ")
        return self.world.me if token == self.token else self.world.other_bots.get(token)

    async def _me(self, request: web.Request, _: Asked) -> Payload:
        return self.asker(request).user()

    def asker(self, request: web.Request) -> Person:
        person = self._who(request)
        assert person is not None
        return person

    async def _application(self, request: web.Request, _: Asked) -> Payload:
        me = self.asker(request)
        return {
            "id": str(me.id),
            "name": me.username,
            "icon": None,
            "description": "",
            "bot_public": False,
            "bot_require_code_grant": False,
            "verify_key": "",
            "owner": {"id": str(OWNER), "username": "owner", "discriminator": "0", "avatar": None},
            "flags": 0,
            "team": None,
        }

    async def _gateway(self, *_: Any) -> Payload:
        limit = {"total": 1000, "remaining": 1000 - self.gateway.identified, "reset_after": 1, "max_concurrency": 1}
        return {"url": self.gateway.url, "shards": 1, "session_start_limit": limit}

    async def _open_direct(self, _: web.Request, asked: Asked) -> Payload:
        return self.world.direct_channel(self.world.people[int(asked.body["recipient_id"])])

    async def _channel(self, _: web.Request, __: Asked, channel: int) -> Payload:
        return self._known_channel(channel)

    async def _type(self, _: web.Request, __: Asked, channel: int) -> None:
        self._may_write(channel)
        self.typing.append(channel)

    async def _history(self, request: web.Request, _: Asked, channel: int) -> list[Payload]:
        self._known_channel(channel)
        after, before = int(request.query.get("after", 0)), int(request.query.get("before", 1 << 63))
        limit = int(request.query.get("limit", 50))
        found = [
            one
            for number, one in sorted(self.world.messages.items())
            if int(one["channel_id"]) == channel and after < number < before
        ]
        chosen = found[:limit] if "after" in request.query else found[-limit:]
        return [self._seen(one, self.asker(request)) for one in reversed(chosen)]

    async def _send(self, request: web.Request, asked: Asked, channel: int) -> Payload:
        self._may_write(channel)
        body = asked.body
        self.check(body, asked.files)
        if (again := self._sent_before(request, body)) is not None:
            return again
        more: Payload = {"allowed_mentions": body.get("allowed_mentions"), "nonce": body.get("nonce")}
        more["components"] = body.get("components") or []
        more["embeds"] = body.get("embeds") or []
        more["attachments"] = [
            _attachment(number, name, data) for number, (name, data) in enumerate(asked.files.items())
        ]
        if (reference := body.get("message_reference")) is not None:
            more |= self._answered(reference)
        message = self.world.add_message(channel, self.asker(request), body.get("content") or "", **more)
        self.sent.append({**message, "files": asked.files})
        if self.deaf_after_send:
            # What was sent is on Discord, but whoever sent it never hears of that.
            await asyncio.Event().wait()
        direct = self.world.channels[channel]["type"] == DM
        await self.gateway.tell("MESSAGE_CREATE", self.world.as_event(message), direct=direct)
        return message

    def _sent_before(self, request: web.Request, body: Payload) -> Payload | None:
        """Return the message that was sent with the same nonce, as Discord does for some minutes if asked to."""
        nonce = body.get("nonce")
        if nonce is None or not body.get("enforce_nonce"):
            return None
        assert len(str(nonce)) <= MAX_NONCE_CHARS
        mine = str(self.asker(request).id)
        same = (one for one in self.world.messages.values() if one.get("nonce") == nonce)
        return next((one for one in same if one["author"]["id"] == mine), None)

    async def _read(self, request: web.Request, __: Asked, channel: int, number: int) -> Payload:
        return self._seen(self._known_message(channel, number), self.asker(request))

    async def _edit(self, request: web.Request, asked: Asked, channel: int, number: int) -> Payload:
        message = self._known_message(channel, number)
        if int(message["author"]["id"]) != self.asker(request).id:
            raise RefusedError(403, 50005, "Cannot edit a message authored by another user")
        self.check(asked.body, {})
        message |= {"content": asked.body.get("content") or "", "allowed_mentions": asked.body.get("allowed_mentions")}
        message |= {"components": asked.body.get("components") or [], "edited_timestamp": "2024-05-01T12:00:00+00:00"}
        self.edited.append(dict(message))
        await self.gateway.tell("MESSAGE_UPDATE", self.world.as_event(message))
        return message

    async def _delete(self, _: web.Request, __: Asked, channel: int, number: int) -> None:
        self._known_message(channel, number)
        del self.world.messages[number]
        data = {"id": str(number), "channel_id": str(channel), "guild_id": str(self.world.guild)}
        await self.gateway.tell("MESSAGE_DELETE", data)

    async def _nothing(self, *_: Any) -> None:
        return None

    async def _member(self, _: web.Request, __: Asked, ___: int, number: int) -> Payload:
        person = self.world.people.get(number)
        if person is None:
            raise RefusedError(404, 10007, "Unknown Member")
        return {"user": person.user(), **person.member()}

    async def _set_commands(self, _: web.Request, asked: Asked) -> list[Payload]:
        listed: Any = asked.body
        shape = {"application_id": str(self.world.me.id), "version": "1", "default_member_permissions": None}
        self.commands = [
            {"description": "", **one, **shape, "id": str(900 + number)} for number, one in enumerate(listed)
        ]
        return self.commands

    async def _get_commands(self, *_: Any) -> list[Payload]:
        return self.commands

    async def _callback(self, _: web.Request, asked: Asked, number: int, token: str) -> Payload:
        self.callbacks.append({"interaction": number, "token": token, "files": asked.files, **asked.body})
        shape = {"id": str(number), "type": 2, "response_message_loading": True, "response_message_ephemeral": True}
        return {"interaction": shape, "resource": {"type": asked.body["type"]}}

    async def _execute(self, request: web.Request, asked: Asked, number: int, token: str) -> Payload | None:
        """Answer an interaction, which is done under the bot's own number, or let a webhook write."""
        if number == self.world.me.id or number in {bot.id for bot in self.world.other_bots.values()}:
            return await self._follow_up(request, asked, number, token)
        return await self.hooks.execute(request, asked, number, token)

    async def _follow_up(self, _: web.Request, asked: Asked, __: int, token: str) -> Payload:
        self.callbacks.append({"follow_up": True, "token": token, "files": asked.files, **asked.body})
        channel = next(iter(self.world.channels))
        shape = self.world.add_message(channel, self.world.me, asked.body.get("content") or "")
        self.world.messages.pop(int(shape["id"]))
        return shape

    def _seen(self, message: Payload, me: Person) -> Payload:
        # What the developer portal allows decides here, whatever a connection asked for, and also while there is none.
        return self.world.readable_for(me, message, self.gateway.allowed)

    def _known_channel(self, channel: int) -> Payload:
        if channel not in self.world.channels:
            raise RefusedError(404, 10003, "Unknown Channel")
        if channel in self.missing:
            raise RefusedError(403, 50001, "Missing Access")
        return self.world.channels[channel]

    def _may_write(self, channel: int) -> None:
        self._known_channel(channel)
        if channel in self.world.silenced:
            raise RefusedError(403, 50013, "Missing Permissions")

    def _known_message(self, channel: int, number: int) -> Payload:
        self._known_channel(channel)
        message = self.world.messages.get(number)
        if message is None or int(message["channel_id"]) != channel:
            raise RefusedError(404, 10008, "Unknown Message")
        return message

    def check(self, body: Payload, files: dict[str, bytes]) -> None:
        content = body.get("content") or ""
        if len(content.encode("utf-16-le")) // 2 > LIMIT:
            raise RefusedError(400, 50035, "Invalid Form Body")
        if not content.strip() and not files and not body.get("embeds"):
            raise RefusedError(400, 50006, "Cannot send an empty message")

    def _answered(self, reference: Payload) -> Payload:
        message = self.world.messages.get(int(reference["message_id"]))
        if message is None and reference.get("fail_if_not_exists", True):
            raise RefusedError(400, 50035, "Invalid Form Body: Unknown message")
        if message is None:
            return {}
        return {"type": 19, "message_reference": reference, "referenced_message": message}


def _json(data: Any, *, status: int = 200, headers: dict[str, str]) -> web.Response:
    # The client library looks for this type and no other, without a character set behind it.
    typed = {**headers, "Content-Type": "application/json"}
    return web.Response(body=json.dumps(data).encode(), status=status, headers=typed)


async def _body(request: web.Request) -> tuple[Payload, dict[str, bytes]]:
    """Read JSON, or a form with JSON and files."""
    if request.content_type == "multipart/form-data":
        body: Payload = {}
        files: dict[str, bytes] = {}
        async for part in await request.multipart():
            if isinstance(part, BodyPartReader):
                data = await part.read()
                if part.name == "payload_json":
                    body = json.loads(data)
                else:
                    files[part.filename or "file"] = bytes(data)
        return body, files
    data = await request.read()
    return (json.loads(data) if data else {}), {}


def _attachment(number: int, name: str, data: bytes) -> Payload:
    where = "http://127.0.0.1/nothing"
    return {"id": str(number + 1), "filename": name, "size": len(data), "url": where, "proxy_url": where}
