"""Asks a model for one JSON value of a given form, and asks once more where it got the form wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from referencing import Registry

from familiar_app.domain.chat import ChatRequest, Finished, Message, RequestSent, TextDelta, Usage
from familiar_app.domain.errors import BugError, OutsideError
from familiar_app.domain.text import tr, tr_later
from familiar_app.models.port import LanguageModel

MAX_ANSWER_CHARS = 1_000_000
_FENCE = re.compile(r"```[a-zA-Z0-9_-]*\s*\n(.*?)```", re.DOTALL)
_MAX_FALSE_STARTS = 64


class MalformedAnswer(OutsideError):  # noqa: N818 - it is named for what came
    """The model twice gave an answer that is not of the form asked for. `usage` is what both tries cost."""

    def __init__(self, reason: str, usage: Usage = Usage()) -> None:  # noqa: B008 - it is frozen
        super().__init__(
            tr("The model did not answer in the form that was asked for: {reason}.", reason=tr(reason)),
            tr("Choose a larger model for work in the background."),
            retryable=False,
        )
        self.usage = usage


class UnfitAnswerError(Exception):
    """A text is no JSON value of the form asked for. The message names the place and rule, and no content."""


async def ask_json(
    model: LanguageModel, request: ChatRequest, *, accept: Mapping[str, Any] | None = None
) -> tuple[Any, list[str], Usage]:
    """Ask for a JSON value that fits `request.schema`; return it, the bodies that were sent and what both tries cost.

    `accept` is a wider schema by which the answer is judged, for a caller that sorts out the rest itself.
    Raises MalformedAnswer after one corrective re-ask, whatever the model raises, and BugError for a broken schema.
    """
    validator = _validator(request.schema if accept is None else accept)
    bodies: list[str] = []
    text, usage = await _ask(model, request, bodies)
    try:
        return parse_answer(text, validator), bodies, usage
    except UnfitAnswerError as error:
        correction = _correction(request, text, str(error))
    again, more = await _ask(model, correction, bodies)
    usage = _sum(usage, more)
    try:
        return parse_answer(again, validator), bodies, usage
    except UnfitAnswerError as error:
        raise MalformedAnswer(str(error), usage) from None


def parse_answer(text: str, validator: Draft202012Validator) -> Any:
    """Return the one JSON value in a text that fits. Code fences and words around it are passed over.

    Raises UnfitAnswerError, also where several different values fit.
    """
    if len(text) > MAX_ANSWER_CHARS:
        raise UnfitAnswerError(tr_later("the answer is too long"))
    problem: str | None = None
    fitting: list[Any] = []
    for value in _values(text):
        reason = _misfit(value, validator)
        if reason is None:
            fitting.append(value)
        elif problem is None:
            problem = reason
    if not fitting:
        raise UnfitAnswerError(problem or tr_later("it holds no JSON value"))
    if any(value != fitting[0] for value in fitting[1:]):
        raise UnfitAnswerError(tr_later("it holds several JSON values"))
    return fitting[0]


def _values(text: str) -> Iterator[Any]:
    """Yield the JSON values of a text: the whole, else each code fence, else each outermost object or list in it."""
    for whole in (text, *(_FENCE.findall(text))):
        try:
            yield _loads(whole.strip())
        except (ValueError, RecursionError):
            continue
        if whole is text:
            return
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    position = false_starts = 0
    while false_starts < _MAX_FALSE_STARTS and (start := _next_bracket(text, position)) is not None:
        try:
            value, position = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            position = start + 1
            false_starts += 1
            continue
        yield value


def _next_bracket(text: str, position: int) -> int | None:
    starts = [found for found in (text.find("{", position), text.find("[", position)) if found >= 0]
    return min(starts, default=None)


def _loads(text: str) -> Any:
    return json.loads(text, parse_constant=_no_constant)


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _misfit(value: Any, validator: Draft202012Validator) -> str | None:
    error: ValidationError | None = next(
        iter(sorted(validator.iter_errors(value), key=lambda each: len(each.path))), None
    )
    if error is None:
        return None
    place = ".".join(str(part) for part in error.absolute_path) or "the value"
    return f"{place} breaks the rule {error.validator!r}"


def _validator(schema: Mapping[str, Any] | None) -> Draft202012Validator:
    if schema is None:
        raise BugError("A structured request has no schema.")
    try:
        Draft202012Validator.check_schema(dict(schema))
    except SchemaError as error:
        raise BugError("The schema of a structured request is broken.") from error
    # The empty registry keeps a reference in a schema from ever being fetched over the network.
    return Draft202012Validator(dict(schema), registry=Registry())


def _correction(request: ChatRequest, answer: str, reason: str) -> ChatRequest:
    schema = json.dumps(request.schema, ensure_ascii=False)
    told = (
        f"That answer cannot be used: {reason}. Answer again with one JSON value and nothing else. "
        f"It must fit this JSON Schema:\n{schema}"
    )
    # A long wrong answer is no help, and the prompt already fills most of the context.
    return replace(
        request, messages=(*request.messages, Message("assistant", answer[:2000] or "…"), Message("user", told))
    )


async def _ask(model: LanguageModel, request: ChatRequest, bodies: list[str]) -> tuple[str, Usage]:
    parts: list[str] = []
    size = 0
    usage = Usage()
    async with aclosing(model.stream(request)) as events:
        async for event in events:
            if isinstance(event, RequestSent):
                bodies.append(event.body)
            elif isinstance(event, TextDelta):
                parts.append(event.text)
                size += len(event.text)
            elif isinstance(event, Finished):
                usage = event.usage
            if size > MAX_ANSWER_CHARS:
                break
    return "".join(parts), usage


def _sum(first: Usage, second: Usage) -> Usage:
    return Usage(
        _add(first.prompt_tokens, second.prompt_tokens),
        _add(first.completion_tokens, second.completion_tokens),
        first.first_token_ms,
        None if first.total_ms is None or second.total_ms is None else first.total_ms + second.total_ms,
    )


def _add(first: int | None, second: int | None) -> int | None:
    return None if first is None and second is None else (first or 0) + (second or 0)
