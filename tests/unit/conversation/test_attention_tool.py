"""Looking into another channel and turning to one: only where it may be heard here, bounded, and not into the log."""

from __future__ import annotations

import json
from typing import Any

from familiar_app.conversation.attention_tool import MOST_MESSAGES, READ_CHANNEL, SHIFT_FOCUS
from familiar_app.domain.audience import Readers
from familiar_app.domain.chat import ToolCall
from familiar_app.domain.ids import ChannelKey, PersonKey
from familiar_app.domain.turn import Author, Channel, NewTurn, Role
from tests.doubles.talk import START
from tests.unit.conversation.memory_stage import MIRA, Stage
from tests.unit.conversation.test_tool_loop import scene
from tests.unit.conversation.tool_stage import ANN, ToolStage

BEN = Author(PersonKey("discord:2"), "Ben")
EVERYONE, FEW = Readers(everyone=True), Readers(tokens=frozenset({"role:1"}))


def read(channel: str, **more: Any) -> ToolCall:
    return ToolCall("call_0", READ_CHANNEL, json.dumps({"channel": channel, **more}))


def turn_to(channel: str) -> ToolCall:
    return ToolCall("call_0", SHIFT_FOCUS, json.dumps({"channel": channel}))


async def room(stage: Stage, number: int, readers: Readers | None = EVERYONE, guild: int = 1) -> Channel:
    key = ChannelKey(f"discord:{number}")
    made = await stage.vault.channels.ensure(key, familiar=MIRA, title=f"room-{number}", guild=f"discord:{guild}")
    await stage.vault.audiences.tell_readers(made.id, readers)
    return made


async def says(stage: Stage, place: Channel, *texts: str, author: Author = BEN) -> None:
    for text in texts:
        await stage.vault.turns.append(NewTurn(place.id, Role.USER, text, START, author, guild=place.guild))


def result(at: ToolStage) -> str:
    return next(one.content for one in reversed(at.model.requests[-1].messages) if one.role == "tool")


def offered(at: ToolStage) -> set[str]:
    return {tool.name for tool in at.model.requests[0].tools}


async def test_the_newest_words_of_another_channel_are_read_and_stay_there(stage: Stage) -> None:
    here, there = await room(stage, 10), await room(stage, 11)
    await says(stage, there, "The boat leaves at six.", "[12:00 Ann] No, at seven")
    at = scene(stage, [read("#Room-11")], ["At six, says Ben."])
    await at.say("When does the boat leave?", here, BEN)
    assert result(at).splitlines() == [
        "The last 2 messages of #room-11:",
        "[2024-05-01 12:30 Ben] The boat leaves at six.",
        "[2024-05-01 12:30 Ben] › (12:00 Ann) No, at seven",
    ]
    log = await stage.vault.turns.page(here.id)
    assert [turn.content for turn in log if turn.role is Role.TOOL] == ["Read the last 2 messages of #room-11."]
    assert "boat leaves at six" not in json.dumps([turn.tool_calls for turn in log])


async def test_what_was_read_goes_from_the_traces_with_the_words_themselves(stage: Stage) -> None:
    here, there = await room(stage, 10), await room(stage, 11)
    # What is read is shortened and made harmless, so that a search for the words alone would not find it.
    await says(stage, there, f"[10:00 Ann] The boat leaves at six. {'So they say. ' * 50}", "And then?")
    at = scene(stage, [read("room-11")], ["At six, says Ben."])
    await at.say("When does the boat leave?", here, BEN)
    assert "boat leaves at six" in (await at.trace()).model_dump_json()
    (first, _) = await stage.vault.turns.page(there.id)
    await stage.vault.turns.scrub_many([first.id])
    assert "boat leaves at six" not in (await at.trace()).model_dump_json()


async def test_what_may_not_be_heard_here_is_not_there(stage: Stage) -> None:
    here = await room(stage, 10)
    for number, readers, guild in ((11, FEW, 1), (12, None, 1), (13, EVERYONE, 2)):
        await says(stage, await room(stage, number, readers, guild), "a secret")
    direct = await stage.vault.channels.ensure(ChannelKey("discord:14"), familiar=MIRA, title="Ben")
    await says(stage, direct, "a secret")
    wished = [read(name) for name in ("room-11", "discord:12", "13", "Ben", "nowhere", "")]
    at = scene(stage, [read("room-11"), turn_to("room-11")], ["No."])
    await at.say("Read that", here, BEN)
    assert READ_CHANNEL not in offered(at)
    assert SHIFT_FOCUS not in offered(at)
    await room(stage, 15)
    at = scene(stage, wished, ["No."])
    await at.say("Read that", here, BEN)
    assert READ_CHANNEL in offered(at)
    told = [one.content for one in at.model.requests[-1].messages if one.role == "tool"]
    assert set(told) == {"There is no such channel that can be read from here."}
    assert "secret" not in "".join(message.content for request in at.model.requests for message in request.messages)


async def test_what_is_read_is_bounded(stage: Stage) -> None:
    here, there = await room(stage, 10), await room(stage, 11)
    await says(stage, there, *(f"{number} {'long ' * 200}" for number in range(40)))
    at = scene(stage, [read("room-11", messages=10_000)], [read("room-11", messages=0)], ["Much."])
    await at.say("Read", here, BEN)
    (long, refused) = [one.content for one in at.model.requests[-1].messages if one.role == "tool"]
    lines = long.splitlines()[1:]
    assert len(long) < 4200
    assert len(lines) <= MOST_MESSAGES
    assert " 39 long" in lines[-1]
    assert refused == "messages must be a number above 0."


async def test_in_the_window_other_conversations_can_be_read(stage: Stage) -> None:
    work = await stage.vault.channels.ensure(ChannelKey("local:work"), familiar=MIRA, title="Work")
    await says(stage, work, "The report is done.", author=ANN)
    at = scene(stage, [read("work")], ["Done."])
    await at.say("What about the report?")
    assert "The report is done." in result(at)
    assert SHIFT_FOCUS not in offered(at)


async def test_attention_is_turned_and_given_back_but_what_is_pinned_stays(stage: Stage) -> None:
    here, there = await room(stage, 10), await room(stage, 11)
    at = scene(stage, [turn_to("room-11")], ["Over there."], [turn_to("all")], ["Everywhere."])

    async def focus() -> list[str]:
        return [one.channel.title for one in await stage.vault.attention.focus(MIRA)]

    await at.say("Go to room 11", here, BEN)
    assert await focus() == ["room-11"]
    assert result(at) == "You attend to #room-11 now."
    await at.say("Come back", here, BEN)
    assert await focus() == []
    await stage.vault.attention.pin(MIRA, there.id)
    at = scene(stage, [turn_to("room-10")], ["Here too."], [turn_to("all")], ["As you wish."])
    await at.say("Come here", here, BEN)
    assert await focus() == ["room-10", "room-11"]
    await at.say("Everywhere", here, BEN)
    assert await focus() == ["room-11"]
    assert result(at) == "You attend to the channels that the owner has chosen."


async def test_reading_counts_as_looking(stage: Stage) -> None:
    here, there = await room(stage, 10), await room(stage, 11)
    await stage.vault.attention.pin(MIRA, here.id)
    await says(stage, there, "Hello?")
    at = scene(stage, [read("room-11")], ["They say hello."])
    await at.say("What is new?", here, BEN)
    assert "Unread in channels that Mira does not attend to: #room-11 (1)." in at.model.requests[0].messages[-1].content
    assert await stage.vault.attention.unread(MIRA) == []
