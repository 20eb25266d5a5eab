"""Ten thousand retired near-copies do not hide the one fact that is believed, neither by words nor by meaning."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.fact import FactId
from familiar_app.domain.ranking import Weights
from familiar_app.domain.recall import Recall
from familiar_app.domain.task import TaskRegistry
from familiar_app.models.embedder_hash import HashEmbedder
from familiar_app.store.memory_writer import MemoryWriter
from familiar_app.store.vault import Vault
from familiar_app.store.vector_fill import VectorFill
from tests.unit.store.test_owner_act import new
from tests.unit.store.vault_maker import MIRA, NOON

pytestmark = pytest.mark.slow

COPIES = 10_000
CUE = "Where does Ann keep her blue bicycle?"
BY_WORDS = Weights(bm25=1, recency=0, importance=0, embedding=0, nearness=0, named=0, neighbours=0, facts=0)
BY_MEANING = Weights(bm25=0, recency=0, importance=0, embedding=1, nearness=0, named=0, neighbours=0, facts=0)


@pytest.fixture
async def crowd(vault: Vault, clock: FixedClock) -> AsyncIterator[FactId]:
    """The current fact comes first and fits the cue worst; every later one fits better and is retired."""
    current, _ = await vault.facts.append(new("Somewhere behind a shed Ann's old bicycle, painted blue, rests."))

    def learn(writer: MemoryWriter) -> list[FactId]:
        texts = (f"Ann keeps her blue bicycle in shed {number}." for number in range(COPIES))
        return [writer.append_fact(new(text), NOON)[0].id for text in texts]

    copies = await vault.projections.write(learn)
    await VectorFill(vault.vectors, HashEmbedder(32), kinds=("fact",)).until_idle()
    clock.instant += timedelta(hours=1)
    await vault.projections.write(lambda writer: writer.supersede(copies, clock.now()) and None)
    assert len(await vault.facts.page(MIRA, include_retired=True, limit=COPIES * 2)) == COPIES + 1
    tasks = TaskRegistry(lambda _name, error: pytest.fail(str(error)))
    vault.index.start(tasks)
    await vault.index.ready()
    yield current.id
    assert await tasks.cancel() == []


async def test_the_current_fact_is_found_among_retired_copies(vault: Vault, crowd: FactId, clock: FixedClock) -> None:
    for weights in (BY_WORDS, BY_MEANING):
        request = Recall(MIRA, CUE, weights, limit=5, kinds=("fact",))
        hits = await vault.retrieval.recall(request, HashEmbedder(32))
        assert [hit.id for hit in hits] == [crowd]
    # As it was believed then, all of them compete: the better ones win.
    then = Recall(MIRA, CUE, BY_WORDS, limit=5, kinds=("fact",), known_at=NOON)
    hits = await vault.retrieval.recall(then)
    assert len(hits) == 5
    assert crowd not in [hit.id for hit in hits]
