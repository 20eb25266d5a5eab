"""Requests in OpenAI's chat form, and the answer put together again from its chunks. Shared by HTTP and the worker."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from familiar_app.domain.chat import (
    ChatEvent,
    ChatRequest,
    Finished,
    Message,
    Sampling,
    TextDelta,
    ToolCall,
    ToolCallRequested,
    ToolSpec,
    Usage,
)
from familiar_app.domain.errors import BugError, OutsideError
from familiar_app.domain.text import tr

_MAX_TOOL_CALLS = 64


def check_request(request: ChatRequest) -> None:
    """Refuse what no provider can answer. Raises BugError."""
    if not request.messages:
        raise BugError("A request to a model has no messages.")
    if request.max_tokens < 1:
        raise BugError("A request to a model leaves no room for an answer.")


def wire_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return messages as the wire has them."""
    return [_wire_message(message) for message in messages]


def _wire_message(message: Message) -> dict[str, Any]:
    wire: dict[str, Any] = {"role": message.role, "content": whole_text(message.content)}
    if message.tool_calls:
        wire["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        wire["tool_call_id"] = message.tool_call_id
    return wire


def wire_tools(tools: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    """Return tool descriptions as the wire has them."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in tools
    ]


def wire_sampling(sampling: Sampling) -> dict[str, Any]:
    """Return what is set, by the names llama.cpp uses; OpenAI's own are among them."""
    values: dict[str, Any] = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k,
        "min_p": sampling.min_p,
        "repeat_penalty": sampling.repeat_penalty,
        "seed": sampling.seed,
        "stop": list(sampling.stop) or None,
    }
    return {name: value for name, value in values.items() if value is not None}


def wire_request(request: ChatRequest) -> dict[str, Any]:
    """Return a streaming request without the model's name."""
    wire: dict[str, Any] = {
        "messages": wire_messages(request.messages),
        "max_tokens": request.max_tokens,
        **wire_sampling(request.sampling),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.tools:
        wire["tools"] = wire_tools(request.tools)
    if request.schema is not None:
        wire["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": dict(request.schema)},
        }
    return wire


def wire_text(wire: dict[str, Any]) -> str:
    """Return the JSON text that is sent."""
    return whole_text(json.dumps(wire, ensure_ascii=False, separators=(",", ":")))


def whole_text(text: str) -> str:
    """Return text that every tokenizer takes: halves of surrogate pairs are joined, or become U+FFFD where alone."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


@dataclass(slots=True)
class _PartialCall:
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(slots=True)
class AnswerAssembler:
    """Turns the chunks of one streamed answer into events. Chunks are untrusted: what has a wrong shape is an error."""

    calls: dict[int, _PartialCall] = field(default_factory=dict)
    finish: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None

    def feed(self, chunk: object) -> list[ChatEvent]:
        """Take one chunk and return the text in it. Raises OutsideError where it has no known form."""
        if not isinstance(chunk, dict):
            raise _malformed()
        self._take_usage(chunk.get("usage"))
        choices = chunk.get("choices") or []
        if not isinstance(choices, list):
            raise _malformed()
        return [event for choice in choices[:1] for event in self._take_choice(choice)]

    def end(self, *, first_token_ms: float | None, total_ms: float) -> list[ChatEvent]:
        """Return the complete tool calls and the end of the answer."""
        events: list[ChatEvent] = [
            ToolCallRequested(ToolCall(call.id or f"call_{index}", call.name, call.arguments or "{}"))
            for index, call in sorted(self.calls.items())
            if call.name
        ]
        usage = Usage(self.prompt_tokens, self.completion_tokens, first_token_ms, total_ms)
        return [*events, Finished(self._reason(bool(events)), usage)]

    def _reason(self, called: bool) -> Literal["stop", "length", "tool_calls"]:
        if self.finish == "length":
            return "length"
        return "tool_calls" if called else "stop"

    def _take_usage(self, usage: object) -> None:
        if isinstance(usage, dict):
            self.prompt_tokens = _count(usage.get("prompt_tokens"), self.prompt_tokens)
            self.completion_tokens = _count(usage.get("completion_tokens"), self.completion_tokens)

    def _take_choice(self, choice: object) -> list[ChatEvent]:
        if not isinstance(choice, dict):
            raise _malformed()
        if isinstance(choice.get("finish_reason"), str):
            self.finish = choice["finish_reason"]
        # Some servers answer a streaming request with one whole message.
        delta = choice.get("delta") or choice.get("message") or {}
        if not isinstance(delta, dict):
            raise _malformed()
        for position, part in enumerate(delta.get("tool_calls") or []):
            self._take_call(part, position)
        text = delta.get("content")
        return [TextDelta(text)] if isinstance(text, str) and text else []

    def _take_call(self, part: object, position: int) -> None:
        if not isinstance(part, dict):
            raise _malformed()
        index = part.get("index", position)
        if not isinstance(index, int) or not 0 <= index < _MAX_TOOL_CALLS:
            raise _malformed()
        call = self.calls.setdefault(index, _PartialCall())
        function = part.get("function") or {}
        if isinstance(part.get("id"), str):
            call.id = part["id"]
        if isinstance(function, dict):
            call.name += _text(function.get("name"))
            arguments = function.get("arguments")
            call.arguments += json.dumps(arguments) if isinstance(arguments, dict) else _text(arguments)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _count(value: object, otherwise: int | None) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else otherwise


def _malformed() -> OutsideError:
    return OutsideError(
        tr("The model's server sent an answer in a form that is not understood."),
        tr("Check that the address is that of an OpenAI-compatible server."),
        retryable=True,
    )


def parse_chunk(text: str) -> object:
    """Parse the JSON text of one chunk. Raises OutsideError."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _malformed() from error
