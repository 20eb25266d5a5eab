"""What is said to a language model and what comes back, independent of any provider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Slot = Literal["prose", "background"]
MessageRole = Literal["system", "user", "assistant", "tool"]
ToolForm = Literal["native", "text", "asked", "none"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call the model asked for. `arguments` is the JSON text as it came, not yet trusted."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt."""

    role: MessageRole
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool the model may call; `parameters` is a JSON Schema object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the next token is drawn. None leaves the provider's own default."""

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    repeat_penalty: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request to a model.

    `purpose` is `reply` or a projector's name. With `schema` (a JSON Schema) the answer must be one JSON value of
    that form; `max_tokens` bounds the answer.
    """

    slot: Slot
    purpose: str
    messages: tuple[Message, ...]
    max_tokens: int
    sampling: Sampling = field(default_factory=Sampling)
    tools: tuple[ToolSpec, ...] = ()
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """What a request cost. None where the provider does not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    first_token_ms: float | None = None
    total_ms: float | None = None


@dataclass(frozen=True, slots=True)
class RequestSent:
    """First event of every stream: the request exactly as the provider got it, as JSON text, without credentials."""

    body: str


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A further piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallRequested:
    """A tool call, complete."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class Finished:
    """Last event of a stream that was not cancelled and did not fail. `length` means the answer was cut short."""

    reason: Literal["stop", "length", "tool_calls"]
    usage: Usage


ChatEvent = RequestSent | TextDelta | ToolCallRequested | Finished


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What is known of a model before it is asked. `context_tokens` covers prompt and answer together.

    `local` tells that nothing said to it leaves this computer; `exact_tokens` that `count_tokens` uses its own
    tokenizer instead of an estimate; `weak` that the window should warn about its quality. `tools` is how it calls
    tools: `native` in the provider's own form, `text` in its answer's text; `asked` only fills in a form when it is
    asked for one, since it would call at random; `none` never. `goes_on` tells that an answer continues a last message
    of the assistant without a seam.
    """

    provider: str
    name: str
    context_tokens: int
    local: bool
    exact_tokens: bool
    weak: bool = False
    tools: ToolForm = "none"
    goes_on: bool = False
