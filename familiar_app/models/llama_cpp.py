"""A GGUF model in a worker process, as a language model."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from familiar_app.domain.chat import ChatEvent, ChatRequest, Message, ModelInfo, RequestSent
from familiar_app.domain.errors import BadInputError, OutsideError
from familiar_app.domain.text import tr
from familiar_app.models.llama_fit import DEFAULT_CONTEXT_TOKENS, choose_context
from familiar_app.models.llama_host import HostOptions, HostPool
from familiar_app.models.llama_process import WorkerGoneError, WorkerProcess
from familiar_app.models.llama_worker.frames import Frame
from familiar_app.models.llama_worker.gguf import GgufHeader
from familiar_app.models.wire import (
    AnswerAssembler,
    check_request,
    parse_chunk,
    whole_text,
    wire_messages,
    wire_request,
    wire_text,
)

_COUNT_TIMEOUT_S = 120.0
_KEPT_COUNTS = 20_000
_ENGINE_OPTIONS = {"id_slot": 0, "cache_prompt": True, "return_progress": True}


class LlamaCppModel:
    """Answers with llama.cpp in a child process; see `port.LanguageModel`.

    `header` is what the file says of itself, None where it could not be read yet.
    """

    def __init__(
        self,
        pool: HostPool,
        options: HostOptions,
        *,
        header: GgufHeader | None = None,
        name: str | None = None,
        weak: bool = False,
        silence_s: float = 300.0,
    ) -> None:
        self._pool = pool
        self._host = pool.take(options)
        self._silence_s = silence_s
        self._counts: OrderedDict[str, int] = OrderedDict()
        self._closed = False
        self._info = ModelInfo(
            provider="llama_cpp",
            name=name or options.path.stem,
            context_tokens=_expected_context(header, options.context_tokens),
            local=True,
            exact_tokens=True,
            weak=weak,
            tools="asked" if weak else "text",
            goes_on=options.engine != "llama_cpp",
        )

    @property
    def info(self) -> ModelInfo:
        fit = self._host.fit
        if fit is None or fit.context_tokens == self._info.context_tokens:
            return self._info
        return replace(self._info, context_tokens=fit.context_tokens)

    async def prepare(self) -> ModelInfo:
        with self._host.in_use():
            await self._host.ready()
        return self.info

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        check_request(request)
        body = wire_text({**wire_request(request), **_ENGINE_OPTIONS, **_prefilled(request)})
        yield RequestSent(body)
        started = time.monotonic()
        with self._host.in_use():
            async with self._host.turnstile.turn(request.slot), aclosing(self._answer(body, started)) as events:
                async for event in events:
                    yield event

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        missing = list(dict.fromkeys(text for text in texts if text not in self._counts))
        found: dict[str, int] = {}
        if missing:
            answer = await self._ask("count", texts=[whole_text(text) for text in missing])
            found = dict(zip(missing, answer, strict=True))
        counts = [found[text] if text in found else self._counts[text] for text in texts]
        self._keep(found)
        return counts

    async def count_prompt_tokens(self, messages: Sequence[Message]) -> int:
        counts = await self._ask("count_prompt", messages=wire_messages(messages))
        return counts[0]

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._counts.clear()
            await self._pool.give_back(self._host)

    async def _answer(self, body: str, started: float) -> AsyncGenerator[ChatEvent, None]:
        process = await self._host.ready()
        assembler = AnswerAssembler()
        first_ms: float | None = None
        try:
            async with aclosing(process.chat(body, silence_s=self._silence_s)) as frames:
                async for frame in frames:
                    self._raise_error(frame)
                    for chunk in frame.get("chunks", ()):
                        for event in assembler.feed(parse_chunk(chunk)):
                            first_ms = _ms_since(started) if first_ms is None else first_ms
                            yield event
        except TimeoutError:
            self._host.drop(process)
            raise _silent() from None
        for event in assembler.end(first_token_ms=first_ms, total_ms=_ms_since(started)):
            yield event

    async def _ask(self, op: str, **fields: Any) -> list[int]:
        with self._host.in_use():
            process = await self._host.ready()
            try:
                frame = await process.ask(op, timeout_s=_COUNT_TIMEOUT_S, **fields)
            except WorkerGoneError:
                # Counting is harmless, so a worker that has just died is worth one more.
                process = await self._host.ready()
                frame = await self._ask_again(process, op, fields)
            except TimeoutError:
                self._host.drop(process)
                raise _silent() from None
        self._raise_error(frame)
        counts: list[int] = frame["counts"]
        return counts

    async def _ask_again(self, process: WorkerProcess, op: str, fields: dict[str, Any]) -> Frame:
        try:
            return await process.ask(op, timeout_s=_COUNT_TIMEOUT_S, **fields)
        except TimeoutError:
            self._host.drop(process)
            raise _silent() from None

    def _keep(self, found: dict[str, int]) -> None:
        self._counts.update(found)
        while len(self._counts) > _KEPT_COUNTS:
            self._counts.popitem(last=False)

    def _raise_error(self, frame: Frame) -> None:
        error = frame.get("error")
        if error is None:
            return
        if error["code"] == "overflow":
            raise context_overflow(error.get("prompt_tokens"), self.info.context_tokens)
        if error["code"] == "refused":
            raise OutsideError(
                tr("The model's engine refused the request."),
                tr("A tool or an answer's form may be more than it can do."),
            )
        raise OutsideError(tr("The model's engine failed to answer."), tr("Try again."), retryable=True)


def _prefilled(request: ChatRequest) -> dict[str, Any]:
    """Let an answer go on where a last message of the assistant ends: the engine refuses that to models that think."""
    goes_on = request.messages[-1].role == "assistant"
    return {"chat_template_kwargs": {"enable_thinking": False}} if goes_on else {}


def context_overflow(prompt_tokens: int | None, context_tokens: int) -> OutsideError:
    """Return the error for a prompt that is longer than the model's context."""
    holds = str(context_tokens)
    text = tr("The prompt is too long, and the model's context holds {holds} with the answer.", holds=holds)
    if prompt_tokens is not None:
        text = tr(
            "The prompt has {length} tokens, and the model's context holds {holds} with the answer.",
            length=str(prompt_tokens),
            holds=holds,
        )
    return OutsideError(
        text,
        tr("Lower the budgets of the prompt, or choose a model with a larger context."),
    )


def _expected_context(header: GgufHeader | None, asked: int | None) -> int:
    if header is None:
        return asked or DEFAULT_CONTEXT_TOKENS
    try:
        return choose_context(header, asked)
    except BadInputError:
        # `prepare` says so; until then the size that the model does have is the useful one.
        return header.trained_context_tokens


def _silent() -> OutsideError:
    return OutsideError(
        tr("The local model did not answer any more."), tr("Try again; it is started anew."), retryable=True
    )


def _ms_since(started: float) -> float:
    return (time.monotonic() - started) * 1000
