"""The traces that the work in the background leaves."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from familiar_app.conversation.witness import Witness
from familiar_app.domain.chat import ChatRequest, Message, Sampling, TextDelta, ToolSpec
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.trace import PromptTrace, messages_as_sent
from familiar_app.models.scripted import Script, ScriptedModel, ScriptLine
from familiar_app.models.structured import ask_json
from familiar_app.store.keys import KdfCost, new_recovery_code
from familiar_app.store.vault import Vault
from tests.doubles.talk import MIRA, START, FakeModel

SYSTEM, MATERIAL = Message("system", "Note facts."), Message("user", "[T#1 Ann] It rains.")
SCHEMA = {"type": "array", "items": {"type": "object"}}
CHEAP = KdfCost(1, 8 * 1024, 1)


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncIterator[Vault]:
    made = await Vault.create(
        tmp_path / "vault.db", "heron", recovery_code=new_recovery_code(), clock=FixedClock(START), cost=CHEAP
    )
    yield made
    await made.close()


def request(**more: Any) -> ChatRequest:
    values: dict[str, Any] = {"purpose": "rich_note", "sampling": Sampling(temperature=0.0, stop=("END",))}
    return ChatRequest("background", messages=(SYSTEM, MATERIAL), max_tokens=64, **(values | more))


def watch(vault: Vault, model: Any, keep: int = 10) -> Witness:
    return Witness(model, vault, MIRA, FixedClock(START), keep)


async def stored(vault: Vault) -> list[PromptTrace]:
    found = [await vault.traces.get(one.id) for one in await vault.traces.list()]  # type: ignore[arg-type]
    return [one for one in reversed(found) if one is not None]


async def test_a_projectors_call_is_kept_whole(vault: Vault) -> None:
    model = ScriptedModel(Script([ScriptLine("background", None, None, [{"text": "It rains."}])]), name="script")
    tool = ToolSpec("note", "Notes.", {"type": "object"})
    asked = request(schema=SCHEMA, tools=(tool,))
    value, _, usage = await ask_json(watch(vault, model), asked, accept={"type": "array"})
    (trace,) = await stored(vault)
    assert value == [{"text": "It rains."}]
    assert (trace.purpose, trace.mode, trace.familiar, trace.at, trace.is_reply) == (
        "rich_note", "background", "mira", START, False,
    )  # fmt: skip
    assert messages_as_sent(trace.messages) == (SYSTEM, MATERIAL)
    assert [part.layer for part in trace.messages] == ["instruction", "material"]
    assert (trace.answer_schema, trace.tools[0]["name"]) == (SCHEMA, "note")
    assert (trace.sampling["temperature"], trace.sampling["stop"]) == (0.0, ["END"])
    assert trace.sent is not None
    assert '"json_schema"' in trace.sent
    assert (trace.answer, trace.error, trace.tokens) == ('[{"text": "It rains."}]', None, usage.prompt_tokens)
    assert trace.usage is not None
    assert trace.usage["finish"] == "stop"


async def test_a_failure_is_kept_and_goes_on(vault: Vault) -> None:
    witness = watch(vault, FakeModel(deltas=["Half", OutsideError("The line is dead.")]))
    with pytest.raises(OutsideError, match="The line is dead"):
        _ = [event async for event in witness.stream(request())]
    (trace,) = await stored(vault)
    assert (trace.answer, trace.error) == ("Half", "The line is dead.")


async def test_an_answer_nobody_waits_for_any_more_is_kept_as_far_as_it_came(vault: Vault) -> None:
    model = FakeModel(deltas=["One ", "two ", "three"])
    async with aclosing(watch(vault, model).stream(request())) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                break
    (trace,) = await stored(vault)
    assert (trace.answer, trace.error, model.closed_early) == ("One ", "stopped", 1)


async def test_only_the_newest_calls_are_kept(vault: Vault) -> None:
    witness = watch(vault, FakeModel(), keep=2)
    for number in range(4):
        _ = [event async for event in witness.stream(request(purpose=f"call_{number}"))]
    assert [trace.purpose for trace in await stored(vault)] == ["call_2", "call_3"]
