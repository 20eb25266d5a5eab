"""Tools during a reply: what the model calls is done, told back to it, kept in the log and shown in the trace."""

from __future__ import annotations

import asyncio
import json
import tomllib
from dataclasses import dataclass
from typing import Any

import pytest

from familiar_app.conversation.event import ReplyDelta, ReplyFailed, ReplyStored, StayedSilent, ToolUsed
from familiar_app.conversation.inspector import Inspector, Tried
from familiar_app.conversation.tool import ToolAnswer
from familiar_app.conversation.tool_loop import MAX_ROUNDS
from familiar_app.conversation.tool_registry import SILENT_TOOL
from familiar_app.domain.chat import ToolCall, ToolSpec
from familiar_app.domain.errors import BadInputError, OutsideError
from familiar_app.domain.ids import ChannelKey, PersonKey
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.saved_memory.status import SAVE_TOOL, UPDATE_TOOL
from familiar_app.domain.saved_memory.target import ChatPerson
from familiar_app.domain.settings import parse_config
from familiar_app.domain.turn import Author, Role
from familiar_app.store.alarm_log import TOOL_SET
from familiar_app.store.saved_memory import MemoryQuestion
from tests.doubles.talk import _DEFAULTS
from tests.unit.conversation.memory_stage import LINEAGE, MIRA, SERVER, Stage, Told
from tests.unit.conversation.tool_stage import ANN, RoundsModel, ToolStage, save, written

BEN = Author(PersonKey("discord:2"), "Ben")


def config(**changes: Any) -> Any:
    shipped = tomllib.loads(_DEFAULTS.read_text(encoding="utf-8"))
    return parse_config([("shipped", shipped), ("test", {"lineage": LINEAGE, **changes})])


def scene(stage: Stage, *answers: Any, form: Any = "native", notices: Any = None, **changes: Any) -> ToolStage:
    return ToolStage(stage, RoundsModel(form=form, answers=list(answers)), config(**changes), notices)


def reply(events: list[Any]) -> str:
    return "".join(event.text for event in events if isinstance(event, ReplyDelta))


async def test_a_native_call_saves_a_memory_that_is_in_the_next_prompt(stage: Stage) -> None:
    told = Told()
    at = scene(stage, ["One moment.", save()], ["I will ", "keep that."], ["Tea?"], notices=told)
    events = await at.say("I like tea")
    assert [type(event).__name__ for event in events[2:]] == [
        "ReplyDelta", "ToolUsed", "ReplyDelta", "ReplyDelta", "ReplyStored",
    ]  # fmt: skip
    assert reply(events) == "One moment.\n\nI will keep that."
    assert isinstance(events[-1], ReplyStored)
    assert events[-1].turn.content == "One moment.\n\nI will keep that."
    assert await at.memories() == ["{user} likes tea"]
    assert [notice.title for notice, _ in told.notices] == ["Memory saved"]
    second = at.model.requests[1].messages
    assert [one.role for one in second[-2:]] == ["assistant", "tool"]
    assert json.loads(second[-1].content)["data"]["status"] == "memory_saved_successfully"
    assert (second[-2].tool_calls[0].id, second[-1].tool_call_id) == ("call_0", "call_0")
    turns = await stage.vault.turns.page((await at.channel()).id)
    assert [turn.role for turn in turns] == [Role.USER, Role.TOOL, Role.ASSISTANT]
    assert [event.turn for event in events if isinstance(event, ToolUsed)] == [turns[1]]
    await at.say("And now?")
    later = at.model.requests[2].messages
    assert "[id:1]" in later[0].content
    assert "likes tea" in later[0].content
    assert any(one.role == "user" and "(a tool answered) Saved as memory [id:1]" in one.content for one in later)


async def test_a_memory_is_changed_and_deleted(stage: Stage) -> None:
    def update(content: str) -> ToolCall:
        arguments = {"memory_id": 1, "memory_content": content, "target_user": "Ann"}
        return ToolCall("call_1", UPDATE_TOOL, json.dumps(arguments))

    at = scene(stage, [save()], [update("{user} likes coffee")], ["Coffee, then."], [update("")], ["Gone."])
    await at.say("I like tea. No, coffee")
    assert await at.memories() == ["{user} likes coffee"]
    await at.say("Forget that")
    assert await at.memories() == []


