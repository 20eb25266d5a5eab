"""Lines about memories in the chat: each act of the familiar is taken back exactly, and that again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from familiar_app.conversation.memory_tool import MemoryTools, keeper_of
from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import MAIN_CHANNEL, OWNER
from familiar_app.domain.saved_memory.memory import MemoryId
from familiar_app.domain.saved_memory.request import ToolContext
from familiar_app.domain.saved_memory.status import SAVE_TOOL, UPDATE_TOOL
from familiar_app.domain.saved_memory.target import ChatPerson
from familiar_app.domain.turn import Turn
from familiar_app.ui.chat.memory_note import MemoryNote, TakenBack, note_of, taking_back
from tests.unit.ui.chat.stage import LINEAGE, MEMORIES, MIRA, Stage

JO = ChatPerson(OWNER, "Jo")
CONTEXT = ToolContext(MIRA, "Mira", LINEAGE, "local:main", MAIN_CHANNEL, JO, (JO,), direct=True)
CONFIG: Any = SimpleNamespace(lineage=LINEAGE, saved_memories=SimpleNamespace(**MEMORIES))


async def call(stage: Stage, tool: str, **arguments: Any) -> Turn:
    await stage.channel()
    tools = MemoryTools(stage.vault.saved_memories, CONFIG.saved_memories)
    outcome = await tools.carry_out(tool, arguments, CONTEXT)
    assert outcome.turn is not None
    turn = await stage.vault.turns.get(outcome.turn)
    assert turn is not None
    return turn


async def back(stage: Stage, turn: Turn) -> TakenBack:
    note = note_of(turn, "minimal", char="Mira")
    assert isinstance(note, MemoryNote)
    return await taking_back(note, turn, stage.vault.saved_memories, MIRA, CONFIG)


async def now(stage: Stage) -> tuple[str, bool]:
    memory = await stage.vault.saved_memories.get(MemoryId(1))
    assert memory is not None
    return memory.content, memory.active


async def test_a_change_and_a_deletion_are_taken_back(stage: Stage) -> None:
    await call(stage, SAVE_TOOL, memory_content="tea", memory_scope="server_wide")
    changed = await call(stage, UPDATE_TOOL, memory_id=1, memory_content="coffee")
    acts = await back(stage, changed)
    await acts.undo()
    assert await now(stage) == ("tea", True)
    await acts.redo()
    assert await now(stage) == ("coffee", True)
    deleted = await call(stage, UPDATE_TOOL, memory_id=1, memory_content="")
    acts = await back(stage, deleted)
    await acts.undo()
    assert await now(stage) == ("coffee", True)
    await acts.redo()
    assert await now(stage) == ("coffee", False)


async def test_what_was_changed_since_is_left_alone(stage: Stage) -> None:
    saved = await call(stage, SAVE_TOOL, memory_content="tea", memory_scope="server_wide")
    await stage.vault.saved_memories.edit(keeper_of(MIRA, CONFIG), MemoryId(1), by=OWNER, content="green tea")
    with pytest.raises(UserError, match="changed since"):
        await back(stage, saved)
    assert await now(stage) == ("green tea", True)


async def test_a_turn_that_tells_nothing_has_no_line(stage: Stage) -> None:
    turn = await call(stage, SAVE_TOOL, memory_content="tea", memory_scope="server_wide")
    assert note_of(turn, "hidden", char="Mira") is None
    again = await call(stage, SAVE_TOOL, memory_content="tea", memory_scope="server_wide")
    assert note_of(again, "verbose", char="Mira") is None
    channel = await stage.channel()
    (plain,) = await stage.fill(channel, 1)
    assert note_of(plain, "verbose", char="Mira") is None
