"""Going on with an answer that was cut off: what the model is shown, how the parts become one, what is kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from familiar_app.conversation.event import ExchangeEvent, ReplyDelta, ReplyFailed, ReplyStored
from familiar_app.conversation.exchange import Conversation
from familiar_app.conversation.going_on import GO_ON, LAYER, Seam, joint
from familiar_app.domain.chat import ModelInfo
from familiar_app.domain.errors import UserError
from familiar_app.domain.turn import Turn
from tests.doubles.talk import ANN, LOCAL, FakeModel, FakeVault
from tests.unit.conversation.test_exchange import kinds, make, told


class SeamlessModel(FakeModel):
    """Goes on where a last message of its own ends."""

    @property
    def info(self) -> ModelInfo:
        return replace(super().info, goes_on=True)


async def cut_off(model: FakeModel, text: str = "The lamp went") -> tuple[Conversation, FakeVault, Turn]:
    """Return a conversation whose one answer ended at its limit."""
    model.deltas, model.reason = [text], "length"
    conversation, vault = make(model)
    events = await told(conversation.say(LOCAL, "What happened?", ANN))
    assert isinstance(events[-1], ReplyStored)
    assert vault.traces.rows[events[-1].trace_id].usage["finish"] == "length"
    model.reason = "stop"
    return conversation, vault, events[-1].turn


def added(events: list[ExchangeEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, ReplyDelta))


async def test_a_seamless_model_gets_the_answer_so_far_as_its_last_message() -> None:
    model = SeamlessModel()
    conversation, vault, cut = await cut_off(model)
    model.deltas = [" ou", "t at", " nine."]
    events = await told(conversation.go_on(cut.id))
    assert kinds(events)[0] == "PromptReady"
    assert added(events) == " out at nine."
    stored = events[-1]
    assert isinstance(stored, ReplyStored)
    assert (stored.turn.content, stored.turn.answers) == ("The lamp went out at nine.", cut.answers)
    assert not next(row for row in vault.turns.rows if row.id == cut.id).active
    last = model.requests[-1].messages[-1]
    assert (last.role, last.content) == ("assistant", "The lamp went")
    trace = vault.traces.rows[stored.trace_id]
    assert (trace.answer, trace.usage["finish"] if trace.usage else None) == ("The lamp went out at nine.", "stop")
    assert (trace.messages[-1].layer, trace.messages[-1].turn) == (LAYER, cut.id)


async def test_any_other_model_is_asked_in_words_and_what_it_repeats_is_dropped() -> None:
    model = FakeModel()
    conversation, _, cut = await cut_off(model, "She climbed the stairs and lit")
    model.deltas = ["the stairs ", "and lit the lamp."]
    events = await told(conversation.go_on(cut.id))
    assert isinstance(events[-1], ReplyStored)
    assert events[-1].turn.content == "She climbed the stairs and lit the lamp."
    assert [one.content for one in model.requests[-1].messages[-2:]] == [cut.content, GO_ON]
    assert model.requests[-1].messages[-1].role == "user"


async def test_an_answer_can_be_continued_again_and_again() -> None:
    model = SeamlessModel()
    conversation, vault, cut = await cut_off(model, "One")
    for word in (" two", " three"):
        model.deltas = [word]
        (*_, stored) = await told(conversation.go_on(cut.id))
        assert isinstance(stored, ReplyStored)
        cut = stored.turn
    assert [row.content for row in vault.turns.rows[1:]] == ["One", "One two", "One two three"]


async def test_code_that_was_cut_off_goes_on_as_code() -> None:
    model = SeamlessModel()
    conversation, _, cut = await cut_off(model, "Look:\n```\nx = 1")
    model.deltas = ["\nMira: <think>\n```\nDone."]
    (*_, stored) = await told(conversation.go_on(cut.id))
    assert isinstance(stored, ReplyStored)
    assert stored.turn.content == "Look:\n```\nx = 1\nMira: <think>\n```\nDone."


async def test_nothing_to_add_leaves_the_answer_as_it_is() -> None:
    model = SeamlessModel()
    conversation, vault, cut = await cut_off(model)
    model.deltas = []
    events = await told(conversation.go_on(cut.id))
    assert isinstance(events[-1], ReplyFailed)
    assert "nothing to add" in str(events[-1].error)
    assert len(vault.turns.rows) == 2
    assert not conversation.busy(LOCAL.id)


async def test_only_an_answer_can_be_continued() -> None:
    conversation, vault, cut = await cut_off(FakeModel())
    greeting = vault.turns.add(None, "Welcome.")
    for turn in (cut.answers, greeting.id):
        with pytest.raises(UserError):
            await told(conversation.go_on(turn))


@pytest.mark.parametrize(
    ("said", "more", "whole"),
    [
        ("The lamp went", "out.", "The lamp went out."),
        ("The lamp went", " out.", "The lamp went out."),
        ("The lamp went", ", and", "The lamp went, and"),
        ("the lighthou", "lighthouse was dark", "the lighthouse was dark"),
        ("understanding", "standing still", "understanding standing still"),
        ("It was (", "dark)", "It was (dark)"),
        ("One.\n", "Two.", "One.\nTwo."),
        ("He had had", "had enough", "He had had had enough"),
        ("", "All of it.", "All of it."),
        ("Line", "\n\nNext", "Line\n\nNext"),
        ("I don", "'t know", "I don't know"),
        ("She said", "'no' to it", "She said 'no' to it"),
        ("彼女は", "笑った。", "彼女は笑った。"),
        ("สวัส", "ดี", "สวัสดี"),
        ("안녕", "하세요", "안녕 하세요"),
        ("👍", "🏽 it is", "👍🏽 it is"),
        ("👨\u200d", "👩 go", "👨\u200d👩 go"),
        ("❤", "\ufe0f yes", "❤\ufe0f yes"),
        ("caf", "\u0301e", "caf\u0301e"),
        ("```py\nx = 1", "```\nDone.", "```py\nx = 1\n```\nDone."),
        ("```py\nx = 1", "```py\ny = 2\n```", "```py\nx = 1\ny = 2\n```"),
        ("```py\nx = 1\n", "```py\ny = 2\n```", "```py\nx = 1\ny = 2\n```"),
        ("As code:", "```py\nx = 1\n```", "As code:\n```py\nx = 1\n```"),
    ],
)
def test_joint(said: str, more: str, whole: str) -> None:
    assert said + joint(said, more) == whole


@pytest.mark.parametrize("size", [1, 3, 200])
def test_how_the_words_are_cut_makes_no_difference_to_the_seam(size: int) -> None:
    said, more = "It was late and", "late and the sea " + "rose and fell " * 12
    seam: Any = Seam(said)
    shown = "".join(seam.feed(more[start : start + size]) for start in range(0, len(more), size)) + seam.finish()
    assert said + shown == "It was late and the sea " + "rose and fell " * 12


@pytest.mark.parametrize("again", ["Mira: out.", "[14:32 Mira] out.", "<think>Hm.</think>out.", "out.\nAnn: Why?"])
async def test_what_is_no_speech_is_kept_out_of_the_words_that_go_on(again: str) -> None:
    model = FakeModel()
    conversation, _, cut = await cut_off(model)
    model.deltas = list(again)
    (*_, stored) = await told(conversation.go_on(cut.id))
    assert isinstance(stored, ReplyStored)
    assert stored.turn.content == "The lamp went out."


async def test_code_that_is_closed_with_the_first_further_words_is_closed() -> None:
    model = FakeModel()
    conversation, _, cut = await cut_off(model, "Look:\n```\nx = 1")
    model.deltas = ["```\nMira: Done.", "\nAnn: Thanks."]
    (*_, stored) = await told(conversation.go_on(cut.id))
    assert isinstance(stored, ReplyStored)
    assert stored.turn.content == "Look:\n```\nx = 1\n```\nDone."
