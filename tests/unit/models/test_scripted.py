"""Answers from a file: which line a request gets, and what is said of a bad file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from familiar_app.domain.chat import ChatRequest, Finished, Message, RequestSent, TextDelta, ToolCall, ToolCallRequested
from familiar_app.domain.errors import BadInputError, OutsideError
from familiar_app.models.scripted import ScriptedModel, read_script
from familiar_app.models.structured import MalformedAnswer, ask_json


def script(folder: Path, *lines: Any) -> ScriptedModel:
    path = folder / "script.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return ScriptedModel(read_script(path), name="script")


def ask(text: str, *, slot: Any = "prose", purpose: str = "reply", **more: Any) -> ChatRequest:
    return ChatRequest(slot, purpose, (Message("system", "be brief"), Message("user", text)), 100, **more)


async def answer(model: ScriptedModel, request: ChatRequest) -> str:
    return "".join([event.text async for event in model.stream(request) if isinstance(event, TextDelta)])


async def test_a_request_takes_the_first_unused_line_that_fits(tmp_path: Path) -> None:
    model = script(
        tmp_path,
        {"slot": "background", "reply": "for the other slot"},
        {"slot": "prose", "purpose": "reflection", "reply": "for another purpose"},
        {"slot": "prose", "match": "tea", "reply": "about tea"},
        {"slot": "prose", "purpose": "reply", "reply": "first"},
        {"slot": "prose", "reply": "second"},
    )
    assert await answer(model, ask("coffee?")) == "first"
    assert await answer(model, ask("more tea?")) == "about tea"
    assert await answer(model, ask("more tea?")) == "second"
    assert await answer(model, ask("x", slot="background", purpose="rich_note")) == "for the other slot"
    assert await answer(model, ask("x", purpose="reflection")) == "for another purpose"


async def test_a_match_stands_anywhere_in_the_prompt(tmp_path: Path) -> None:
    model = script(tmp_path, {"slot": "prose", "match": "be brief", "reply": "ok"})
    assert await answer(model, ask("x")) == "ok"


async def test_a_request_without_a_line_fails_with_its_text(tmp_path: Path) -> None:
    model = script(tmp_path, {"slot": "prose", "match": "tea", "reply": "x"})
    with pytest.raises(OutsideError, match="purpose reply:\nbe brief\nwhere is the coffee") as caught:
        await answer(model, ask("where is the coffee"))
    assert not caught.value.retryable


async def test_an_answer_comes_in_several_pieces_and_whole(tmp_path: Path) -> None:
    reply = "A longer answer, with ümläuts and\nline breaks, comes in pieces."
    model = script(tmp_path, {"slot": "prose", "reply": reply})
    events = [event async for event in model.stream(ask("x"))]
    pieces = [event.text for event in events if isinstance(event, TextDelta)]
    assert len(pieces) > 3
    assert "".join(pieces) == reply
    assert isinstance(events[0], RequestSent)
    assert events[-1].reason == "stop"


async def test_json_values_are_structured_answers(tmp_path: Path) -> None:
    notes = [{"text": "Ann likes tea", "importance": 3}]
    model = script(tmp_path, {"slot": "background", "reply": notes}, {"slot": "background", "reply": []})
    request = ask("x", slot="background", purpose="rich_note", schema={"type": "array"})
    assert (await ask_json(model, request))[0] == notes
    assert (await ask_json(model, request))[0] == []


async def test_tool_calls_are_calls(tmp_path: Path) -> None:
    calls = [{"name": "save", "arguments": {"text": "tea"}}, {"id": "c9", "function": {"name": "b", "arguments": "{}"}}]
    model = script(tmp_path, {"slot": "prose", "reply": {"tool_calls": calls}})
    events = [event async for event in model.stream(ask("x"))]
    assert [event.call for event in events if isinstance(event, ToolCallRequested)] == [
        ToolCall("call_0", "save", '{"text": "tea"}'),
        ToolCall("c9", "b", "{}"),
    ]
    assert isinstance(events[-1], Finished)
    assert events[-1].reason == "tool_calls"


@pytest.mark.parametrize("kind", ["timeout", "429"])
async def test_scripted_errors_can_be_tried_again(tmp_path: Path, kind: str) -> None:
    model = script(tmp_path, {"slot": "prose", "reply": {"error": kind}}, {"slot": "prose", "reply": "ok"})
    with pytest.raises(OutsideError) as caught:
        await answer(model, ask("x"))
    assert caught.value.retryable
    assert await answer(model, ask("x")) == "ok"


async def test_a_malformed_answer_is_no_json(tmp_path: Path) -> None:
    malformed = {"slot": "prose", "reply": {"error": "malformed"}}
    model = script(tmp_path, malformed, malformed)
    with pytest.raises(MalformedAnswer):
        await ask_json(model, ask("x", schema={"type": "object"}))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{nonsense", "line 2: this is not JSON"),
        ("[1]", "line 2: this is not a JSON object"),
        ('{"slot": "both", "reply": "x"}', "line 2, field 'slot': it must be"),
        ('{"reply": "x"}', "line 2, field 'slot'"),
        ('{"slot": "prose"}', "line 2, field 'reply': it is missing"),
        ('{"slot": "prose", "match": 3, "reply": "x"}', "line 2, field 'match': it must be a text"),
        ('{"slot": "prose", "replay": "x", "reply": "x"}', "line 2, field 'replay': this field is unknown"),
        ('{"slot": "prose", "reply": {"error": "boom"}}', "line 2, field 'reply': its error must be one of"),
        ('{"slot": "prose", "reply": {"tool_calls": [{}]}}', "line 2, field 'reply': each of its tool_calls"),
    ],
)
async def test_a_bad_line_is_named(tmp_path: Path, line: str, words: str) -> None:
    with pytest.raises(BadInputError, match=r"script\.jsonl") as caught:
        script(tmp_path, {"slot": "prose", "reply": "fine"}, line)
    assert words in caught.value.message


async def test_blank_lines_and_a_byte_order_mark_are_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'\xef\xbb\xbf\r\n{"slot": "prose", "reply": "ok"}\r\n\r\n')
    assert await answer(ScriptedModel(read_script(path), name="s"), ask("x")) == "ok"


async def test_a_file_that_is_missing_or_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="does not exist"):
        read_script(tmp_path / "none.jsonl")
    (tmp_path / "latin.jsonl").write_bytes(b'{"slot": "prose", "reply": "a"}\n{"reply": "\xe4"}')
    with pytest.raises(BadInputError, match="line 2: this is not UTF-8"):
        read_script(tmp_path / "latin.jsonl")
