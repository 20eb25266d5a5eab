"""Tells by whose word alone a fact is known, so that hearsay is shown as hearsay wherever a model reads it."""

from __future__ import annotations

from collections.abc import Sequence

from familiar_app.domain.claim import claimants
from familiar_app.domain.fact import Fact, FactId
from familiar_app.domain.ids import PersonKey
from familiar_app.projectors.port import Desk


async def claimants_of(desk: Desk, facts: Sequence[Fact]) -> dict[FactId, tuple[str, ...]]:
    """Return, for each fact about people none of whom said it, the names of those who did; else nobody."""
    authors: dict[int, PersonKey | None] = {}
    for turn in {turn for fact in facts for turn in fact.source_turns}:
        stored = await desk.vault.turns.get(turn)
        authors[turn] = stored.author.key if stored is not None and stored.author is not None else None
    labels: dict[PersonKey, str] = {desk.ego: desk.char}
    told: dict[FactId, tuple[str, ...]] = {}
    for fact in facts:
        keys = claimants((subject.key for subject in fact.subjects), (authors[turn] for turn in fact.source_turns))
        for key in keys:
            if key not in labels:
                labels[key] = await desk.vault.people.label(key)
        told[fact.id] = tuple(labels[key] for key in keys)
    return told
