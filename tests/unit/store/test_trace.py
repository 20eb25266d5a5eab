from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.fact import NewFact
from familiar_app.domain.ids import ChannelKey, FamiliarId, TraceId, TurnId
from familiar_app.domain.trace import LayerTrace, PromptTrace, ToolRound, TracedMessage
from familiar_app.domain.turn import NewTurn, Role
from familiar_app.store.trace_pack import squeeze, unsqueeze
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import NOON


def a_trace(**changes: Any) -> PromptTrace:
    values: dict[str, Any] = {
        "familiar": "mira",
        "channel": "local:main",
        "mode": "text",
        "purpose": "reply",
        "at": NOON,
        "model": "smollm2",
        "provider": "llama_cpp",
        "context_tokens": 2048,
        "answer_tokens": 512,
        "tokens": 100,
        "exact_tokens": True,
        "messages": (TracedMessage(role="user", content="Wo ist der Fuchs? 🦊", layer="recent_history", turn=41),),
        "layers": (
            LayerTrace(name="recent_history", key="k", cached=False, tokens=9, ms=0.5, text="Wo ist der Fuchs? 🦊"),
        ),
        "sampling": {"temperature": 0.8},
        "usage": {"prompt_tokens": 90, "first_token_ms": 12.5},
        "ms": 80.0,
        **changes,
    }
    return PromptTrace(**values)


async def test_a_trace_reads_back_whole(vault: Vault) -> None:
    trace = a_trace(
        candidates=({"kind": "turn", "id": 1, "text": "x"},), lorebook={"a": [1]}, sent='{"a":1}', answer="ja"
    )
    number = await vault.traces.put(trace)
    assert await vault.traces.get(number) == trace.model_copy(update={"id": number})
    assert await vault.traces.get(TraceId(99)) is None


async def test_a_reply_is_linked_in_the_transaction_that_stores_it(vault: Vault, said: Callable[..., NewTurn]) -> None:
    asked, _ = await vault.turns.append(said("question"))
    number = await vault.traces.put(a_trace())
    reply, _ = await vault.turns.append(said("answer", role=Role.ASSISTANT, answers=asked.id), trace=number)
    assert reply.trace == number
    found = await vault.traces.for_turn(reply.id)
    assert found is not None
    assert (found.id, found.reply_turn_id) == (number, reply.id)
    assert await vault.traces.for_turn(asked.id) is None
    other = await vault.traces.put(a_trace())
    await vault.traces.link(other, reply.id)
    newest = await vault.traces.for_turn(reply.id)
    assert newest is not None
    assert newest.id == other


async def test_only_the_newest_are_kept_and_listed_newest_first(vault: Vault) -> None:
    numbers = [await vault.traces.put(a_trace(tokens=n), keep=3) for n in range(6)]
    listed = await vault.traces.list()
    assert [(s.id, s.tokens, s.first_token_ms, s.total_ms, s.at) for s in listed] == [
        (number, tokens, 12.5, 80.0, NOON) for number, tokens in zip(numbers[:2:-1], (5, 4, 3), strict=True)
    ]
    assert [s.id for s in await vault.traces.list(limit=1, before=numbers[5])] == [numbers[4]]
    assert await vault.traces.get(numbers[0]) is None


async def test_scrubbing_a_turn_takes_its_text_out_of_every_trace(vault: Vault, said: Callable[..., NewTurn]) -> None:
    turn, _ = await vault.turns.append(said('the "quiet" fox\n🦊'))
    await vault.turns.revise(turn.id, "the loud fox")
    shown = a_trace(
        messages=(
            TracedMessage(role="user", content="Ann: the loud fox", layer="recent_history", turn=turn.id),
            TracedMessage(role="user", content="something else", layer="recent_history", turn=99),
        ),
        layers=(LayerTrace(name="h", key="k", cached=False, tokens=9, ms=0.5, text="before the loud fox after"),),
        candidates=(
            {"kind": "turns", "id": turn.id, "text": "the loud fox"},
            {"kind": "fact", "id": 1, "text": "kept"},
        ),
        sent=json.dumps({"messages": ["the loud fox"]}),
        answer="You said: the loud fox",
    )
    only_sent = a_trace(messages=(), layers=(), sent=json.dumps({"m": 'the "quiet" fox\n🦊'}))
    untouched = a_trace(sent='{"m": "another animal"}', answer="another animal")
    numbers = [await vault.traces.put(trace) for trace in (shown, only_sent, untouched)]
    await vault.turns.scrub(turn.id)
    first, second, third = [await vault.traces.get(number) for number in numbers]
    assert first is not None
    assert second is not None
    assert [m.content for m in first.messages] == ["[removed]", "something else"]
    assert first.layers[0].text == "before [removed] after"
    assert first.candidates == ({"kind": "fact", "id": 1, "text": "kept"},)
    assert (first.sent, first.answer) == (None, "You said: [removed]")
    assert second.sent is None
    assert third == untouched.model_copy(update={"id": numbers[2]})


