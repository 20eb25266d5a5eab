"""One reply while it is being made: what has arrived, how fast, and how it ended.

Text arrives token by token and is passed on in batches, so that a fast model does not make the window work more than
some twenty times a second.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Literal, Protocol

from familiar_app.conversation.event import (
    ExchangeEvent,
    PromptReady,
    ReplyDelta,
    ReplyFailed,
    ReplyStopped,
    ReplyStored,
    StayedSilent,
    ToolUsed,
    UserTurnStored,
)
from familiar_app.domain.errors import FamiliarError, UserError
from familiar_app.domain.ids import ChannelId, FamiliarId, TraceId, TurnId
from familiar_app.domain.trace import PromptTrace
from familiar_app.domain.turn import Turn
from familiar_app.ui.chat.row import RowKey, live_key

BATCH_S = 0.05

ReplyState = Literal["preparing", "reading", "speaking", "stopping", "done", "failed", "silent", "stopped"]
OVER: frozenset[ReplyState] = frozenset({"done", "failed", "silent", "stopped"})


class StillAnsweringError(UserError):
    """Another reply was asked for while one is being made; it is no longer so once that one has ended."""


class Told(Protocol):
    """Hears of a reply's progress: `text` (more of it), `state`, `user_turn`, `tool`, `over`."""

    def __call__(self, reply: LiveReply, what: str) -> object: ...


@dataclass(slots=True)
class LiveReply:
    """A reply in the making. `text` is what is shown; what came since the last batch waits in `_waiting`.

    With `goes_on` it continues that answer, whose text it begins with.
    """

    channel: ChannelId
    familiar: FamiliarId
    answers: TurnId | None = None
    goes_on: TurnId | None = None
    state: ReplyState = "preparing"
    text: str = ""
    prompt: PromptTrace | None = None
    user_turn: Turn | None = None
    tool_turn: Turn | None = None
    turn: Turn | None = None
    trace_id: TraceId | None = None
    error: FamiliarError | None = None
    retryable: bool = False
    why_silent: str = ""
    pieces: int = 0
    first_at: float | None = None
    last_at: float | None = None
    stop: Callable[[], object] = lambda: None
    _waiting: list[str] = field(default_factory=list)

    @property
    def key(self) -> RowKey:
        """The key of the row that shows it."""
        return live_key(self.answers, self.familiar)

    @property
    def over(self) -> bool:
        return self.state in OVER

    def take(self, event: ExchangeEvent, at: float) -> str:
        """Take in one event at the monotonic time `at`; returns what changed, `""` for text that waits."""
        match event:
            case UserTurnStored(turn=turn):
                self.user_turn, self.answers = turn, turn.id
                return "user_turn"
            case PromptReady(trace=trace):
                self.prompt, self.state = trace, "reading"
            case ReplyDelta(text=text):
                return self._hear(text, at)
            case ToolUsed(turn=turn):
                self.tool_turn = turn
                return "tool"
            case ReplyStored(turn=turn, trace_id=trace_id):
                self.turn, self.trace_id, self.state = turn, trace_id, "done"
            case StayedSilent(trace_id=trace_id, reason=reason):
                self.trace_id, self.why_silent, self.state = trace_id, reason, "silent"
            case ReplyStopped(turn=turn):
                self.turn, self.state = turn, "stopped"
            case ReplyFailed(error=error, retryable=retryable):
                self.error, self.retryable, self.state = error, retryable, "failed"
        return "over" if self.over else "state"

    def _hear(self, text: str, at: float) -> str:
        self._waiting.append(text)
        self.pieces += 1
        self.last_at = at
        if self.first_at is None:
            self.first_at = at
            if self.state != "stopping":
                self.state = "speaking"
            return "first"
        return ""

    def flush(self) -> bool:
        """Show what has arrived since the last batch; tells whether there was any."""
        if not self._waiting:
            return False
        self.text += "".join(self._waiting)
        self._waiting.clear()
        return True

    def tokens_per_s(self) -> float | None:
        """Estimate the speed from the pieces seen so far; None before there is enough to tell."""
        if self.first_at is None or self.last_at is None or self.pieces < 8 or self.last_at - self.first_at < 0.2:
            return None
        return (self.pieces - 1) / (self.last_at - self.first_at)


async def follow(
    events: AsyncGenerator[ExchangeEvent], reply: LiveReply, told: Told, *, clock: Callable[[], float] = monotonic
) -> None:
    """Read an exchange to its end and pass on its progress, text at most once every `BATCH_S` seconds."""
    loop = asyncio.get_running_loop()
    due: asyncio.TimerHandle | None = None

    def batch() -> None:
        nonlocal due
        due = None
        if reply.flush():
            told(reply, "text")

    try:
        async for event in events:
            what = reply.take(event, clock())
            if what == "" and due is None:
                due = loop.call_later(BATCH_S, batch)
            elif what == "first":
                batch()
            elif what:
                if reply.flush():
                    told(reply, "text")
                told(reply, what)
    finally:
        if due is not None:
            due.cancel()
        await events.aclose()
        if not reply.over:
            reply.flush()
            reply.state = "stopped"
            told(reply, "over")


def speed_of(trace: PromptTrace | None) -> float | None:
    """Return the tokens per second that a provider measured, where it did."""
    usage = (trace.usage or {}) if trace else {}
    tokens, total, first = (usage.get(name) for name in ("completion_tokens", "total_ms", "first_token_ms"))
    if not tokens or not total:
        return None
    spent_ms = float(total) - float(first or 0.0)
    return float(tokens) * 1000 / spent_ms if spent_ms > 0 else None
