"""Finds saved memories that fit a cue by its words: few and short texts, so each is compared, without an index.

The measure is that of the index (Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and beyond, 2009),
over the memories alone.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from familiar_app.domain.audience import Audience, Held
from familiar_app.domain.ids import PersonKey
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.ranking import Candidate
from familiar_app.domain.recall import Recall
from familiar_app.domain.saved_memory.memory import SavedMemory, Scope
from familiar_app.domain.saved_memory.named import names_somebody
from familiar_app.domain.saved_memory.tag import TagScene, fits
from familiar_app.store.privacy import private_names, read_levels
from familiar_app.store.saved_memory_row import all_then

if TYPE_CHECKING:
    from sqlite3 import Connection

MOST_COMPARED = 5_000
_K1, _B = 1.2, 0.75
Terms = Callable[[str], Sequence[str]]


def memory_candidates(
    connection: Connection, request: Recall, cue: Sequence[str], terms: Terms, people: Sequence[PersonKey]
) -> tuple[dict[int, SavedMemory], list[Candidate]]:
    """Return the memories of the request's lineage that share a word with the cue or are about whom it names."""
    if "memory" not in request.kinds or request.lineage is None or request.as_of is not None:
        return {}, []
    rows = all_then(connection, request.lineage, request.known_at, MOST_COMPARED)
    rows = _in_hearing(connection, _without_private(connection, rows), request.audience)
    scores = _bm25([terms(row.content) for row in rows], cue)
    found: dict[int, SavedMemory] = {}
    candidates: list[Candidate] = []
    for row, score in zip(rows, scores, strict=True):
        named = row.place.scope is Scope.PERSONAL and row.place.owner in people
        if score is None and not named:
            continue
        found[row.id] = row
        candidates.append(Candidate(("memory", int(row.id)), int(row.id), bm25=score, named=named))
    return found, candidates


def _without_private(connection: Connection, rows: Sequence[SavedMemory]) -> list[SavedMemory]:
    levels = read_levels(connection)
    if not levels:
        return list(rows)
    names = private_names(connection, levels)
    return [
        row
        for row in rows
        if (
            levels.get(PersonKey(row.place.owner), PrivacyLevel.NONE).allows_memories
            if row.place.scope is Scope.PERSONAL
            else not names_somebody(row.content, names)
        )
    ]


def _in_hearing(connection: Connection, rows: list[SavedMemory], audience: Audience | None) -> list[SavedMemory]:
    """Leave out what is never told in the channel: of other servers, of other channels, out of direct messages."""
    if audience is None:
        return rows
    place = connection.execute("SELECT key, title, guild FROM channels WHERE id = ?", (audience.channel,)).fetchone()
    if place is None:
        return []
    key, title, guild = place
    scene = TagScene(key, title, "", word_tags=False)
    return [row for row in rows if fits(row.tags, scene) and _may_be_told(row, guild or key, audience)]


def _may_be_told(row: SavedMemory, server: str, audience: Audience) -> bool:
    if row.place.scope is Scope.SERVER:
        return row.place.owner == server
    return row.learned_in is None or audience.why_held([row.learned_in]) is not Held.DIRECT


def _bm25(texts: Sequence[Sequence[str]], cue: Sequence[str]) -> list[float | None]:
    """Return the score of each text, None where it shares no word with the cue."""
    if not texts:
        return []
    frequency = Counter(term for text in texts for term in set(text))
    mean = sum(len(text) for text in texts) / len(texts) or 1.0
    weight = {
        term: math.log(1 + (len(texts) - frequency[term] + 0.5) / (frequency[term] + 0.5))
        for term in cue
        if frequency[term]
    }
    scores: list[float | None] = []
    for text in texts:
        counted = Counter(term for term in text if term in weight)
        damped = _K1 * (1 - _B + _B * len(text) / mean)
        score = sum(weight[term] * count * (_K1 + 1) / (count + damped) for term, count in counted.items())
        scores.append(score if counted else None)
    return scores
