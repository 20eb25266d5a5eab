"""A request in the background comes to an end whatever the model does, and what it said by then is not lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

import pytest

from familiar_app.domain.chat import ChatEvent, ChatRequest, Finished, RequestSent, TextDelta, Usage
from familiar_app.domain.errors import OutsideError
from familiar_app.projectors.asking import ask_list, ask_prose, whole_items, whole_sentences
from familiar_app.projectors.runner import Projectors
from tests.unit.projectors.scene import MIRA, Scene, ToldModel, make_config

SHORT = "[memory]\nbatch_timeout_s = 0.05\n"


@dataclass
class Rambling(ToldModel):
    """Says its words and then falls silent for ever, or says that its room is used up."""

    words: tuple[str, ...] = ()
    ends: bool = False

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        self.requests.append(request)
        yield RequestSent("{}")
        for word in self.words:
            yield TextDelta(word)
        if self.ends:
            yield Finished("length", Usage(10, 5))
            return
        await asyncio.Event().wait()


def rambling(scene: Scene, *words: str, ends: bool = False) -> Scene:
    scene.config = make_config(SHORT)
    scene.model = Rambling(words=words, ends=ends)
    return scene


async def test_a_text_that_never_ends_is_taken_up_to_its_last_whole_sentence(scene: Scene) -> None:
    asked = await ask_prose(rambling(scene, "They met. ", "Then they w").desk, "rolling_summary", "system", "user")
    assert asked.value == "They met."


async def test_a_text_that_was_too_long_for_its_room_ends_with_a_sentence_too(scene: Scene) -> None:
    told = rambling(scene, "They met at 3.5 miles. Then", ends=True)
    asked = await ask_prose(told.desk, "rolling_summary", "system", "user")
    assert (asked.value, asked.tokens) == ("They met at 3.5 miles.", 15)


async def test_of_a_list_that_never_ends_the_whole_items_count(scene: Scene) -> None:
    asked = await ask_list(rambling(scene, "[1, 2, 3").desk, "rich_note", "system", "user", {"type": "array"})
    assert (asked.value, asked.malformed) == ([1, 2], False)
    asked = await ask_list(rambling(scene, '[{"text": "a').desk, "rich_note", "system", "user", {"type": "array"})
    assert (asked.value, asked.malformed) == (None, True)


async def test_a_list_that_was_too_long_for_its_room_is_not_asked_for_again(scene: Scene) -> None:
    told = rambling(scene, '[{"text": "a"}, {"text": "b, ', ends=True)
    asked = await ask_list(told.desk, "rich_note", "system", "user", {"type": "array"})
    assert (asked.value, asked.malformed, asked.tokens) == ([{"text": "a"}], False, 15)
    assert len(told.model.requests) == 1


async def test_an_answer_that_turns_in_circles_is_stopped_at_once(scene: Scene) -> None:
    words = ("They met. ", *("The story now:\n",) * 1000)
    told = rambling(scene, *words)
    assert (await ask_prose(told.desk, "rolling_summary", "system", "user")).value == "They met."
    told = rambling(scene, '[{"text": "a"}, ', *("\n",) * 100_000)
    asked = await ask_list(told.desk, "rich_note", "system", "user", {"type": "array"})
    assert (asked.value, len(told.model.requests)) == ([{"text": "a"}], 1)


async def test_silence_is_an_error_that_may_pass(scene: Scene) -> None:
    desk = rambling(scene).desk
    for asking in (ask_prose(desk, "x", "s", "u"), ask_list(desk, "x", "s", "u", {"type": "array"})):
        with pytest.raises(OutsideError) as caught:
            await asking
        assert caught.value.retryable


async def test_the_answer_has_no_more_room_than_the_setting_says(scene: Scene) -> None:
    scene.config = make_config("[memory]\nbatch_answer_tokens = 77\n")
    scene.model.tell("rolling_summary", "Well.")
    await ask_prose(scene.desk, "rolling_summary", "system", "user")
    assert scene.model.requests[0].max_tokens == 77


async def test_a_model_that_never_ends_holds_up_no_batch(scene: Scene) -> None:
    for number in range(25):
        await scene.say(f"remark {number}")
    told = rambling(scene, '[{"text": "Ann rem')
    outcomes = await Projectors(told.desk).run(["rich_note"], until_idle=True)
    assert [(one.ticks, one.error) for one in outcomes] == [(3, None)]
    kept = await scene.vault.projections.answers("rich_note", MIRA)
    assert ['"malformed": true' in answer.answer for answer in kept] == [True, True, True]
    assert await scene.beliefs() == []


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ('[{"id": 1}, {"id": 2}', [{"id": 1}, {"id": 2}]),
        ('Here: [ {"id": [1, 2]} , {"id": "]', [{"id": [1, 2]}]),
        ("[1, 12", [1]),
        ("[", []),
        ("", []),
        ("nothing", []),
        ("[" * 5000, []),
    ],
)
def test_whole_items(text: str, items: list[Any]) -> None:
    assert whole_items(text) == items


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("One. Two. Thr", "One. Two."),
        ('She said "no." Then', 'She said "no."'),
        ("Version 3.14 is", "Version 3.14 is"),
        ("彼は来た。そして", "彼は来た。"),
        ("Done!", "Done!"),
        ("", ""),
    ],
)
def test_whole_sentences(text: str, kept: Any) -> None:
    assert whole_sentences(text) == kept