async def test_scrubbing_a_turn_takes_out_what_was_made_of_it_by_tools(
    vault: Vault, said: Callable[..., NewTurn]
) -> None:
    turn, _ = await vault.turns.append(said("My cat is called Mia."))
    other, _ = await vault.turns.append(said("Hello."))
    call = {"name": "save", "arguments": '{"memory_content": "Ann has a pet"}', "success": True, "result": "kept"}
    explained = TracedMessage(role="system", content="You may call tools.", layer="tools")
    added = (
        TracedMessage(role="assistant", content='save {"memory_content": "Ann has a pet"}', layer="tools"),
        TracedMessage(role="tool", content="Ann has a pet", layer="tools"),
    )
    rounds = (ToolRound(sent='{"say": "Ann has a pet"}', said="", calls=(call,)),)
    traces = []
    for shown in (turn, other):
        messages = (explained, TracedMessage(role="user", content=shown.content, layer="h", turn=shown.id), *added)
        changes = {"messages": messages, "rounds": rounds, "turn_id": shown.id, "sent": "Ann has a pet"}
        traces.append(await vault.traces.put(a_trace(layers=(), candidates=(), **changes)))
    await vault.turns.scrub(turn.id)
    gone, kept = [await vault.traces.get(number) for number in traces]
    assert gone is not None
    assert kept is not None
    assert (gone.rounds, gone.sent) == ((), None)
    assert [one.content for one in gone.messages] == ["You may call tools.", *["[removed]"] * 3]
    assert kept.rounds == rounds


async def test_scrubbing_a_text_that_only_a_tool_tells_takes_its_rounds_out(
    vault: Vault, said: Callable[..., NewTurn]
) -> None:
    turn, _ = await vault.turns.append(said('He said "no"\nand left'))
    result = json.dumps({"message": 'Saved: He said "no"\nand left'})
    call = {"name": "save", "arguments": "{}", "success": True, "result": result}
    added = TracedMessage(role="tool", content=result, layer="tools")
    trace = await vault.traces.put(
        a_trace(
            messages=(added,), layers=(), candidates=(), rounds=(ToolRound(calls=(call,)),), sent=json.dumps(result)
        )
    )
    await vault.turns.scrub(turn.id)
    gone = await vault.traces.get(trace)
    assert gone is not None
    assert (gone.rounds, gone.sent, gone.messages[0].content) == ((), None, "[removed]")


async def test_scrubbing_a_common_word_leaves_the_programs_own_words(
    vault: Vault, said: Callable[..., NewTurn]
) -> None:
    number = await vault.traces.put(a_trace(answer="no reply to that"))
    for word in ("reply", "text", "user", "recent_history", "smollm2", "mira"):
        turn, _ = await vault.turns.append(said(word))
        await vault.turns.scrub(turn.id)
    assert await vault.traces.get(number) == a_trace(id=number, answer="no [removed] to that")


async def test_scrubbing_a_reply_empties_the_answer_of_its_trace(vault: Vault, said: Callable[..., NewTurn]) -> None:
    number = await vault.traces.put(a_trace(answer="ok"))
    reply, _ = await vault.turns.append(said("ok", role=Role.ASSISTANT), trace=number)
    await vault.turns.scrub(reply.id)
    trace = await vault.traces.get(number)
    assert trace is not None
    assert trace.answer is None
    assert trace.messages[0].content == "Wo ist der Fuchs? 🦊", "two letters are not searched for everywhere"
    assert await vault.turns.get(TurnId(reply.id)) is not None


def a_call(text: str, **changes: Any) -> PromptTrace:
    """What a projector asked, with what it was shown."""
    said = TracedMessage(role="user", content=text, layer="material")
    return a_trace(purpose="rich_note", messages=(said,), layers=(), answer=None, **changes)


async def test_replies_and_projectors_calls_do_not_drive_each_other_out(vault: Vault) -> None:
    first = await vault.traces.put(a_trace(), keep=2)
    calls = [await vault.traces.put(a_call("x"), keep=2) for _ in range(5)]
    assert [one.id for one in await vault.traces.list()] == [calls[4], calls[3], first]
    second, third = [await vault.traces.put(a_trace(), keep=2) for _ in range(2)]
    assert [one.id for one in await vault.traces.list()] == [third, second, calls[4], calls[3]]


