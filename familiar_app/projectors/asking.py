"""Asks the background model on behalf of a projector, within the model's context and a limit of time.

Where the time or the room is used up after the model has begun to answer, or the answer turns in circles, it ends
there: a text at its last whole sentence, a list after its last whole item; without one it counts as malformed. So a
model that never comes to an end holds up nothing. Where not a word has come in time, nothing is known of the batch, and
that is an error.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from familiar_app.domain.budget import answer_tokens
from familiar_app.domain.chat import ChatEvent, ChatRequest, Finished, Message, ModelInfo, TextDelta, Usage
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.repetition import TAIL_CHARS, period_of, without_repetition
from familiar_app.domain.speech import break_marks
from familiar_app.domain.text import tr
from familiar_app.models.port import LanguageModel
from familiar_app.models.structured import MAX_ANSWER_CHARS, MalformedAnswer, ask_json
from familiar_app.projectors.port import Desk

_FRAME_TOKENS = 64
_LEAST_ROOM_TOKENS = 64
_CUT_MARK = "…"
_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]*_]*(?=\s|\Z)|[。！？][」』”]*")
_GAP = re.compile(r"[\s,]*")
_LOOK_CHARS = 100
ANY_LIST: Mapping[str, Any] = {"type": "array"}


@dataclass(frozen=True, slots=True)
class Asked:
    """An answer: a JSON value or a text. `malformed` ones came twice in a wrong form.

    `tokens` is what it cost, `ms` how long it took. `generation` tells how much had been erased from the vault before.
    """

    value: Any
    tokens: int
    model: str
    ms: float
    malformed: bool = False
    generation: int = 0


async def ask_list(desk: Desk, purpose: str, system: str, user: str, schema: Mapping[str, Any]) -> Asked:
    """Ask for a JSON list. What is in it is the caller's to check. Raises OutsideError where the model failed."""
    request, erased = _request(desk, purpose, system, user, schema), desk.vault.erasure.generation
    model = _Listening(desk.model)
    try:
        async with asyncio.timeout(desk.config.memory.batch_timeout_s):
            value, _, usage = await ask_json(model, request, accept=ANY_LIST)
    except MalformedAnswer as error:
        return Asked(None, _cost(error.usage), model.info.name, model.ms, malformed=True, generation=erased)
    except (TimeoutError, _CutOffError):
        model.require_a_beginning()
        items = whole_items(model.text)
        return Asked(items or None, _cost(model.usage), model.info.name, model.ms, not items, erased)
    return Asked(value, _cost(usage), model.info.name, model.ms, generation=erased)


async def ask_prose(desk: Desk, purpose: str, system: str, user: str) -> Asked:
    """Ask for a text; it may come back empty. Raises OutsideError where the model failed."""
    request, erased = _request(desk, purpose, system, user, None), desk.vault.erasure.generation
    model = _Listening(desk.model)
    try:
        async with asyncio.timeout(desk.config.memory.batch_timeout_s), aclosing(model.stream(request)) as events:
            async for _event in events:
                if model.size > MAX_ANSWER_CHARS:
                    raise _CutOffError
        text = model.text.strip()
    except (TimeoutError, _CutOffError):
        model.require_a_beginning()
        text = whole_sentences(without_repetition(model.text).strip())
    return Asked(text, _cost(model.usage), model.info.name, model.ms, generation=erased)


def whole_sentences(text: str) -> str:
    """Return a text that was cut off up to its last whole sentence; all of it where it has none."""
    ends = [found.end() for found in _SENTENCE_END.finditer(text)]
    return text[: ends[-1]] if ends else text


def whole_items(text: str) -> list[Any]:
    """Return the items of a JSON list that was cut off, as far as they are complete."""
    decoder, items = json.JSONDecoder(), list[Any]()
    position = text.find("[") + 1
    while position > 0:
        position = _GAP.match(text, position).end()  # type: ignore[union-attr]
        try:
            item, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            break
        # A number may have lost its last digits.
        if isinstance(item, dict) or position < len(text):
            items.append(item)
    return items


class _CutOffError(Exception):
    """An answer has used up its room or turns in circles; asking again would do the same."""


