"""Reminders through a conversation: set by a tool, due by the clock, answered once, late after a pause, taken back."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from familiar_app.conversation.exchange import Conversation
from familiar_app.domain.alarm import ALARM_DUE
from familiar_app.domain.chat import ToolCall
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.ids import ChannelId, ChannelKey, PersonKey, TurnId
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.turn import Author, Channel, Role, Turn
from familiar_app.store.alarm_log import TOOL_CANCEL, TOOL_SET
from tests.doubles.talk import START
from tests.unit.conversation.memory_stage import MIRA, Stage
from tests.unit.conversation.test_tool_loop import reply, scene
from tests.unit.conversation.tool_stage import ANN, ToolStage

BEN = Author(PersonKey("discord:2"), "Ben")


@dataclass
class Post:
    """Carries reminders to a platform, and never says what became of them."""

    connected: bool = False
    carried: list[tuple[Turn, Turn | None]] = field(default_factory=list)

    def ready(self, _: Channel) -> bool:
        return self.connected

    async def carry(self, due: Turn, stored: Turn | None) -> None:
        self.carried.append((due, stored))


def remind(when: str = "20 minutes", text: str = "feed the cat") -> ToolCall:
    return ToolCall("call_0", TOOL_SET, json.dumps({"when": when, "text": text}))


def back(number: int) -> ToolCall:
    return ToolCall("call_1", TOOL_CANCEL, json.dumps({"alarm_id": number}))


async def log_of(at: ToolStage, channel: ChannelId | None = None) -> list[Turn]:
    return await at.vault.turns.page(channel or (await at.channel()).id)


async def number_of(at: ToolStage) -> TurnId:
    (alarm,) = await at.vault.alarms.waiting(MIRA)
    return alarm.id


def pass_time(stage: Stage, **span: float) -> None:
    stage.clock.instant += timedelta(**span)


async def no_pause(_: float) -> None:
    return


def talking(at: ToolStage) -> Conversation:
    talk = at.talk()
    talk.reminders.pause = no_pause
    return talk


async def server_channel(stage: Stage, number: int = 10) -> Channel:
    return await stage.vault.channels.ensure(
        ChannelKey(f"discord:{number}"), familiar=MIRA, title=f"room-{number}", guild="discord:1"
    )


async def test_what_is_asked_for_comes_when_it_is_due_and_once(stage: Stage) -> None:
    at = scene(stage, [remind()], ["I will."], ["The cat is hungry, Ann."], display={"timezone": "Europe/Berlin"})
    assert reply(await at.say("Remind me in 20 minutes to feed the cat")) == "I will."
    talk = talking(at)
    assert await talk.reminders.tick() == 30
    pass_time(stage, minutes=19, seconds=50)
    assert await talk.reminders.tick() == 10
    assert (await log_of(at))[-1].content == "I will."
    pass_time(stage, seconds=10)
    await talk.reminders.tick()
    due, answer = (await log_of(at))[-2:]
    assert (due.role, due.mode) == (Role.SYSTEM, ALARM_DUE)
    assert due.content.splitlines()[0].endswith("is due: feed the cat")
    assert due.content.splitlines()[1].startswith("Ann asked for it on Wednesday, 2024-05-01, ")
    assert "A reminder is due, as the last note says." in at.model.requests[-1].messages[-1].content
    assert (answer.role, answer.content, answer.answers) == (Role.ASSISTANT, "The cat is hungry, Ann.", due.id)
    assert "(note) Reminder" in at.model.requests[-1].messages[-1].content
    for _ in range(2):
        await talking(at).reminders.tick()
        pass_time(stage, hours=1)
    assert len(await log_of(at)) == 5


async def test_missed_while_the_program_was_away_it_comes_once_and_says_how_late(stage: Stage) -> None:
    at = scene(stage, [remind()], ["I will."], ["Sorry, I am late."])
    await at.say("Remind me")
    pass_time(stage, hours=3, minutes=20)
    await talking(at).reminders.tick()
    due = (await log_of(at))[-2]
    assert "3 hours late: feed the cat" in due.content
    await talking(at).reminders.tick()
    assert len([turn for turn in await log_of(at) if turn.mode == ALARM_DUE]) == 1


async def test_what_went_off_before_a_crash_is_answered_after_it_and_not_told_again(stage: Stage) -> None:
    at = scene(stage, [remind()], ["I will."], ["The cat!"])
    await at.say("Remind me")
    pass_time(stage, minutes=20)
    due = await stage.vault.alarms.fire(MIRA, await number_of(at), lambda alarm: alarm.text)
    assert due is not None
    await talking(at).reminders.tick()
    await talking(at).reminders.tick()
    assert [turn.content for turn in await log_of(at)][-2:] == ["feed the cat", "The cat!"]


async def test_where_the_model_fails_the_reminders_own_words_are_said(stage: Stage) -> None:
    at = scene(stage, [remind()], ["I will."], [OutsideError("The model is away.", retryable=True)])
    await at.say("Remind me")
    pass_time(stage, minutes=20)
    await talking(at).reminders.tick()
    assert (await log_of(at))[-1].content == "Reminder: feed the cat"
    # What was tried is in the traces; what is said is said once.
    assert len([turn for turn in await log_of(at) if turn.role is Role.ASSISTANT]) == 2


async def test_a_reminder_waits_while_the_familiar_is_answering(stage: Stage) -> None:
    at = scene(stage, [remind()], ["I will."], ["Hello."], ["The cat!"])
    await at.say("Remind me")
    pass_time(stage, minutes=20)
    talk = talking(at)
    events = talk.say(await at.channel(), "Hi", ANN, at=START)
    await anext(events)
    assert await talk.reminders.tick() < 30
    assert await number_of(at)
    async for _ in events:
        pass
    await talk.reminders.tick()
    assert (await log_of(at))[-1].content == "The cat!"


async def test_it_is_taken_back_by_its_number(stage: Stage) -> None:
    at = scene(stage, [remind()], ["I will."], [back(2)], ["Gone."])
    await at.say("Remind me")
    assert TOOL_CANCEL not in {tool.name for tool in at.model.requests[0].tools}
    assert await number_of(at) == 2
    await at.say("Never mind")
    assert TOOL_CANCEL in {tool.name for tool in at.model.requests[2].tools}
    assert await stage.vault.alarms.waiting(MIRA) == []
    pass_time(stage, days=1)
    await talking(at).reminders.tick()
    assert [turn for turn in await log_of(at) if turn.mode == ALARM_DUE] == []


async def test_on_a_server_only_who_asked_for_it_takes_it_back(stage: Stage) -> None:
    at = scene(stage, [remind()], ["I will."], [back(2)], ["No."], [back(2)], ["Gone."])
    room = await server_channel(stage)
    await at.say("Remind me", room, BEN)
    number = await number_of(at)
    at.model.answers[0] = [back(number)]
    await at.say("Stop that", room, Author(PersonKey("discord:3"), "Cleo"))
    assert await number_of(at) == number
    at.model.answers[0] = [back(number)]
    await at.say("Stop it, please", room, BEN)
    assert await stage.vault.alarms.waiting(MIRA) == []


async def test_times_that_cannot_be_are_told_to_the_model_and_set_nothing(stage: Stage) -> None:
    wrong: list[Any] = ["yesterday", "2023-01-01T10:00", 7]
    calls = [ToolCall(f"c{n}", TOOL_SET, json.dumps({"when": when, "text": "x"})) for n, when in enumerate(wrong)]
    at = scene(stage, calls, ["When?"])
    await at.say("Remind me")
    told = [message.content for message in at.model.requests[1].messages if message.role == "tool"]
    assert [text.split(".")[0] for text in told] == [
        "This is no time", "This time has passed", "A reminder needs when and text, both as text",
    ]  # fmt: skip
    assert await stage.vault.alarms.waiting(MIRA) == []


async def test_what_is_due_on_a_platform_waits_until_somebody_is_connected_there(stage: Stage) -> None:
    at = scene(stage, [remind()], ["I will."], ["Ben, the cat!"])
    room = await server_channel(stage)
    await at.say("Remind me", room, BEN)
    pass_time(stage, minutes=50)
    talk, post = talking(at), Post()
    assert await talk.reminders.tick() < 30
    assert await number_of(at)

    talk.reminders.carry("discord", post)
    await talk.reminders.tick()
    assert await number_of(at)
    post.connected = True
    await talk.reminders.tick()
    ((due, stored),) = post.carried
    assert (due.channel, stored) == (room.id, None)
    assert "30 minutes late: feed the cat\nBen asked for it" in due.content
    # It has led to no words: it is carried again, at last with words that need no model, and then no more.
    for _ in range(6):
        pass_time(stage, minutes=10)
        await talk.reminders.tick()
    assert [None if one is None else one.content for _, one in post.carried] == [None, None, "Reminder: feed the cat"]


async def test_where_the_familiar_listens_no_longer_nothing_goes_off(stage: Stage) -> None:
    at = scene(stage, [remind()], ["I will."])
    room = await server_channel(stage)
    await at.say("Remind me", room, BEN)
    pass_time(stage, minutes=20)
    await stage.vault.channels.unsubscribe(room.id, MIRA)
    talk, post = talking(at), Post(connected=True)
    talk.reminders.carry("discord", post)
    await talk.reminders.tick()
    assert post.carried == []
    await server_channel(stage)
    await talk.reminders.tick()
    assert len(post.carried) == 1


async def test_an_answer_that_was_made_and_perhaps_not_sent_is_sent_instead_of_made_again(stage: Stage) -> None:
    at = scene(stage, [remind()], ["I will."], ["Ben, the cat!"])
    await at.say("Remind me", await server_channel(stage), BEN)
    pass_time(stage, minutes=20)
    due = await stage.vault.alarms.fire(MIRA, await number_of(at), lambda alarm: alarm.text)
    assert due is not None
    async for _ in at.talk().regenerate(due.id):
        pass
    talk, post = talking(at), Post(connected=True)
    talk.reminders.carry("discord", post)
    await talk.reminders.tick()
    assert [None if one is None else one.content for _, one in post.carried] == ["Ben, the cat!"]


async def test_of_somebody_who_wants_nothing_kept_no_reminder_goes_off(stage: Stage) -> None:
    at = scene(stage, [remind()], ["I will."])
    room = await server_channel(stage)
    await at.say("Remind me", room, BEN)
    await stage.vault.privacy.set(BEN.key, PrivacyLevel.FULL, familiar=MIRA, by=ANN.key)
    assert await stage.vault.alarms.waiting(MIRA) == []


async def test_a_reminder_in_a_channel_of_several_is_never_passed_over_in_silence(stage: Stage) -> None:
    at = scene(stage, [remind()], ["I will."], ["<silent>"], ["The cat, Ben!"])
    room = await server_channel(stage)
    await at.say("Remind me", room, BEN)
    pass_time(stage, minutes=20)
    due = await stage.vault.alarms.fire(MIRA, await number_of(at), lambda alarm: alarm.text)
    assert due is not None
    async for _ in at.talk().regenerate(due.id):
        pass
    assert "<silent>" not in at.model.requests[-1].messages[-1].content
    assert "silent" not in {tool.name for tool in at.model.requests[-1].tools}
