"""Calls written into an answer's text: what is read, what is refused, and that nothing of them is ever shown."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.conversation.reply_filter import ReplyFilter
from familiar_app.conversation.tool_text import CLOSE, OPEN, Unreadable, explanation, read_call, written_call
from familiar_app.domain.chat import ToolCall, ToolSpec

LOOK = ToolSpec(
    "look",
    "Look at something.",
    {
        "type": "object",
        "properties": {"at": {"type": "string", "description": "What."}, "how": {"enum": ["near", "far"]}},
        "required": ["at"],
    },
)
WORDS = st.text(alphabet=st.characters(exclude_characters="<>`[]", exclude_categories=("Cs", "Cc")), max_size=40)


def test_the_prompt_explains_the_form() -> None:
    told = explanation([LOOK])
    assert "- look: Look at something." in told
    assert "at (string): What." in told
    assert "how (any, may be left out):  One of: near, far." in told
    assert f'{OPEN}{{"name": "the tool\'s name"' in told


@given(st.dictionaries(WORDS, WORDS | st.integers() | st.none(), max_size=4))
def test_a_call_is_read_as_it_was_written(arguments: dict[str, object]) -> None:
    call = ToolCall("text_0", "look", json.dumps(arguments, ensure_ascii=False))
    inside = written_call(call).removeprefix(OPEN).removesuffix(CLOSE)
    assert read_call(inside, 0) == call


@pytest.mark.parametrize(
    "text",
    [
        "",
        "look",
        "[]",
        '{"name": "look"}',
        '{"name": "look", "arguments": {}, "more": 1}',
        '{"name": 1, "arguments": {}}',
        '{"name": "look", "arguments": "{}"}',
        '{"name": "look", "arguments": {}} {"name": "look", "arguments": {}}',
        '{"name": "look", "arguments": {}',
        "[" * 5000,
    ],
)
def test_anything_else_is_no_call(text: str) -> None:
    assert isinstance(read_call(text, 0), Unreadable)


@given(WORDS, WORDS, st.integers(1, 9))
def test_a_call_never_reaches_the_reply_however_it_is_cut(before: str, inside: str, size: int) -> None:
    answer = f"Well {before} {OPEN}{inside}{CLOSE} and then Ann said"
    speech = ReplyFilter(char="Mira", calls_end=True)
    shown = "".join(speech.feed(answer[at : at + size]) for at in range(0, len(answer), size)) + speech.finish()
    assert shown.strip() == f"Well {before}".strip()
    assert speech.calls == [inside.strip()]


def test_a_call_that_is_cut_off_is_not_shown_either() -> None:
    speech = ReplyFilter(char="Mira", calls_end=True)
    assert (speech.feed("Yes. <tool_ca") + speech.feed('ll>{"name": "lo') + speech.finish()).strip() == "Yes."
    assert speech.calls == ['{"name": "lo']


def test_calls_one_behind_the_other_are_both_heard() -> None:
    speech = ReplyFilter(char="Mira", calls_end=True)
    speech.feed(f"{OPEN}a{CLOSE}\n{OPEN}b{CLOSE}")
    assert (speech.finish(), speech.calls) == ("", ["a", "b"])


def test_a_tag_in_code_is_only_shown() -> None:
    speech = ReplyFilter(char="Mira", calls_end=True)
    code = f"Look:\n```\n{OPEN}a{CLOSE}\n```"
    assert speech.feed(code) + speech.finish() == code
    assert speech.calls == []
