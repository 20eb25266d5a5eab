"""Reads the chunks of an answer out of an HTTP response, with a limit on every wait."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress

import httpx

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.text import tr
from familiar_app.models.sse import MAX_STREAM_BYTES, SseParser, SseTooLargeError
from familiar_app.models.wire import parse_chunk

_DONE = "[DONE]"
# Behind the last event the connection needs a moment to come to its end and be of use again.
_GRACE_S = 0.02


async def answer_chunks(
    response: httpx.Response, *, first_s: float, between_s: float, host: str
) -> AsyncGenerator[object, None]:
    """Yield each chunk as parsed JSON and close the response at the end.

    Raises OutsideError: too slow (what keeps the connection alive does not count as an answer), broken, too large, or
    no answer of a model at all.
    """
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        if kind in ("application/json", "text/json"):
            async with asyncio.timeout(first_s):
                whole, cut = await read_bounded(response, MAX_STREAM_BYTES)
            if cut:
                raise SseTooLargeError
            yield parse_chunk(whole.decode("utf-8", "replace"))
            return
        if kind.startswith("text/html"):
            raise _not_a_model(host)
        async with aclosing(_events(response, first_s, between_s)) as events:
            async for data in events:
                yield parse_chunk(data)
    except TimeoutError:
        raise OutsideError(
            tr("{host} did not answer in time.", host=host), tr("Try again later."), retryable=True
        ) from None
    except httpx.TimeoutException:
        raise OutsideError(
            tr("{host} did not answer in time.", host=host), tr("Try again later."), retryable=True
        ) from None
    except httpx.HTTPError as error:
        raise OutsideError(
            tr("The answer from {host} broke off.", host=host), tr("Try again."), retryable=True
        ) from error
    except SseTooLargeError:
        raise OutsideError(
            tr("The answer from {host} is too large.", host=host), tr("Choose another model or server.")
        ) from None
    finally:
        await response.aclose()


async def _events(response: httpx.Response, first_s: float, between_s: float) -> AsyncGenerator[str, None]:
    parser = SseParser()
    loop = asyncio.get_running_loop()
    deadline = loop.time() + first_s
    async with body_parts(response) as parts:
        while True:
            async with asyncio.timeout_at(deadline):
                part = await _next(parts)
            events = parser.feed(part) if part is not None else parser.end()
            for data in events:
                if data.strip() == _DONE:
                    return
                yield data
            if part is None:
                return
            if events:
                deadline = loop.time() + between_s


@asynccontextmanager
async def body_parts(response: httpx.Response) -> AsyncGenerator[AsyncIterator[bytes], None]:
    """Give the body's pieces, and end the reading in order where it is left before its end.

    Closing the outermost of httpx's nested generators leaves the inner ones to the garbage collector, which ends them
    in tasks of its own, some time. An expired time-out inside the innermost one ends them all, now.
    """
    parts = response.aiter_bytes()
    try:
        yield parts
    finally:
        with suppress(TimeoutError, StopAsyncIteration, httpx.HTTPError, httpx.StreamError):
            async with asyncio.timeout(_GRACE_S):
                while True:
                    await anext(parts)
        await response.aclose()


async def read_bounded(response: httpx.Response, limit_bytes: int) -> tuple[bytes, bool]:
    """Return the body up to a limit, and whether there was more."""
    data = b""
    async with body_parts(response) as parts:
        async for part in parts:
            data += part
            if len(data) > limit_bytes:
                return data[:limit_bytes], True
    return data, False


async def _next(parts: AsyncIterator[bytes]) -> bytes | None:
    try:
        return await anext(parts)
    except StopAsyncIteration:
        return None


def _not_a_model(host: str) -> OutsideError:
    return OutsideError(
        tr("{host} answered with a web page.", host=host), tr("Check the address; it often ends in /v1.")
    )
