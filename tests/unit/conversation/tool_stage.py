"""A familiar that talks over a real vault, with a model whose every answer is laid out beforehand."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from familiar_app.context.assembler import Assembler
from familiar_app.conversation.event import ExchangeEvent
from familiar_app.conversation.exchange import Conversation
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.chat import ChatEvent, ChatRequest, ModelInfo, ToolCall, ToolForm
from familiar_app.domain.ids import MAIN_CHANNEL, OWNER
from familiar_app.domain.saved_memory.status import SAVE_TOOL
from familiar_app.domain.settings import CharacterConfig
from familiar_app.domain.trace import PromptTrace
from familiar_app.domain.turn import Author, Channel
from familiar_app.store.saved_memory import MemoryQuestion
from familiar_app.store.vault import Vault
from tests.doubles.talk import START, FakeModel
from tests.unit.conversation.memory_stage import LINEAGE, MIRA, Stage

ANN = Author(OWNER, "Ann")
Answer = Sequence[str | Exception | ToolCall]


@dataclass
class RoundsModel(FakeModel):
    """Answers each request with the next of `answers`; the last one again and again."""

    form: ToolForm = "native"
    answers: list[Answer] = field(default_factory=list)

    @property
    def info(self) -> ModelInfo:
        return replace(super().info, tools=self.form)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        self.deltas = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        async for event in super().stream(request):
            yield event


def save(content: str = "{user} likes tea", *, scope: str = "target_user", who: str = "Ann") -> ToolCall:
    arguments = {"memory_content": content, "memory_scope": scope, "target_user": who}
    return ToolCall("call_0", SAVE_TOOL, json.dumps(arguments))


def written(call: ToolCall) -> str:
    return f'<tool_call>{{"name": "{call.name}", "arguments": {call.arguments}}}</tool_call>'


@dataclass
class ToolStage:
    """The stage of the memory tools, with a conversation on it."""

    stage: Stage
    model: RoundsModel
    config: CharacterConfig
    notices: Any = None

    @property
    def vault(self) -> Vault:
        return self.stage.vault

    def talk(self) -> Conversation:
        card = CharacterCard(name="Mira")
        assembler = Assembler(MIRA, lambda: card, self.config, self.vault, self.model, self.stage.clock, "Ann")
        parts = (MIRA, "Mira", self.config, self.vault, self.model, assembler, self.stage.clock)
        return Conversation(*parts, self.notices)

    async def channel(self) -> Channel:
        return await self.vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA, title="Main")

    async def say(self, text: str, channel: Channel | None = None, author: Author = ANN) -> list[ExchangeEvent]:
        place = channel or await self.channel()
        return [event async for event in self.talk().say(place, text, author, at=START)]

    async def memories(self) -> list[str]:
        return [one.content for one in await self.vault.saved_memories.list(MemoryQuestion(LINEAGE))]

    async def trace(self) -> PromptTrace:
        (summary,) = await self.vault.traces.list(limit=1)
        found = await self.vault.traces.get(summary.id)  # type: ignore[arg-type]
        assert found is not None
        return found
