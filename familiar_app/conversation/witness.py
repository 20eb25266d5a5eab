"""Stands between the projectors and their model and keeps a trace of every request: what was sent, what came back."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass
from datetime import datetime

from familiar_app.conversation.measured import Measured
from familiar_app.domain.chat import ChatEvent, ChatRequest, Message, ModelInfo
from familiar_app.domain.clock import Clock
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.trace import PromptTrace, TracedMessage
from familiar_app.models.port import LanguageModel
from familiar_app.store.vault import Vault

MODE = "background"
INSTRUCTION, MATERIAL = "instruction", "material"
_STOPPED = "stopped"
_GUESSED_CHARS_PER_TOKEN = 4


@dataclass(frozen=True)
class Witness:
    """A language model like the one it stands for. A trace is stored when an answer has ended, however it did."""

    model: LanguageModel
    vault: Vault
    familiar: FamiliarId
    clock: Clock
    keep: int

    @property
    def info(self) -> ModelInfo:
        return self.model.info

    async def prepare(self) -> ModelInfo:
        return await self.model.prepare()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        measured, asked_at = Measured(started=time.perf_counter()), self.clock.now()
        error: str | None = _STOPPED
        try:
            async with aclosing(self.model.stream(request)) as events:
                async for event in events:
                    measured.note(event)
                    yield event
            error = None
        except FamiliarError as failure:
            error = failure.english
            raise
        finally:
            await self.vault.traces.put(self._trace(request, measured, asked_at, error), keep=self.keep)

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return await self.model.count_tokens(texts)

    async def count_prompt_tokens(self, messages: Sequence[Message]) -> int:
        return await self.model.count_prompt_tokens(messages)

    async def close(self) -> None:
        await self.model.close()

    def _trace(self, request: ChatRequest, measured: Measured, at: datetime, error: str | None) -> PromptTrace:
        info, counted = self.model.info, measured.usage.prompt_tokens if measured.usage is not None else None
        return PromptTrace(
            familiar=self.familiar,
            channel="",
            mode=MODE,
            purpose=request.purpose,
            at=at,
            model=info.name,
            provider=info.provider,
            context_tokens=info.context_tokens,
            answer_tokens=request.max_tokens,
            tokens=counted if counted is not None else _guess(request.messages),
            exact_tokens=counted is not None,
            messages=tuple(_traced(message) for message in request.messages),
            layers=(),
            sampling=asdict(request.sampling),
            sent=measured.sent,
            usage=measured.as_usage(),
            ms=measured.total_ms,
            answer=measured.raw or None,
            error=error,
            tools=tuple(asdict(tool) for tool in request.tools),
            answer_schema=None if request.schema is None else dict(request.schema),
        )


def _traced(message: Message) -> TracedMessage:
    layer = INSTRUCTION if message.role == "system" else MATERIAL
    return TracedMessage(role=message.role, content=message.content, layer=layer)


def _guess(messages: Sequence[Message]) -> int:
    """Estimate a prompt that no answer was counted for; the model that failed is not asked."""
    return sum(len(message.content) // _GUESSED_CHARS_PER_TOKEN + 1 for message in messages)