async def test_the_trace_shows_every_round(stage: Stage) -> None:
    at = scene(stage, [save("one")], [save("two"), save("")], ["Done."])
    await at.say("Keep it")
    trace = await at.trace()
    assert [[call["success"] for call in one.calls] for one in trace.rounds] == [[True], [True, False]]
    assert [json.loads(one.calls[0]["result"])["data"]["memory_id"] for one in trace.rounds] == [1, 2]
    assert all(one.sent for one in trace.rounds)
    assert {tool["name"] for tool in trace.tools} == {SAVE_TOOL, UPDATE_TOOL, TOOL_SET}
    added = [one for one in trace.messages if one.layer == "tools"]
    assert [one.role for one in added] == ["assistant", "tool", "assistant", "tool", "tool"]
    assert SAVE_TOOL in added[0].content
    assert trace.answer == "Done."
    assert trace.usage is not None
    assert trace.usage["completion_tokens"] == 15


async def test_a_call_in_the_text_is_carried_out_and_never_shown(stage: Stage) -> None:
    at = scene(stage, ["Sure. ", written(save()), "\nAnn: thanks!"], ["It is kept."], form="text")
    events = await at.say("I like tea")
    assert reply(events) == "Sure.\n\nIt is kept."
    assert await at.memories() == ["{user} likes tea"]
    first, second = at.model.requests
    assert "<tool_call>" in first.messages[0].content
    assert not first.tools
    assert second.messages[-2].content == f"Sure.\n{written(save())}"
    assert second.messages[-1].role == "user"
    assert f"({SAVE_TOOL} answered)" in second.messages[-1].content
    trace = await at.trace()
    assert [one.layer for one in trace.messages if "<tool_call>" in one.content] == ["tools", "tools"]


async def test_a_call_that_cannot_be_read_is_told_back(stage: Stage) -> None:
    at = scene(stage, ['<tool_call>save("tea")</tool_call>'], ["Well."], form="text")
    events = await at.say("I like tea")
    assert ToolUsed("", success=False) in events
    assert "could not be read: it is not one JSON object" in at.model.requests[1].messages[-1].content
    assert (reply(events), await at.memories()) == ("Well.", [])


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (ToolCall("c", "format_disk", "{}"), "There is no such tool here."),
        (ToolCall("c", SAVE_TOOL, "{"), "The arguments are not one JSON object."),
        (ToolCall("c", SAVE_TOOL, "[]"), "The arguments are not one JSON object."),
    ],
)
async def test_a_wrong_call_changes_nothing(stage: Stage, call: ToolCall, told: str) -> None:
    at = scene(stage, [call], ["Well."])
    assert reply(await at.say("Hi")) == "Well."
    sent = at.model.requests[1].messages
    assert sent[-1].content == told
    json.loads(sent[-2].tool_calls[0].arguments)
    assert len(await stage.vault.turns.page((await at.channel()).id)) == 2


async def test_a_refused_memory_leaves_no_turn_but_is_in_the_trace(stage: Stage) -> None:
    at = scene(stage, [save(who="Nobody Known")], ["Hm."])
    await at.say("Hi")
    assert len(await stage.vault.turns.page((await at.channel()).id)) == 2
    (call,) = (await at.trace()).rounds[0].calls
    assert json.loads(call["result"])["data"]["status"] == "memory_save_failed_user_not_found"


@pytest.mark.parametrize("form", ["native", "text"])
async def test_a_model_that_never_stops_calling_is_stopped(stage: Stage, form: Any) -> None:
    again = save("the same")
    at = scene(stage, [again if form == "native" else written(again)], form=form)
    events = await at.say("Hi")
    assert len(at.model.requests) == MAX_ROUNDS + 1
    assert len([event for event in events if isinstance(event, ToolUsed)]) == MAX_ROUNDS
    assert isinstance(events[-1], ReplyFailed)
    assert f"all {MAX_ROUNDS} rounds" in str(events[-1].error)
    assert "empty answer" not in str(events[-1].error)
    assert (await stage.vault.turns.page((await at.channel()).id))[0].content == "Hi"
    assert "No more tools" in at.model.requests[-1].messages[-1].content
    assert await at.memories() == ["the same"]


async def test_nobody_hears_a_message_of_which_nothing_may_be_kept(stage: Stage) -> None:
    at = scene(stage, ["Hello Ben."])
    await stage.vault.privacy.set(BEN.key, PrivacyLevel.FULL, familiar=MIRA, by=BEN.key)
    events = await at.say("A secret", author=BEN)
    assert [type(event).__name__ for event in events] == ["UserTurnStored", "StayedSilent"]
    assert events[-1].trace_id is None
    assert "was not kept" in events[-1].reason
    assert at.model.requests == []
    await stage.vault.privacy.set(BEN.key, PrivacyLevel.PARTIAL, familiar=MIRA, by=BEN.key)
    assert reply(await at.say("Hi", author=BEN)) == "Hello Ben."
    assert not any("secret" in one.content for one in at.model.requests[0].messages)


