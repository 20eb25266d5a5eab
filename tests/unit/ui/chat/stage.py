"""A stage for the chat: a real vault in a folder, and a conversation that says what a test wants."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

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
from familiar_app.conversation.memory_tool import MemoryTools
from familiar_app.conversation.meter import Meter, MeterPart
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import (
    MAIN_CHANNEL,
    OWNER,
    ChannelId,
    ChannelKey,
    FamiliarId,
    Lineage,
    TraceId,
    TurnId,
    ego_key,
)
from familiar_app.domain.saved_memory.request import ToolContext
from familiar_app.domain.saved_memory.status import SAVE_TOOL
from familiar_app.domain.saved_memory.target import ChatPerson
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.trace import LayerTrace, PromptTrace, TracedMessage
from familiar_app.domain.turn import Author, Channel, NewTurn, Role, Turn
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.vault import Vault

MIRA = FamiliarId("mira")
START = datetime(2026, 11, 2, 18, 0, tzinfo=UTC)
OWNER_AUTHOR = Author(OWNER, "Jo")
MIRA_AUTHOR = Author(ego_key(MIRA), "Mira")
LINEAGE = Lineage("5d1f6e7c-8f4e-4f6c-9f3e-0a1b2c3d4e5f")
MEMORIES: dict[str, Any] = {
    "notice_visibility": "verbose",
    "self_teaching_enabled": True,
    "decay_enabled": False,
    "decay_days": 90,
    "max_length": 1000,
    "max_server": 100,
    "max_personal": 100,
    "max_tags": 5,
}
CARD = CharacterCard(
    name="Mira",
    first_message="*The lamp turns.* You made it, {{user}}.",
    alternate_greetings=("Oh. You again.", "Shh. Listen to the sea."),
)


class ScriptedConversation:
    """Says the pieces it was given, with the vault's real turns and traces. `gate` holds a reply back while cleared."""

    def __init__(self, vault: Vault, clock: FixedClock) -> None:
        self.vault, self.clock = vault, clock
        self.pieces: Sequence[str] = ["Hello", " there."]
        self.pause_s = 0.0
        self.error: FamiliarError | None = None
        self.silent = False
        self.keeps: str | None = None
        self.finish = "stop"
        self.gate = asyncio.Event()
        self.gate.set()
        self.stopped: set[ChannelId] = set()

    async def say(
        self, channel: Channel, text: str, author: Author, *, at: datetime | None = None
    ) -> AsyncGenerator[ExchangeEvent]:
        turn, _ = await self.vault.turns.append(
            NewTurn(channel.id, Role.USER, text, at or self.clock.now(), author=author)
        )
        yield UserTurnStored(turn)
        async for event in self._answer(channel.id, turn.id):
            yield event

    async def regenerate(self, turn: TurnId) -> AsyncGenerator[ExchangeEvent]:
        found = await self.vault.turns.get(turn)
        assert found is not None
        answered = found.answers if found.role is Role.ASSISTANT else found.id
        assert answered is not None
        async for event in self._answer(found.channel, answered):
            yield event

    async def go_on(self, answer: TurnId) -> AsyncGenerator[ExchangeEvent]:
        cut = await self.vault.turns.get(answer)
        assert cut is not None
        assert cut.answers is not None
        async for event in self._answer(cut.channel, cut.answers, begun=cut.content):
            yield event

    async def _answer(self, channel: ChannelId, answers: TurnId, *, begun: str = "") -> AsyncGenerator[ExchangeEvent]:
        self.stopped.discard(channel)
        trace = make_trace(self.clock.now())
        trace = trace.model_copy(update={"usage": {**(trace.usage or {}), "finish": self.finish}})
        yield PromptReady(trace)
        said: list[str] = []
        if self.error is not None:
            yield ReplyFailed(self.error, getattr(self.error, "retryable", False))
            return
        if self.silent:
            yield StayedSilent(await self.vault.traces.put(trace))
            return
        if self.keeps is not None:
            yield await self._keep(channel, self.keeps, answers)
        for piece in self.pieces:
            await asyncio.sleep(self.pause_s)
            if channel in self.stopped:
                break
            said.append(piece)
            yield ReplyDelta(piece)
        if channel not in self.stopped:
            await self.gate.wait()
        if channel in self.stopped:
            trace = trace.model_copy(update={"error": "stopped"})
        trace_id = await self.vault.traces.put(trace)
        turn = await self._store(channel, begun + "".join(said), answers, trace_id) if said else None
        if channel in self.stopped or turn is None:
            yield ReplyStopped(turn)
        else:
            yield ReplyStored(turn, trace_id)

    async def _keep(self, channel: ChannelId, content: str, answers: TurnId) -> ToolUsed:
        """Save a memory as the tool does."""
        person = ChatPerson(OWNER, "Jo")
        context = ToolContext(
            MIRA, "Mira", LINEAGE, "local:main", MAIN_CHANNEL, person, (person,), direct=True, source_turn=answers
        )
        tools = MemoryTools(self.vault.saved_memories, SimpleNamespace(**MEMORIES))
        arguments = {"memory_content": content, "memory_scope": "target_user", "target_user": "Jo"}
        outcome = await tools.carry_out(SAVE_TOOL, arguments, context, call_id="call_0")
        assert outcome.turn is not None
        return ToolUsed(SAVE_TOOL, True, await self.vault.turns.get(outcome.turn))

    async def _store(self, channel: ChannelId, text: str, answers: TurnId, trace: TraceId) -> Turn:
        turn, _ = await self.vault.turns.append(
            NewTurn(
                channel, Role.ASSISTANT, text, self.clock.now(), author=MIRA_AUTHOR, familiar=MIRA, answers=answers
            ),
            trace=trace,
        )
        await self.vault.traces.link(trace, turn.id)
        return turn

    def stop(self, channel: ChannelId) -> None:
        self.stopped.add(channel)
        self.gate.set()

    async def greet(self, channel: Channel) -> Turn | None:
        turn, _ = await self.vault.turns.append(
            NewTurn(
                channel.id,
                Role.ASSISTANT,
                "*The lamp turns.* You made it, Jo.",
                self.clock.now(),
                author=MIRA_AUTHOR,
                familiar=MIRA,
            )
        )
        return turn


