"""What the newest messages bring back: the cue, what is shown and how, what is not and why, the key, the moment."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from familiar_app.context.memory_reader import cue_of
from familiar_app.context.prompt import PromptRequest
from familiar_app.domain.embedding import Vector
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.turn import Role, Turn
from familiar_app.domain.variation import Variation
from tests.doubles.talk import ANN, BEN, LOCAL, START, FakeModel, FakeTraces, FakeTurns
from tests.unit.context.hearing import Hearing, hearing

SMALL = "[budget.text]\nrecent_history_tokens = 32\nhistory_step_turns = 1\n"
LATER = START + timedelta(days=30)


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Hearing]:
    async with hearing(tmp_path / "vault.db") as made:
        made.use(SMALL)
        yield made


async def talk(scene: Hearing) -> None:
    """Fill the channel with talk that pushes everything before it out of the recent window."""
    for number in range(8):
        await scene.say(f"Nothing much happens on watch number {number}, the sea is calm.")


async def test_earlier_turns_come_back_with_those_beside_them_and_their_date(scene: Hearing) -> None:
    before = await scene.say("We were talking of animals.", BEN)
    hit = await scene.say("My rabbit is called\nBiscuit.")
    after = await scene.say("A fine name!", BEN)
    scene.clock.instant = LATER
    await talk(scene)
    await scene.say("What is the name of the rabbit?")
    assert (await scene.recalled()).splitlines()[4:] == [
        "Said earlier:",
        f"[T#{before} 2024-05-01 12:30 Ben] We were talking of animals.",
        f"[T#{hit} 2024-05-01 12:30 Ann] My rabbit is called Biscuit.",
        f"[T#{after} 2024-05-01 12:30 Ben] A fine name!",
    ]
    layers = [layer.name for layer in (await scene.prompt()).trace.layers]
    assert (
        layers.index("people_dossiers") + 1 == layers.index("retrieved_context") == layers.index("recent_history") - 1
    )


async def test_facts_come_back_with_dates_and_with_who_says_so(scene: Hearing) -> None:
    own = await scene.say("I keep a rabbit.")
    hearsay = await scene.say("Ann is afraid of the rabbit.", BEN)
    kept = await scene.learn("Ann keeps a rabbit.", own, valid_from=START, valid_to=LATER + timedelta(days=2))
    claim = await scene.learn("Ann is afraid of her rabbit.", hearsay, valid_from=START)
    scene.clock.instant = LATER
    await talk(scene)
    await scene.say("Tell me about the rabbit and being afraid.")
    noted = (await scene.recalled()).partition("Noted:\n")[2].partition("\n\n")[0]
    assert noted.splitlines() == [
        f"- Ann is afraid of her rabbit. [F#{claim.id}, since 2024-05-01, as told by Ben]",
        f"- Ann keeps a rabbit. [F#{kept.id}, since 2024-05-01, until 2024-06-02]",
    ]


async def test_what_the_window_shows_does_not_come_back(scene: Hearing) -> None:
    scene.use("")
    turn = await scene.say("My rabbit is called Biscuit.")
    fact = await scene.learn("Ann keeps a rabbit called Biscuit.", turn)
    await scene.say("What was the rabbit called again?")
    prompt = await scene.prompt()
    assert f"F#{fact.id}" in next(one.text for one in prompt.trace.layers if one.name == "retrieved_context")
    assert {(one["kind"], one["id"]) for one in prompt.trace.candidates} == {("fact", fact.id)}


async def test_no_turn_stands_twice_and_none_falls_between_when_the_room_is_short(scene: Hearing) -> None:
    for number in range(60):
        await scene.say(f"Rabbit number {number} hopped over the wall and was seen no more that day.")
    for context in (700, 1000, 1500, 3000):
        scene.use("[models.prose]\nmax_answer_tokens = 64\n", model=FakeModel(context_tokens=context))
        prompt = await scene.prompt()
        shown = {part.turn for part in prompt.trace.messages if part.turn is not None}
        layer = next(one for one in prompt.trace.layers if one.name == "retrieved_context")
        for one in prompt.trace.candidates:
            if one["kind"] == "turn" and one["kept"]:
                assert one["id"] not in shown
                assert f"[T#{one['id']} " in layer.text
            elif one["id"] in shown:
                assert one["why"] == "window"
        assert layer.tokens <= 2400


async def test_an_item_is_shown_whole_or_not_at_all_and_the_trace_says_why(scene: Hearing) -> None:
    scene.use(SMALL + "rag_tokens = 70\nmax_rag_items = 12\n")
    for number in range(40):
        turn = await scene.say(f"Word {number}.", BEN)
        await scene.learn(f"Rabbit {number} " + "eats grass " * (number % 5 + 1), turn, about=BEN, importance=5)
    scene.clock.instant = LATER
    await talk(scene)
    await scene.say("The rabbit: what of the rabbit?")
    prompt = await scene.prompt()
    layer = next(one for one in prompt.trace.layers if one.name == "retrieved_context")
    assert 0 < layer.tokens <= 70
    lines = [line for line in layer.text.splitlines() if line.startswith("- ")]
    facts = {one["id"]: one for one in prompt.trace.candidates if one["kind"] == "fact"}
    assert lines == [
        f"- {' '.join(one['text'].split())} [F#{number}, since 2024-05-01]"
        for number, one in facts.items()
        if one["kept"]
    ]
    whys = {one["why"] for one in prompt.trace.candidates}
    assert {"kept", "cap"} <= whys <= {"kept", "cap", "limit", "score"}
    for one in prompt.trace.candidates:
        assert one["kept"] == (one["why"] == "kept")
        assert (one["reason"] is None) == one["kept"]
        assert abs(sum(s["normalised"] * s["weight"] for s in one["signals"].values()) - one["score"]) < 1e-6
    left = [one.what for one in layer.left_out]
    assert left == [f"{one['kind']} {one['id']}" for one in prompt.trace.candidates if one["why"] == "cap"]


async def test_a_small_cap_or_none_leaves_it_out(scene: Hearing) -> None:
    await scene.say("My rabbit is called Biscuit.")
    scene.clock.instant = LATER
    await talk(scene)
    await scene.say("What is the rabbit called?")
    for text in ("rag_tokens = 5", "rag_tokens = 0", "max_rag_items = 0"):
        scene.use(SMALL + text)
        assert await scene.recalled() == ""


async def test_the_key_changes_with_what_comes_back_and_with_nothing_else(scene: Hearing) -> None:
    turn = await scene.say("I keep a rabbit.")
    old = await scene.say("The rabbit is called Biscuit.", BEN)
    fact = await scene.learn("Ann keeps a rabbit.", turn)
    scene.clock.instant = LATER
    await talk(scene)
    await scene.say("How is the rabbit?")

    async def cached() -> bool:
        return (await scene.layer("retrieved_context")).cached

    assert not await cached()
    assert await cached()
    other = await scene.learn("Ann loves her rabbit.", turn)
    assert not await cached()
    assert await cached()
    await scene.vault.facts.supersede([fact.id], by=other.id)
    assert not await cached()
    await scene.vault.facts.supersede([other.id])
    assert not await cached()
    await scene.vault.facts.restore(other.id)
    assert not await cached()
    await scene.vault.turns.revise(old, "The rabbit is called Muffin.")
    assert not await cached()
    await scene.vault.turns.revise(old, "The rabbit is called Pepper.")
    assert not await cached()
    assert "Pepper" in await scene.recalled()
    await scene.vault.turns.hide([old])
    assert not await cached()
    await scene.say("And how is the other rabbit?")
    assert not await cached()
    assert await cached()
    scene.clock.instant = LATER + timedelta(seconds=30)
    assert await cached()


async def test_weights_and_audience_change_the_key(scene: Hearing) -> None:
    turn = await scene.say("I keep a rabbit.")
    await scene.learn("Ann keeps a rabbit.", turn)
    scene.clock.instant = LATER
    await talk(scene)
    await scene.say("How is the rabbit?")
    first = await scene.layer("retrieved_context")
    keys = {first.key}
    for toml in ("[memory.retrieval]\nimportance_weight = 0.1", '[memory.audience]\nlocal = "strict"'):
        scene.use(SMALL + toml)
        keys.add((await scene.layer("retrieved_context")).key)
    assert len(keys) == 3


async def test_a_look_at_an_earlier_moment_brings_what_was_known_then(scene: Hearing) -> None:
    turn = await scene.say("I keep a rabbit.")
    early = await scene.learn("Ann keeps a rabbit.", turn)
    then = START + timedelta(days=1)
    scene.clock.instant = START + timedelta(days=2)
    late = await scene.say("The rabbit ran away.")
    gone = (await scene.vault.facts.supersede([early.id], merged=None)).retired
    assert gone == (early.id,)
    await scene.learn("Ann's rabbit ran away.", late)
    await talk(scene)
    scene.clock.instant = LATER
    now = await scene.recalled(pending="And the rabbit?")
    assert f"F#{early.id}" not in now
    assert "ran away" in now
    past = await scene.recalled(pending="And the rabbit?", known_at=then)
    assert f"F#{early.id}" in past
    assert "ran away" not in past


async def test_a_reply_made_again_sees_no_later_turn(scene: Hearing) -> None:
    await scene.say("My rabbit is called Biscuit.")
    scene.clock.instant = LATER
    await talk(scene)
    asked = await scene.say("What is the rabbit called?")
    await scene.say("The rabbit Biscuit is well again.", BEN, "dm")
    text = await scene.recalled(until=asked)
    assert "called Biscuit" in text
    assert "well again" not in text
    assert "well again" in await scene.recalled()


async def test_a_single_thing_can_be_left_out_to_see_what_changes(scene: Hearing) -> None:
    turn = await scene.say("I keep a rabbit.")
    fact = await scene.learn("Ann keeps a rabbit.", turn)
    scene.clock.instant = LATER
    await talk(scene)
    await scene.say("How is the rabbit?")
    prompt = await scene.prompt(variation=Variation(without_items=frozenset({("fact", fact.id)})))
    why = {(one["kind"], one["id"]): one["why"] for one in prompt.trace.candidates}
    assert why["fact", fact.id] == "left_out"
    assert why["turn", turn] == "kept"


class Broken:
    name = "broken"

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        raise OutsideError("The embedder failed.", "Try again.")

    async def close(self) -> None:
        pass


async def test_where_the_embedder_fails_words_alone_are_searched(
    scene: Hearing, caplog: pytest.LogCaptureFixture
) -> None:
    turn = await scene.say("My rabbit is called Biscuit.")
    await scene.vault.vectors.put("turn", "broken", [(turn, "Ann, Wednesday 1 May 2024: x", Vector(2, b"\0" * 8))])
    text = (await scene.vault.vectors.missing("turn", "broken", 1))[0][1]
    await scene.vault.vectors.put("turn", "broken", [(turn, text, Vector(1, b"\0\0\x80\x3f"))])
    scene.clock.instant = LATER
    await talk(scene)
    await scene.say("What is the rabbit called?")
    scene.use(SMALL + "[memory.retrieval]\nembedding_weight = 0.6", embedder=Broken())
    layer = await scene.layer("retrieved_context")
    assert "Biscuit" in layer.text
    assert layer.left_out[0].reason == "searched by words alone: no embedder"
    assert "searched by words alone" in caplog.text
    caplog.clear()


async def test_without_an_index_the_trace_says_so(make, vault) -> None:
    vault.turns.add(ANN, "Hello there")
    prompt = await make().assemble(PromptRequest(LOCAL))
    layer = next(one for one in prompt.trace.layers if one.name == "retrieved_context")
    assert (layer.text, layer.left_out[0].reason) == ("", "the search index is not ready yet")


def turns(*texts: tuple[str, str]) -> list[Turn]:
    made = FakeTurns(FakeTraces())
    for who, text in texts:
        made.add(None if who == "own" else BEN if who == "ben" else ANN, text)
    return made.rows


@pytest.mark.parametrize(
    ("said", "cue"),
    [
        ((("ann", "The boat left the harbour at dawn yesterday."),), "The boat left the harbour at dawn yesterday."),
        (
            (("ann", "My brother sails."), ("own", "Where to?"), ("ann", "And then?")),
            "And then?\nWhere to?\nMy brother sails.",
        ),
        (
            (("ben", "old"), ("ben", "Brother, harbour, boat, dawn."), ("ann", "Why?")),
            "Why?\nBrother, harbour, boat, dawn.",
        ),
        (
            (("ann", "Tell me of the harbour, boat and dawn."), ("own", "Later.")),
            "Tell me of the harbour, boat and dawn.",
        ),
        ((("ann", "Brother, harbour, boat, dawn."), ("ann", "How is the rabbit?")), "How is the rabbit?"),
        ((("ann", "The rabbit ate grass."), ("ann", "Is it well?")), "Is it well?\nThe rabbit ate grass."),
        ((("own", "Good morning."),), ""),
        ((), ""),
    ],
)
def test_the_cue_is_the_newest_message_and_as_much_before_it_as_it_takes(
    said: tuple[tuple[str, str], ...], cue: str
) -> None:
    assert cue_of(turns(*said)) == cue


def test_a_tool_is_no_person() -> None:
    rows = turns(("ann", "What of the harbour, the boat, the dawn?"))
    rows += [row for row in turns(("ann", "sunny")) if row.role is Role.TOOL]
    assert cue_of(rows).startswith("What of")
