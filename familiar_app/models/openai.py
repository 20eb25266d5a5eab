"""A model behind an OpenAI-compatible address, as a language model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import httpx

from familiar_app.domain.chat import ChatEvent, ChatRequest, Message, ModelInfo, RequestSent
from familiar_app.domain.contact import MODEL_ENDPOINT
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.text import tr
from familiar_app.models.endpoint import Endpoint, endpoint_address
from familiar_app.models.network import NetworkPolicy, is_loopback
from familiar_app.models.openai_adapt import Adaptations
from familiar_app.models.openai_error import Refusal, backoff_s, read_retry_after, refusal_error
from familiar_app.models.openai_stream import answer_chunks, read_bounded
from familiar_app.models.turnstile import Turnstile
from familiar_app.models.wire import AnswerAssembler, check_request, wire_request, wire_text

DEFAULT_CONTEXT_TOKENS = 8192
_CONNECT_S = 10.0
_MAX_REFUSAL_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Patience:
    """How long each step of a request may take, and how often a refusal is tried again."""

    first_token_s: float = 120.0
    between_tokens_s: float = 60.0
    max_retries: int = 4


class OpenAIModel:
    """Asks an endpoint over HTTP; see `port.LanguageModel`.

    Where an endpoint refuses a form of request it does not know, the request is sent once more without it, and
    `stream` yields a second RequestSent that tells what was sent instead.
    """

    def __init__(
        self,
        network: NetworkPolicy,
        *,
        base_url: str,
        model: str,
        api_key: str | None = None,
        context_tokens: int | None = None,
        patience: Patience | None = None,
        turnstile: Turnstile | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._address = endpoint_address(base_url)
        self._host = urlsplit(self._address).netloc
        self._model = model
        self._configured_context = context_tokens
        self._patience = patience or Patience()
        self._turnstile = turnstile or Turnstile(2)
        self._sleep = sleep
        self._now = now
        self._client = network.client(
            MODEL_ENDPOINT,
            headers={"Authorization": f"Bearer {api_key}"} if api_key else {},
            timeout=httpx.Timeout(
                self._patience.first_token_s, connect=min(_CONNECT_S, self._patience.first_token_s), pool=None
            ),
            limits=httpx.Limits(max_connections=None, keepalive_expiry=30),
        )
        self._endpoint = Endpoint(self._client, self._address, model)
        self._adaptations = Adaptations(local=is_loopback(self._address))
        self._info = ModelInfo(
            provider="openai",
            name=model,
            context_tokens=context_tokens or DEFAULT_CONTEXT_TOKENS,
            local=is_loopback(self._address),
            exact_tokens=False,
            tools="native",
        )

    def __repr__(self) -> str:
        return f"OpenAIModel({self._host!r}, {self._model!r})"

    @property
    def info(self) -> ModelInfo:
        return replace(self._info, tools="text") if self._adaptations.without_tools else self._info

    async def prepare(self) -> ModelInfo:
        try:
            facts = await self._endpoint.explore()
        except httpx.HTTPStatusError as error:
            raise self._error(await self._read_refusal(error.response)) from None
        except httpx.HTTPError as error:
            raise self._transport_error(error) from error
        known = facts.context_tokens
        configured = self._configured_context
        context = min(known, configured) if known and configured else known or configured or DEFAULT_CONTEXT_TOKENS
        self._info = replace(self._info, context_tokens=context, exact_tokens=facts.tokenizes)
        return self._info

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        check_request(request)
        wire = {"model": self._model, **wire_request(request)}
        async with self._turnstile.turn(request.slot):
            started = time.monotonic()
            response: httpx.Response | None = None
            while response is None:
                body = wire_text(self._adaptations.apply(wire))
                yield RequestSent(body)
                response = await self._open(body, wire)
            async with aclosing(self._read(response, started)) as events:
                async for event in events:
                    yield event

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        try:
            return await self._endpoint.count_tokens(texts)
        except httpx.HTTPError as error:
            raise self._transport_error(error) from error

    async def count_prompt_tokens(self, messages: Sequence[Message]) -> int:
        try:
            return await self._endpoint.count_prompt_tokens(messages)
        except httpx.HTTPError as error:
            raise self._transport_error(error) from error

    async def close(self) -> None:
        await self._client.aclose()

    async def _open(self, body: str, wire: dict[str, Any]) -> httpx.Response | None:
        """Send until an answer begins; None where the request has to take another form first."""
        attempt = 0
        while True:
            response = await self._send(body)
            if response.status_code == 200:
                return response
            refusal = await self._read_refusal(response)
            if self._adaptations.learn(refusal, wire):
                return None
            if not refusal.retried or attempt >= self._patience.max_retries:
                raise self._error(refusal)
            await self._sleep(backoff_s(attempt, refusal))
            attempt += 1

    async def _send(self, body: str) -> httpx.Response:
        request = self._client.build_request(
            "POST",
            f"{self._address}/chat/completions",
            content=body.encode(),
            headers={"Content-Type": "application/json", "Accept": "text/event-stream"},
        )
        try:
            return await self._client.send(request, stream=True)
        except httpx.RemoteProtocolError:
            # A kept connection that the server has closed meanwhile shows only now; a new one decides.
            try:
                return await self._client.send(request, stream=True)
            except httpx.HTTPError as error:
                raise self._transport_error(error) from error
        except httpx.HTTPError as error:
            raise self._transport_error(error) from error

    async def _read(self, response: httpx.Response, started: float) -> AsyncGenerator[ChatEvent, None]:
        assembler = AnswerAssembler()
        first_ms: float | None = None
        chunks = answer_chunks(
            response,
            first_s=self._patience.first_token_s,
            between_s=self._patience.between_tokens_s,
            host=self._host,
        )
        async with aclosing(chunks):
            async for chunk in chunks:
                self._raise_error_in(chunk)
                for event in assembler.feed(chunk):
                    first_ms = (time.monotonic() - started) * 1000 if first_ms is None else first_ms
                    yield event
        if assembler.finish is None:
            raise OutsideError(
                tr("The answer from {host} broke off.", host=self._host), tr("Try again."), retryable=True
            )
        for event in assembler.end(first_token_ms=first_ms, total_ms=(time.monotonic() - started) * 1000):
            yield event

    def _raise_error_in(self, chunk: object) -> None:
        error = chunk.get("error") if isinstance(chunk, dict) else None
        if error:
            code = error.get("code") if isinstance(error, dict) else None
            raise self._error(Refusal(code if isinstance(code, int) else 500, wire_text({"error": error})))

    async def _read_refusal(self, response: httpx.Response) -> Refusal:
        retry_after_s = read_retry_after(response.headers, self._now())
        try:
            text, _ = await read_bounded(response, _MAX_REFUSAL_BYTES)
        except httpx.HTTPError:
            # The status alone says enough.
            text = b""
        finally:
            await response.aclose()
        return Refusal(response.status_code, text.decode("utf-8", "replace"), retry_after_s)

    def _error(self, refusal: Refusal) -> OutsideError:
        return refusal_error(refusal, host=self._host, model=self._model, context_tokens=self._info.context_tokens)

    def _transport_error(self, error: httpx.HTTPError) -> OutsideError:
        if isinstance(error, httpx.ConnectTimeout | httpx.ConnectError):
            next_step = tr("Check the connection.")
            if self._info.local:
                next_step = tr("Start the server, or check the address.")
            return OutsideError(tr("No connection to {host}.", host=self._host), next_step, retryable=True)
        if isinstance(error, httpx.TimeoutException):
            return OutsideError(
                tr("{host} did not answer in time.", host=self._host), tr("Try again later."), retryable=True
            )
        return OutsideError(tr("The connection to {host} broke.", host=self._host), tr("Try again."), retryable=True)
