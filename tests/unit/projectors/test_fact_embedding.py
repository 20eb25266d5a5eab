"""`fact_embedding`: batches, another model beside the first, rest without an embedder, rebuild."""

from __future__ import annotations

from dataclasses import replace

from familiar_app.domain.embedding import Embedder
from familiar_app.domain.fact import NewFact
from familiar_app.models.embedder_hash import HashEmbedder
from familiar_app.projectors.belief import BeliefReplay
from familiar_app.projectors.fact_embedding import FactEmbedding
from familiar_app.projectors.port import Progress
from familiar_app.projectors.runner import Projectors
from tests.unit.projectors.scene import MIRA, Scene, make_config


def projector(scene: Scene, embedder: Embedder | None) -> FactEmbedding:
    return FactEmbedding(replace(scene.desk, embedder=embedder), BeliefReplay(scene.vault, MIRA))


async def facts(scene: Scene, count: int) -> None:
    turn = await scene.say("I have boats.")
    for number in range(count):
        await scene.vault.facts.append(NewFact(MIRA, f"Ann has {number} boats.", "rich_note", (), (turn,)))


async def test_facts_get_vectors_in_batches_and_retired_ones_do_not(scene: Scene) -> None:
    await facts(scene, 40)
    await scene.vault.facts.supersede([(await scene.beliefs())[-1].id])
    first, second = HashEmbedder(16), HashEmbedder(32)
    embedding = projector(scene, first)
    assert await embedding.progress() == Progress(None, 39)
    done = await embedding.tick(flush=False)
    assert (done.worked, done.more) == (True, True)
    assert await scene.vault.vectors.count("fact", first.name) == 32
    assert (await embedding.tick(flush=False)).worked
    assert not (await embedding.tick(flush=False)).worked
    assert await scene.vault.vectors.count("fact", first.name) == 39
    other = projector(scene, second)
    await other.replay()
    assert await scene.vault.vectors.count("fact", second.name) == 39
    assert await scene.vault.vectors.count("fact", first.name) == 39


async def test_without_an_embedder_it_rests(scene: Scene) -> None:
    await facts(scene, 1)
    embedding = projector(scene, None)
    assert not (await embedding.tick(flush=True)).worked
    assert await embedding.progress() == Progress(None, 0)


async def test_a_rebuild_embeds_anew_and_asks_no_language_model(scene: Scene) -> None:
    await facts(scene, 3)
    embedder = HashEmbedder(16)
    scene.config = make_config('[providers.memory]\nprojectors = ["fact_embedding"]')
    projectors = Projectors(replace(scene.desk, embedder=embedder))
    await projectors.run(until_idle=True)
    await scene.sql("DELETE FROM fact_embeddings")
    await projectors.run(until_idle=True)
    assert await scene.vault.vectors.count("fact", embedder.name) == 3
    outcomes = await projectors.rebuild(["fact_embedding"], fresh=False)
    assert [one.error for one in outcomes] == [None]
    assert await scene.vault.vectors.count("fact", embedder.name) == 3
    assert scene.model.requests == []
