"""`turn_embedding`: turns get vectors in batches, lose them with their text, and get them back after a rebuild."""

from __future__ import annotations

from dataclasses import replace

from familiar_app.domain.embedding import Embedder
from familiar_app.models.embedder_hash import HashEmbedder
from familiar_app.projectors.belief import BeliefReplay
from familiar_app.projectors.port import Progress
from familiar_app.projectors.runner import Projectors
from familiar_app.projectors.turn_embedding import TurnEmbedding
from tests.unit.projectors.scene import MIRA, Scene, make_config


def projector(scene: Scene, embedder: Embedder | None) -> TurnEmbedding:
    return TurnEmbedding(replace(scene.desk, embedder=embedder), BeliefReplay(scene.vault, MIRA))


async def test_turns_get_vectors_in_batches_and_a_scrubbed_one_loses_its_own(scene: Scene) -> None:
    turns = await scene.talk(35)
    embedder = HashEmbedder(16)
    embedding = projector(scene, embedder)
    assert await embedding.progress() == Progress(None, 35)
    first, second, third = [await embedding.tick(flush=False) for _ in range(3)]
    assert [(one.worked, one.more) for one in (first, second, third)] == [(True, True), (True, False), (False, False)]
    assert await scene.vault.vectors.count("turn", embedder.name) == 35
    await scene.vault.turns.scrub(turns[0])
    await scene.vault.turns.revise(turns[1], "something else")
    assert await scene.vault.vectors.count("turn", embedder.name) == 33
    assert await embedding.progress() == Progress(None, 1)


async def test_without_an_embedder_it_rests(scene: Scene) -> None:
    await scene.talk(1)
    embedding = projector(scene, None)
    assert not (await embedding.tick(flush=True)).worked
    assert await embedding.progress() == Progress(None, 0)


async def test_emptied_vectors_come_back_and_no_language_model_is_asked(scene: Scene) -> None:
    await scene.talk(3)
    embedder = HashEmbedder(16)
    scene.config = make_config('[providers.memory]\nprojectors = ["turn_embedding"]')
    projectors = Projectors(replace(scene.desk, embedder=embedder))
    await projectors.run(until_idle=True)
    await scene.sql("DELETE FROM turn_embeddings")
    await projectors.run(until_idle=True)
    assert await scene.vault.vectors.count("turn", embedder.name) == 3
    outcomes = await projectors.rebuild(["turn_embedding"], fresh=False)
    assert [one.error for one in outcomes] == [None]
    assert await scene.vault.vectors.count("turn", embedder.name) == 3
    assert scene.model.requests == []
