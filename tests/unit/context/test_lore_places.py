"""Where lorebook entries can stand beside their section, what else is searched, and what comes in by its meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from familiar_app.context.lore_likeness import EMBEDDED_AT_ONCE
from familiar_app.context.lore_shelf import LoreShelf
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.embedding import Vector
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.ids import ChannelKey
from familiar_app.domain.lorebook.entry import LoreEntry, Position
from familiar_app.models.embedder_hash import HashEmbedder
from tests.doubles.talk import ANN
from tests.unit.context.test_lorebook import HERE, FakeLorebooks, timers

__all__ = ["timers"]

NOTE = "[lorebook.note]\ntext = 'Keep {{char}} calm.'\ndepth = 1\n"


class FakeLoreVectors:
    def __init__(self) -> None:
        self.rows: dict[tuple[str, bytes], Vector] = {}

    async def get(self, model: str, digests: Sequence[bytes]) -> dict[bytes, Vector]:
        return {digest: self.rows[model, digest] for digest in digests if (model, digest) in self.rows}

    async def put(self, model: str, vectors: dict[bytes, Vector]) -> None:
        self.rows |= {(model, digest): vector for digest, vector in vectors.items()}


class CountingEmbedder(HashEmbedder):
    def __init__(self) -> None:
        super().__init__(64)
        self.asked: list[int] = []

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.asked.append(len(texts))
        return await super().embed(texts)


class FailingEmbedder(HashEmbedder):
    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        raise OutsideError("the model is gone.", "Get it again.")


@pytest.fixture
def vectors(vault, timers) -> FakeLoreVectors:
    vault.lore_vectors = FakeLoreVectors()
    return vault.lore_vectors


def verdict(prompt: Any, uid: int) -> dict[str, Any]:
    return [one for one in prompt.trace.lorebook["verdicts"] if one["uid"] == uid][-1]


def shown(prompt: Any) -> dict[int, str | None]:
    return {one["uid"]: one["shown"] for one in prompt.trace.lorebook["places"]}


async def test_entries_stand_around_the_owners_note_and_its_words_bring_others_in(make, vault, timers) -> None:
    vault.turns.add(ANN, "A dragon")
    books = FakeLorebooks(
        LoreEntry(uid=0, keys=("dragon",), content="Above.", position=Position.NOTE_TOP),
        LoreEntry(uid=1, keys=("dragon",), content="Below.", position=Position.NOTE_BOTTOM),
        LoreEntry(uid=2, keys=("calm",), content="Calm is a virtue."),
    )
    prompt = await make(NOTE, lorebooks=books).assemble(HERE)
    assert "(Above.\nKeep Mira calm.\nBelow.)\n[2024-05-01 12:30 Ann] A dragon" in prompt.request.messages[1].content
    assert prompt.request.messages[0].content.endswith("## Lorebook\n\nCalm is a virtue.")
    assert shown(prompt) == {0: "note", 1: "note", 2: "section"}
    unsearched = await make(NOTE + "searched = false", lorebooks=books).assemble(HERE)
    assert verdict(unsearched, 2)["reason"] == "no-match"
    bare = await make(lorebooks=books).assemble(HERE)
    assert bare.request.messages[0].content.endswith("## Lorebook\n\nAbove.\nBelow.")
    strict = await make("[lorebook]\nrules = 'st-1.18'", lorebooks=books).assemble(HERE)
    assert verdict(strict, 0)["detail"] == {"why": "note-off"}


async def test_the_note_stands_without_any_entry(make, vault, timers) -> None:
    vault.turns.add(ANN, "Hello")
    prompt = await make(NOTE, lorebooks=FakeLorebooks()).assemble(HERE)
    assert prompt.request.messages[1].content.startswith("(Keep Mira calm.)\n[2024-05-01 12:30 Ann] Hello")


async def test_entries_fill_the_outlets_of_the_card_and_of_the_note(make, vault, timers) -> None:
    vault.turns.add(ANN, "A dragon")
    out = {"keys": ("dragon",), "position": Position.OUTLET}
    books = FakeLorebooks(
        LoreEntry(uid=0, content="Scales.", outlet_name="beasts", **out),
        LoreEntry(uid=1, content="Wings.", outlet_name="beasts", order=200, **out),
        LoreEntry(uid=2, content="Never.", outlet_name="Beasts", **out),
        LoreEntry(uid=3, content="Nameless.", **out),
    )
    card = CharacterCard(
        name="Mira",
        description="She knows:\n{{outlet::beasts}}\n{{outlet::stars}}!",
        post_history_instructions="{{outlet:: beasts }}",
    )
    assembler = make(lorebooks=books, card=card)
    prompt = await assembler.assemble(HERE)
    assert "She knows:\nScales.\nWings.\n!" in prompt.request.messages[0].content
    assert "Scales.\nWings." in prompt.request.messages[-1].content
    assert shown(prompt) == {0: "outlet", 1: "outlet", 2: None, 3: None}
    assert verdict(prompt, 2)["detail"] == {"why": "outlet-not-used"}
    assert verdict(prompt, 3)["detail"] == {"why": "no-outlet-name"}
    books.put()
    assert "She knows:\n\n!" in (await assembler.assemble(HERE)).request.messages[0].content


async def test_what_the_owner_says_of_themselves_can_be_searched(make, vault, timers) -> None:
    vault.turns.add(ANN, "Hello")
    books = FakeLorebooks(
        LoreEntry(uid=0, keys=("sailor",), content="The sea: {{persona}}", sources=("persona_description",)),
        LoreEntry(uid=1, keys=("sailor",), content="Not asked for."),
    )
    prompt = await make("[lorebook]\nowner_description = 'An old sailor.'", lorebooks=books).assemble(HERE)
    assert prompt.request.messages[0].content.endswith("## Lorebook\n\nThe sea: An old sailor.")


async def test_the_note_that_came_with_the_card_can_be_searched(make, vault, timers) -> None:
    vault.turns.add(ANN, "Hello")

    class Shelves(FakeLorebooks):
        async def read(self, channel: ChannelKey) -> LoreShelf:
            return replace(await super().read(channel), characters_note="She limps.")

    books = Shelves(
        LoreEntry(uid=0, keys=("limps",), content="Slow.", sources=("character_depth_prompt",)),
        LoreEntry(uid=1, keys=("limps",), content="Not asked for."),
    )
    prompt = await make(lorebooks=books).assemble(HERE)
    assert prompt.trace.lorebook["activated"] == ["limps"]
    assert verdict(prompt, 1)["reason"] == "no-match"


async def test_too_few_entries_let_the_search_go_further_back_than_the_window(make, vault, timers) -> None:
    for text in ("A dragon", "x", "y", "An elf"):
        vault.turns.add(ANN, text)
    books = FakeLorebooks(LoreEntry(uid=0, keys=("dragon",), content="D"), LoreEntry(uid=1, keys=("elf",), content="E"))
    narrow = "[lorebook]\nrecent_window = 1\n"
    for more, expected in (("", ["elf"]), ("min_activations = 2", ["elf", "dragon"])):
        prompt = await make(narrow + more, lorebooks=books).assemble(HERE)
        assert prompt.trace.lorebook["activated"] == expected
    stopped = await make(narrow + "min_activations = 2\nmin_activations_depth = 2", lorebooks=books).assemble(HERE)
    assert stopped.trace.lorebook["activated"] == ["elf"]


async def test_entries_come_in_by_their_meaning_and_are_embedded_once(make, vault, vectors) -> None:
    vault.turns.add(ANN, "Where do the dragons nest in winter?")
    books = FakeLorebooks(
        LoreEntry(uid=0, content="Dragons nest in the winter caves.", vectorized=True),
        LoreEntry(uid=1, content="Bakers rise at four.", vectorized=True),
        LoreEntry(uid=2, content="Dragons nest where it is warm.", keys=("zzz",)),
    )
    embedder = CountingEmbedder()
    assembler = make(lorebooks=books, embedder=embedder)
    prompt = await assembler.assemble(HERE)
    assert prompt.request.messages[0].content.endswith("## Lorebook\n\nDragons nest in the winter caves.")
    near, far = verdict(prompt, 0), verdict(prompt, 1)
    assert near["reason"] == "vector"
    assert near["detail"]["similarity"] >= near["detail"]["threshold"] == 0.35
    assert far["detail"]["nearest"]["kind"] == "vector"
    assert embedder.asked == [2, 1]
    books.put(*(replace(one, keys=("moved",)) for one in books.book.entries))
    await make(lorebooks=books, embedder=embedder).assemble(HERE)
    assert embedder.asked == [2, 1, 1]


@pytest.mark.parametrize("embedder", [None, FailingEmbedder(8)])
async def test_without_an_embedder_the_verdict_says_so(make, vault, vectors, embedder) -> None:
    vault.turns.add(ANN, "Dragons?")
    books = FakeLorebooks(LoreEntry(uid=0, content="Dragons.", vectorized=True), LoreEntry(uid=1, keys=("dragons",)))
    prompt = await make(lorebooks=books, embedder=embedder).assemble(HERE)
    assert verdict(prompt, 0)["detail"] == {"nearest": {"kind": "vector-off"}}
    assert prompt.trace.lorebook["activated"] == ["dragons"]


async def test_a_large_book_is_taken_in_over_several_prompts(make, vault, vectors) -> None:
    vault.turns.add(ANN, "Dragons?")
    entries = [LoreEntry(uid=n, content=f"Thing {n}", vectorized=True) for n in range(EMBEDDED_AT_ONCE + 10)]
    embedder = CountingEmbedder()
    assembler = make(lorebooks=FakeLorebooks(*entries), embedder=embedder)
    first = await assembler.assemble(HERE)
    assert verdict(first, EMBEDDED_AT_ONCE + 1)["detail"]["nearest"]["kind"] == "vector-wait"
    await assembler.assemble(HERE)
    assert embedder.asked == [EMBEDDED_AT_ONCE, 1, 10, 1]
