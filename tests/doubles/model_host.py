"""A host of model files on loopback, as the Hub is one, that can be made to misbehave in every way a host can."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tests.doubles.waiting import until


def model_bytes(size: int = 300_000, seed: int = 1) -> bytes:
    """Return a file whose header says that it is a GGUF model, and which differs by its seed."""
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, 1)
    key, value = b"general.architecture", b"llama"
    head += struct.pack("<Q", len(key)) + key + struct.pack("<IQ", 8, len(value)) + value
    unit = hashlib.sha256(bytes([seed])).digest()
    return (head + unit * (size // 32 + 1))[:size]


@dataclass
class ModelHost:
    """Serves `data` at /model.gguf. What is set here holds for every request until it is changed.

    `break_after` ends an answer after so many of its bytes, `stall_after` says nothing more from there on, each as
    often as `times` says. `refusals` are statuses that are given first, each once. With `redirect_linked` it tells size
    and checksum beside the redirect, as the Hub does.
    """

    data: bytes = field(default_factory=model_bytes)
    port: int = 0
    linked: bool = True
    with_etag: bool = False
    ranges: bool = True
    break_after: int | None = None
    stall_after: int | None = None
    times: int = 1
    refusals: list[int] = field(default_factory=list)
    retry_after: str = ""
    claimed_size: int | None = None
    claimed_sha256: str = ""
    redirect: str = ""
    redirect_linked: bool = False
    head_status: int = 0
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    sent: int = 0
    after_head: bytes | None = None
    _running: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/model.gguf"

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    def asked(self, method: str) -> list[dict[str, str]]:
        return [headers for verb, headers in self.requests if verb == method]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._running += 1
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            first, *lines = head.strip().split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            method = first.split()[0]
            self.requests.append((method, headers))
            await self._answer(method, headers, reader, writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
            self._running -= 1

    async def _answer(
        self, method: str, headers: dict[str, str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if self.redirect:
            facts = self._facts() if self.redirect_linked else {}
            writer.write(self._head(302, 0, {"Location": self.redirect, **facts}))
        elif self.refusals and method == "GET":
            extra = {"Retry-After": self.retry_after} if self.retry_after else {}
            writer.write(self._head(self.refusals.pop(0), 0, extra))
        elif method == "HEAD":
            writer.write(self._head(self.head_status or 200, self.claimed_size or len(self.data), self._facts()))
            if self.after_head is not None:
                self.data, self.after_head = self.after_head, None
        else:
            await self._give(headers, reader, writer)

    async def _give(self, headers: dict[str, str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        start, facts = 0, self._facts()
        wanted = headers.get("range", "")
        same = headers.get("if-range") in (None, facts.get("ETag"))
        if wanted and self.ranges and same:
            start = int(wanted.removeprefix("bytes=").rstrip("-"))
            facts["Content-Range"] = f"bytes {start}-{len(self.data) - 1}/{len(self.data)}"
        body = self.data[start:]
        writer.write(self._head(206 if "Content-Range" in facts else 200, len(body), facts))
        cut = self.break_after if self.break_after is not None else self.stall_after
        if cut is not None and self.times > 0 and cut < len(body):
            self.times -= 1
            self.sent += cut
            writer.write(body[:cut])
            await writer.drain()
            if self.stall_after is not None:
                await reader.read()
            return
        self.sent += len(body)
        writer.write(body)

    def _facts(self) -> dict[str, str]:
        facts = {"Accept-Ranges": "bytes"} if self.ranges else {}
        if self.linked:
            facts["X-Linked-Size"] = str(self.claimed_size or len(self.data))
            facts["X-Linked-ETag"] = f'"{self.claimed_sha256 or self.sha256}"'
        if self.with_etag:
            facts["ETag"] = f'"v-{self.sha256[:8]}"'
        return facts

    @staticmethod
    def _head(status: int, size: int, headers: dict[str, str]) -> bytes:
        lines = [f"HTTP/1.1 {status} X", f"Content-Length: {size}", "Connection: close"]
        return "\r\n".join([*lines, *(f"{name}: {value}" for name, value in headers.items())]).encode() + b"\r\n\r\n"


@asynccontextmanager
async def model_host() -> AsyncIterator[ModelHost]:
    """Run one until the block ends."""
    host = ModelHost()
    listening = await asyncio.start_server(host._serve, "127.0.0.1", 0)
    host.port = listening.sockets[0].getsockname()[1]
    try:
        yield host
    finally:
        listening.close()
        await until(lambda: not host._running)