async def test_silence_as_a_tool(stage: Stage) -> None:
    at = scene(stage, [ToolCall("c", SILENT_TOOL, "{}")])
    channel = await stage.vault.channels.ensure(ChannelKey("discord:10"), familiar=None, guild=SERVER)
    events = await at.say("Hi Ben", channel, BEN)
    assert isinstance(events[-1], StayedSilent)
    assert len(at.model.requests) == 1
    assert [turn.content for turn in await stage.vault.turns.page(channel.id)] == ["Hi Ben"]
    assert (await at.trace()).silent
    await at.say("Hi")
    assert SILENT_TOOL not in {tool.name for tool in at.model.requests[-1].tools}


async def test_silence_after_a_word_is_too_late(stage: Stage) -> None:
    at = scene(stage, ["Yes?", ToolCall("c", SILENT_TOOL, "{}")], ["Go on."])
    channel = await stage.vault.channels.ensure(ChannelKey("discord:10"), familiar=None, guild=SERVER)
    assert reply(await at.say("Hi", channel, BEN)) == "Yes?\n\nGo on."


async def test_tools_are_switched_off_for_a_familiar_and_a_channel(stage: Stage) -> None:
    off = {"conversation": {"tools": []}, "channels": {"local:main": {"tools": [UPDATE_TOOL]}}}
    at = scene(stage, ["Hello."], **off)
    await at.say("Hi")
    assert [tool.name for tool in at.model.requests[0].tools] == [UPDATE_TOOL]
    other = await stage.vault.channels.ensure(ChannelKey("local:other"), familiar=at.talk().familiar)
    await at.say("Hi", other)
    assert at.model.requests[1].tools == ()
    taught = scene(stage, ["Hello."], saved_memories={"self_teaching_enabled": False})
    await taught.say("Hi")
    assert not {SAVE_TOOL, UPDATE_TOOL} & {tool.name for tool in taught.model.requests[0].tools}


def test_an_unknown_tool_in_the_settings_is_named(stage: Stage) -> None:
    with pytest.raises(BadInputError, match="no tool 'fly'") as caught:
        scene(stage, ["x"], channels={"main": {"tools": ["fly"]}}).talk()
    assert SAVE_TOOL in str(caught.value.next_step)


@dataclass
class Slow:
    """A tool that answers when `gate` opens."""

    gate: asyncio.Event
    spec = ToolSpec(SAVE_TOOL, "Wait.", {"type": "object"})

    def fits(self, _: Any) -> bool:
        return True

    async def call(self, _arguments: Any, _caller: Any) -> ToolAnswer:
        await self.gate.wait()
        return ToolAnswer(True, "It rained on Tuesday.")


async def test_a_tool_that_takes_too_long_is_given_up(stage: Stage) -> None:
    at = scene(stage, [ToolCall("c", SAVE_TOOL, "{}")], ["Never mind."])
    talk, channel = at.talk(), await at.channel()
    talk.desk._tools[SAVE_TOOL] = Slow(asyncio.Event())
    talk.desk.timeout_s = 0.05
    assert reply([event async for event in talk.say(channel, "Hi", ANN)]) == "Never mind."
    assert "did not answer within" in at.model.requests[1].messages[-1].content


async def test_what_a_tool_answers_is_a_turn_that_later_prompts_tell(stage: Stage) -> None:
    at = scene(stage, [ToolCall("c", SAVE_TOOL, '{"day": 2}')], ["It rained."])
    talk, channel = at.talk(), await at.channel()
    gate = asyncio.Event()
    gate.set()
    talk.desk._tools[SAVE_TOOL] = Slow(gate)
    _ = [event async for event in talk.say(channel, "Hi", ANN)]
    turn = (await stage.vault.turns.page(channel.id))[1]
    assert (turn.role, turn.mode, turn.content, turn.tool_call_id) == (
        Role.TOOL, "tool", "It rained on Tuesday.", "c",
    )  # fmt: skip
    await at.say("And?")
    asked = at.model.requests[-1].messages
    assert any(one.role == "user" and "(a tool answered) It rained on Tuesday." in one.content for one in asked)


