"""Fetches a model's file: resumes what was begun, checks size and checksum, and puts it in place in one step."""

from __future__ import annotations

import asyncio
import logging
import shutil
import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import ParamSpec, TypeVar

import httpx

from familiar_app.domain.contact import FETCHING_MODELS
from familiar_app.domain.errors import FamiliarError, OutsideError
from familiar_app.domain.model_catalogue import ModelSource, needed_memory
from familiar_app.domain.text import tr
from familiar_app.models.download_part import PartFile, digest
from familiar_app.models.download_progress import Fetched, Pace, Persistence, Progress
from familiar_app.models.download_remote import (
    RemoteFile,
    RetryableRefusalError,
    ask_remote,
    open_redirected,
    refused,
    start_of_range,
    whole_size,
)
from familiar_app.models.download_room import TooLittleMemoryError, TooLittleRoomError
from familiar_app.models.llama_fit import built_in_memory_bytes, read_model_file
from familiar_app.models.network import NetworkPolicy, trusted_certificates
from familiar_app.models.openai_error import Refusal, backoff_s

SPARE_BYTES = 512 * 1024 * 1024
_PIECE_BYTES = 1024 * 1024
_MOST_CHANGES = 3
P = ParamSpec("P")
T = TypeVar("T")
log = logging.getLogger(__name__)


class _ChangedError(Exception):
    """The host has another file now than the one that was begun."""


