"""Fuses the signals of what a search found into one order, and keeps every signal beside its score.

A score is the weighted sum of signals, each scaled to 0..1 within the candidates. Two signals adapt to the place: the
more people speak there, the more a person's name in the cue says, and the less a turn has to do with the one beside
it. Reading and searching are the store's part.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["turn", "fact", "memory"]
Key = tuple[Kind, int]

NEUTRAL = 0.5
"""What a signal counts where a candidate has nothing to go by."""
MAX_NAMED_FACTOR = 3.0
NEIGHBOUR_GAP_S = 3600.0
"""Turns further apart than this belong to different conversations."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each signal counts; 0 leaves it out.

    `nearness` counts only together with `embedding`, `facts` is what a fact lends to the turns it came from.
    """

    bm25: float
    recency: float
    importance: float
    embedding: float
    nearness: float
    named: float
    neighbours: float
    facts: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something a search found. `order` grows with its age's opposite: a later one has the greater number.

    `bm25` is None where no word matched, `cosine` (-1..1) where it has no vector. `neighbours` are the turns directly
    before and after it in the same conversation, `sources` the turns a fact came from.
    """

    key: Key
    order: int
    bm25: float | None = None
    importance: int | None = None
    cosine: float | None = None
    named: bool = False
    neighbours: tuple[Key, ...] = ()
    sources: tuple[Key, ...] = ()


@dataclass(frozen=True, slots=True)
class Signal:
    """One reason for a score: as measured, scaled to 0..1, and how much of it counted."""

    raw: float | None
    normalised: float
    weight: float

    @property
    def share(self) -> float:
        """What it adds to the score."""
        return self.normalised * self.weight


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate in its place; `score` is the sum of the signals' shares."""

    key: Key
    score: float
    signals: Mapping[str, Signal] = field(default_factory=dict)


def rank(candidates: Sequence[Candidate], weights: Weights, *, speakers: float = 2.0) -> list[Ranked]:
    """Order candidates, best first; ties: newer first. `speakers` is the place's effective number of speakers.

    Keys must be unique. Takes time linear in the candidates but for the sorting.
    """
    relevance = _relevance(candidates, weights, speakers)
    own = {key: sum(signal.share for signal in signals.values()) for key, signals in relevance.items()}
    lent = _lent_by_facts(candidates, own)
    recency = _recency(candidates)
    top = max(own.values(), default=0.0) or 1.0
    beside = weights.neighbours * neighbour_factor(speakers)
    ranked = []
    for one in candidates:
        around = sum(own.get(key, 0.0) for key in one.neighbours)
        signals = {
            **relevance[one.key],
            "recency": Signal(float(one.order), recency[one.key], weights.recency),
            "importance": _importance(one.importance, weights.importance),
            "embedding": _embedding(one.cosine, weights.embedding),
            "neighbours": Signal(around, around / (2 * top), 2 * top * beside),
            "facts": Signal(lent.get(one.key), lent.get(one.key, 0.0) / top, top * weights.facts),
        }
        ranked.append((Ranked(one.key, sum(signal.share for signal in signals.values()), signals), one.order))
    ranked.sort(key=lambda item: (-item[0].score, -item[1], item[0].key))
    return [item for item, _order in ranked]


def effective_speakers(speakers: Iterable[Hashable]) -> float:
    """Return how many equally talkative people would make the same mixture (the inverse Simpson index); at least 1."""
    counts = Counter(speakers)
    total = sum(counts.values())
    return total * total / sum(count * count for count in counts.values()) if total else 1.0


def named_factor(speakers: float) -> float:
    """Return how much a person's name narrows the search: the bits that it tells among so many speakers."""
    return min(max(math.log2(max(speakers, 1.0)), 0.0), MAX_NAMED_FACTOR)


def neighbour_factor(speakers: float) -> float:
    """Return how likely the turn beside another belongs to the same matter: all of it for two, less for a crowd."""
    return min(1.0, 2.0 / max(speakers, 1.0))


def _relevance(candidates: Sequence[Candidate], weights: Weights, speakers: float) -> dict[Key, dict[str, Signal]]:
    """Return the signals that depend on the cue and may spread to neighbours."""
    best = max((one.bm25 for one in candidates if one.bm25), default=0.0)
    cosines = [one.cosine for one in candidates if one.cosine is not None]
    low, high = min(cosines, default=0.0), max(cosines, default=0.0)
    nearness = weights.nearness if weights.embedding > 0 else 0.0
    named = weights.named * named_factor(speakers)
    return {
        one.key: {
            "bm25": Signal(one.bm25, one.bm25 / best if one.bm25 and best else 0.0, weights.bm25),
            "nearness": Signal(one.cosine, _stretched(one.cosine, low, high), nearness),
            "named": Signal(float(one.named), float(one.named), named),
        }
        for one in candidates
    }


def _stretched(cosine: float | None, low: float, high: float) -> float:
    """Spread the cosines that occur over the whole of 0..1: in practice they fill a small part of their range."""
    if cosine is None or high <= low:
        return NEUTRAL
    return min(max((cosine - low) / (high - low), 0.0), 1.0)


def _importance(importance: int | None, weight: float) -> Signal:
    if importance is None:
        return Signal(None, NEUTRAL, weight)
    return Signal(float(importance), min(max(importance / 10, 0.0), 1.0), weight)


def _embedding(cosine: float | None, weight: float) -> Signal:
    if cosine is None:
        return Signal(None, NEUTRAL, weight)
    return Signal(cosine, min(max((cosine + 1) / 2, 0.0), 1.0), weight)


def _recency(candidates: Sequence[Candidate]) -> dict[Key, float]:
    """Return 1 for the newest of each kind, 0 for the oldest, by their numbers."""
    spans: dict[Kind, tuple[int, int]] = {}
    for one in candidates:
        low, high = spans.get(one.key[0], (one.order, one.order))
        spans[one.key[0]] = (min(low, one.order), max(high, one.order))
    found = {}
    for one in candidates:
        low, high = spans[one.key[0]]
        found[one.key] = (one.order - low) / (high - low) if high > low else 1.0
    return found


def _lent_by_facts(candidates: Sequence[Candidate], own: Mapping[Key, float]) -> dict[Key, float]:
    """Return for each turn the relevance of the best fact that rests on it."""
    lent: dict[Key, float] = {}
    for one in candidates:
        for source in one.sources:
            lent[source] = max(lent.get(source, 0.0), own[one.key])
    return lent