def make_trace(at: datetime, *, tokens: int = 1240) -> PromptTrace:
    """Return a trace with two layers and three messages."""
    return PromptTrace(
        familiar="mira",
        channel="local:main",
        mode="text",
        purpose="reply",
        at=at,
        model="SmolLM2-135M",
        provider="llama_cpp",
        context_tokens=8192,
        answer_tokens=512,
        tokens=tokens,
        exact_tokens=True,
        messages=(
            TracedMessage(role="system", content="You are Mira, keeper of a lighthouse.", layer="character_card"),
            TracedMessage(role="user", content="[18:00 Jo] Hello", layer="recent_history", turn=1),
            TracedMessage(role="user", content="It is evening.", layer="final_reminder"),
        ),
        layers=(
            LayerTrace(
                name="character_card",
                key="k1",
                cached=True,
                tokens=400,
                ms=0.2,
                text="You are Mira, keeper of a lighthouse.",
                budget_tokens=3000,
            ),
            LayerTrace(
                name="recent_history",
                key="k2",
                cached=False,
                tokens=800,
                ms=3.4,
                text="[18:00 Jo] Hello",
                budget_tokens=8000,
            ),
        ),
        sampling={"temperature": 0.8, "top_p": 0.95, "seed": None},
        usage={"prompt_tokens": 1240, "completion_tokens": 90, "first_token_ms": 300.0, "total_ms": 2300.0},
        ms=2300.0,
    )


