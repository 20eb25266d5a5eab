"""Saved memories found by a cue: by words and by whom they are about, within lineage, privacy and audience."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from familiar_app.domain.audience import Audience, AudienceMode
from familiar_app.domain.ids import OWNER, ChannelId, ChannelKey, Lineage, PersonKey
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.ranking import Weights
from familiar_app.domain.recall import Hit, Recall
from familiar_app.domain.saved_memory.keeper import Keeper, Wording
from familiar_app.domain.saved_memory.memory import GLOBAL_LINEAGE, MemoryId, MemoryPlace, Scope
from familiar_app.domain.saved_memory.request import Limits
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.turn import Author, NewTurn, Role
from familiar_app.store.vault import Vault
from tests.unit.store.vault_maker import MIRA, NOON

LINEAGE = Lineage("own")
KEEPER = Keeper(MIRA, LINEAGE, Limits(True, 1000, 100, 100), 5)
SERVER = MemoryPlace(Scope.SERVER, "discord:100", LINEAGE)
BEN = MemoryPlace(Scope.PERSONAL, "discord:2", LINEAGE)
WEIGHTS = Weights(bm25=1, recency=0, importance=0, embedding=0, nearness=0, named=0.5, neighbours=0, facts=0)


@pytest.fixture
async def indexed(vault: Vault) -> AsyncIterator[Vault]:
    failures: list[BaseException] = []
    tasks = TaskRegistry(lambda _name, error: failures.append(error))
    channel = await vault.channels.ensure(ChannelKey("discord:10"), familiar=MIRA, guild="discord:100")
    author = Author(PersonKey("discord:2"), "Ben", "ben")
    await vault.turns.append(NewTurn(channel.id, Role.USER, "The old mill stands still", NOON, author))
    for place, text in (
        (SERVER, "The mill door is green"),
        (SERVER, "Soup on Mondays"),
        (BEN, "{user} repairs mills"),
        (replace(BEN, lineage=GLOBAL_LINEAGE), "{user} whistles"),
        (replace(SERVER, owner="discord:200"), "Another mill elsewhere"),
    ):
        await vault.saved_memories.add(KEEPER, Wording(place, text), by=OWNER)
    vault.index.start(tasks, owner=vault)
    await vault.index.ready()
    yield vault
    await tasks.cancel(vault)
    assert failures == []


async def look(vault: Vault, cue: str, **request: Any) -> list[Hit]:
    asked: dict[str, Any] = {"kinds": ("memory",), "lineage": LINEAGE, **request}
    return await vault.retrieval.recall(Recall(MIRA, cue, WEIGHTS, **asked))


async def test_words_and_names_find_them(indexed: Vault) -> None:
    hits = await look(indexed, "the green mill")
    assert hits[0].text == "The mill door is green"
    assert {hit.text for hit in hits} == {"The mill door is green", "{user} repairs mills", "Another mill elsewhere"}
    assert all(hit.kind == "memory" and hit.signals["bm25"].raw for hit in hits)
    assert {hit.id for hit in await look(indexed, "What about Ben?")} == {3, 4}
    assert await look(indexed, "submarine") == []


async def test_they_stand_beside_turns(indexed: Vault) -> None:
    hits = await look(indexed, "mill", kinds=("turn", "fact", "memory"))
    assert {hit.kind for hit in hits} == {"turn", "memory"}
    assert [hit.kind for hit in await look(indexed, "mill", kinds=("turn", "fact"))] == ["turn"]


async def test_another_lineage_finds_global_ones_alone(indexed: Vault) -> None:
    assert [hit.text for hit in await look(indexed, "Ben", lineage=Lineage("other"))] == ["{user} whistles"]
    assert await look(indexed, "mill", lineage=None) == []


async def test_retired_and_private_ones_stay_away(indexed: Vault) -> None:
    await indexed.saved_memories.retire(KEEPER, MemoryId(1), by=OWNER)
    await indexed.privacy.set(PersonKey("discord:2"), PrivacyLevel.PARTIAL, familiar=MIRA, by=OWNER)
    assert [hit.text for hit in await look(indexed, "mill")] == ["Another mill elsewhere"]


async def test_a_channel_hears_of_its_own_server(indexed: Vault) -> None:
    channel = await indexed.channels.find(ChannelKey("discord:10"))
    assert channel is not None
    audience = Audience(channel.id, AudienceMode.STRICT, frozenset((channel.id,)))
    assert {hit.id for hit in await look(indexed, "mill", audience=audience)} == {1, 3}
    nowhere = Audience(ChannelId(99), AudienceMode.STRICT)
    assert await look(indexed, "mill", audience=nowhere) == []


async def test_a_look_back_finds_what_stood_then(indexed: Vault, clock: Any) -> None:
    clock.instant = NOON + timedelta(hours=1)
    await indexed.saved_memories.edit(KEEPER, MemoryId(1), by=OWNER, content="The mill door is red")
    then = await look(indexed, "door", known_at=NOON + timedelta(minutes=1))
    assert [hit.text for hit in then] == ["The mill door is green"]
    assert await look(indexed, "door", known_at=NOON - timedelta(minutes=1)) == []
    assert [hit.text for hit in await look(indexed, "door")] == ["The mill door is red"]