async def test_the_list_can_be_narrowed_down(vault: Vault) -> None:
    here = await vault.traces.put(a_trace(channel="local:here"))
    call = await vault.traces.put(a_call("x"))
    other = await vault.traces.put(a_trace(familiar="otto"))
    assert [one.id for one in await vault.traces.list(channel=ChannelKey("local:here"))] == [here]
    assert [one.id for one in await vault.traces.list(purpose="rich_note")] == [call]
    assert [one.id for one in await vault.traces.list(familiar=FamiliarId("otto"), purpose="reply")] == [other]
    assert await vault.traces.list(familiar=FamiliarId("otto"), purpose="rich_note") == []
    assert [one.id for one in await vault.traces.list(purpose="reply", before=other)] == [here]


async def test_scrubbing_empties_every_projectors_call_that_showed_the_turn(
    vault: Vault, said: Callable[..., NewTurn]
) -> None:
    """A projector reads turns in other words and writes of them in its own, so nothing of such a call can stay."""
    turn, _ = await vault.turns.append(said("I  live in\nDelft"))
    other, _ = await vault.turns.append(said("Rain again"))
    fact, _ = await vault.facts.append(NewFact(FamiliarId("mira"), "Ann lives in Delft", "rich_note", (), (turn.id,)))
    lines = (f"[T#{turn.id} 2024 | Ann] I live in Delft", f"[F#{fact.id}] Ann’s home is Delft", f"[T#{other.id}] Rain")
    calls = [await vault.traces.put(a_call(line, sent="{}").model_copy(update={"answer": "a"})) for line in lines]
    reply = await vault.traces.put(a_trace(candidates=({"kind": "fact", "id": fact.id, "text": fact.text},)))
    await vault.turns.scrub(turn.id)
    found = [await vault.traces.get(number) for number in calls]
    told = [(one.messages[0].content, one.sent, one.answer) for one in found if one is not None]
    assert told == [("[removed]", None, None), ("[removed]", None, None), (lines[2], "{}", "a")]
    kept = await vault.traces.get(reply)
    assert kept is not None
    assert kept.candidates == ()


def test_traces_as_older_vaults_have_them_are_read() -> None:
    assert unsqueeze(zlib.compress(b'{"a": 1}')) == b'{"a": 1}'


@given(st.text(max_size=300), st.sampled_from([1, 400]))
def test_packing_loses_nothing(text: str, times: int) -> None:
    plain = text.encode("utf-8", "replace").decode() * times
    assert unsqueeze(squeeze(plain)).decode() == plain


async def test_words_are_found_in_what_was_sent_answered_and_called(vault: Vault) -> None:
    messages = (
        TracedMessage(role="system", content='You are "Mira". Groß wie ein Turm.', layer="character_card"),
        TracedMessage(role="user", content="Wo ist der Fuchs? 🦊", layer="recent_history", turn=41),
    )
    call = {"name": "remember", "arguments": '{"text": "a red kite"}', "success": True, "result": "kept", "ms": 1.0}
    number = await vault.traces.put(
        a_trace(messages=messages, answer="In the barn.", rounds=(ToolRound(said="Let me look.", calls=(call,)),))
    )
    other = await vault.traces.put(a_trace())

    async def found(*words: str) -> set[TraceId]:
        return set(await vault.traces.holding({number: words, other: words}))

    assert await found("fuchs", "barn") == {number}
    assert await found("fuchs") == {number, other}
    assert await found("gross") == await found('"mira".') == await found("kite") == await found("look.") == {number}
    assert await found("fuchs", "badger") == set()
    # The words of the form itself are not what was said.
    assert await found("recent_history") == await found("sampling") == set()
    assert await vault.traces.holding({TraceId(99): ("fuchs",)}) == {}


async def test_of_a_long_prompt_the_piece_around_the_longest_word_comes_back(vault: Vault) -> None:
    text = f"{'sand ' * 4000}The lighthouse. {'sea ' * 4000}"
    number = await vault.traces.put(
        a_trace(messages=(TracedMessage(role="user", content=text, layer="recent_history"),))
    )
    piece = (await vault.traces.holding({number: ("the", "lighthouse")}))[number]
    assert "The lighthouse." in piece
    assert len(piece) < 1000


async def test_what_was_taken_out_of_a_trace_is_found_no_more(vault: Vault, said: Callable[..., NewTurn]) -> None:
    turn, _ = await vault.turns.append(said("The password is heron."))
    shown = TracedMessage(role="user", content="The password is heron.", layer="recent_history", turn=turn.id)
    number = await vault.traces.put(a_trace(messages=(shown,), layers=()))
    assert number in await vault.traces.holding({number: ("heron",)})
    await vault.turns.scrub(turn.id)
    assert await vault.traces.holding({number: ("heron",)}) == {}
    assert await vault.traces.holding({number: ("removed",)}) == {}
