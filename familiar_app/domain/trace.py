"""The prompt trace: everything that went into one reply, kept so that it can be shown and asked again."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, cast

from pydantic import BaseModel, ConfigDict

from familiar_app.domain.chat import Message, MessageRole

REPLY = "reply"
"""The purpose of a prompt that is to be answered by what the familiar says."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class LeftOut(_Frozen):
    """Something that a layer had but did not send. `what` names it by id or kind, never by its text."""

    what: str
    tokens: int
    reason: str


class LayerTrace(_Frozen):
    """What one prompt layer contributed. It was given room for `budget_tokens` and may have `cap_tokens` at most."""

    name: str
    key: str
    cached: bool
    tokens: int
    ms: float
    text: str
    budget_tokens: int | None = None
    cap_tokens: int | None = None
    left_out: tuple[LeftOut, ...] = ()


class TracedMessage(_Frozen):
    """A part of a message as it was sent. `layer` tells where it came from, `turn` which turn it shows.

    A part that is `joined` continues the message of the part before it; its content begins with what separates them.
    """

    role: str
    content: str
    layer: str
    turn: int | None = None
    joined: bool = False


class ToolRound(_Frozen):
    """One request of a reply, and what the model called in its answer. `said` is the raw text beside the calls.

    Each call has `name`, `arguments` (as the model wrote them), `success`, `result` and `ms`.
    """

    sent: str | None = None
    said: str = ""
    usage: dict[str, Any] | None = None
    calls: tuple[dict[str, Any], ...] = ()


class PromptTrace(_Frozen):
    """One prompt with its reasons, and the answer once there is one.

    `turn_id` is the turn that was answered, `reply_turn_id` the answer. `sent` is the provider's request body, byte
    for byte, without credentials. Token counts are estimates where `exact_tokens` is False. `known_at` and `as_of` are
    the moment that was looked at, `variation` what was tried out, `notes` what the prompt could not take from then.
    `ranking` is what the signals of the candidates were fused with. A projector's call has no layers and no candidates.
    `rounds` are the requests of a reply for which tools were called, in order; `sent` is the last of them, `messages`
    what it held, and `tools` what was offered.
    """

    id: int | None = None
    familiar: str
    channel: str
    mode: str
    purpose: str
    at: datetime
    model: str
    provider: str
    context_tokens: int
    answer_tokens: int
    tokens: int
    exact_tokens: bool
    messages: tuple[TracedMessage, ...]
    layers: tuple[LayerTrace, ...]
    sampling: dict[str, Any]
    candidates: tuple[dict[str, Any], ...] = ()
    lorebook: dict[str, Any] | None = None
    sent: str | None = None
    usage: dict[str, Any] | None = None
    ms: float | None = None
    answer: str | None = None
    error: str | None = None
    turn_id: int | None = None
    reply_turn_id: int | None = None
    silent: bool = False
    known_at: datetime | None = None
    as_of: datetime | None = None
    variation: dict[str, Any] | None = None
    notes: tuple[str, ...] = ()
    ranking: dict[str, Any] | None = None
    tools: tuple[dict[str, Any], ...] = ()
    answer_schema: dict[str, Any] | None = None
    rounds: tuple[ToolRound, ...] = ()

    @property
    def is_reply(self) -> bool:
        """Whether this is the prompt of a reply, not a projector's."""
        return self.purpose == REPLY


def messages_as_sent(parts: Iterable[TracedMessage]) -> tuple[Message, ...]:
    """Put the parts of a trace together into the messages that the model got."""
    messages: list[tuple[str, list[str]]] = []
    for part in parts:
        if part.joined and messages:
            messages[-1][1].append(part.content)
        else:
            messages.append((part.role, [part.content]))
    return tuple(Message(cast(MessageRole, role), "".join(pieces)) for role, pieces in messages)


class TraceSummary(_Frozen):
    """A line of the list of traces."""

    id: int
    familiar: str
    channel: str
    purpose: str
    at: datetime
    model: str
    tokens: int
    first_token_ms: float | None
    total_ms: float | None
    reply_turn_id: int | None
    error: str | None
