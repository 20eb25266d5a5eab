"""The adapter for OpenAI-compatible endpoints, against a server that misbehaves on demand."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest

from familiar_app.domain.chat import (
    ChatRequest,
    Finished,
    Message,
    RequestSent,
    Sampling,
    TextDelta,
    ToolCall,
    ToolCallRequested,
    ToolSpec,
)
from familiar_app.domain.errors import OutsideError
from familiar_app.models.network import NetworkPolicy
from familiar_app.models.openai import OpenAIModel, Patience
from tests.doubles.waiting import PATIENCE_S, until

KEY = "sk-very-secret-key"
ASK = ChatRequest("prose", "reply", (Message("user", "a private word"),), 50)
NOW = datetime(2024, 5, 1, 12, 0, 0, tzinfo=UTC)


def text(words: str, finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": words}, "finish_reason": finish}]}


@pytest.fixture
def waits() -> list[float]:
    return []


def make_model(url: str, waits: list[float], patience_s: float) -> OpenAIModel:
    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    return OpenAIModel(
        NetworkPolicy(local_only=True),
        base_url=url,
        model="m1",
        api_key=KEY,
        patience=Patience(first_token_s=patience_s, between_tokens_s=patience_s, max_retries=2),
        sleep=sleep,
        now=lambda: NOW,
    )


@pytest.fixture
async def model(server: Any, waits: list[float]) -> AsyncIterator[OpenAIModel]:
    made = make_model(server.url, waits, PATIENCE_S)
    yield made
    await made.close()


@pytest.fixture
async def impatient(server: Any, waits: list[float]) -> AsyncIterator[OpenAIModel]:
    made = make_model(server.url, waits, 0.2)
    yield made
    await made.close()


async def collect(model: OpenAIModel, request: ChatRequest = ASK) -> list[Any]:
    return [event async for event in model.stream(request)]


async def gather_into(seen: list[Any], model: OpenAIModel) -> None:
    async for event in model.stream(ASK):
        seen.append(event)  # noqa: PERF401 - what came before an error is what matters


async def fail(model: OpenAIModel, request: ChatRequest = ASK) -> OutsideError:
    with pytest.raises(OutsideError) as caught:
        await collect(model, request)
    assert "private" not in str(caught.value)
    assert KEY not in str(caught.value)
    return caught.value


async def test_an_answer_is_streamed_and_the_body_shown_is_the_one_on_the_wire(server: Any, model: OpenAIModel) -> None:
    usage = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}
    server.answers = [server.events(text("Good"), text(" day"), text("", "stop"), usage)]
    events = await collect(model)
    assert [event.text for event in events if isinstance(event, TextDelta)] == ["Good", " day"]
    assert events[0] == RequestSent(server.bodies[0].decode())
    assert isinstance(events[-1], Finished)
    assert (events[-1].reason, events[-1].usage.prompt_tokens, events[-1].usage.completion_tokens) == ("stop", 9, 2)


async def test_the_key_goes_into_the_header_and_nowhere_else(
    server: Any, model: OpenAIModel, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.answers = [server.reply(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}})]
    error = await fail(model)
    assert f"authorization: bearer {KEY}" in server.heads[0].lower()
    assert KEY.encode() not in server.bodies[0]
    assert KEY not in caplog.text
    assert KEY not in repr(model)
    assert "did not accept the API key" in error.message
    assert not error.retryable


@pytest.mark.parametrize(
    ("status", "body", "words", "retryable"),
    [
        (402, {}, "no credit", False),
        (403, {}, "does not allow this model", False),
        (404, {"error": {"message": "model 'm1' not found"}}, "has no model named 'm1'", False),
        (404, "<h1>nothing here</h1>", "no OpenAI-compatible endpoint at this address", False),
        (400, {"error": {"code": "context_length_exceeded"}}, "context holds 8192", False),
        (400, {"error": {"type": "odd_thing", "message": "a private word"}}, "status 400, odd_thing", False),
        (307, {}, "on to another address", False),
        (429, {"error": {"code": "insufficient_quota"}}, "quota", False),
    ],
)
async def test_each_refusal_has_its_sentence(
    server: Any, model: OpenAIModel, status: int, body: Any, words: str, retryable: bool
) -> None:
    server.answers = [server.reply(status, body)]
    error = await fail(model)
    assert words in error.message
    assert error.retryable is retryable


@pytest.mark.parametrize(
    ("header", "wait"), [("3", 3.0), ("Wed, 01 May 2024 12:00:07 GMT", 7.0), ("Wed, 01 May 2024 11:00:00 GMT", 0.0)]
)
async def test_a_busy_server_is_asked_again_when_it_says(
    server: Any, model: OpenAIModel, waits: list[float], header: str, wait: float
) -> None:
    server.answers = [server.reply(429, {}, Retry_After=header), server.events(text("ok", "stop"))]
    events = await collect(model)
    assert waits == [wait]
    assert sum(isinstance(event, RequestSent) for event in events) == 1
    assert server.bodies[0] == server.bodies[1]


async def test_a_wait_that_is_too_long_is_told_and_not_made(
    server: Any, model: OpenAIModel, waits: list[float]
) -> None:
    server.answers = [server.reply(429, {}, Retry_After="3600")]
    error = await fail(model)
    assert waits == []
    assert error.retryable
    assert "3600 seconds" in error.next_step


async def test_a_failing_server_is_asked_a_bounded_number_of_times(
    server: Any, model: OpenAIModel, waits: list[float]
) -> None:
    server.answers = [server.reply(500, "oops")]
    error = await fail(model)
    assert len(server.bodies) == 3
    assert 0.3 < waits[0] < waits[1] < 1.5
    assert error.retryable
    assert "status 500" in error.message


async def test_a_server_that_stays_silent_is_given_up(server: Any, impatient: OpenAIModel) -> None:
    server.answers = [server.until_left]
    error = await fail(impatient)
    assert "did not answer in time" in error.message
    assert error.retryable


async def test_signs_of_life_are_no_answer(server: Any, impatient: OpenAIModel) -> None:
    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        while not server.readers[writer].at_eof():
            writer.write(b": still working\n\n")
            await writer.drain()
            await asyncio.sleep(0.02)

    server.answers = [drip]
    assert "did not answer in time" in (await fail(impatient)).message


async def test_a_stream_that_breaks_off_is_no_answer(server: Any, model: OpenAIModel) -> None:
    async def half(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9999\r\n\r\n")
        writer.write(b'data: {"choices":[{"delta":{"content":"Half"}}]}\n\n')

    server.answers = [half]
    seen: list[Any] = []
    with pytest.raises(OutsideError, match="broke off") as caught:
        await gather_into(seen, model)
    assert seen[-1] == TextDelta("Half")
    assert caught.value.retryable


async def test_a_stream_without_an_end_is_no_answer(server: Any, model: OpenAIModel) -> None:
    server.answers = [server.events(text("Half"), done=False)]
    assert "broke off" in (await fail(model)).message


async def test_an_end_without_its_last_line_is_an_answer(server: Any, model: OpenAIModel) -> None:
    server.answers = [server.events(text("Whole", "stop"), done=False)]
    assert isinstance((await collect(model))[-1], Finished)


async def test_lines_that_are_no_events_are_passed_over(server: Any, model: OpenAIModel) -> None:
    server.answers = [server.events("garbage", ": comment", "event: ping", "\x00\x01", text("Hi", "stop"))]
    assert [event.text for event in await collect(model) if isinstance(event, TextDelta)] == ["Hi"]


@pytest.mark.parametrize("line", ["data: {not json", "data: [1]", 'data: {"choices": 3}', 'data: {"choices": [1]}'])
async def test_events_that_are_no_chunks_are_an_error(server: Any, model: OpenAIModel, line: str) -> None:
    server.answers = [server.events(line)]
    assert "not understood" in (await fail(model)).message


async def test_a_line_without_end_is_given_up(server: Any) -> None:
    model = OpenAIModel(NetworkPolicy(local_only=True), base_url=server.url, model="m1")
    server.answers = [server.reply(200, b"data: " + b"x" * 5_000_000, kind="text/event-stream")]
    assert "too large" in (await fail(model)).message
    await model.close()


async def test_a_web_page_is_no_answer(server: Any, model: OpenAIModel) -> None:
    server.answers = [server.reply(200, "<html></html>", kind="text/html")]
    assert "web page" in (await fail(model)).message


async def test_an_answer_in_one_piece_is_taken(server: Any, model: OpenAIModel) -> None:
    whole = {"choices": [{"message": {"content": "All at once"}, "finish_reason": "length"}]}
    server.answers = [server.reply(200, whole)]
    events = await collect(model)
    assert events[1] == TextDelta("All at once")
    assert events[-1].reason == "length"


async def test_an_error_within_the_stream_is_an_error(server: Any, model: OpenAIModel) -> None:
    server.answers = [server.events(text("Ha"), {"error": {"code": 429, "message": "slow down"}})]
    error = await fail(model)
    assert "no more requests" in error.message
    assert error.retryable


async def test_no_server_is_no_connection(model: OpenAIModel, unused_tcp_port: int) -> None:
    lost = OpenAIModel(NetworkPolicy(local_only=True), base_url=f"http://127.0.0.1:{unused_tcp_port}", model="m1")
    error = await fail(lost)
    assert "No connection" in error.message
    with pytest.raises(OutsideError, match="No connection"):
        await lost.prepare()
    await lost.close()


async def test_tool_calls_are_put_together(server: Any, model: OpenAIModel) -> None:
    def part(**call: Any) -> dict[str, Any]:
        return {"choices": [{"delta": {"tool_calls": [call]}, "finish_reason": None}]}

    server.answers = [
        server.events(
            part(index=0, id="c1", function={"name": "look", "arguments": ""}),
            part(index=0, function={"arguments": '{"at":'}),
            part(index=1, id="c2", function={"name": "wait", "arguments": "{}"}),
            part(index=0, function={"arguments": ' "sea"}'}),
            text("", "tool_calls"),
        )
    ]
    tool = ToolSpec("look", "Look at something.", {"type": "object"})
    events = await collect(model, ChatRequest("prose", "reply", ASK.messages, 50, tools=(tool,)))
    assert [event.call for event in events if isinstance(event, ToolCallRequested)] == [
        ToolCall("c1", "look", '{"at": "sea"}'),
        ToolCall("c2", "wait", "{}"),
    ]
    assert events[-1].reason == "tool_calls"
    assert json.loads(server.bodies[0])["tools"][0]["function"]["name"] == "look"


async def test_a_form_that_is_refused_is_told_in_words_once(server: Any, model: OpenAIModel) -> None:
    request = ChatRequest("background", "rich_note", ASK.messages, 50, schema={"type": "array"})
    server.answers = [
        server.reply(400, {"error": {"message": "response_format is not supported"}}),
        server.events(text("[]", "stop")),
    ]
    events = await collect(model, request)
    assert [event.body for event in events if isinstance(event, RequestSent)] == [b.decode() for b in server.bodies]
    assert "response_format" in json.loads(server.bodies[0])
    second = json.loads(server.bodies[1])
    assert "response_format" not in second
    assert '{"type": "array"}' in second["messages"][-1]["content"]
    await collect(model, request)
    assert len(server.bodies) == 3


async def test_a_form_that_is_refused_again_is_an_error(server: Any, model: OpenAIModel) -> None:
    server.answers = [server.reply(400, {"error": {"message": "no schema, no response_format"}})]
    await fail(model, ChatRequest("background", "rich_note", ASK.messages, 50, schema={"type": "array"}))
    assert len(server.bodies) == 2


async def test_tools_that_are_refused_are_left_out_and_called_in_the_text_from_then_on(
    server: Any, model: OpenAIModel
) -> None:
    tool = ToolSpec("look", "Look.", {"type": "object"})
    server.answers = [
        server.reply(400, {"error": {"message": "this model does not support tools"}}),
        server.events(text("Hi", "stop")),
    ]
    assert model.info.tools == "native"
    await collect(model, ChatRequest("prose", "reply", ASK.messages, 50, tools=(tool,)))
    assert "tools" in json.loads(server.bodies[0])
    assert "tools" not in json.loads(server.bodies[1])
    assert model.info.tools == "text"


async def test_another_name_for_the_length_is_learnt(server: Any, model: OpenAIModel) -> None:
    server.answers = [
        server.reply(400, {"error": {"message": "Use 'max_completion_tokens' instead of 'max_tokens'."}}),
        server.events(text("ok", "stop")),
    ]
    await collect(model)
    assert json.loads(server.bodies[1])["max_completion_tokens"] == 50


async def test_sampling_is_sent_where_it_is_set(server: Any, model: OpenAIModel) -> None:
    server.answers = [server.events(text("ok", "stop"))]
    sampling = Sampling(temperature=0.5, top_k=40, stop=("\n",))
    await collect(model, ChatRequest("prose", "reply", ASK.messages, 50, sampling))
    sent = json.loads(server.bodies[0])
    assert (sent["temperature"], sent["top_k"], sent["stop"]) == (0.5, 40, ["\n"])
    assert "min_p" not in sent
    assert "seed" not in sent


async def test_requests_in_flight_are_bounded(server: Any, model: OpenAIModel) -> None:
    async def slow(writer: asyncio.StreamWriter) -> None:
        await until(lambda: server.most_open >= 2)
        await asyncio.sleep(0.05)  # in which a third would come, if it were let
        writer.write(server.events(text("ok", "stop")))

    server.answers = [slow]
    await asyncio.gather(*(collect(model) for _ in range(6)))
    assert server.most_open == 2


async def test_leaving_early_closes_the_connection(server: Any, model: OpenAIModel) -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        while True:
            writer.write(f"data: {json.dumps(text('more '))}\n\n".encode())
            await writer.drain()
            await asyncio.sleep(0.005)

    server.answers = [endless]
    stream = model.stream(ASK)
    async for event in stream:
        if isinstance(event, TextDelta):
            break
    await stream.aclose()
    await until(lambda: not server.open)
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.parametrize(
    ("entry", "context"),
    [
        ({"context_length": 4096}, 4096),
        ({"max_model_len": 2048}, 2048),
        ({"meta": {"n_ctx_train": 512}}, 512),
        ({}, 8192),
    ],
)
async def test_the_context_is_what_the_server_says(
    server: Any, model: OpenAIModel, entry: dict[str, Any], context: int
) -> None:
    server.answers = [server.reply(200, {"data": [{"id": "m1", **entry}]})]
    info = await model.prepare()
    assert info.context_tokens == context
    assert not info.exact_tokens
    assert await model.count_tokens(["two words"]) == [2]


async def test_a_model_that_is_not_there_is_told_with_those_that_are(server: Any, model: OpenAIModel) -> None:
    server.answers = [server.reply(200, {"data": [{"id": "b"}, {"id": "a"}]})]
    with pytest.raises(OutsideError, match="has no model named 'm1'") as caught:
        await model.prepare()
    assert caught.value.next_step == "It offers a, b."


async def test_preparing_tells_a_wrong_key(server: Any, model: OpenAIModel) -> None:
    server.answers = [server.reply(401, {})]
    with pytest.raises(OutsideError, match="API key"):
        await model.prepare()
