"""What a trace calls sent is what left for the model, byte for byte, whichever adapter it was."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from familiar_app.context.assembler import Assembler
from familiar_app.conversation.event import ReplyStored
from familiar_app.conversation.exchange import Conversation
from familiar_app.conversation.witness import Witness
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.chat import ChatRequest, Message, Sampling
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.ids import MAIN_CHANNEL
from familiar_app.domain.trace import PromptTrace, messages_as_sent
from familiar_app.store.keys import KdfCost, new_recovery_code
from familiar_app.store.vault import Vault
from tests.doubles.talk import ANN, MIRA, START, make_config

TRICKY = 'Umlaut ä, quote ", emoji 🦊, line\nbreak and \\ slash'
SETTINGS = "[models.prose]\nmax_answer_tokens = 16\n[models.prose.sampling]\ntemperature = 0.0\n"


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncIterator[Vault]:
    made = await Vault.create(
        tmp_path / "vault.db",
        "heron",
        recovery_code=new_recovery_code(),
        clock=FixedClock(START),
        cost=KdfCost(1, 8 * 1024, 1),
    )
    yield made
    await made.close()


async def newest(vault: Vault) -> PromptTrace:
    (summary,) = await vault.traces.list(limit=1)
    assert summary.id is not None
    found = await vault.traces.get(summary.id)  # type: ignore[arg-type]
    assert found is not None
    return found


def as_sent(subject: Any, trace: PromptTrace) -> list[dict[str, Any]]:
    """Check that the trace has the bytes that left, and return the messages in them."""
    assert trace.sent is not None
    if subject.sends:
        assert trace.sent.encode() == subject.sent[-1].encode()
    return json.loads(trace.sent)["messages"]  # type: ignore[no-any-return]


async def test_the_trace_of_a_reply(subject: Any, vault: Vault) -> None:
    config, clock = make_config(SETTINGS), FixedClock(START)
    card = CharacterCard(name="Mira", description="A keeper of few words.")
    assembler = Assembler(MIRA, lambda: card, config, vault, subject.model, clock, "Ann")
    talk = Conversation(MIRA, "Mira", config, vault, subject.model, assembler, clock)
    channel = await vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA)
    last = [event async for event in talk.say(channel, TRICKY, ANN)][-1]
    assert isinstance(last, ReplyStored)
    trace = await newest(vault)
    assert trace.id == last.trace_id
    messages = as_sent(subject, trace)
    assert messages == [{"role": one.role, "content": one.content} for one in messages_as_sent(trace.messages)]
    assert TRICKY in messages[-1]["content"]
    assert trace.usage is not None
    assert trace.usage["completion_tokens"] >= 1


async def test_the_trace_of_the_work_in_the_background(subject: Any, vault: Vault) -> None:
    asked = (Message("system", "Tell of it."), Message("user", TRICKY))
    request = ChatRequest("prose", "reply", asked, 8, Sampling(temperature=0.0))
    witness = Witness(subject.model, vault, MIRA, FixedClock(START), 5)
    _ = [event async for event in witness.stream(request)]
    messages = as_sent(subject, await newest(vault))
    assert messages == [{"role": one.role, "content": one.content} for one in asked]
