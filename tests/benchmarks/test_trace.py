"""Traces: how small they are stored, and how fast their candidates are ranked again.

Ranking again is what a slider of the window does while it is dragged, so it has to fit into one frame of the screen.
The size is a share of the raw JSON text, over prompts from a short exchange to a full context.
"""

from __future__ import annotations

import itertools
import json
import random
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from familiar_app.domain.ranking import Candidate, Weights, rank
from familiar_app.domain.rerank import rerank
from familiar_app.domain.trace import LayerTrace, PromptTrace, TracedMessage
from familiar_app.store.trace_write import pack, unpack
from tests.benchmarks.pace import Pace

WEIGHTS = Weights(bm25=1, recency=0.1, importance=0.6, embedding=0.6, nearness=1, named=0.4, neighbours=0.3, facts=0.3)
FRAME_MS = 16.0
MOST_SHARE = 0.40
SIGNALS = tuple(Weights.__dataclass_fields__)
_TEXTS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def prose() -> Callable[[int], str]:
    """Makes sentences that were never written, out of pairs of words that were: no line comes twice."""
    words = [word for path in sorted(_TEXTS.glob("*.md")) for word in path.read_text(encoding="utf-8").split()]
    follows: dict[str, list[str]] = {}
    for one, two in itertools.pairwise(words):
        follows.setdefault(one, []).append(two)
    chance = random.Random(11)

    def sentence(length: int) -> str:
        said = [chance.choice(words)]
        while len(said) < length:
            said.append(chance.choice(follows.get(said[-1], words)))
        return " ".join(said)

    return sentence


def candidates(count: int) -> list[dict[str, Any]]:
    chance = random.Random(5)
    found = [
        Candidate(
            ("turn", number) if number % 3 else ("fact", number),
            number,
            bm25=chance.uniform(0.1, 12),
            importance=chance.choice([None, 3, 7]),
            cosine=chance.uniform(-0.2, 0.8),
            named=chance.random() < 0.2,
            neighbours=(("turn", number - 1), ("turn", number + 1)) if number % 3 else (),
            sources=() if number % 3 else (("turn", number - 1),),
        )
        for number in range(1, count + 1)
    ]
    by_key = {one.key: one for one in found}
    return [
        {
            "kind": one.key[0],
            "id": one.key[1],
            "text": f"what was said as number {one.key[1]}",
            "score": one.score,
            "signals": {
                name: {"raw": signal.raw, "normalised": signal.normalised, "weight": signal.weight}
                for name, signal in one.signals.items()
            },
            "kept": place < 12,
            "why": "kept" if place < 12 else "limit",
            "reason": None,
            "tokens": 30,
            "neighbours": [number for _, number in by_key[one.key].neighbours],
            "sources": [number for _, number in by_key[one.key].sources],
        }
        for place, one in enumerate(rank(found, WEIGHTS))
    ]


def test_ranking_two_hundred_candidates_again_fits_into_a_frame(pace: Pace) -> None:
    traced = candidates(200)
    told = {"speakers": 3.0, "limit": 12, "cap_tokens": 600}
    chance = random.Random(2)
    took = []
    for _ in range(120):
        weights = Weights(**{name: chance.uniform(0, 2) for name in SIGNALS})
        began = time.thread_time()
        found = rerank(traced, weights, told)
        took.append((time.thread_time() - began) * 1000)
        assert len(found.places) == 200
    p95 = statistics.quantiles(took, n=20)[-1]
    print(f"rerank of 200: median {statistics.median(took):.2f} ms, p95 {p95:.2f} ms of processor time")  # noqa: T201
    assert p95 <= pace.allow(FRAME_MS)


def a_trace(prose: Callable[[int], str], turns: int, recalled: int) -> PromptTrace:
    """Make the trace of a reply as the program stores it: the prompt as messages, as layers and as it was sent."""
    card, lines = "\n\n".join(prose(60) for _ in range(4)), [prose(5 + 3 * (n % 9)) for n in range(turns)]
    written = [f"[12:{n % 60:02d} Ann] {line}" if n % 2 == 0 else line for n, line in enumerate(lines)]
    parts = [TracedMessage(role="system", content=card, layer="character_card")]
    parts += [
        TracedMessage(role="user" if n % 2 == 0 else "assistant", content=line, layer="recent_history", turn=n + 1)
        for n, line in enumerate(written)
    ]
    layers = (("character_card", card), ("recent_history", "\n".join(written)))
    wire = {"model": "m", "messages": [{"role": part.role, "content": part.content} for part in parts]}
    found = [one | {"text": prose(14)} for one in candidates(recalled)]
    return PromptTrace(
        familiar="mira",
        channel="local:main",
        mode="text",
        purpose="reply",
        at=datetime(2024, 5, 1, tzinfo=UTC),
        model="m",
        provider="openai",
        context_tokens=16384,
        answer_tokens=400,
        tokens=8000,
        exact_tokens=True,
        messages=tuple(parts),
        layers=tuple(
            LayerTrace(name=name, key="0" * 24, cached=False, tokens=9, ms=0.7, text=text) for name, text in layers
        ),
        sampling={"temperature": 0.8, "top_p": 0.95},
        candidates=tuple(found),
        sent=json.dumps(wire, ensure_ascii=False, separators=(",", ":")),
        usage={"prompt_tokens": 8000, "completion_tokens": 80, "first_token_ms": 300.0},
        ms=2000.0,
        answer=prose(60),
    )


@pytest.mark.parametrize(("turns", "recalled"), [(1, 0), (4, 4), (20, 28), (60, 28), (200, 28), (500, 28)])
def test_a_trace_takes_two_fifths_of_its_text(prose: Callable[[int], str], turns: int, recalled: int) -> None:
    trace = a_trace(prose, turns, recalled)
    raw = len(trace.model_dump_json(exclude={"id"}).encode())
    began = time.thread_time()
    packed = pack(trace)
    ms = (time.thread_time() - began) * 1000
    print(f"{turns} turns, {recalled} candidates: {raw} bytes, packed {len(packed) / raw:.1%}, {ms:.1f} ms")  # noqa: T201
    assert len(packed) <= MOST_SHARE * raw
    assert unpack(1, None, packed) == trace.model_copy(update={"id": 1})
