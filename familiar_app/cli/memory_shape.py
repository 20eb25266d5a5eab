"""The JSON forms of saved memories, as scripts rely on them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from familiar_app.cli.shape import turn_shape
from familiar_app.domain.clock import format_time
from familiar_app.domain.saved_memory.capacity import Decay, is_dormant
from familiar_app.domain.saved_memory.memory import MemoryState, SavedMemory
from familiar_app.store.saved_memory import MemoryHistory


def memory_shape(memory: SavedMemory, now: datetime, decay: Decay) -> dict[str, Any]:
    """Return a memory's JSON form; its placeholders stand as they are stored."""
    return {
        "id": memory.id,
        "scope": memory.place.scope,
        "owner": memory.place.owner,
        "lineage": memory.place.lineage,
        "content": memory.content,
        "tags": list(memory.tags),
        "created_at": format_time(memory.created_at),
        "updated_at": format_time(memory.updated_at),
        "manually_written": memory.manually_written,
        "last_reinforced_at": _time(memory.last_reinforced_at),
        "dormant": is_dormant(memory, now, decay),
        "retired_at": _time(memory.retired_at),
        "retired_reason": memory.retired_reason,
        "source_turn_id": memory.source_turn,
    }


def memory_history_shape(history: MemoryHistory, now: datetime, decay: Decay) -> dict[str, Any]:
    """Return a memory with who taught it to whom, what it was learned from, and everything it was."""
    memory = history.memory
    return memory_shape(memory, now, decay) | {
        "persona": memory.persona,
        "taught_by": memory.taught_by,
        "retired_by": memory.retired_by,
        "source": None if history.source is None else turn_shape(history.source),
        "history": [_state_shape(state) for state in history.states],
    }


def _state_shape(state: MemoryState) -> dict[str, Any]:
    return {
        "at": format_time(state.at),
        "cause": state.cause,
        "by": state.by,
        "turn_id": state.turn,
        "scope": state.place.scope,
        "owner": state.place.owner,
        "lineage": state.place.lineage,
        "content": state.content,
        "tags": list(state.tags),
        "retired": state.retired,
    }


def _time(instant: datetime | None) -> str | None:
    return None if instant is None else format_time(instant)
