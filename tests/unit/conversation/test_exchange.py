"""An exchange from what was said to what is stored, and every way in which it can end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from familiar_app.context.assembler import Assembler
from familiar_app.conversation.event import (
    ExchangeEvent,
    PromptReady,
    ReplyDelta,
    ReplyFailed,
    ReplyStopped,
    ReplyStored,
    StayedSilent,
    UserTurnStored,
)
from familiar_app.conversation.exchange import Conversation
from familiar_app.conversation.measured import MAX_REPLY_CHARS
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.chat import ToolCall
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import OutsideError, UserError
from familiar_app.domain.turn import Channel, Role
from tests.doubles.talk import ANN, BEN, GENERAL, LOCAL, MIRA, START, FakeModel, FakeVault, make_config


class FakeChannels:
    async def get(self, channel: int) -> Channel | None:
        return {1: LOCAL, 2: GENERAL}.get(channel)


def make(model: FakeModel, toml: str = "", card: CharacterCard | None = None) -> tuple[Conversation, FakeVault]:
    vault: Any = FakeVault()
    vault.channels = FakeChannels()
    config, clock = make_config(toml), FixedClock(START)
    card = card or CharacterCard(name="Mira", first_message="Welcome, {{user}}. I am {{char}}.")
    assembler = Assembler(MIRA, lambda: card, config, vault, model, clock, "Ann")
    return Conversation(MIRA, "Mira", config, vault, model, assembler, clock), vault


async def told(events: Any) -> list[ExchangeEvent]:
    return [event async for event in events]


def kinds(events: list[ExchangeEvent]) -> list[str]:
    return [type(event).__name__ for event in events]


async def test_reply_is_streamed_and_stored_with_its_trace() -> None:
    model = FakeModel(deltas=["Mira", ": Hel", "lo", " Ann.", "\n"])
    conversation, vault = make(model)
    events = await told(conversation.say(LOCAL, "Hi!", ANN))
    assert kinds(events) == ["UserTurnStored", "PromptReady", *["ReplyDelta"] * 3, "ReplyStored"]
    assert "".join(event.text for event in events if isinstance(event, ReplyDelta)) == "Hello Ann."
    asked, stored = events[0], events[-1]
    assert isinstance(asked, UserTurnStored)
    assert isinstance(stored, ReplyStored)
    assert (stored.turn.content, stored.turn.role, stored.turn.answers) == ("Hello Ann.", Role.ASSISTANT, asked.turn.id)
    trace = vault.traces.rows[stored.trace_id]
    assert vault.traces.linked[stored.trace_id] == stored.turn.id
    assert (trace.answer, trace.error, trace.sent, trace.turn_id) == ("Hello Ann.", None, "{}", asked.turn.id)
    assert trace.usage is not None
    assert trace.usage["tokens_per_s"] == 10.0
    assert "[2024-05-01 12:30 Ann] Hi!" in model.requests[0].messages[-1].content
    assert not conversation.busy(LOCAL.id)


async def test_message_is_stored_before_the_model_is_touched() -> None:
    broken = OutsideError("The model file is damaged.", "Choose another.")
    conversation, vault = make(FakeModel(prepare_error=broken))
    events = await told(conversation.say(LOCAL, "Hi!", ANN))
    assert kinds(events) == ["UserTurnStored", "ReplyFailed"]
    assert events[-1] == ReplyFailed(broken, retryable=False)
    assert [row.content for row in vault.turns.rows] == ["Hi!"]
    assert not vault.traces.rows


async def test_failure_in_the_middle_keeps_its_trace_and_can_be_retried() -> None:
    lost = OutsideError("The connection broke.", retryable=True)
    conversation, vault = make(FakeModel(deltas=["One ", "two", lost]))
    events = await told(conversation.say(LOCAL, "Hi!", ANN))
    assert events[-1] == ReplyFailed(lost, retryable=True)
    assert len(vault.turns.rows) == 1
    (trace,) = vault.traces.rows.values()
    assert (trace.error, trace.answer) == ("The connection broke.", "One two")


@pytest.mark.parametrize("deltas", [[], ["  \n"], ["Mira: "], ["<think>hm</think>"], ["<silent>"]])
async def test_empty_reply_is_not_stored(deltas: list[str]) -> None:
    conversation, vault = make(FakeModel(deltas=deltas))
    events = await told(conversation.say(LOCAL, "Hi!", ANN))
    assert isinstance(events[-1], ReplyFailed)
    assert events[-1].retryable
    assert "empty" in str(events[-1].error)
    assert len(vault.turns.rows) == 1
    assert next(iter(vault.traces.rows.values())).error


async def test_answer_without_end_is_broken_off() -> None:
    model = FakeModel(deltas=["word " * 1000] * 1000)
    conversation, vault = make(model)
    events = await told(conversation.say(LOCAL, "Hi!", ANN))
    assert isinstance(events[-1], ReplyFailed)
    assert len(vault.turns.rows) == 1
    assert "does not come to an end" in events[-1].error.message
    assert sum(len(event.text) for event in events if isinstance(event, ReplyDelta)) <= MAX_REPLY_CHARS


async def test_silence_in_company() -> None:
    model = FakeModel(deltas=["<sil", "ent>", " and more"])
    conversation, vault = make(model)
    vault.turns.add(ANN, "Hi all", channel=GENERAL)
    events = await told(conversation.say(GENERAL, "Hi Ann", BEN))
    assert kinds(events) == ["UserTurnStored", "PromptReady", "StayedSilent"]
    assert isinstance(events[-1], StayedSilent)
    assert vault.traces.rows[events[-1].trace_id].silent
    assert [row.content for row in vault.turns.rows] == ["Hi all", "Hi Ann"]
    assert model.closed_early == 1


async def test_model_that_goes_on_as_somebody_else_is_stopped() -> None:
    model = FakeModel(deltas=["Hi.", "\n", "Ann:", " So", " I say", " much"])
    conversation, _ = make(model)
    events = await told(conversation.say(LOCAL, "Hi!", ANN))
    assert isinstance(events[-1], ReplyStored)
    assert events[-1].turn.content == "Hi."
    assert model.closed_early == 1


async def test_tool_calls_nobody_offered_are_no_speech() -> None:
    conversation, _ = make(FakeModel(deltas=["Hi", ToolCall("1", "x", "{}"), "."]))
    events = await told(conversation.say(LOCAL, "Hi!", ANN))
    assert isinstance(events[-1], ReplyStored)
    assert events[-1].turn.content == "Hi."


async def test_stop_keeps_what_was_said() -> None:
    model = FakeModel(deltas=["One ", "two "], gate=asyncio.Event())
    conversation, vault = make(model)
    events = []
    async for event in conversation.say(LOCAL, "Hi!", ANN):
        events.append(event)
        if isinstance(event, ReplyDelta) and "two" in event.text:
            conversation.stop(LOCAL.id)
    assert isinstance(events[-1], ReplyStopped)
    assert events[-1].turn is not None
    assert events[-1].turn.content == "One two"
    assert model.closed_early == 1
    assert next(iter(vault.traces.rows.values())).error == "stopped"


async def test_stop_before_the_first_word_stores_no_reply() -> None:
    conversation, vault = make(FakeModel(deltas=[], gate=asyncio.Event()))
    events = []
    async for event in conversation.say(LOCAL, "Hi!", ANN):
        events.append(event)
        if isinstance(event, PromptReady):
            conversation.stop(LOCAL.id)
    assert events[-1] == ReplyStopped(None)
    assert len(vault.turns.rows) == 1


async def test_stop_while_the_message_is_stored() -> None:
    conversation, _ = make(FakeModel())
    events = []
    async for event in conversation.say(LOCAL, "Hi!", ANN):
        events.append(event)
        if isinstance(event, UserTurnStored):
            conversation.stop(LOCAL.id)
    assert isinstance(events[-1], ReplyStopped | ReplyStored)


@pytest.mark.parametrize("how", ["close", "cancel"])
async def test_reader_that_goes_away_stops_the_model_and_keeps_the_words(how: str) -> None:
    model = FakeModel(deltas=["One ", "two "], gate=asyncio.Event())
    conversation, vault = make(model)
    heard = asyncio.Event()
    events = conversation.say(LOCAL, "Hi!", ANN)

    async def read() -> None:
        async for event in events:
            if isinstance(event, ReplyDelta) and "two" in event.text:
                heard.set()
                if how == "close":
                    break

    task = asyncio.create_task(read())
    await heard.wait()
    await asyncio.sleep(0.01)
    if how == "cancel":
        task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await events.aclose()
    assert model.closed_early == 1
    assert [row.content for row in vault.turns.rows] == ["Hi!", "One two"]
    assert not conversation.busy(LOCAL.id)


async def test_second_message_is_refused_before_it_is_stored() -> None:
    conversation, vault = make(FakeModel(deltas=["One"], gate=asyncio.Event()))
    first = conversation.say(LOCAL, "Hi!", ANN)
    await anext(first)
    await anext(first)
    assert conversation.busy(LOCAL.id)
    with pytest.raises(UserError, match="still answering"):
        await told(conversation.say(LOCAL, "And?", ANN))
    assert len(vault.turns.rows) == 1
    assert conversation.busy(LOCAL.id)
    await first.aclose()
    assert not conversation.busy(LOCAL.id)


async def test_nothing_is_no_message() -> None:
    conversation, vault = make(FakeModel())
    with pytest.raises(UserError, match="nothing to say"):
        await told(conversation.say(LOCAL, " \n", ANN))
    assert not vault.turns.rows
    assert not conversation.busy(LOCAL.id)


async def test_another_answer_stands_beside_the_first() -> None:
    model = FakeModel(deltas=["First."])
    conversation, vault = make(model)
    events = await told(conversation.say(LOCAL, "Hi!", ANN))
    assert isinstance(events[-1], ReplyStored)
    model.deltas = ["Second."]
    again = await told(conversation.regenerate(events[-1].turn.id))
    assert kinds(again) == ["PromptReady", "ReplyDelta", "ReplyStored"]
    assert [(row.content, row.active) for row in vault.turns.rows[1:]] == [("First.", False), ("Second.", True)]
    assert model.requests[0].messages == model.requests[1].messages
    third = await told(conversation.regenerate(vault.turns.rows[0].id))
    assert isinstance(third[-1], ReplyStored)
    assert len(await vault.turns.answers(vault.turns.rows[0].id)) == 3


async def test_answer_made_again_stands_in_its_old_place() -> None:
    model = FakeModel(deltas=["One."])
    conversation, vault = make(model)
    for text in ("a", "b"):
        await told(conversation.say(LOCAL, text, ANN))
    first_question, first_answer, second_question, _ = vault.turns.rows
    model.deltas = ["New one."]
    await told(conversation.regenerate(first_answer.id))
    assert len(model.requests[-1].messages) == 2
    await told(conversation.regenerate(second_question.id))
    contents = [message.content.split("\n")[0] for message in model.requests[-1].messages[1:]]
    assert contents == ["[2024-05-01 12:30 Ann] a", "New one.", "[12:30 Ann] b"]
    await told(conversation.say(LOCAL, "c", ANN))
    assert [message.content for message in model.requests[-1].messages[1:3]][1] == "New one."
    assert first_question.id < second_question.id


async def test_greeting_has_no_other_answer() -> None:
    conversation, vault = make(FakeModel())
    greeting = await conversation.greet(LOCAL)
    assert greeting is not None
    assert greeting.content == "Welcome, Ann. I am Mira."
    assert await conversation.greet(LOCAL) is None
    with pytest.raises(UserError, match="answers nothing"):
        await told(conversation.regenerate(greeting.id))
    with pytest.raises(UserError, match="gone"):
        await told(conversation.regenerate(999))  # type: ignore[arg-type]
    assert len(vault.turns.rows) == 1


async def test_card_without_first_message_greets_nobody() -> None:
    conversation, vault = make(FakeModel(), card=CharacterCard(name="Mira"))
    assert await conversation.greet(LOCAL) is None
    assert not vault.turns.rows


async def test_defect_is_not_hidden_and_frees_the_channel() -> None:
    conversation, _ = make(FakeModel(deltas=["One", RuntimeError("defect")]))
    with pytest.raises(RuntimeError, match="defect"):
        await told(conversation.say(LOCAL, "Hi!", ANN))
    assert not conversation.busy(LOCAL.id)
