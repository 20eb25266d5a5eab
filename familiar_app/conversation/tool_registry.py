"""The tools there are, by the name that models call them by, and which of them a channel has."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from familiar_app.conversation.alarm_tool import CancelAlarmTool, SetAlarmTool
from familiar_app.conversation.attention_tool import READ_CHANNEL, SHIFT_FOCUS, ReadChannelTool, ShiftFocusTool
from familiar_app.conversation.memory_tool import TOOLS as MEMORY_TOOLS
from familiar_app.conversation.tool import Caller, Occasion, Tool, ToolAnswer
from familiar_app.conversation.tool_part import ToolParts
from familiar_app.domain.chat import ToolSpec
from familiar_app.domain.errors import BadInputError
from familiar_app.domain.saved_memory.status import SAVE_TOOL, UPDATE_TOOL
from familiar_app.domain.settings import CharacterConfig
from familiar_app.domain.text import tr
from familiar_app.store.alarm_log import TOOL_CANCEL, TOOL_SET

SILENT_TOOL = "silent"


@dataclass(frozen=True)
class MemoryTool:
    """What saving and updating a memory have in common."""

    parts: ToolParts
    name = ""

    @property
    def spec(self) -> ToolSpec:
        told = next(one for one in MEMORY_TOOLS if one["name"] == self.name)
        return ToolSpec(told["name"], told["description"], told["parameters"])

    def fits(self, occasion: Occasion) -> bool:
        return occasion.config.saved_memories.self_teaching_enabled

    async def call(self, arguments: Mapping[str, Any], caller: Caller) -> ToolAnswer:
        outcome = await self.parts.memory.carry_out(self.name, arguments, caller.context, call_id=caller.call_id)
        told = json.dumps(outcome.result.as_json(), ensure_ascii=False)
        return ToolAnswer(outcome.result.success, told, logged=True, turn=outcome.turn)


class SaveMemoryTool(MemoryTool):
    """Keeps a memory. What it did stands in the log; a refusal leaves nothing there."""

    name = SAVE_TOOL


class UpdateMemoryTool(MemoryTool):
    """Changes or deletes a memory."""

    name = UPDATE_TOOL


class SilentTool:
    """Says nothing in this reply. Only where nothing was said yet; words that were shown stay."""

    def __init__(self, _: ToolParts) -> None:
        self._spec = ToolSpec(
            SILENT_TOOL,
            "Say nothing this time: the message is not for you, or needs no answer.",
            {"type": "object", "properties": {}},
        )

    @property
    def spec(self) -> ToolSpec:
        return self._spec

    def fits(self, occasion: Occasion) -> bool:
        return occasion.may_stay_silent

    async def call(self, _: Mapping[str, Any], caller: Caller) -> ToolAnswer:
        if caller.has_spoken:
            return ToolAnswer(False, "You have spoken already; go on, or end here.", logged=True)
        return ToolAnswer(True, "You say nothing.", logged=True, silences=True)


REGISTRY: Mapping[str, Callable[[ToolParts], Tool]] = {
    SAVE_TOOL: SaveMemoryTool,
    UPDATE_TOOL: UpdateMemoryTool,
    SILENT_TOOL: SilentTool,
    TOOL_SET: SetAlarmTool,
    TOOL_CANCEL: CancelAlarmTool,
    READ_CHANNEL: ReadChannelTool,
    SHIFT_FOCUS: ShiftFocusTool,
}


def check_tools(config: CharacterConfig) -> None:
    """Raise BadInputError for settings that name an unknown tool."""
    named = {"conversation.tools": config.conversation.tools}
    named |= {f"channels.{key}.tools": one.tools for key, one in config.channels.items() if one.tools is not None}
    for field, names in named.items():
        for name in names:
            if name not in REGISTRY:
                raise BadInputError(
                    tr("there is no tool {name!r}.", name=name),
                    field=field,
                    next_step=tr("Known tools: {names}.", names=", ".join(REGISTRY)),
                )
