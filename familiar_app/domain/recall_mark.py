"""The owner's marks: what a cue should have brought back; and how well a look into memory does by them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NewType

from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.recall import Hit

MarkId = NewType("MarkId", int)
MarkKind = Literal["fact", "turn"]
Ranks = Mapping[MarkId, int | None]


@dataclass(frozen=True, slots=True)
class RecallMark:
    """A cue and what it should bring back. `target` is None where that is gone."""

    id: MarkId
    familiar: FamiliarId
    cue: str
    kind: MarkKind
    target: int | None
    marked_at: datetime


@dataclass(frozen=True, slots=True)
class MarkScore:
    """How many marks were met out of how many, and the mean of 1 / place (0 for what was not found)."""

    found: int
    total: int
    reciprocal: float


@dataclass(frozen=True, slots=True)
class MarkChange:
    """What other weights do to the marks: those met only before or only after, and those that rose or sank."""

    before: MarkScore
    after: MarkScore
    gained: tuple[MarkId, ...]
    lost: tuple[MarkId, ...]
    better: tuple[MarkId, ...]
    worse: tuple[MarkId, ...]


def rank_of(mark: RecallMark, hits: Sequence[Hit]) -> int | None:
    """Return the place, from 1, at which a mark is met; a fact meets a mark on a turn that it rests on."""
    for place, hit in enumerate(hits, start=1):
        if hit.kind == mark.kind and hit.id == mark.target:
            return place
        if mark.kind == "turn" and hit.fact is not None and mark.target in hit.fact.source_turns:
            return place
    return None


def score_of(ranks: Iterable[int | None]) -> MarkScore:
    """Sum up the places at which marks were met."""
    places = list(ranks)
    found = [place for place in places if place is not None]
    return MarkScore(len(found), len(places), sum(1 / place for place in found) / len(places) if places else 0.0)


def compare(before: Ranks, after: Ranks) -> MarkChange:
    """Compare two looks at the same marks."""
    both = [(mark, before[mark], after[mark]) for mark in before if mark in after]
    return MarkChange(
        before=score_of(old for _, old, _ in both),
        after=score_of(new for _, _, new in both),
        gained=tuple(mark for mark, old, new in both if old is None and new is not None),
        lost=tuple(mark for mark, old, new in both if old is not None and new is None),
        better=tuple(mark for mark, old, new in both if old is not None and new is not None and new < old),
        worse=tuple(mark for mark, old, new in both if old is not None and new is not None and new > old),
    )