async def test_stopping_between_rounds_keeps_what_was_said_and_done(stage: Stage) -> None:
    at = scene(stage, ["One moment.", save()], ["Never heard."])
    talk, channel = at.talk(), await at.channel()
    events = []
    async for event in talk.say(channel, "I like tea", ANN):
        events.append(event)
        if isinstance(event, ToolUsed):
            talk.stop(channel.id)
    assert type(events[-1]).__name__ == "ReplyStopped"
    assert await at.memories() == ["{user} likes tea"]
    turns = await stage.vault.turns.page(channel.id)
    assert [turn.role for turn in turns] == [Role.USER, Role.TOOL, Role.ASSISTANT]
    assert turns[-1].content == "One moment."
    assert (await at.trace()).rounds


async def test_a_failure_in_a_later_round_keeps_what_the_tool_did(stage: Stage) -> None:
    at = scene(stage, [save()], [OutsideError("The connection broke.", retryable=True)])
    events = await at.say("I like tea")
    assert isinstance(events[-1], ReplyFailed)
    assert events[-1].retryable
    assert await at.memories() == ["{user} likes tea"]
    assert (await at.trace()).error == "The connection broke."


async def test_the_longer_prompt_shortens_the_answer_or_says_so(stage: Stage) -> None:
    at = scene(stage, [save("x" * 900)], ["Fine."])
    at.model.context_tokens = 2048
    await at.say("word " * 400)
    first, second = at.model.requests
    assert second.max_tokens <= first.max_tokens
    taken = await at.model.count_prompt_tokens(second.messages)
    assert taken + second.max_tokens <= 2048


async def test_a_weak_model_keeps_what_it_is_plainly_asked_to(stage: Stage) -> None:
    at = scene(stage, ["I will remember."], ["Mia."], form="asked")
    events = await at.say("Please remember that my cat is called Mia.")
    assert [(one.name, one.success) for one in events if isinstance(one, ToolUsed)] == [(SAVE_TOOL, True)]
    assert await at.memories() == ["{user}: “my cat is called Mia.”"]
    (request,) = at.model.requests
    assert (request.tools, request.schema) == ((), None)
    assert "You keep this in mind now." in request.messages[-1].content
    await at.say("What is my cat called?")
    assert "Ann: “my cat is called Mia.”" in at.model.requests[-1].messages[0].content
    assert await at.memories() == ["{user}: “my cat is called Mia.”"]


async def test_a_weak_model_says_for_whom_words_are(stage: Stage) -> None:
    at = scene(stage, ['{"about": "everybody here"}'], ["Noted."], form="asked")
    await at.say("Remember that the meeting is on Friday")
    assert at.model.requests[0].schema is not None
    (kept,) = await stage.vault.saved_memories.list(MemoryQuestion(LINEAGE))
    assert (kept.content, str(kept.place.scope)) == ("the meeting is on Friday", "server")


@pytest.mark.parametrize("form", ["native", "text"])
async def test_a_prompt_that_is_tried_offers_tools_and_carries_out_none(stage: Stage, form: Any) -> None:
    at = scene(stage, [save() if form == "native" else written(save())], form=form)
    talk, channel = at.talk(), await at.channel()
    inspector = Inspector(talk.familiar, at.config, at.vault, at.model, talk.assembler)
    prompt = await inspector.fresh(channel, "I like tea")
    (tried,) = [event async for event in inspector.ask(prompt)]
    assert isinstance(tried, Tried)
    assert tried.trace.error is not None
    assert "called a tool" in tried.trace.error
    assert await at.memories() == []
    await at.say("I like tea")
    assert [one.name for one in at.model.requests[0].tools] == [one.name for one in at.model.requests[1].tools]
    assert at.model.requests[0].messages[0].content == at.model.requests[1].messages[0].content


async def test_a_link_can_tell_who_else_belongs_to_a_server(stage: Stage) -> None:
    at = scene(stage, [save(who="Cleo")], ["Kept."])
    channel = await stage.vault.channels.ensure(ChannelKey("discord:10"), familiar=None, guild=SERVER)
    talk = at.talk()
    talk.desk.members = lambda _channel: (ChatPerson(PersonKey("discord:7"), "Cleo", "cleo"),)
    _ = [event async for event in talk.say(channel, "Cleo likes tea", BEN)]
    (kept,) = await stage.vault.saved_memories.list(MemoryQuestion(LINEAGE))
    assert (kept.place.owner, kept.taught_by) == ("discord:7", BEN.key)