class WordCounter:
    """An inspector whose meter takes each word of a draft for a token, over a prompt of a thousand."""

    def __init__(self) -> None:
        self.error: FamiliarError | None = None

    async def meter(self, channel: Channel, draft: str = "") -> Meter:
        if self.error is not None:
            raise self.error
        drafted = len(draft.split())
        parts = (MeterPart("character_card", 400, None), MeterPart("recent_history", 600, 8000))
        return Meter(1000 + drafted, 7680, 8192, 512, False, (*parts, MeterPart("draft", drafted, None)))


class FakeProfile:
    """The part of a profile that the chat reads."""

    def __init__(self) -> None:
        self.shown = CARD
        self.picture: Path | None = None

    def settings(self) -> SimpleNamespace:
        return SimpleNamespace(owner_name="Jo")

    def card(self, familiar: FamiliarId) -> CharacterCard:
        return self.shown

    def avatar(self, familiar: FamiliarId) -> Path | None:
        return self.picture


@dataclass
class Stage:
    """Everything a chat stands on. `clock` is the test's own."""

    vault: Vault
    clock: FixedClock
    talk: ScriptedConversation
    services: SimpleNamespace
    profile: FakeProfile
    errors: list[BaseException] = field(default_factory=list)

    @property
    def tasks(self) -> TaskRegistry:
        return self.services.tasks

    async def channel(self, key: str = "local:main", title: str = "Main") -> Channel:
        return await self.vault.channels.ensure(ChannelKey(key), familiar=MIRA, title=title)

    async def fill(self, channel: Channel, count: int, *, start: datetime = START, minutes: float = 3.0) -> list[Turn]:
        """Store turns in pairs, each answer answering the message before it."""
        turns: list[Turn] = []
        for number in range(count):
            own = number % 2 == 0
            new = NewTurn(
                channel.id,
                Role.USER if own else Role.ASSISTANT,
                f"message {number}",
                start + timedelta(minutes=minutes * number),
                author=OWNER_AUTHOR if own else MIRA_AUTHOR,
                familiar=None if own else MIRA,
                answers=None if own else turns[-1].id,
            )
            turns.append((await self.vault.turns.append(new))[0])
        return turns

    async def fill_quickly(
        self, channel: Channel, count: int, *, start: datetime = START, minutes: float = 3.0
    ) -> None:
        """Store many turns in few transactions."""
        for first in range(0, count, 5000):
            block = [
                NewTurn(
                    channel.id,
                    Role.USER if number % 2 == 0 else Role.ASSISTANT,
                    f"message {number} about the lamp, the fog and the letters that came with the tide",
                    start + timedelta(minutes=minutes * number),
                    author=OWNER_AUTHOR if number % 2 == 0 else MIRA_AUTHOR,
                    familiar=None if number % 2 == 0 else MIRA,
                )
                for number in range(first, min(count, first + 5000))
            ]
            await self.vault.turns.append_many(block)


async def make_stage(folder: Path, *, now: datetime | None = None) -> Stage:
    """Make a vault and a chat's surroundings in a folder."""
    clock = FixedClock(now or START + timedelta(days=28))
    vault = await Vault.create(folder / "vault.db", "correct horse", recovery_code=new_recovery_code(), clock=clock)
    profile = FakeProfile()
    errors: list[BaseException] = []
    talk = ScriptedConversation(vault, clock)
    config = SimpleNamespace(
        lineage=LINEAGE,
        saved_memories=SimpleNamespace(**MEMORIES),
        display=SimpleNamespace(zone=lambda: None),
        conversation=SimpleNamespace(owner_label=""),
    )
    hosted = SimpleNamespace(id=MIRA, name="Mira", config=config, conversation=talk, inspector=WordCounter())
    services = SimpleNamespace(
        profile=profile,
        vault=vault,
        clock=clock,
        tasks=TaskRegistry(lambda _name, error: errors.append(error)),
        familiars={MIRA: hosted},
    )
    return Stage(vault, clock, talk, services, profile, errors)


__all__ = ["MAIN_CHANNEL", "MIRA", "START", "Stage", "make_stage", "make_trace"]
