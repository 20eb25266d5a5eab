"""Facts and meanings in one list with turns: current truth, the past, credit to sources, vectors that join."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.embedding import Vector
from familiar_app.domain.fact import NewFact, Subject
from familiar_app.domain.ids import FamiliarId, PersonKey
from familiar_app.domain.ranking import Weights
from familiar_app.domain.recall import Hit, Recall
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.turn import NewTurn
from familiar_app.store.vault import Vault
from familiar_app.store.vector_fill import VectorFill
from tests.doubles.waiting import in_step
from tests.unit.store.test_vector import unit
from tests.unit.store.vault_maker import ANN, MIRA, NOON

Say = Callable[..., NewTurn]
WEIGHTS = Weights(bm25=1, recency=0, importance=0.6, embedding=0, nearness=1, named=0.4, neighbours=0, facts=0.3)
FACTS = ("fact",)


def day(number: float) -> datetime:
    return NOON + timedelta(days=number)


def new(text: str, **changes: object) -> NewFact:
    values: dict[str, object] = {"familiar": MIRA, "origin": "rich_note", "subjects": (Subject(ANN.key, "Ann"),)}
    return NewFact(text=text, **values | changes)  # type: ignore[arg-type]


class Concepts:
    """Embeds by two concepts: animals and weather."""

    name = "concepts"

    def __init__(self) -> None:
        self.given: list[str] = []

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.given += texts
        animals, weather = ("rabbit", "hamster", "pet"), ("rain", "drizzle")
        return [
            Vector(3, unit([sum(w in t for w in animals) + 0.05, sum(w in t for w in weather) + 0.05, 0.1]))
            for t in texts
        ]

    async def close(self) -> None:
        pass


@pytest.fixture
async def indexed(vault: Vault) -> AsyncIterator[Vault]:
    failures: list[BaseException] = []
    tasks = TaskRegistry(lambda _name, error: failures.append(error))
    vault.index.start(tasks)
    await vault.index.ready()
    yield vault
    assert await tasks.cancel() == []
    assert failures == []


async def found(vault: Vault, cue: str, weights: Weights = WEIGHTS, **values: object) -> list[Hit]:
    await in_step(vault)
    return await vault.retrieval.recall(Recall(MIRA, cue, weights, **values))  # type: ignore[arg-type]


async def texts(vault: Vault, cue: str, **values: object) -> list[str]:
    return [hit.text for hit in await found(vault, cue, **values)]


async def test_facts_are_found_as_believed_then_and_now(indexed: Vault, clock: FixedClock) -> None:
    old, _ = await indexed.facts.append(new("Ann lives in Rome", valid_from=day(-10)))
    clock.instant = day(5)
    now, _ = await indexed.facts.append(new("Ann lives in Oslo", valid_from=day(4)))
    await indexed.facts.supersede([old.id], by=now.id)
    await indexed.facts.append(new("Ann lives on a boat", valid_from=day(-20), valid_to=day(-15)))
    await indexed.facts.append(new("Ben lives in Oslo", familiar=FamiliarId("other")))
    lives = "Where does Ann live?"
    assert await texts(indexed, lives, kinds=FACTS) == ["Ann lives in Oslo"]
    assert await texts(indexed, lives, kinds=FACTS, known_at=day(1)) == ["Ann lives in Rome"]
    assert await texts(indexed, lives, kinds=FACTS, as_of=day(-18)) == ["Ann lives on a boat"]
    assert set(await texts(indexed, lives, kinds=FACTS, as_of=day(4.5))) == {"Ann lives in Rome", "Ann lives in Oslo"}
    assert await texts(indexed, lives, kinds=FACTS, known_at=day(1), as_of=day(-18)) == []
    past = await found(indexed, lives, kinds=FACTS, known_at=day(1))
    assert past[0].fact is not None
    assert past[0].fact.superseded_at is None


async def test_a_restored_fact_is_found_again_and_in_both_stretches(indexed: Vault, clock: FixedClock) -> None:
    fact, _ = await indexed.facts.append(new("Ann likes plums"))
    clock.instant = day(1)
    await indexed.facts.retire_by_owner(fact.id)
    assert await texts(indexed, "plums", kinds=FACTS) == []
    clock.instant = day(2)
    await indexed.facts.restore_by_owner(fact.id)
    assert await texts(indexed, "plums", kinds=FACTS) == ["Ann likes plums"]
    at = {n: bool(await texts(indexed, "plums", kinds=FACTS, known_at=day(n))) for n in (0.5, 1.5, 2.5)}
    assert at == {0.5: True, 1.5: False, 2.5: True}


async def test_an_important_fact_goes_before_a_trifle(indexed: Vault) -> None:
    await indexed.facts.append(new("Ann keeps bees at home", importance=2))
    await indexed.facts.append(new("Ann keeps bees in town", importance=9))
    hits = await found(indexed, "bees", kinds=FACTS)
    assert [hit.text for hit in hits] == ["Ann keeps bees in town", "Ann keeps bees at home"]
    assert hits[0].signals["importance"].raw == 9


async def test_a_fact_credits_the_turn_it_came_from(indexed: Vault, said: Say) -> None:
    source, _ = await indexed.turns.append(said("Yes, and her name is Button!"))
    await indexed.turns.append(said("The button fell off my coat"))
    await indexed.facts.append(new("Ann has a rabbit called Button", source_turns=(source.id,)))
    hits = await found(indexed, "What is the rabbit called?")
    assert [(hit.kind, hit.id) for hit in hits] == [("fact", 1), ("turn", source.id)]
    assert hits[1].signals["facts"].share > 0
    assert [hit.kind for hit in await found(indexed, "What is the rabbit called?", kinds=("turn",))] == ["turn"]
    await indexed.facts.retire_by_owner(hits[0].id)  # type: ignore[arg-type]
    assert await texts(indexed, "What is the rabbit called?") == []


async def test_what_is_about_a_named_person_rises(indexed: Vault, said: Say) -> None:
    await indexed.turns.append(said("hello"))
    ben = PersonKey("discord:2")
    await indexed.facts.append(new("The garden needs water"))
    await indexed.facts.append(new("The garden needs water now", subjects=(Subject(ben, "Ben"),)))
    hits = await found(indexed, "Ann garden", kinds=FACTS)
    assert hits[0].text == "The garden needs water"
    assert [hit.signals["named"].raw for hit in hits] == [1.0, 0.0]


async def test_the_nearest_in_meaning_join_what_words_found(indexed: Vault, said: Say) -> None:
    for text in ("My hamster sleeps all day", "A drizzle since dawn", "Which shoes shall I take?"):
        await indexed.turns.append(said(text))
    await indexed.facts.append(new("Ann owns a hamster"))
    concepts = Concepts()
    meant = replace(WEIGHTS, embedding=0.6)

    async def recall(weights: Weights, **values: object) -> list[Hit]:
        await indexed.index.settled()
        return await indexed.retrieval.recall(Recall(MIRA, "any pets?", weights, **values), concepts)  # type: ignore[arg-type]

    assert await recall(meant) == []
    assert concepts.given == []
    await VectorFill(indexed.vectors, concepts).until_idle()
    concepts.given.clear()
    assert await recall(WEIGHTS) == []
    assert concepts.given == []
    hits = await recall(meant)
    assert {hits[0].text, hits[1].text} == {"My hamster sleeps all day", "Ann owns a hamster"}
    assert hits[0].signals["embedding"].raw == pytest.approx(1, abs=0.05)
    assert concepts.given == ["any pets?"]
    assert [hit.kind for hit in await recall(meant, limit=1, kinds=FACTS)] == ["fact"]
    await indexed.facts.retire_by_owner(1)  # type: ignore[arg-type]
    assert await recall(meant, kinds=FACTS) == []


async def test_known_names_are_taken_out_of_what_is_embedded(indexed: Vault, said: Say) -> None:
    await indexed.turns.append(said("My hamster sleeps"))
    concepts = Concepts()
    await VectorFill(indexed.vectors, concepts).until_idle()
    concepts.given.clear()
    await indexed.retrieval.recall(Recall(MIRA, "What is Ann's pet?", replace(WEIGHTS, embedding=0.6)), concepts)
    assert concepts.given == ["What is pet?"]


async def test_emptied_facts_leave_index_and_vectors(indexed: Vault) -> None:
    await indexed.facts.append(new("Ann likes plums"))
    concepts = Concepts()
    await VectorFill(indexed.vectors, concepts).until_idle()
    assert await indexed.vectors.count("fact", "concepts") == 1
    await indexed._opened.engine.write(lambda connection: connection.execute("DELETE FROM facts").close())
    assert await texts(indexed, "plums") == []
    assert await indexed.vectors.count("fact", "concepts") == 0
