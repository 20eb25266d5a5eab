"""How fast a prompt is put together over a large memory. Run with `-s` to see the numbers.

Each prompt is compared with a plain look into memory for the same words right after it, so that a busy machine changes
little: the medians of both are compared, since single times of a busy machine are far off. What a look takes is
measured in `test_recall.py`; docs/retrieval.md has both.
FAMILIAR_BENCHMARK_TURNS sets the number of turns (100,000 by default).
"""

from __future__ import annotations

import gc
import os
import random
import statistics
import time
from dataclasses import dataclass, field

import pytest

from familiar_app.context.assembler import Assembler
from familiar_app.context.prompt import PromptRequest
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.fact import NewFact, Subject
from familiar_app.domain.ids import ChannelKey, TurnId
from familiar_app.domain.projection import Dossier
from familiar_app.domain.recall import Recall
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.turn import Channel
from familiar_app.store.vault import Vault
from tests.benchmarks.recall_corpus import NOON, cues, speakers, talk, vocabulary
from tests.doubles.talk import MIRA, FakeModel, make_config

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

TURNS = int(os.environ.get("FAMILIAR_BENCHMARK_TURNS", "100000"))
FACTS = TURNS // 5
# With a full history of 240 lines, and a second look for what is held back.
MOST_LOOKS_WARM, MOST_LOOKS_COLD = 6.0, 9.0


async def places(vault: Vault) -> list[Channel]:
    return [
        await vault.channels.ensure(ChannelKey(f"discord:{n}"), familiar=MIRA, title=f"room {n}", guild="discord:1")
        for n in range(6)
    ]


async def fill(vault: Vault, rooms: list[Channel]) -> None:
    """Fill the vault with talk, with facts about those who talk, each from one of the turns, and with dossiers."""
    people = speakers(40)
    for chunk in talk(TURNS, [room.id for room in rooms], people):
        await vault.turns.append_many(chunk)
    dice, words = random.Random(5), vocabulary()[:8000]
    made = [
        NewFact(
            MIRA,
            " ".join(dice.choices(words, k=9)),
            "rich_note",
            (Subject(one.key, one.name),),
            (TurnId(dice.randint(1, TURNS)),),
            importance=dice.randint(1, 10),
        )
        for one in dice.choices(people, k=FACTS)
    ]
    for start in range(0, FACTS, 1000):
        chunk = made[start : start + 1000]
        await vault.projections.write(lambda w, chunk=chunk: [w.append_fact(new, NOON) for new in chunk])
    newest = await vault.facts.newest_id(MIRA)
    portraits = [Dossier(MIRA, one.key, "Somebody who talks. " * 30, newest, NOON) for one in people]
    await vault.projections.write(lambda w: [w.put_dossier(one) for one in portraits])


def assembler(vault: Vault, mode: str) -> Assembler:
    card = CharacterCard(name="Mira", description="A keeper.")
    config = make_config(f'[memory.audience]\nshared = "{mode}"')
    model = FakeModel(context_tokens=16_384)
    return Assembler(MIRA, lambda: card, config, vault, model, FixedClock(NOON), "Ann")  # type: ignore[arg-type]


@dataclass
class Measured:
    """Processor times in milliseconds: of prompts, and of plain looks right after them; and how long prompts took."""

    prompts: list[float] = field(default_factory=list)
    looks: list[float] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)

    async def add(self, maker: Assembler, room: Channel, text: str) -> None:
        cpu, wall = time.process_time(), time.perf_counter()
        prompt = await maker.assemble(PromptRequest(room, pending=text))
        self.prompts.append((time.process_time() - cpu) * 1000)
        self.waited.append((time.perf_counter() - wall) * 1000)
        assert prompt.trace.candidates
        request = Recall(MIRA, text, maker.config.memory.retrieval.weights())
        cpu = time.process_time()
        await maker.vault.retrieval.recall(request)
        self.looks.append((time.process_time() - cpu) * 1000)

    @property
    def looks_per_prompt(self) -> float:
        return statistics.median(self.prompts) / statistics.median(self.looks)

    def __str__(self) -> str:
        slowest, late = (statistics.quantiles(times, n=20)[-1] for times in (self.prompts, self.waited))
        return (
            f"{self.looks_per_prompt:.1f} looks; processor median"
            f" {statistics.median(self.prompts):.1f} p95 {slowest:.1f} ms, look {statistics.median(self.looks):.1f} ms,"
            f" wall median {statistics.median(self.waited):.1f} p95 {late:.1f} ms"
        )


async def test_a_prompt_over_a_large_memory_is_put_together_in_time(vault: Vault, tasks: TaskRegistry) -> None:
    rooms = await places(vault)
    await fill(vault, rooms)
    vault.index.start(tasks)
    assert (await vault.index.ready()).state == "ready"
    texts = cues(170, speakers(40))
    # As the window does once it is shown: a full collection would stop every thread for some 40 ms.
    gc.collect()
    gc.freeze()
    for mode in ("strict", "server", "open"):
        cold, warm = Measured(), Measured()
        for number, text in enumerate(texts[:20]):
            await cold.add(assembler(vault, mode), rooms[number % len(rooms)], text)
        maker = assembler(vault, mode)
        await Measured().add(maker, rooms[0], texts[0])
        for text in texts[20:]:
            await warm.add(maker, rooms[0], text)
        print(f"\n{mode}: cold {cold}\n{mode}: warm {warm}")  # noqa: T201
        assert warm.looks_per_prompt < MOST_LOOKS_WARM
        assert cold.looks_per_prompt < MOST_LOOKS_COLD
    gc.unfreeze()