class Download:
    """One file, fetched once. `report` hears of every step, the host before it is connected to."""

    def __init__(
        self,
        network: NetworkPolicy,
        folder: Path,
        source: ModelSource,
        report: Callable[[Progress], object] = lambda _: None,
        persistence: Persistence | None = None,
        free_bytes: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free,
        check_memory: bool = True,
    ) -> None:
        self._network, self._folder, self._source = network, folder, source
        self._report, self._persistence, self._free_bytes = report, persistence or Persistence(), free_bytes
        self._check_memory = check_memory
        self._progress = Progress("asking", source.host)
        self._pace = Pace()

    async def run(self) -> Fetched:
        """Fetch the file. What came so far stays where it is cancelled or fails, and the next run goes on from there.

        Raises RefusedByLocalOnlyError, UserError (it is here, or being fetched already) or OutsideError.
        """
        target = self._folder / self._source.file
        self._network.check(self._source.url)
        if await asyncio.to_thread(target.exists):
            size = (await asyncio.to_thread(target.stat)).st_size
            return Fetched(target, size, "", checked=False, was_here=True)
        await asyncio.to_thread(trusted_certificates)
        part = await asyncio.to_thread(PartFile, self._folder, self._source.file)
        timeout = httpx.Timeout(self._persistence.silence_s, connect=min(20.0, self._persistence.silence_s))
        try:
            async with self._network.client(FETCHING_MODELS, timeout=timeout) as client:
                remote = await self._fetched(client, part)
            return await self._finish(part, remote)
        finally:
            await asyncio.to_thread(part.close)

    async def _fetched(self, client: httpx.AsyncClient, part: PartFile) -> RemoteFile:
        """Bring all bytes here, however often the connection breaks, and return what they have to be."""
        failures, changes, remote, had = 0, 0, None, part.size_bytes
        while True:
            try:
                if remote is None:
                    remote = await self._begin(client, part)
                await self._stream(client, part, remote)
            except _ChangedError:
                # Asked anew: size and checksum are others by now.
                remote, failures, changes = None, failures + 1, changes + 1
                await asyncio.to_thread(part.begin_at, 0)
                error: FamiliarError = OutsideError(
                    tr("The file at {host} changes while it is fetched.", host=self._source.host),
                    tr("Try again later."),
                    retryable=True,
                )
                if changes > _MOST_CHANGES:
                    raise error from None
            except httpx.HTTPError as broken:
                failures, error = failures + 1, _connection_error(self._progress.host, broken)
            except RetryableRefusalError as refusal:
                if not refusal.refusal.retried:
                    raise
                failures, error = failures + 1, refusal
            else:
                return remote
            now = await asyncio.to_thread(lambda: part.size_bytes)
            if now > had:
                failures, had = 1, now
            if failures > self._persistence.max_retries:
                raise error
            await self._wait(failures - 1, error)

    async def _begin(self, client: httpx.AsyncClient, part: PartFile) -> RemoteFile:
        remote = await ask_remote(client, self._source.url, lambda host: self._tell(phase="asking", host=host))
        if not await asyncio.to_thread(part.fits, remote):
            await asyncio.to_thread(part.begin_at, 0)
        await asyncio.to_thread(self._check_room, part, remote)
        await asyncio.to_thread(part.note, remote)
        return remote

    def _check_room(self, part: PartFile, remote: RemoteFile) -> None:
        whole = remote.size_bytes or self._source.about_bytes or 0
        memory, built_in = needed_memory(whole, self._source.cache_bytes_per_token), built_in_memory_bytes()
        if self._check_memory and built_in is not None and memory > built_in:
            raise TooLittleMemoryError(memory, built_in)
        needed = whole - part.size_bytes
        free = self._free_bytes(self._folder)
        if needed + SPARE_BYTES > free:
            raise TooLittleRoomError(needed, free)

    async def _stream(self, client: httpx.AsyncClient, part: PartFile, remote: RemoteFile) -> None:
        """Fetch what is missing. Raises _ChangedError, httpx.HTTPError or OutsideError."""
        at = await asyncio.to_thread(lambda: part.size_bytes) if remote.resumable else 0
        if at and at == remote.size_bytes:
            return
        headers = {"Accept-Encoding": "identity"}
        if at:
            headers["Range"] = f"bytes={at}-"
            if remote.version is not None:
                headers["If-Range"] = remote.version
        told = lambda host: self._tell(phase="fetching", host=host)  # noqa: E731 - it is only handed on
        response = await open_redirected(client, "GET", remote.url, headers, told)
        try:
            start, size = self._accepted(response, at)
            if remote.size_bytes is not None and size is not None and size != remote.size_bytes:
                raise _ChangedError
            await asyncio.to_thread(part.begin_at, start)
            await self._take(response, part, start, remote.size_bytes if size is None else size)
        finally:
            await response.aclose()

    @staticmethod
    def _accepted(response: httpx.Response, at: int) -> tuple[int, int | None]:
        """Return where the answer's bytes belong and how large the whole is."""
        if response.status_code == 206 and at:
            start, size = start_of_range(response)
            if start != at:
                raise _ChangedError
            return start, size
        if response.status_code == 416:
            raise _ChangedError
        if response.status_code != 200:
            raise refused(response)
        return 0, whole_size(response)

    async def _take(self, response: httpx.Response, part: PartFile, done: int, size: int | None) -> None:
        self._pace = Pace()
        self._count(done, size)
        held = bytearray()
        try:
            async with aclosing(response.aiter_raw()) as pieces:  # type: ignore[type-var]
                async for piece in pieces:
                    if size is not None and done + len(piece) > size:
                        raise OutsideError(
                            tr("{host} sends more than it said.", host=response.url.host),
                            tr("Choose another address for this model."),
                        )
                    done += len(piece)
                    held += piece
                    if len(held) >= _PIECE_BYTES:
                        data, held = bytes(held), bytearray()
                        await _to_its_end(part.write, data)
                    self._count(done, size)
        finally:
            # What came before the connection broke is worth keeping.
            await _to_its_end(part.write, bytes(held))
        await _to_its_end(part.flush)
        if size is not None and done < size:
            raise httpx.RemoteProtocolError("the answer ended early")

    async def _finish(self, part: PartFile, remote: RemoteFile) -> Fetched:
        """Check what is on the disk and put it in its place."""
        size = await asyncio.to_thread(lambda: part.size_bytes)
        self._tell(phase="checking", done_bytes=0, total_bytes=size, bytes_per_s=0.0)
        sha256 = await self._hashed(part)
        if remote.sha256 is not None and sha256 != remote.sha256:
            await asyncio.to_thread(part.discard)
            raise OutsideError(
                tr(
                    "The file from {host} is not the one that was promised: its checksum is wrong.",
                    host=self._source.host,
                ),
                tr("Fetch it again. If that does not help, choose another model."),
                retryable=True,
            )
        try:
            await asyncio.to_thread(read_model_file, part.path)
        except FamiliarError as error:
            await asyncio.to_thread(part.discard)
            raise OutsideError(
                tr("What {host} sent is no model that can be used.", host=self._source.host),
                tr("Check the address in a browser."),
            ) from error
        await asyncio.to_thread(part.finish)
        self._tell(phase="done", done_bytes=size, total_bytes=size)
        log.info("a model was fetched: %d bytes, checked: %s", size, remote.sha256 is not None)
        return Fetched(part.target, size, sha256, checked=remote.sha256 is not None)

    async def _hashed(self, part: PartFile) -> str:
        stopped = False
        loop = asyncio.get_running_loop()

        def hashed(done: int) -> None:
            if stopped:
                raise OutsideError(tr("The check was stopped."))
            loop.call_soon_threadsafe(lambda: self._tell(done_bytes=done))

        running = asyncio.ensure_future(asyncio.to_thread(digest, part.pieces(), hashed))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            stopped = True
            await asyncio.wait([running])
            running.exception()
            raise

    async def _wait(self, attempt: int, error: FamiliarError) -> None:
        refusal = error.refusal if isinstance(error, RetryableRefusalError) else Refusal(503, "")
        self._tell(phase="waiting", bytes_per_s=0.0)
        log.info("a download broke off and is tried again: %s", error.public)
        await self._persistence.sleep(backoff_s(attempt, refusal))

    def _count(self, done: int, size: int | None) -> None:
        rate = self._pace.rate(time.monotonic(), done)
        self._tell(phase="fetching", done_bytes=done, total_bytes=size, bytes_per_s=rate)

    def _tell(self, **changes: object) -> None:
        self._progress = replace(self._progress, **changes)  # type: ignore[arg-type]
        self._report(self._progress)


async def _to_its_end(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run `work` in a thread. Where the waiting is cancelled, it ends all the same only when `work` is done."""
    running = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        raise


def _connection_error(host: str, error: httpx.HTTPError) -> OutsideError:
    if isinstance(error, httpx.TimeoutException):
        return OutsideError(
            tr("{host} says nothing any more.", host=host),
            tr("Try again; what came so far is kept and gone on from."),
            retryable=True,
        )
    if isinstance(error, httpx.ConnectError):
        return OutsideError(
            tr("{host} cannot be reached.", host=host), tr("Check the network, then try again."), retryable=True
        )
    return OutsideError(
        tr("The connection to {host} broke off.", host=host),
        tr("Try again; what came so far is kept and gone on from."),
        retryable=True,
    )
