"""One reply under way: a task of its own assembles the prompt and reads the model, so it can be stopped anywhere."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from familiar_app.context.assembler import Assembler
from familiar_app.context.prompt import AssembledPrompt, PromptRequest
from familiar_app.conversation.reply_filter import ReplyFilter
from familiar_app.domain.chat import ChatEvent, Finished, RequestSent, TextDelta, ToolCallRequested, Usage
from familiar_app.domain.errors import FamiliarError, OutsideError
from familiar_app.domain.ids import TurnId
from familiar_app.domain.settings import ConversationSettings
from familiar_app.domain.turn import Channel
from familiar_app.models.port import LanguageModel

# Far above what a model says at its longest; a server that ignores its limits goes on for ever.
MAX_REPLY_CHARS = 200_000

Progress = AssembledPrompt | ChatEvent


@dataclass
class Measured:
    """What was seen of a model's answer while it came."""

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
                self.finish, self.usage = reason, usage
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

    def as_done(self, speech: ReplyFilter | None, error: str | None = None) -> dict[str, Any]:
        """Return what a trace gains when its answer has ended."""
        return {
            "sent": self.sent,
            "usage": self.as_usage(),
            "ms": self.total_ms,
            "answer": (speech.text if speech is not None else "") or None,
            "error": error,
            "silent": speech is not None and speech.silent,
        }

    def _elapsed_ms(self) -> float:
        return 0.0 if self.started is None else (time.perf_counter() - self.started) * 1000


class Flight:
    """Reads the model for one reply. `stopped` is set once somebody asked for the end."""

    def __init__(self, channel: Channel, turn: TurnId) -> None:
        self.channel = channel
        self.turn = turn
        self.prompt: AssembledPrompt | None = None
        self.measured = Measured()
        self.stopped = False
        self.error: FamiliarError | None = None
        self._arrived: asyncio.Queue[Progress | None] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    def begin(self, assembler: Assembler, model: LanguageModel) -> None:
        """Start the work. `next` gives what comes of it."""
        if not self.stopped:
            self._task = asyncio.get_running_loop().create_task(
                self._run(assembler, model), name=f"reply to turn {self.turn}"
            )
            self._task.add_done_callback(lambda _: self._arrived.put_nowait(None))

    def stop(self) -> None:
        """Ask for the end: the model is stopped within a token."""
        self.stopped = True
        self._cancel()

    async def next(self) -> Progress | None:
        """Return what came next, None at the end. Raises what the task raised, but for errors kept in `error`."""
        if self._task is None:
            return None
        progress = await self._arrived.get()
        if progress is None and not self._task.cancelled():
            self._task.result()
        return progress

    async def end(self) -> None:
        """Stop the model, if it is still at work, and wait until it is."""
        self._cancel()
        if self._task is not None:
            await asyncio.wait([self._task])

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _run(self, assembler: Assembler, model: LanguageModel) -> None:
        try:
            await model.prepare()
            self.prompt = await assembler.assemble(PromptRequest(self.channel, until=self.turn))
            self._arrived.put_nowait(self.prompt)
            self.measured.started = time.perf_counter()
            async with aclosing(model.stream(self.prompt.request)) as events:
                async for event in events:
                    self.measured.note(event)
                    if len(self.measured.raw) > MAX_REPLY_CHARS:
                        raise OutsideError(
                            "The model's answer does not come to an end.", "Ask again, or choose another model."
                        )
                    self._arrived.put_nowait(event)
        except FamiliarError as error:
            self.error = error


def reply_filter(prompt: AssembledPrompt, settings: ConversationSettings) -> ReplyFilter:
    """Return a filter for the answer to a prompt."""
    return ReplyFilter(
        char=prompt.char,
        others=prompt.speakers,
        may_stay_silent=prompt.may_stay_silent,
        stop_at_others=settings.stop_at_other_speakers,
    )
