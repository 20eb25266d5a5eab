"""Where the tools of one familiar lie: which are offered for a prompt, and what becomes of a call.

A call has ten seconds. What a tool answers is a turn of its own, so that later prompts tell of it; a tool that changes
something writes that turn together with the change.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from familiar_app.conversation.event import ToolUsed
from familiar_app.conversation.memory_caller import caller_of
from familiar_app.conversation.memory_tool import MemoryTools, NoticeSink
from familiar_app.conversation.surroundings import surroundings_of
from familiar_app.conversation.tool import Caller, Occasion, Surroundings, Tool, ToolAnswer
from familiar_app.conversation.tool_part import ToolParts
from familiar_app.conversation.tool_registry import REGISTRY, check_tools
from familiar_app.conversation.tool_text import Unreadable
from familiar_app.domain.chat import ToolCall
from familiar_app.domain.clock import Clock
from familiar_app.domain.embedding import Embedder
from familiar_app.domain.errors import BugError
from familiar_app.domain.ids import FamiliarId, TurnId
from familiar_app.domain.saved_memory.request import ToolContext
from familiar_app.domain.saved_memory.target import ChatPerson
from familiar_app.domain.settings import CharacterConfig
from familiar_app.domain.turn import Channel, NewTurn, Role, Turn
from familiar_app.store.vault import Vault

TOOL_MODE = "tool"
TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Done:
    """A call that was carried out, or refused: its name, what the model gave, the answer, the time, its turn."""

    name: str
    arguments: str
    answer: ToolAnswer
    ms: float
    turn: Turn | None = None

    @property
    def used(self) -> ToolUsed:
        """The event that tells of it."""
        return ToolUsed(self.name, self.answer.success, self.turn)

    def as_traced(self) -> dict[str, Any]:
        """Return it as a trace keeps it."""
        told: dict[str, Any] = {
            "name": self.name,
            "arguments": self.arguments,
            "success": self.answer.success,
            "result": self.answer.text,
            "ms": round(self.ms, 1),
        }
        return {**told, "turns": list(self.answer.shows)} if self.answer.shows else told


@dataclass
class ToolDesk:
    """The tools of one familiar. Raises BadInputError for settings that name an unknown tool.

    `members` tells of a channel's server who else belongs to it; a link to a platform may set it.
    """

    familiar: FamiliarId
    char: str
    config: CharacterConfig
    vault: Vault
    clock: Clock
    embedder: Embedder | None = None
    notices: NoticeSink | None = None
    timeout_s: float = TIMEOUT_S
    members: Callable[[Channel], Sequence[ChatPerson]] = lambda _channel: ()
    _tools: dict[str, Tool] = field(init=False)

    def __post_init__(self) -> None:
        check_tools(self.config)
        self.use(MemoryTools(self.vault.saved_memories, self.config.saved_memories, self.embedder, self.notices))

    def use(self, memory: MemoryTools) -> None:
        """Build the tools on other memory tools."""
        parts = ToolParts(memory, self.familiar, self.char, self.config, self.vault, self.clock)
        self._tools = {name: build(parts) for name, build in REGISTRY.items()}

    async def around(self, channel: Channel) -> Surroundings:
        """Look at what lies around a channel."""
        return await surroundings_of(self.vault, self.familiar, self.config, channel)

    def offered(
        self, channel: Channel, *, may_stay_silent: bool, around: Surroundings | None = None
    ) -> dict[str, Tool]:
        """Return the tools that a channel has on this occasion, by name."""
        occasion = Occasion(self.config, may_stay_silent, around or Surroundings(channel))
        names = self.config.tools(channel.key)
        return {name: tool for name, tool in self._tools.items() if name in names and tool.fits(occasion)}

    async def call(
        self, call: ToolCall | Unreadable, tools: Mapping[str, Tool], channel: Channel, turn: TurnId, *, spoken: bool
    ) -> Done:
        """Carry out a call made while `turn` is answered."""
        if isinstance(call, Unreadable):
            return Done("", "", ToolAnswer(False, f"The call could not be read: {call.problem}."), 0.0)
        started = time.perf_counter()
        answer = await self._answer(call, tools.get(call.name), channel, turn, spoken=spoken)
        logged: Turn | None = None
        if answer.turn is not None:
            logged = await self.vault.turns.get(answer.turn)
        elif answer.success and not answer.logged:
            logged = await self._log(call, answer, channel)
        return Done(call.name, call.arguments, answer, (time.perf_counter() - started) * 1000, logged)

    async def _answer(
        self, call: ToolCall, tool: Tool | None, channel: Channel, turn: TurnId, *, spoken: bool
    ) -> ToolAnswer:
        if tool is None:
            return ToolAnswer(False, "There is no such tool here.")
        arguments = _arguments(call.arguments)
        if arguments is None:
            return ToolAnswer(False, "The arguments are not one JSON object.")
        try:
            async with asyncio.timeout(self.timeout_s):
                context = await self._context(channel, turn)
                return await tool.call(arguments, Caller(context, call.id, spoken, channel))
        except TimeoutError:
            return ToolAnswer(False, f"The tool did not answer within {self.timeout_s:g} seconds.")

    async def _context(self, channel: Channel, turn: TurnId) -> ToolContext:
        answered = await self.vault.turns.get(turn)
        if answered is None:
            raise BugError("The turn that is answered is gone.")
        place, members = (self.vault, self.familiar, self.char, self.config.lineage), self.members(channel)
        return await caller_of(*place, channel, answered, members=members)

    async def _log(self, call: ToolCall, answer: ToolAnswer, channel: Channel) -> Turn:
        words = answer.text if answer.told is None else answer.told
        told = {"name": call.name, "arguments": call.arguments, "result": words}
        turn, _ = await self.vault.turns.append(
            NewTurn(
                channel=channel.id,
                role=Role.TOOL,
                content=words,
                at=self.clock.now(),
                familiar=self.familiar,
                guild=channel.guild,
                mode=TOOL_MODE,
                tool_calls=json.dumps(told, ensure_ascii=False),
                tool_call_id=call.id,
            )
        )
        return turn


def _arguments(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
