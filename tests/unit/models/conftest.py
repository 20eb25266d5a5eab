"""A loopback HTTP server that answers exactly what a test tells it to, byte for byte."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.doubles.waiting import until

Answer = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass
class HttpDouble:
    """Gives its answers in order, the last one again and again, and keeps what it was asked."""

    port: int = 0
    answers: list[Answer] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    open: int = 0
    running: int = 0
    most_open: int = 0
    readers: dict[asyncio.StreamWriter, asyncio.StreamReader] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.running += 1
        self.open += 1
        self.most_open = max(self.open, self.most_open)
        self.readers[writer] = reader
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            sizes = [line.split(":")[1] for line in head.split("\r\n") if line.lower().startswith("content-length")]
            body = await reader.readexactly(int(sizes[0])) if sizes else b""
            self.heads.append(head)
            self.bodies.append(body)
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            if isinstance(answer, bytes):
                writer.write(answer)
            else:
                await answer(writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.open -= 1
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
            self.running -= 1

    async def until_left(self, writer: asyncio.StreamWriter) -> None:
        """Say nothing until whoever asked has gone."""
        await self.readers[writer].read()

    @staticmethod
    def reply(status: int, body: Any = "", *, kind: str = "application/json", **headers: str) -> bytes:
        data = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
        lines = [f"HTTP/1.1 {status} X", f"Content-Type: {kind}", f"Content-Length: {len(data)}", "Connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + data

    @classmethod
    def events(cls, *chunks: Any, done: bool = True) -> bytes:
        """Return a whole streamed answer; a chunk that is a text is sent as it is, as a line."""
        lines = [chunk if isinstance(chunk, str) else f"data: {json.dumps(chunk)}" for chunk in chunks]
        text = "".join(f"{line}\n\n" for line in [*lines, *(["data: [DONE]"] if done else [])])
        return cls.reply(200, text, kind="text/event-stream")


@pytest.fixture
async def server() -> AsyncIterator[HttpDouble]:
    double = HttpDouble()
    listening = await asyncio.start_server(double.serve, "127.0.0.1", 0)
    double.port = listening.sockets[0].getsockname()[1]
    yield double
    listening.close()
    await until(lambda: not double.running)
