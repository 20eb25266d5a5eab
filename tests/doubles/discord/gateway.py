"""The gateway of the make-believe Discord: sessions that can be resumed, heartbeats, compression, close codes."""

from __future__ import annotations

import json
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

from tests.doubles.discord.world import Person, World

DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT, INVALID, HELLO, ACK = 0, 1, 2, 6, 7, 9, 10, 11
BAD_TOKEN, BAD_INTENTS = 4004, 4014
PRIVILEGED = (1 << 1) | (1 << 8) | (1 << 15)
_INTENT_OF = {
    "GUILD_CREATE": 1 << 0, "CHANNEL_UPDATE": 1 << 0, "THREAD_CREATE": 1 << 0, "GUILD_MEMBER_UPDATE": 1 << 1,
    "GUILD_MEMBER_ADD": 1 << 1, "MESSAGE_CREATE": 1 << 9, "MESSAGE_UPDATE": 1 << 9, "MESSAGE_DELETE": 1 << 9,
    "MESSAGE_DELETE_BULK": 1 << 9, "MESSAGE_REACTION_ADD": 1 << 10, "MESSAGE_REACTION_REMOVE": 1 << 10,
    "MESSAGE_REACTION_REMOVE_ALL": 1 << 10, "TYPING_START": 1 << 11,
}  # fmt: skip
_DIRECT_SHIFT = 3


@dataclass
class Session:
    """What one client was told since it identified, so that it can be told again."""

    name: str
    intents: int
    me: Person
    sent: list[dict[str, Any]] = field(default_factory=list)
    socket: _Socket | None = None

    async def dispatch(self, event: str, data: Any) -> None:
        """Number an event, keep it, and send it where somebody listens."""
        frame = {"op": DISPATCH, "t": event, "s": len(self.sent) + 1, "d": data}
        self.sent.append(frame)
        if self.socket is not None:
            await self.socket.send(frame)

    def wants(self, event: str, *, direct: bool) -> bool:
        intent = _INTENT_OF.get(event)
        return intent is None or bool(self.intents & (intent << _DIRECT_SHIFT if direct else intent))


class _Socket:
    """One connection, with the compression that was asked for."""

    def __init__(self, socket: web.WebSocketResponse, *, compressed: bool) -> None:
        self._socket = socket
        self._deflate = zlib.compressobj() if compressed else None

    async def send(self, frame: dict[str, Any]) -> None:
        text = json.dumps(frame)
        if self._socket.closed:
            return
        if self._deflate is None:
            with suppress(ConnectionError):
                await self._socket.send_str(text)
            return
        data = self._deflate.compress(text.encode()) + self._deflate.flush(zlib.Z_SYNC_FLUSH)
        # In two pieces, as Discord may send them: a client has to wait for the end of a frame.
        with suppress(ConnectionError):  # It may have been cut meanwhile; the event is kept for the next connection.
            for piece in (data[: len(data) // 2], data[len(data) // 2 :]):
                await self._socket.send_bytes(piece)

    async def close(self, code: int) -> None:
        await self._socket.close(code=code)

    def cut(self) -> None:
        """End the connection without a word, as a network does."""
        if (transport := self._socket._req.transport if self._socket._req else None) is not None:
            transport.abort()


@dataclass
class Gateway:
    """All sessions. `allowed` are the privileged intents switched on in the make-believe developer portal."""

    world: World
    token: str
    allowed: int = PRIVILEGED
    heartbeat_ms: int = 41_250
    url: str = ""
    sessions: dict[str, Session] = field(default_factory=dict)
    identified: int = 0
    resumed: int = 0
    heartbeats: int = 0
    refuse_with: int | None = None

    async def handle(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        line = _Socket(socket, compressed=request.query.get("compress") == "zlib-stream")
        session: Session | None = None
        await line.send({"op": HELLO, "d": {"heartbeat_interval": self.heartbeat_ms}})
        try:
            async for message in socket:
                if message.type is not WSMsgType.TEXT:
                    continue
                frame = json.loads(message.data)
                if frame["op"] == HEARTBEAT:
                    self.heartbeats += 1
                    await line.send({"op": ACK})
                elif frame["op"] == IDENTIFY:
                    session = await self._identify(line, frame["d"])
                elif frame["op"] == RESUME:
                    session = await self._resume(line, frame["d"])
        finally:
            if session is not None and session.socket is line:
                session.socket = None
        return socket

    def who(self, token: str) -> Person | None:
        """Return whose token it is."""
        return self.world.me if token == self.token else self.world.other_bots.get(token)

    async def tell(self, event: str, data: Any, *, direct: bool = False) -> None:
        """Send an event to every session that asked for its kind."""
        for session in list(self.sessions.values()):
            if session.wants(event, direct=direct):
                if event == "MESSAGE_CREATE":
                    await session.dispatch(event, self.world.readable_for(session.me, data, session.intents))
                else:
                    await session.dispatch(event, data)

    async def close_all(self, code: int) -> None:
        """Close every connection with a code of Discord's."""
        for session in list(self.sessions.values()):
            if session.socket is not None:
                await session.socket.close(code)

    def cut_all(self) -> None:
        """Let every connection break."""
        for session in self.sessions.values():
            if session.socket is not None:
                session.socket.cut()

    def forget_sessions(self) -> None:
        """Let no session be resumed any more."""
        self.sessions.clear()

    async def ask_to_reconnect(self) -> None:
        """Ask every client to connect again, as Discord does before it restarts a machine."""
        for session in list(self.sessions.values()):
            if session.socket is not None:
                await session.socket.send({"op": RECONNECT, "d": None})

    async def _identify(self, line: _Socket, data: dict[str, Any]) -> Session | None:
        self.identified += 1
        me = self.who(data["token"])
        if self.refuse_with is not None or me is None:
            await line.close(self.refuse_with or BAD_TOKEN)
            return None
        if data["intents"] & PRIVILEGED & ~self.allowed:
            await line.close(BAD_INTENTS)
            return None
        session = Session(f"session-{self.identified}", data["intents"], me, socket=line)
        self.sessions[session.name] = session
        guild = self.world.guild_payload(me)
        ready = {
            "v": 10,
            "user": me.user(),
            "guilds": [{"id": guild["id"], "unavailable": True}],
            "session_id": session.name,
            "resume_gateway_url": self.url,
            "application": {"id": str(me.id), "flags": 0},
        }
        await session.dispatch("READY", ready)
        await session.dispatch("GUILD_CREATE", guild)
        return session

    async def _resume(self, line: _Socket, data: dict[str, Any]) -> Session | None:
        session = self.sessions.get(data["session_id"])
        if session is None:
            await line.send({"op": INVALID, "d": False})
            return None
        self.resumed += 1
        for frame in session.sent[data["seq"] :]:
            await line.send(frame)
        session.socket = line
        await session.dispatch("RESUMED", {})
        return session
