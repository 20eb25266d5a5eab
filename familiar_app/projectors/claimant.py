"""Tells by whose word alone a fact is known, so that hearsay is shown as hearsay wherever a model reads it."""

from __future__ import annotations

from collections.abc import Sequence

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
        said_by = {author for turn in fact.source_turns if (author := authors[turn]) is not None}
        about = {subject.key for subject in fact.subjects}
        hearsay = said_by if about and not about & said_by else set()
        for key in hearsay - labels.keys():
            labels[key] = await desk.vault.people.label(key)
        told[fact.id] = tuple(labels[key] for key in sorted(hearsay))
    return told
