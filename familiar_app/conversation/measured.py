"""What was seen of a model's answer while it came: its pieces, its times and what the provider reported."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from familiar_app.domain.chat import ChatEvent, Finished, RequestSent, TextDelta, ToolCallRequested, Usage

# Far above what a model says at its longest; a server that ignores its limits goes on for ever.
MAX_REPLY_CHARS = 200_000


@dataclass
class Measured:
    """The answer to one request, or to all requests of one reply one after the other."""

    sent: str | None = None
    raw: str = ""
    finish: str | None = None
    usage: Usage | None = None
    started: float | None = None
    first_token_ms: float | None = None
    total_ms: float | None = None
    pieces: int = 0

    def note(self, event: ChatEvent) -> None:
        """Take in one event of the model."""
        match event:
            case RequestSent(body=body):
                self.sent = body
            case TextDelta(text=text):
                self.raw += text
                self.pieces += 1
                if self.first_token_ms is None:
                    self.first_token_ms = self._elapsed_ms()
            case Finished(reason=reason, usage=usage):
                self.finish, self.usage = reason, usage if self.usage is None else _further(self.usage, usage)
            case ToolCallRequested():
                pass
        self.total_ms = self._elapsed_ms()

    def as_usage(self) -> dict[str, Any]:
        """Return what the provider reported, completed by what was measured here. Times in milliseconds."""
        usage = self.usage or Usage()
        first = usage.first_token_ms if usage.first_token_ms is not None else self.first_token_ms
        total = usage.total_ms if usage.total_ms is not None else self.total_ms
        tokens, speed = usage.completion_tokens, None
        if tokens and first is not None and total is not None and total > first:
            speed = round(tokens * 1000 / (total - first), 2)
        return {
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": tokens,
            "first_token_ms": None if first is None else round(first, 1),
            "total_ms": None if total is None else round(total, 1),
            "tokens_per_s": speed,
            "finish": self.finish,
        }

    def as_done(self, answer: str, error: str | None = None, *, silent: bool = False) -> dict[str, Any]:
        """Return what a trace gains when its answer has ended."""
        return {
            "sent": self.sent,
            "usage": self.as_usage(),
            "ms": self.total_ms,
            "answer": answer or None,
            "error": error,
            "silent": silent,
        }

    def _elapsed_ms(self) -> float:
        return 0.0 if self.started is None else (time.perf_counter() - self.started) * 1000


def _further(before: Usage, usage: Usage) -> Usage:
    """Return what two requests of one reply took: the later prompt holds the earlier one, answers add up."""
    spoken = (before.completion_tokens, usage.completion_tokens)
    completion = None if None in spoken else sum(number or 0 for number in spoken)
    return Usage(usage.prompt_tokens, completion, before.first_token_ms, None)
