"""Fuses the signals of what a search found into one order, and keeps every signal beside its score.

A score is the weighted sum of signals, each scaled to 0..1 within the candidates. Two signals adapt to the place: the
more people speak there, the more a person's name in the cue says, and the less a turn has to do with the one beside
it. Reading and searching are the store's part.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from familiar_app.domain.record import record

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


@record(frozen=True, slots=True)
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


@record(frozen=True, slots=True)
class Signal:
    """One reason for a score: as measured, scaled to 0..1, and how much of it counted."""

    raw: float | None
    normalised: float
    weight: float

    @property
    def share(self) -> float:
        """What it adds to the score."""
        return self.normalised * self.weight


@record(frozen=True, slots=True)
class Ranked:
    """A candidate in its place; `score` is the sum of the signals' shares."""

    key: Key
    score: float
    signals: Mapping[str, Signal] = field(default_factory=dict)


def rank(
    candidates: Sequence[Candidate],
    weights: Weights,
    *,
    speakers: float = 2.0,
    limit: int | None = None,
    kinds: Collection[Kind] = ("turn", "fact", "memory"),
) -> list[Ranked]:
    """Order candidates, best first; ties: newer first. `speakers` is the place's effective number of speakers.

    Keys must be unique. Returns the first `limit` of the `kinds` (all of them where it is None); the others only lend.
    """
    scale = _scale(candidates, weights, speakers)
    own = {one.key: scale.relevance(one) for one in candidates}
    top = max(own.values(), default=0.0) or 1.0
    lent = _lent_by_facts(candidates, own)
    scored = []
    for one in candidates:
        if one.key[0] not in kinds:
            continue
        around = sum([own[key] for key in one.neighbours if key in own])
        score = (
            own[one.key]
            + scale.recency(one) * weights.recency
            + scale.importance(one) * weights.importance
            + scale.embedding(one) * weights.embedding
            + around * scale.beside
            + lent.get(one.key, 0.0) * weights.facts
        )
        scored.append((-score, -one.order, one.key, one, around))
    scored.sort(key=lambda item: item[:3])
    return [
        Ranked(key, -score, scale.signals(one, top=top, around=around, lent=lent.get(key)))
        for score, _order, key, one, around in scored[:limit]
    ]


@dataclass(frozen=True, slots=True)
class _Scale:
    """What scales the signals of one set of candidates to 0..1, and the weights as they hold in this place."""

    weights: Weights
    best_bm25: float
    low_cosine: float
    high_cosine: float
    spans: Mapping[Kind, tuple[int, int]]
    nearness: float
    named: float
    beside: float

    def relevance(self, one: Candidate) -> float:
        """Return the share of the signals that depend on the cue and may spread to neighbours."""
        words = self.words(one) * self.weights.bm25
        return words + self.near(one) * self.nearness + (self.named if one.named else 0.0)

    def words(self, one: Candidate) -> float:
        return one.bm25 / self.best_bm25 if one.bm25 and self.best_bm25 else 0.0

    def near(self, one: Candidate) -> float:
        """Spread the cosines that occur over the whole of 0..1: in practice they fill a small part of their range."""
        if one.cosine is None or self.high_cosine <= self.low_cosine:
            return NEUTRAL
        return _within((one.cosine - self.low_cosine) / (self.high_cosine - self.low_cosine))

    def recency(self, one: Candidate) -> float:
        low, high = self.spans[one.key[0]]
        return (one.order - low) / (high - low) if high > low else 1.0

    def importance(self, one: Candidate) -> float:
        return NEUTRAL if one.importance is None else _within(one.importance / 10)

    def embedding(self, one: Candidate) -> float:
        return NEUTRAL if one.cosine is None else _within((one.cosine + 1) / 2)

    def signals(self, one: Candidate, *, top: float, around: float, lent: float | None) -> dict[str, Signal]:
        """Return every reason for the score. What comes from others is measured against the best relevance `top`."""
        weights = self.weights
        importance = None if one.importance is None else float(one.importance)
        return {
            "bm25": Signal(one.bm25, self.words(one), weights.bm25),
            "recency": Signal(float(one.order), self.recency(one), weights.recency),
            "importance": Signal(importance, self.importance(one), weights.importance),
            "embedding": Signal(one.cosine, self.embedding(one), weights.embedding),
            "nearness": Signal(one.cosine, self.near(one), self.nearness),
            "named": Signal(float(one.named), float(one.named), self.named),
            "neighbours": Signal(around, around / (2 * top), 2 * top * self.beside),
            "facts": Signal(lent, (lent or 0.0) / top, top * weights.facts),
        }


def _scale(candidates: Sequence[Candidate], weights: Weights, speakers: float) -> _Scale:
    cosines = [one.cosine for one in candidates if one.cosine is not None]
    orders: dict[Kind, list[int]] = {}
    for one in candidates:
        orders.setdefault(one.key[0], []).append(one.order)
    return _Scale(
        weights=weights,
        best_bm25=max((one.bm25 for one in candidates if one.bm25), default=0.0),
        low_cosine=min(cosines, default=0.0),
        high_cosine=max(cosines, default=0.0),
        spans={kind: (min(numbers), max(numbers)) for kind, numbers in orders.items()},
        nearness=weights.nearness if weights.embedding > 0 else 0.0,
        named=weights.named * named_factor(speakers),
        beside=weights.neighbours * neighbour_factor(speakers),
    )


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


def _within(value: float) -> float:
    return min(max(value, 0.0), 1.0)


def _lent_by_facts(candidates: Sequence[Candidate], own: Mapping[Key, float]) -> dict[Key, float]:
    """Return for each turn the relevance of the best fact that rests on it."""
    lent: dict[Key, float] = {}
    for one in candidates:
        for source in one.sources:
            lent[source] = max(lent.get(source, 0.0), own[one.key])
    return lent