class _Listening:
    """A model, and what has been heard of its newest answer. One that is cut off raises _CutOffError."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._parts: list[str] = []
        self._tail = ""
        self._begun = False
        self._asked_at = time.monotonic()
        self.size = 0
        self.usage = Usage()

    @property
    def ms(self) -> float:
        """How long ago it was first asked."""
        return (time.monotonic() - self._asked_at) * 1000

    @property
    def text(self) -> str:
        return "".join(self._parts)

    @property
    def info(self) -> ModelInfo:
        return self._model.info

    async def prepare(self) -> ModelInfo:
        return await self._model.prepare()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        self._parts.clear()
        self._tail = ""
        self.size = 0
        async with aclosing(self._model.stream(request)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    self._hear(event.text)
                elif isinstance(event, Finished):
                    self.usage = event.usage
                    if event.reason == "length":
                        raise _CutOffError
                yield event

    def _hear(self, text: str) -> None:
        self._begun = True
        self._parts.append(text)
        before, self.size = self.size, self.size + len(text)
        self._tail = (self._tail + text)[-TAIL_CHARS:]
        # Looked at now and then: each look costs some microseconds.
        if before // _LOOK_CHARS != self.size // _LOOK_CHARS and period_of(self._tail) is not None:
            raise _CutOffError

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return await self._model.count_tokens(texts)

    async def count_prompt_tokens(self, messages: Sequence[Message]) -> int:
        return await self._model.count_prompt_tokens(messages)

    async def close(self) -> None:
        await self._model.close()

    def require_a_beginning(self) -> None:
        """Raise OutsideError where the time was up before a word had come."""
        if not self._begun:
            raise OutsideError(
                tr("The model had not begun to answer when the time of a batch was up."),
                tr("Give it more with [memory] batch_timeout_s, or choose a faster model for work in the background."),
                retryable=True,
            )


async def room_for(desk: Desk, *fixed: str) -> int:
    """Return how many tokens are left for what varies, beside the `fixed` texts and the answer."""
    await desk.model.prepare()
    counts = await desk.model.count_tokens(list(fixed))
    context = _context_tokens(desk)
    return max(_LEAST_ROOM_TOKENS, context - _answer_tokens(desk) - sum(counts) - _FRAME_TOKENS)


async def how_many_fit(desk: Desk, lines: Sequence[str], room: int) -> int:
    """Return how many of the first lines fit together; at least one, which may have to be cut."""
    total = 0
    for number, tokens in enumerate(await desk.model.count_tokens(list(lines))):
        total += tokens + 1
        if total > room:
            return max(1, number)
    return len(lines)


async def fitted(desk: Desk, lines: Sequence[str], room: int) -> list[str]:
    """Return the lines, the longest cut where all of them together would not fit."""
    counts = [tokens + 1 for tokens in await desk.model.count_tokens(list(lines))]
    if sum(counts) <= room:
        return list(lines)
    allowed = _level(counts, room)
    return [
        line if tokens <= allowed else line[: max(1, len(line) * (allowed - 1) // tokens)].rstrip() + _CUT_MARK
        for line, tokens in zip(lines, counts, strict=True)
    ]


def _level(counts: Sequence[int], room: int) -> int:
    """Return the length to which the longest have to be cut so that all of them fit."""
    left = room
    for number, tokens in enumerate(sorted(counts)):
        share = left // (len(counts) - number)
        if tokens > share:
            return max(2, share)
        left -= tokens
    return max(counts, default=2)


def _request(desk: Desk, purpose: str, system: str, user: str, schema: Mapping[str, Any] | None) -> ChatRequest:
    return ChatRequest(
        slot="background",
        purpose=purpose,
        messages=(Message("system", break_marks(system)), Message("user", user)),
        max_tokens=_answer_tokens(desk),
        sampling=desk.config.models.background.sampling.as_sampling(),
        schema=schema,
    )


def _context_tokens(desk: Desk) -> int:
    own, wanted = desk.model.info.context_tokens, desk.config.models.background.context_tokens
    return own if wanted is None else min(own, wanted)


def _answer_tokens(desk: Desk) -> int:
    most = min(desk.config.models.background.max_answer_tokens, desk.config.memory.batch_answer_tokens)
    return answer_tokens(_context_tokens(desk), most)


def _cost(usage: Usage) -> int:
    return (usage.prompt_tokens or 0) + (usage.completion_tokens or 0)
