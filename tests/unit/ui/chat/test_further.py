"""An answer that was cut off at its length limit: how it is known, and how it is continued."""

from __future__ import annotations

import asyncio

from familiar_app.domain.errors import OutsideError
from familiar_app.ui.chat.model import ChatModel
from familiar_app.ui.chat.why import explain
from tests.doubles.waiting import until
from tests.unit.ui.chat.stage import MIRA, Stage


async def cut(stage: Stage, chat: ChatModel) -> None:
    stage.talk.finish = "length"
    await chat.start()
    await chat.talk.send("Tell me of the lamp.")
    stage.talk.finish = "stop"


def last(chat: ChatModel) -> str:
    answer = chat.open.last_answer() if chat.open else None
    assert answer is not None
    return answer.content


def is_cut(chat: ChatModel) -> bool:
    return chat.cut.of(chat.open.last_answer() if chat.open else None) == "length"


async def test_it_is_known_after_the_answer_and_after_a_restart(stage: Stage, chat: ChatModel) -> None:
    await cut(stage, chat)
    assert is_cut(chat)
    again = ChatModel(stage.services, MIRA)
    await again.start()
    assert is_cut(again)
    answer = again.open.last_answer()
    facts = dict(explain(await again.trace_of(answer.id), again.zone).facts)
    assert facts["Outcome"] == "cut off at its length limit"


async def test_continuing_makes_another_answer_and_keeps_the_one_that_was_cut(stage: Stage, chat: ChatModel) -> None:
    await cut(stage, chat)
    stage.talk.pieces = [" It turns", " all night."]
    await chat.talk.go_on()
    assert last(chat) == "Hello there. It turns all night."
    assert not is_cut(chat)
    assert [row.text for row in chat.open.rows if row.kind == "turn"][1:] == ["Hello there. It turns all night."]
    await chat.talk.swipe(-1)
    assert last(chat) == "Hello there."
    assert is_cut(chat)


async def test_the_answer_so_far_stands_there_while_it_is_continued(stage: Stage, chat: ChatModel) -> None:
    await cut(stage, chat)
    shown: list[str] = []
    chat.watch(lambda what: shown.append(chat.open.rows[-1].text) if what in ("rows", "live") else None)
    stage.talk.pieces = [" And more."]
    await chat.talk.go_on()
    assert all(text.startswith("Hello there.") for text in shown)
    assert shown[-1] == "Hello there. And more."


async def test_a_continuation_that_failed_is_tried_again_as_one(stage: Stage, chat: ChatModel) -> None:
    await cut(stage, chat)
    stage.talk.error = OutsideError("The connection broke.", retryable=True)
    await chat.talk.go_on()
    assert chat.open.rows[-1].kind == "failure"
    assert last(chat) == "Hello there."
    stage.talk.error, stage.talk.pieces = None, [" On."]
    await chat.talk.try_again()
    assert last(chat) == "Hello there. On."


async def test_an_answer_that_was_changed_by_hand_is_whole(stage: Stage, chat: ChatModel) -> None:
    await cut(stage, chat)
    chat.edits.begin(chat.open.last_answer())
    await chat.edits.save("Hello there, and that is all.")
    assert not is_cut(chat)


async def test_a_swipe_to_an_answer_that_was_cut_before_a_restart_tells_it(stage: Stage, chat: ChatModel) -> None:
    await cut(stage, chat)
    await chat.talk.regenerate()
    assert not is_cut(chat)
    again = ChatModel(stage.services, MIRA)
    await again.start()
    assert not is_cut(again)
    await again.talk.swipe(-1)
    assert is_cut(again)


async def test_an_answer_that_was_stopped_can_be_continued_too_and_after_a_restart(
    stage: Stage, chat: ChatModel
) -> None:
    await chat.start()
    stage.talk.gate.clear()
    saying = asyncio.ensure_future(chat.talk.send("Tell me of the lamp."))
    await until(lambda: chat.reply is not None and chat.reply.state == "speaking")
    chat.talk.stop()
    stage.talk.gate.set()
    await saying
    answer = chat.open.last_answer()
    assert chat.cut.of(answer) == "stopped"
    again = ChatModel(stage.services, MIRA)
    await again.start()
    assert again.cut.of(again.open.last_answer()) == "stopped"
    stage.talk.pieces = [" It turns."]
    await again.talk.go_on()
    assert last(again) == f"{answer.content} It turns."
    assert again.cut.of(again.open.last_answer()) == ""
