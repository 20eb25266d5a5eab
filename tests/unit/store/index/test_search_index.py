"""The index follows the vault: built newest first, kept in step, rebuilt where it broke."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.ids import ChannelKey, FamiliarId, PersonKey, TurnId
from familiar_app.domain.ranking import Weights
from familiar_app.domain.recall import Hit, Recall, Window
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.turn import Author, Channel, NewTurn, Role
from familiar_app.store.index import search_index
from familiar_app.store.index.text_index import IndexFailedError, Searcher, TextIndex
from familiar_app.store.vault import Vault
from tests.doubles.waiting import PATIENCE_S, in_step
from tests.unit.store.vault_maker import ANN, MIRA, NOON

WEIGHTS = Weights(bm25=1, recency=0, importance=0.6, embedding=0, nearness=0.6, named=0.2, neighbours=0.3, facts=0.3)
ALONE = replace(WEIGHTS, neighbours=0)
BEN = Author(PersonKey("discord:2"), "Ben", "ben")
Say = Callable[..., NewTurn]


@pytest.fixture
async def tasks() -> AsyncIterator[TaskRegistry]:
    failures: list[BaseException] = []
    registry = TaskRegistry(lambda name, error: failures.append(error))
    yield registry
    assert await registry.cancel() == []
    assert failures == []


@pytest.fixture
async def indexed(vault: Vault, tasks: TaskRegistry) -> AsyncIterator[Vault]:
    vault.index.start(tasks)
    await vault.index.ready()
    yield vault
    await tasks.cancel()


async def recall(vault: Vault, cue: str, weights: Weights = ALONE, **values: object) -> list[Hit]:
    return await vault.retrieval.recall(Recall(MIRA, cue, weights, **values))  # type: ignore[arg-type]


async def texts(vault: Vault, cue: str, **values: object) -> list[str]:
    return [hit.text for hit in await recall(vault, cue, **values)]


async def test_what_was_said_is_found_at_once_and_later(indexed: Vault, said: Say) -> None:
    turn, _ = await indexed.turns.append(said("The kettle is broken"))
    assert indexed.index.view is not None
    assert indexed.index.view.newest < turn.id
    assert await texts(indexed, "broken kettle") == ["The kettle is broken"]
    await in_step(indexed)
    assert await texts(indexed, "broken kettle") == ["The kettle is broken"]


@pytest.mark.parametrize("wait", [False, True])
async def test_edits_hides_and_scrubs_are_followed(indexed: Vault, said: Say, wait: bool) -> None:
    ids = [(await indexed.turns.append(said(text)))[0].id for text in ("a red boat", "a red car", "a red kite")]
    await in_step(indexed)

    async def found() -> list[str]:
        if wait:
            await in_step(indexed)
        return sorted(await texts(indexed, "red"))

    await indexed.turns.revise(ids[0], "a red ship")
    assert await found() == ["a red car", "a red kite", "a red ship"]
    assert await texts(indexed, "boat") == []
    assert await texts(indexed, "ship") == ["a red ship"]
    await indexed.turns.hide([ids[1]])
    assert await found() == ["a red kite", "a red ship"]
    await indexed.turns.unhide([ids[1]])
    assert await found() == ["a red car", "a red kite", "a red ship"]
    await indexed.turns.scrub(ids[2])
    assert await found() == ["a red car", "a red ship"]


@pytest.mark.parametrize("wait", [False, True])
async def test_only_the_answer_that_counts_is_found(indexed: Vault, said: Say, wait: bool) -> None:
    question, _ = await indexed.turns.append(said("Where are my keys?"))
    first, _ = await indexed.turns.append(said("In the blue drawer", role=Role.ASSISTANT, answers=question.id))
    await indexed.turns.append(said("In the blue bowl", role=Role.ASSISTANT, answers=question.id))
    if wait:
        await in_step(indexed)
    assert await texts(indexed, "blue") == ["In the blue bowl"]
    await indexed.turns.choose(first.id)
    if wait:
        await in_step(indexed)
    assert await texts(indexed, "blue") == ["In the blue drawer"]


async def test_a_vault_is_indexed_newest_first_in_growing_commits(
    vault: Vault, said: Say, tasks: TaskRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "CHUNK_TURNS", 10)
    await vault.turns.append_many([said(f"parcel {n}") for n in range(95)])
    states: list[tuple[int, list[int]]] = []

    async def note(status: search_index.IndexStatus) -> None:
        hits = await recall(vault, "parcel", limit=100)
        states.append((status.indexed, sorted(hit.id for hit in hits)))

    vault.index.start(tasks)
    assert vault.index.status.state == "off"
    seen = 0
    while vault.index.status.state != "ready":
        await asyncio.sleep(0)
        if vault.index.status.indexed != seen:
            seen = vault.index.status.indexed
            await note(vault.index.status)
    await note(vault.index.status)
    assert vault.index.status.total == 95
    assert states[0][1][-1] == 95
    assert states[-1] == (95, list(range(1, 96)))


async def test_what_is_said_during_the_build_is_not_lost(
    vault: Vault, said: Say, tasks: TaskRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "CHUNK_TURNS", 5)
    await vault.turns.append_many([said(f"parcel {n}") for n in range(60)])
    vault.index.start(tasks)
    for number in range(20):
        await vault.turns.append(said(f"letter {number}"))
        begun = vault.index.view is not None
        assert f"letter {number}" in await texts(vault, "letter", limit=100) or not begun
    await vault.index.ready()
    await in_step(vault)
    assert len(await texts(vault, "letter", limit=100)) == 20
    assert len(await texts(vault, "parcel", limit=100)) == 60


async def test_a_broken_index_says_so_and_is_built_again(
    vault: Vault, said: Say, tasks: TaskRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "RETRY_S", (0.01,))
    await vault.turns.append(said("a lost umbrella"))
    broken = [True]

    class Fragile(TextIndex):
        def commit(self) -> Searcher:
            if broken:
                raise IndexFailedError
            return super().commit()

    monkeypatch.setattr(vault.index, "_make", Fragile)
    vault.index.start(tasks)
    status = await vault.index.ready()
    assert (status.state, type(status.error)) == ("failed", IndexFailedError)
    assert await texts(vault, "umbrella") == []
    broken.clear()
    async with asyncio.timeout(PATIENCE_S):
        while (await vault.index.ready()).state != "ready":
            await vault.index.moved()
    assert await texts(vault, "umbrella") == ["a lost umbrella"]


async def test_an_index_that_nobody_started_costs_and_finds_nothing(vault: Vault, said: Say) -> None:
    await vault.turns.append(said("a lost umbrella"))
    assert vault.index.status.state == "off"
    assert await texts(vault, "umbrella") == []


async def test_channels_windows_and_past_knowledge_limit_what_is_found(
    indexed: Vault, channel: Channel, said: Say, clock: FixedClock
) -> None:
    other = await indexed.channels.ensure(ChannelKey("discord:10"), familiar=MIRA)
    strange = await indexed.channels.ensure(ChannelKey("discord:20"), familiar=FamiliarId("somebody-else"))
    here, _ = await indexed.turns.append(said("the lake was cold"))
    there, _ = await indexed.turns.append(said("the lake was warm", channel=other.id))
    clock.instant += timedelta(days=1)
    await indexed.turns.append(said("the lake was far", channel=strange.id))
    late, _ = await indexed.turns.append(said("the lake was frozen"))
    for wait in (False, True):
        if wait:
            await in_step(indexed)
        assert {hit.id for hit in await recall(indexed, "lake")} == {here.id, there.id, late.id}
        assert {hit.id for hit in await recall(indexed, "lake", channels=(other.id,))} == {there.id}
        assert {hit.id for hit in await recall(indexed, "lake", known_at=NOON)} == {here.id, there.id}
        window = Window(channel.id, TurnId(late.id))
        assert {hit.id for hit in await recall(indexed, "lake", window=window)} == {here.id, there.id}
        assert len(await recall(indexed, "lake", limit=1)) == 1


async def test_names_old_and_new_lead_to_what_somebody_said(indexed: Vault, said: Say) -> None:
    turn, _ = await indexed.turns.append(said("I adopted a parrot", author=ANN))
    await indexed.turns.append(said("I adopted a parrot too", author=BEN))
    await indexed.turns.append(said("hello", author=replace(ANN, name="Countess"), at=NOON))
    for wait in (False, True):
        if wait:
            await in_step(indexed)
        for name in (ANN.name, "countess"):
            best = (await recall(indexed, f"{name} parrot"))[0]
            assert best.id == turn.id
            assert best.signals["named"].normalised == 1


async def test_a_date_finds_what_was_said_then(indexed: Vault, said: Say) -> None:
    await indexed.turns.append(said("We met the new neighbours", at=NOON))
    await indexed.turns.append(said("We met the old neighbours", at=NOON + timedelta(days=40)))
    day = f"{NOON:%B} {NOON.day}"
    assert (await texts(indexed, f"Whom did we meet on {day}?"))[0] == "We met the new neighbours"


async def test_the_turn_between_two_hits_comes_with_them(indexed: Vault, said: Say) -> None:
    for text in ("How is your rabbit?", "She is well.", "The rabbit eats a lot.", "Unrelated chatter"):
        await indexed.turns.append(said(text))
    found = await recall(indexed, "rabbit", WEIGHTS)
    assert [hit.text for hit in found][2] == "She is well."
    assert found[2].signals["neighbours"].raw
    assert found[2].signals["bm25"].raw is None
