"""The two tools by which a familiar keeps memories: their description for models, and what a call of them does.

A call is checked, carried out in the vault together with its turn in the log, and told afterwards: first whoever
watches the memories, then the notice, then the count. A notice that cannot be shown changes nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from familiar_app.domain.embedding import Embedder
from familiar_app.domain.errors import BugError, FamiliarError, LockedError, OutsideError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.memory_settings import SavedMemoriesSettings
from familiar_app.domain.saved_memory.capacity import Decay
from familiar_app.domain.saved_memory.keeper import Keeper
from familiar_app.domain.saved_memory.notice import ChannelNotice, MemoryNotice, notice_of
from familiar_app.domain.saved_memory.request import (
    SERVER_WIDE,
    TARGET_USER,
    Limits,
    ToolContext,
    check_save,
    check_update,
)
from familiar_app.domain.saved_memory.status import (
    SAVE_TOOL,
    UPDATE_TOOL,
    Failure,
    Refused,
    Status,
    ToolResult,
    failed,
)
from familiar_app.domain.settings import CharacterConfig
from familiar_app.store.saved_memory import SavedMemories
from familiar_app.store.saved_memory_tool import ToolCall, ToolOutcome

log = logging.getLogger(__name__)

EVICTION_METRIC = "memory_eviction"
_TARGET = {
    "type": "string",
    "description": "The person's name as it stands in the chat, or self for yourself.",
}
TOOLS: tuple[Mapping[str, Any], ...] = (
    {
        "name": SAVE_TOOL,
        "description": "Keep something worth remembering beyond this conversation: a fact, a preference or a wish. "
        "One short sentence; write {user} for the person it is about.",
        "parameters": {
            "type": "object",
            "properties": {
                "memory_content": {"type": "string", "description": "What to remember."},
                "memory_scope": {
                    "type": "string",
                    "enum": [SERVER_WIDE, TARGET_USER],
                    "description": "About this place, or about one person wherever they go.",
                },
                "target_user": _TARGET,
            },
            "required": ["memory_content", "memory_scope"],
        },
    },
    {
        "name": UPDATE_TOOL,
        "description": "Change a memory that is shown with [id:N], or delete it with an empty text.",
        "parameters": {
            "type": "object",
            "properties": {
                "memory_id": {"type": "integer", "description": "The number behind id:."},
                "memory_content": {"type": "string", "description": "The new text; empty deletes the memory."},
                "target_user": _TARGET,
            },
            "required": ["memory_id", "memory_content"],
        },
    },
)


class NoticeSink(Protocol):
    """Shows notices. `in_channel` is None where the channel sees nothing; the log always gets the whole card."""

    async def show(self, notice: MemoryNotice, in_channel: ChannelNotice | None, context: ToolContext) -> None: ...


class MetricSink(Protocol):
    """Counts what happened, without saying to whom."""

    def count(self, name: str, **labels: str | int) -> None: ...


@dataclass(slots=True)
class MemoryTools:
    """The memory tools of one familiar. `context` of a call says who calls from where."""

    memories: SavedMemories
    settings: SavedMemoriesSettings
    embedder: Embedder | None = None
    notices: NoticeSink | None = None
    metrics: MetricSink | None = None

    async def call(
        self, name: str, arguments: object, context: ToolContext, *, call_id: str | None = None
    ) -> ToolResult:
        """Carry out a call and return its result, whatever becomes of it. Raises BugError for other tools."""
        return (await self.carry_out(name, arguments, context, call_id=call_id)).result

    async def carry_out(
        self, name: str, arguments: object, context: ToolContext, *, call_id: str | None = None
    ) -> ToolOutcome:
        """Do as `call` does, and return the log's turn with the result."""
        if name not in (SAVE_TOOL, UPDATE_TOOL):
            raise BugError("This is no memory tool.")
        try:
            outcome = await self._do(name, arguments, context, call_id)
        except (OutsideError, LockedError, BugError):
            # A rule of the database that refuses is a defect of ours, but for the model the same: nothing was stored.
            log.exception("the vault took no call of a memory tool")
            refused = Refused(Failure.DB_ERROR, "The memory could not be stored. Nothing was changed.")
            return ToolOutcome(failed(name, refused))
        if outcome.turn is not None:
            await self._tell(outcome.result, context)
        return outcome

    async def _do(self, name: str, arguments: object, context: ToolContext, call_id: str | None) -> ToolOutcome:
        limits = limits_of(self.settings)
        call = ToolCall(arguments if isinstance(arguments, Mapping) else {}, call_id)
        if name == UPDATE_TOOL:
            update = check_update(arguments, context, limits)
            if isinstance(update, Refused):
                return ToolOutcome(failed(name, update))
            return await self.memories.update(update, call)
        save = check_save(arguments, context, limits)
        if isinstance(save, Refused):
            return ToolOutcome(failed(name, save))
        return await self.memories.save(save, call, limits, await self._decay(save.content))

    async def _decay(self, content: str) -> Decay:
        """Tell whether memories rest; where the embedder fails just now, none may be given up for another."""
        if not self.settings.decay_enabled or self.embedder is None:
            return Decay()
        try:
            await self.embedder.embed([content])
        except OutsideError as error:
            log.warning("the embedder failed, so no memory makes room", exc_info=error)
            return Decay()
        return Decay(self.settings.decay_days, retrieval=True)

    async def _tell(self, result: ToolResult, context: ToolContext) -> None:
        notice = notice_of(result)
        if notice is not None and self.notices is not None:
            try:
                await self.notices.show(notice, notice.in_channel(self.settings.notice_visibility), context)
            except FamiliarError as error:
                log.warning("a memory notice could not be shown: %s", type(error).__name__)
        if result.status == Status.SAVED_WITH_EVICTION and self.metrics is not None:
            scope = "personal" if result.data["scope"] == TARGET_USER else "server"
            self.metrics.count(EVICTION_METRIC, scope=scope, decay_days=self.settings.decay_days)


def limits_of(settings: SavedMemoriesSettings) -> Limits:
    """Return the limits that the settings give."""
    return Limits(settings.self_teaching_enabled, settings.max_length, settings.max_server, settings.max_personal)


def keeper_of(familiar: FamiliarId, config: CharacterConfig) -> Keeper:
    """Return on whose behalf memories of a familiar are kept by hand."""
    return Keeper(familiar, config.lineage, limits_of(config.saved_memories), config.saved_memories.max_tags)
