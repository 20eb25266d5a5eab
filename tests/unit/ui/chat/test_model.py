"""The chat without a window: opening, reading on, saying, answering, changing, undoing."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from familiar_app.domain.errors import OutsideError, UserError
from familiar_app.domain.ids import OWNER
from familiar_app.domain.saved_memory.memory import MemoryId
from familiar_app.domain.turn import NewTurn, Role
from familiar_app.ui.chat.composer import MESSAGE_CHARS
from familiar_app.ui.chat.model import ChatModel
from tests.doubles.waiting import until
from tests.unit.ui.chat.stage import MIRA, OWNER_AUTHOR, START, Stage


def texts(chat: ChatModel) -> list[str]:
    assert chat.open is not None
    return [row.text for row in chat.open.rows if row.kind in ("turn", "live")]


def kinds(chat: ChatModel) -> list[str]:
    assert chat.open is not None
    return [row.kind for row in chat.open.rows]


async def test_a_new_familiar_gets_a_main_channel(chat: ChatModel) -> None:
    await chat.start()
    assert [one.channel.key for one in chat.channels.summaries] == ["local:main"]
    assert chat.open is not None
    assert chat.owner_name == "Jo"


async def test_the_last_channel_opens_again(stage: Stage, chat: ChatModel) -> None:
    await stage.channel()
    other = await stage.channel("local:plans", "Plans")
    await chat.start()
    await chat.open_channel(other.id)
    again = ChatModel(stage.services, MIRA)
    await again.start()
    assert again.open is not None
    assert again.open.channel.id == other.id


async def test_a_message_and_its_answer_are_shown_and_stored(stage: Stage, chat: ChatModel) -> None:
    await chat.start()
    await chat.talk.send("Hello **Mira**\n")
    assert texts(chat) == ["Hello **Mira**", "Hello there."]
    assert chat.open is not None
    assert chat.open.rows[-1].last_answer
    assert chat.open.rows[-2].own
    assert "sent" in chat.told
    assert chat.meter is not None
    assert (chat.meter.tokens, chat.meter.context_tokens) == (1240, 8192)
    assert chat.reports[0] == ("answering", None)
    assert chat.reports[-1] == ("idle", 45.0)
    stored = await stage.vault.turns.page(chat.open.channel.id)
    assert [turn.role for turn in stored] == [Role.USER, Role.ASSISTANT]
    assert stored[0].author is not None
    assert stored[0].author.key == OWNER
    summary = chat.channels.find(chat.open.channel.id)
    assert summary is not None
    assert summary.unread == 0


async def test_nothing_but_space_is_not_sent_and_too_much_is_refused(stage: Stage, chat: ChatModel) -> None:
    await chat.start()
    await chat.talk.send(" \n ")
    with pytest.raises(UserError, match="64,001 characters"):
        await chat.talk.send("x" * (MESSAGE_CHARS + 1))
    assert await stage.vault.turns.count() == 0


async def test_text_comes_in_batches(stage: Stage, chat: ChatModel) -> None:
    await chat.start()
    stage.talk.pieces = ["word "] * 60
    stage.talk.pause_s = 0.004
    await chat.talk.send("Go on")
    assert texts(chat)[-1] == "word " * 60
    assert 2 <= chat.told.count("live") <= 25


async def test_a_second_message_waits_for_the_first(stage: Stage, chat: ChatModel) -> None:
    await chat.start()
    stage.talk.gate.clear()
    first = asyncio.create_task(chat.talk.send("One"))
    await until(lambda: chat.replying and texts(chat)[1:])
    with pytest.raises(UserError, match="still answering"):
        await chat.talk.send("Two")
    stage.talk.gate.set()
    await first
    assert texts(chat) == ["One", "Hello there."]


async def test_stop_keeps_what_was_said(stage: Stage, chat: ChatModel) -> None:
    await chat.start()
    stage.talk.pieces, stage.talk.pause_s = ["a"] * 500, 0.01
    task = asyncio.create_task(chat.talk.send("Count"))
    await until(lambda: len(texts(chat)) > 1 and texts(chat)[1])
    chat.talk.stop()
    assert chat.reply is not None
    assert chat.reply.state == "stopping"
    await task
    assert 0 < len(texts(chat)[1]) < 500
    assert not chat.replying


async def test_answers_swipe_and_one_beyond_the_last_is_new(stage: Stage, chat: ChatModel) -> None:
    await chat.start()
    await chat.talk.send("Hello")
    stage.talk.pieces = ["Another."]
    await chat.talk.swipe(1)
    assert texts(chat) == ["Hello", "Another."]
    assert chat.open is not None
    turn = chat.open.rows[-1].turn
    assert turn is not None
    assert (turn.alternative, turn.alternatives) == (2, 2)
    key = chat.open.rows[-1].key
    await chat.talk.swipe(-1)
    assert texts(chat) == ["Hello", "Hello there."]
    assert chat.open.rows[-1].key == key
    await chat.talk.swipe(-1)
    await chat.talk.swipe(1)
    assert texts(chat) == ["Hello", "Another."]


async def test_a_failed_reply_stands_in_place_until_tried_again(stage: Stage, chat: ChatModel) -> None:
    await chat.start()
    stage.talk.error = OutsideError("The model is out of reach.", "Start the server.", retryable=True)
    await chat.talk.send("Hello")
    assert chat.open is not None
    failure = chat.open.rows[-1]
    assert (failure.kind, failure.label, failure.next_step) == (
        "failure",
        "The model is out of reach.",
        "Start the server.",
    )
    assert chat.reports[-1][0] == "failed"
    stage.talk.error = None
    await chat.talk.try_again()
    assert kinds(chat) == ["day", "turn", "turn"]
    assert texts(chat) == ["Hello", "Hello there."]


async def test_a_saved_memory_is_a_quiet_line_that_can_be_taken_back(stage: Stage, chat: ChatModel) -> None:
    await chat.start()
    stage.talk.keeps = "{user} likes tea"
    await chat.talk.send("I like tea")
    assert kinds(chat) == ["day", "turn", "memory", "turn"]
    assert chat.open is not None
    line, answer = chat.open.rows[-2:]
    assert line.spoken() == "Memory saved. About Jo: Jo likes tea"
    assert answer.last_answer
    assert chat.open.last_answer() is not None
    undone: list[Any] = []
    chat.offer_undo = lambda text, undo: undone.append((text, undo))
    assert line.turn is not None
    await chat.notes.take_back(line.turn)
    kept = await stage.vault.saved_memories.get(MemoryId(1))
    assert kept is not None
    assert not kept.active
    assert chat.open.rows[-2].spoken() == "Memory saved, and taken back."
    ((text, undo),) = undone
    assert text == "Memory saved, and taken back."
    await undo()
    again = await stage.vault.saved_memories.get(MemoryId(1))
    assert again is not None
    assert again.active
    assert not chat.open.rows[-2].taken_back
    await chat.notes.take_back(line.turn)
    with pytest.raises(UserError, match="changed since"):
        await chat.notes.take_back(line.turn)


async def test_a_line_about_a_memory_tells_no_more_than_it_may(stage: Stage, chat: ChatModel) -> None:
    stage.talk.keeps = "{user} likes tea"
    await chat.start()
    assert chat.open is not None
    chat.open.notices = "minimal"
    await chat.talk.send("I like tea")
    assert chat.open.rows[-2].spoken() == "Memory saved."
    chat.open.notices = "hidden"
    chat.arrange()
    assert kinds(chat) == ["day", "turn", "turn"]
    assert chat.open.rows[-1].last_answer


async def test_an_answer_made_again_with_a_tool_is_the_last_one(stage: Stage, chat: ChatModel) -> None:
    await chat.start()
    await chat.talk.send("I like tea")
    stage.talk.keeps, stage.talk.pieces = "{user} likes tea", ["Another."]
    await chat.talk.regenerate()
    assert chat.open is not None
    assert texts(chat) == ["I like tea", "Another."]
    assert [row.last_answer for row in chat.open.rows if row.kind == "turn"] == [False, True]
    await chat.open_channel(chat.open.channel.id)
    assert kinds(chat) == ["day", "turn", "memory", "turn"]
    assert chat.open.rows[-1].last_answer
    await chat.talk.swipe(-1)
    assert texts(chat) == ["I like tea", "Hello there."]


async def test_a_reply_that_failed_after_a_tool_can_be_asked_for_again(stage: Stage, chat: ChatModel) -> None:
    await chat.start()
    stage.talk.keeps, stage.talk.pieces = "{user} likes tea", []
    await chat.talk.send("I like tea")
    assert kinds(chat)[1:] == ["turn", "memory", "unanswered"]
    stage.talk.keeps, stage.talk.pieces = None, ["Tea it is."]
    await chat.talk.try_again()
    assert texts(chat) == ["I like tea", "Tea it is."]


async def test_silence_is_told(stage: Stage, chat: ChatModel) -> None:
    await chat.start()
    stage.talk.silent = True
    await chat.talk.send("Hm")
    assert kinds(chat)[-1] == "silent"


async def test_a_message_without_an_answer_offers_one(stage: Stage, chat: ChatModel) -> None:
    channel = await stage.channel()
    await stage.fill(channel, 1)
    await chat.start()
    assert kinds(chat)[-1] == "unanswered"
    await chat.talk.try_again()
    assert texts(chat) == ["message 0", "Hello there."]


async def test_editing_keeps_the_old_text_and_can_be_taken_back(chat: ChatModel) -> None:
    await chat.start()
    await chat.talk.send("Helo")
    chat.edits.begin_last_own()
    assert chat.edits.key is not None
    await chat.edits.save("Hello")
    assert texts(chat)[0] == "Hello"
    assert chat.edits.editing is None
    assert chat.open is not None
    turn = chat.open.rows[1].turn
    assert turn is not None
    assert [one.content for one in await chat.edits.revisions(turn.id)] == ["Hello", "Helo"]
    text, undo = chat.undos[-1]
    assert text == "Message changed."
    await undo()
    assert texts(chat)[0] == "Helo"
    await chat.redos[-1]()
    assert texts(chat)[0] == "Hello"


async def test_an_edit_to_nothing_is_refused(chat: ChatModel) -> None:
    await chat.start()
    await chat.talk.send("Hello")
    chat.edits.begin_last_own()
    with pytest.raises(UserError, match="empty message"):
        await chat.edits.save("  ")


async def test_removed_messages_come_back_in_their_place(stage: Stage, chat: ChatModel) -> None:
    channel = await stage.channel()
    turns = await stage.fill(channel, 6)
    await chat.start()
    await chat.edits.remove([turns[2]])
    assert "message 2" not in texts(chat)
    assert len(await stage.vault.turns.page(channel.id)) == 5
    await chat.undos[-1][1]()
    assert texts(chat) == [f"message {number}" for number in range(6)]
    await chat.redos[-1]()
    assert "message 2" not in texts(chat)


async def test_a_channel_opens_at_what_is_unread(stage: Stage, chat: ChatModel) -> None:
    channel = await stage.channel()
    turns = await stage.fill(channel, 150)
    await stage.vault.channels.mark_read(channel.id, turns[29].id)
    await chat.start()
    assert chat.open is not None
    assert chat.target == ("unread", "mark")
    assert not chat.following
    place = [row.key for row in chat.open.rows].index(("unread", "mark"))
    assert chat.open.rows[place + 1].text == "message 30"
    await chat.seen(turns[-1].id)
    assert chat.channels.unread == 0


async def test_pages_come_as_one_scrolls_and_the_far_end_goes(stage: Stage, chat: ChatModel) -> None:
    channel = await stage.channel()
    turns = await stage.fill(channel, 500)
    await stage.vault.channels.mark_read(channel.id, turns[-1].id)
    await chat.start()
    assert chat.open is not None
    assert texts(chat)[-1] == "message 499"
    assert len(texts(chat)) == 60
    for _ in range(12):
        await chat.more_before()
    window = chat.open.window
    assert texts(chat)[0] == "message 0"
    assert window.at_start
    assert len(window.turns) == window.cap
    assert not window.at_end
    for _ in range(12):
        await chat.more_after()
    assert texts(chat)[-1] == "message 499"


async def test_what_comes_below_does_not_move_what_is_read(stage: Stage, chat: ChatModel) -> None:
    channel = await stage.channel()
    turns = await stage.fill(channel, 300)
    await stage.vault.channels.mark_read(channel.id, turns[-1].id)
    await chat.start()
    assert chat.open is not None
    await chat.go_to(turns[20].id)
    before = [row.key for row in chat.open.rows]
    await stage.vault.turns.append(
        NewTurn(channel.id, Role.USER, "late", START + timedelta(days=9), author=OWNER_AUTHOR)
    )
    await chat.refresh()
    assert [row.key for row in chat.open.rows] == before
    await chat.go_to_end()
    assert texts(chat)[-1] == "late"


async def test_search_goes_from_hit_to_hit(stage: Stage, chat: ChatModel) -> None:
    channel = await stage.channel()
    await stage.fill(channel, 250)
    await chat.start()
    await chat.search("MESSAGE 24")
    assert chat.finder.counter() == "11 of 11"
    await chat.step_hit(1)
    assert chat.finder.counter() == "1 of 11"
    assert chat.open is not None
    assert chat.target is not None
    row = chat.open.row(chat.target)
    assert row is not None
    assert row.text == "message 24"
    await chat.search("no such thing")
    assert chat.finder.counter() == "Nothing found"


async def test_one_can_go_to_a_day_and_to_a_place(stage: Stage, chat: ChatModel) -> None:
    channel = await stage.channel()
    await stage.fill(channel, 200, minutes=60)
    await chat.start()
    assert chat.open is not None
    assert chat.open.calendar.turns == 200
    await chat.go_to_day((START + timedelta(days=2)).date())
    row = chat.open.row(chat.target) if chat.target else None
    assert row is not None
    assert row.turn is not None
    assert row.turn.at.hour == 0
    await chat.go_to_place(0.0)
    assert chat.target == ("turn", chat.open.window.turns[0].id)
    assert texts(chat)[0] == "message 0"


async def test_drafts_are_kept_per_channel(stage: Stage, chat: ChatModel) -> None:
    main = await stage.channel()
    other = await stage.channel("local:plans", "Plans")
    await chat.start()
    chat.drafts.put(main.id, "half a thought")
    await chat.open_channel(other.id)
    assert chat.drafts.held(other.id) == ""
    again = ChatModel(stage.services, MIRA)
    await again.open_channel(main.id)
    assert again.drafts.held(main.id) == "half a thought"
    await again.talk.send("half a thought, whole")
    assert await stage.vault.state.get(f"chat.draft.{main.id}") == ""


async def test_channels_are_made_renamed_and_archived(chat: ChatModel) -> None:
    await chat.start()
    made = await chat.channels.new("  Winter   garden ")
    again = await chat.channels.new("Winter garden")
    assert (made.key, again.key) == ("local:winter-garden", "local:winter-garden-2")
    assert await chat.channels.rename(made.id, "Summer") == "Winter garden"
    await chat.channels.archive(again.id)
    assert [one.channel.title for one in chat.channels.summaries] == ["Main", "Summer"]
    with pytest.raises(UserError, match="needs a name"):
        await chat.channels.new(" ")


async def test_an_empty_channel_offers_greetings(chat: ChatModel) -> None:
    await chat.start()
    assert texts(chat) == ["*The lamp turns.* You made it, Jo."]
    chat.greetings.step(1)
    assert texts(chat) == ["Oh. You again."]
    await chat.greetings.begin()
    assert chat.open is not None
    turn = chat.open.rows[-1].turn
    assert turn is not None
    assert (turn.content, turn.role, turn.familiar) == ("Oh. You again.", Role.ASSISTANT, MIRA)
    await chat.talk.swipe(1)
    assert texts(chat) == ["Shh. Listen to the sea."]
    with pytest.raises(UserError, match="opens the conversation"):
        await chat.talk.regenerate()


async def test_a_trace_that_is_gone_is_said(stage: Stage, chat: ChatModel) -> None:
    channel = await stage.channel()
    turns = await stage.fill(channel, 2)
    await chat.start()
    with pytest.raises(UserError, match="not kept any more"):
        await chat.trace_of(turns[1].id)


async def test_another_channel_can_be_read_while_a_reply_comes(stage: Stage, chat: ChatModel) -> None:
    await stage.channel()
    other = await stage.channel("local:plans", "Plans")
    await chat.start()
    assert chat.open is not None
    main = chat.open.channel.id
    stage.talk.gate.clear()
    task = asyncio.create_task(chat.talk.send("Hello"))
    await until(lambda: chat.replying and len(texts(chat)) > 1)
    await chat.open_channel(other.id)
    assert not chat.replying
    stage.talk.gate.set()
    await task
    assert "Hello there." not in texts(chat)
    assert chat.channels.unread == 1
    await chat.open_channel(main)
    assert texts(chat) == ["Hello", "Hello there."]
