"""What every language model promises, whichever stands behind the port."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from familiar_app.domain.chat import ChatRequest, Finished, Message, RequestSent, Sampling, TextDelta
from familiar_app.domain.errors import BugError, OutsideError
from familiar_app.models.structured import ask_json

CONTEXT_TOKENS = 1024
GREEDY = Sampling(temperature=0.0, seed=7)
STORY = (Message("system", "You tell stories."), Message("user", "Tell me a story about the sea."))
SHAPE = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 20}, "age": {"type": "integer"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}


def ask(messages: tuple[Message, ...] = STORY, *, max_tokens: int = 24, **more: Any) -> ChatRequest:
    return ChatRequest("prose", more.pop("purpose", "reply"), messages, max_tokens, GREEDY, **more)


async def collect(subject: Any, request: ChatRequest) -> list[Any]:
    return [event async for event in subject.model.stream(request)]


def text_of(events: list[Any]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


async def test_a_stream_opens_with_the_request_and_closes_with_its_end(subject: Any) -> None:
    events = await collect(subject, ask())
    assert isinstance(events[0], RequestSent)
    assert isinstance(events[-1], Finished)
    assert sum(isinstance(event, RequestSent | Finished) for event in events) == 2
    assert sum(isinstance(event, TextDelta) for event in events) >= 3


async def test_the_body_shown_is_the_body_sent(subject: Any) -> None:
    message = 'Umlaut ä, quote ", emoji 🦊, line\nbreak and \\ slash'
    events = await collect(subject, ask((Message("user", message),)))
    assert json.loads(events[0].body)["messages"] == [{"role": "user", "content": message}]
    assert subject.sent == ([events[0].body] if subject.sends else [])


async def test_usage_is_told(subject: Any) -> None:
    usage = (await collect(subject, ask(max_tokens=8)))[-1].usage
    assert usage.prompt_tokens > 10
    assert usage.completion_tokens >= 1
    assert 0 <= usage.first_token_ms <= usage.total_ms


async def test_an_answer_that_is_cut_says_so(subject: Any) -> None:
    events = await collect(subject, ask(max_tokens=6))
    if subject.kind != "scripted":
        assert events[-1].reason == "length"
        assert events[-1].usage.completion_tokens == 6
    else:
        assert events[-1].reason == "stop"


async def test_the_same_seed_gives_the_same_answer(subject: Any) -> None:
    first, second = await collect(subject, ask()), await collect(subject, ask())
    assert text_of(first) == text_of(second) != ""


async def test_a_stopped_answer_leaves_the_model_ready(subject: Any) -> None:
    await subject.model.prepare()
    stream = subject.model.stream(ask(max_tokens=900))
    async for event in stream:
        if isinstance(event, TextDelta):
            break
    await stream.aclose()
    loop = asyncio.get_running_loop()
    started = loop.time()
    events = await collect(subject, ask(max_tokens=4))
    assert isinstance(events[-1], Finished)
    # An answer of 900 tokens takes far longer than this on any computer these tests run on.
    assert loop.time() - started < 10


async def test_a_cancelled_reader_leaves_the_model_ready(subject: Any) -> None:
    await subject.model.prepare()
    begun = asyncio.Event()

    async def read() -> None:
        async for event in subject.model.stream(ask(max_tokens=900)):
            begun.set()
            await asyncio.sleep(0.01 if isinstance(event, TextDelta) else 0)

    reader = asyncio.create_task(read())
    await begun.wait()
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    assert isinstance((await collect(subject, ask(max_tokens=4)))[-1], Finished)


async def test_a_structured_answer_has_its_form(subject: Any) -> None:
    request = ask(
        (Message("user", "Invent a person. Answer in JSON with name and age."),),
        max_tokens=80,
        purpose="shape",
        schema=SHAPE,
    )
    value, bodies, usage = await ask_json(subject.model, request)
    assert set(value) == {"name", "age"}
    assert isinstance(value["age"], int)
    assert len(bodies) == 1
    assert usage.completion_tokens > 0


async def test_token_counts_grow_with_the_text(subject: Any) -> None:
    await subject.model.prepare()
    counts = await subject.model.count_tokens(["", "sea", "the sea at night", "the sea at night " * 20])
    assert counts[0] == 0
    assert counts[1] < counts[2] < counts[3]
    assert await subject.model.count_tokens(["sea", "sea"]) == [counts[1], counts[1]]


async def test_a_whole_prompt_is_counted_as_the_model_counts_it(subject: Any) -> None:
    info = await subject.model.prepare()
    counted = await subject.model.count_prompt_tokens(STORY)
    told = (await collect(subject, ask(max_tokens=2)))[-1].usage.prompt_tokens
    assert counted == told
    assert counted > sum(await subject.model.count_tokens([message.content for message in STORY]))
    assert info.exact_tokens is (subject.kind != "scripted")


async def test_info_tells_the_context_and_that_nothing_leaves(subject: Any) -> None:
    info = await subject.model.prepare()
    assert info.context_tokens == CONTEXT_TOKENS
    assert info.local
    assert info.provider == subject.kind
    assert subject.model.info == info


async def test_a_prompt_beyond_the_context_is_refused_with_a_sentence(subject: Any) -> None:
    await subject.model.prepare()
    with pytest.raises(OutsideError, match=r"context holds 1024") as caught:
        await collect(subject, ask((Message("user", "waves and " * 1500),)))
    assert not caught.value.retryable
    assert "waves" not in str(caught.value)
    assert isinstance((await collect(subject, ask(max_tokens=2)))[-1], Finished)


async def test_an_empty_message_is_answered(subject: Any) -> None:
    events = await collect(subject, ask((Message("user", ""),), max_tokens=4))
    assert isinstance(events[-1], Finished)


async def test_no_messages_are_a_defect_of_the_caller(subject: Any) -> None:
    with pytest.raises(BugError):
        await collect(subject, ask(()))


async def test_lone_surrogates_do_not_stop_an_answer(subject: Any) -> None:
    events = await collect(subject, ask((Message("user", "broken \ud83d emoji"),), max_tokens=4))
    assert isinstance(events[-1], Finished)
    assert await subject.model.count_tokens(["\udcff"])


async def test_two_readers_at_once_both_get_their_answer(subject: Any) -> None:
    first, second = await asyncio.gather(collect(subject, ask(max_tokens=6)), collect(subject, ask(max_tokens=6)))
    assert isinstance(first[-1], Finished)
    assert isinstance(second[-1], Finished)


async def test_closing_twice_is_closing(subject: Any) -> None:
    await collect(subject, ask(max_tokens=2))
    await subject.model.close()
    await subject.model.close()
