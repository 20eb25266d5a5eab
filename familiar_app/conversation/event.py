"""What is told about an exchange while it goes on. Every exchange ends with one of the last four events."""

from __future__ import annotations

from dataclasses import dataclass

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import TraceId
from familiar_app.domain.trace import PromptTrace
from familiar_app.domain.turn import Turn


@dataclass(frozen=True, slots=True)
class UserTurnStored:
    """What was said to the familiar is on the disk."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class PromptReady:
    """The prompt is assembled; the model is asked next."""

    trace: PromptTrace


@dataclass(frozen=True, slots=True)
class ReplyDelta:
    """A further piece of the reply, never empty. What has been shown is never taken back."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolUsed:
    """A tool has answered. `turn` is how the log tells of it, None where it did nothing."""

    name: str
    success: bool
    turn: Turn | None = None


@dataclass(frozen=True, slots=True)
class ReplyStored:
    """The reply is complete and stored. Its text is what the deltas said."""

    turn: Turn
    trace_id: TraceId


@dataclass(frozen=True, slots=True)
class StayedSilent:
    """The familiar chose to say nothing; or, with a `reason` and without a trace, it was not asked."""

    trace_id: TraceId | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ReplyStopped:
    """The reply was stopped. `turn` is what had been said by then, None where that was nothing."""

    turn: Turn | None


@dataclass(frozen=True, slots=True)
class ReplyFailed:
    """There is no reply. With `retryable`, asking again can help."""

    error: FamiliarError
    retryable: bool


ExchangeEvent = (
    UserTurnStored | PromptReady | ReplyDelta | ToolUsed | ReplyStored | StayedSilent | ReplyStopped | ReplyFailed
)
