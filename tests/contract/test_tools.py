"""What every kind of model leads to when somebody asks to remember something, or to be reminded.

The models differ in how they call tools: in a server's own form, in text, or, as the small one that comes along, not at
all. What is kept, what the log and the next prompt say, and what is shown must be the same for all.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from familiar_app.conversation.event import ReplyStored, ToolUsed
from familiar_app.domain.chat import ToolCall
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.saved_memory.status import SAVE_TOOL
from familiar_app.domain.settings import parse_config
from familiar_app.domain.turn import Role
from familiar_app.models.bundled import bundled_model_path
from familiar_app.models.llama_cpp import LlamaCppModel
from familiar_app.models.llama_host import HostOptions, HostPool
from familiar_app.store.alarm_log import TOOL_SET
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.vault import Vault
from tests.doubles.talk import _DEFAULTS
from tests.unit.conversation.memory_stage import LINEAGE, MIRA, NOON, Stage
from tests.unit.conversation.tool_stage import RoundsModel, ToolStage, written
from tests.unit.store.vault_maker import CHEAP, PASSPHRASE

KEEP = ToolCall("c", SAVE_TOOL, json.dumps({"memory_content": "{user}: “my cat is called Mia.”",
    "memory_scope": "target_user", "target_user": "Ann"}))  # fmt: skip
REMIND = ToolCall("c", TOOL_SET, json.dumps({"when": "in 20 minutes", "text": "feed the cat"}))
CONTEXT_TOKENS = 4096


@pytest.fixture(params=["native", "text", pytest.param("bundled", marks=pytest.mark.slow)])
async def stage(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ToolStage]:
    clock = FixedClock(NOON)
    made: dict[str, Any] = {"recovery_code": new_recovery_code(), "clock": clock, "cost": CHEAP}
    vault = await Vault.create(tmp_path / "p" / "vault.db", PASSPHRASE, **made)
    shipped = tomllib.loads(_DEFAULTS.read_text(encoding="utf-8"))
    own = {"lineage": LINEAGE, "models": {"prose": {"max_answer_tokens": 16}}}
    config = parse_config([("shipped", shipped), ("test", own)])
    model: Any = RoundsModel(form=request.param)
    if request.param == "bundled":
        model = LlamaCppModel(HostPool(), HostOptions(bundled_model_path(), CONTEXT_TOKENS, threads=2), weak=True)
    yield ToolStage(Stage(vault, clock), model, config)
    if request.param == "bundled":
        await model.close()
    await vault.close()


def will_call(at: ToolStage, call: ToolCall) -> None:
    """Let a model that is scripted call a tool; the bundled one does as it likes."""
    if isinstance(at.model, RoundsModel):
        form = call if at.model.form == "native" else written(call)
        at.model.answers = [[form], ["As you wish."]]


async def ask(at: ToolStage, text: str, tool: str) -> None:
    """Say something that leads to one call of a tool, and check what is the same for every model."""
    events = await at.say(text)
    assert [(one.name, one.success) for one in events if isinstance(one, ToolUsed)] == [(tool, True)]
    assert isinstance(events[-1], ReplyStored), events[-1]
    assert "tool_call" not in events[-1].turn.content
    assert events[-1].turn.content.strip()
    turns = await at.vault.turns.page((await at.channel()).id)
    assert [turn.role for turn in turns[-3:]] == [Role.USER, Role.TOOL, Role.ASSISTANT]
    told = json.loads(turns[-2].tool_calls or "{}")
    assert told["name"] == tool
    trace = await at.trace()
    assert [call["name"] for one in trace.rounds for call in one.calls] == [tool]


async def shown_next(at: ToolStage) -> str:
    """Return the next prompt, as the model reads it."""
    await at.say("And now?")
    return "\n".join(message.content for message in (await at.trace()).messages)


async def test_what_is_asked_to_be_remembered_is_kept_and_stands_in_the_next_prompt(stage: ToolStage) -> None:
    will_call(stage, KEEP)
    await ask(stage, "Please remember that my cat is called Mia.", SAVE_TOOL)
    assert await stage.memories() == ["{user}: “my cat is called Mia.”"]
    prompt = await shown_next(stage)
    assert "[id:1]" in prompt
    assert "“my cat is called Mia.”" in prompt
    assert "(a tool answered) Saved as memory [id:1]" in prompt


async def test_a_reminder_that_is_asked_for_is_set_and_stands_in_the_next_prompt(stage: ToolStage) -> None:
    will_call(stage, REMIND)
    await ask(stage, "Remind me in 20 minutes to feed the cat.", TOOL_SET)
    (alarm,) = await stage.vault.alarms.waiting(MIRA)
    assert (alarm.due_at, alarm.text) == (NOON + timedelta(minutes=20), "feed the cat")
    prompt = await shown_next(stage)
    assert f"(a tool answered) Reminder {alarm.id} is set for" in prompt
    assert f"- {alarm.id}: " in prompt


async def test_a_reminder_goes_off_in_one_answer(stage: ToolStage) -> None:
    will_call(stage, REMIND)
    await ask(stage, "Remind me in 20 minutes to feed the cat.", TOOL_SET)
    stage.stage.clock.instant = NOON + timedelta(minutes=20)
    talk = stage.talk()
    for _ in range(2):
        await talk.reminders.tick()
    due, answer = (await stage.vault.turns.page((await stage.channel()).id))[-2:]
    assert (due.role, answer.role, answer.answers) == (Role.SYSTEM, Role.ASSISTANT, due.id)
    assert answer.content.strip()
    assert await stage.vault.alarms.unanswered(MIRA, NOON) == []
