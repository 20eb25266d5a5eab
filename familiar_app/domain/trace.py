"""The prompt trace: everything that went into one reply, kept so that it can be shown and asked again."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class LeftOut(_Frozen):
    """Something that a layer had but did not send. `what` names it by id or kind, never by its text."""

    what: str
    tokens: int
    reason: str


class LayerTrace(_Frozen):
    """What one prompt layer contributed."""

    name: str
    key: str
    cached: bool
    tokens: int
    ms: float
    text: str
    budget_tokens: int | None = None
    left_out: tuple[LeftOut, ...] = ()


class TracedMessage(_Frozen):
    """A message as it was sent. `layer` tells where it came from, `turn` which turn it shows."""

    role: str
    content: str
    layer: str
    turn: int | None = None


class PromptTrace(_Frozen):
    """One prompt with its reasons, and the answer once there is one.

    `turn_id` is the turn that was answered, `reply_turn_id` the answer. `sent` is the provider's request body, byte
    for byte, without credentials. Token counts are estimates where `exact_tokens` is False.
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
