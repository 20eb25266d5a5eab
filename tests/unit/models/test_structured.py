"""Structured answers: what is taken for one, and the one corrective question."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from familiar_app.domain.chat import ChatEvent, ChatRequest, Finished, Message, RequestSent, TextDelta, Usage
from familiar_app.domain.errors import BugError
from familiar_app.models.structured import MalformedAnswer, UnfitAnswerError, ask_json, parse_answer

NOTE = {
    "type": "object",
    "properties": {"text": {"type": "string"}, "importance": {"type": "integer", "minimum": 1}},
    "required": ["text"],
}
ANYTHING = Draft202012Validator({})


class Talker:
    """Gives its answers in order and keeps the requests."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.requests: list[ChatRequest] = []

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        self.requests.append(request)
        yield RequestSent(f"body {len(self.requests)}")
        yield TextDelta(self.answers.pop(0))
        yield Finished("stop", Usage(10, 5, 1.0, 2.0))


def ask(schema: Any = NOTE) -> ChatRequest:
    return ChatRequest("background", "rich_note", (Message("user", "note it"),), 100, schema=schema)


@pytest.mark.parametrize(
    "text",
    [
        '{"text": "tea"}',
        '  {"text": "tea"}\n',
        '```json\n{"text": "tea"}\n```',
        'Here it is:\n```\n{"text": "tea"}\n```\nDone.',
        'Sure! {"text": "tea"} Hope that helps [really].',
        '{"text": "tea"} and again {"text": "tea"}',
        '{"importance": 0} was wrong, so {"text": "tea"}',
    ],
)
async def test_words_around_one_value_are_passed_over(text: str) -> None:
    value, bodies, usage = await ask_json(Talker(text), ask())  # type: ignore[arg-type]
    assert value == {"text": "tea"}
    assert bodies == ["body 1"]
    assert usage == Usage(10, 5, 1.0, 2.0)


async def test_a_wrong_answer_is_asked_for_once_more_with_the_reason() -> None:
    model = Talker('{"text": "tea", "importance": 0}', '{"text": "tea", "importance": 2}')
    value, bodies, usage = await ask_json(model, ask())  # type: ignore[arg-type]
    assert value == {"text": "tea", "importance": 2}
    assert bodies == ["body 1", "body 2"]
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_ms) == (20, 10, 4.0)
    asked = model.requests[1].messages
    assert [message.role for message in asked] == ["user", "assistant", "user"]
    assert "importance breaks the rule 'minimum'" in asked[-1].content
    assert json.dumps(NOTE) in asked[-1].content


async def test_two_wrong_answers_are_malformed_and_not_quoted() -> None:
    with pytest.raises(MalformedAnswer, match="no JSON value") as caught:
        await ask_json(Talker("I will not", "secret words"), ask())  # type: ignore[arg-type]
    assert "secret" not in str(caught.value)


async def test_two_different_values_are_not_one() -> None:
    with pytest.raises(UnfitAnswerError, match="several"):
        parse_answer('{"text": "a"} {"text": "b"}', Draft202012Validator(NOTE))


@pytest.mark.parametrize(
    "text", ["NaN", 'so {"a": NaN} it is', "Infinity", "[" * 100_000, "{" * 5000, "", "```", '{"a": ']
)
def test_what_is_no_json_is_no_value(text: str) -> None:
    with pytest.raises(UnfitAnswerError):
        parse_answer(text, ANYTHING)


async def test_a_request_needs_a_schema_that_is_one() -> None:
    with pytest.raises(BugError):
        await ask_json(Talker("1"), ask(None))  # type: ignore[arg-type]
    with pytest.raises(BugError):
        await ask_json(Talker("1"), ask({"type": "nothing"}))  # type: ignore[arg-type]


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON_VALUES, st.sampled_from(["{}", "```json\n{}\n```", "  {}\n\n"]))
def test_every_value_comes_back(value: Any, around: str) -> None:
    assert parse_answer(around.replace("{}", json.dumps(value)), ANYTHING) == value


@given(st.text())
def test_any_text_is_a_value_or_unfit(text: str) -> None:
    # No text that is not written for it holds a note, and none may bring down the parser.
    with pytest.raises(UnfitAnswerError):
        parse_answer(text, Draft202012Validator(NOTE))
