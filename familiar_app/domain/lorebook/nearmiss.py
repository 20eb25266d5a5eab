"""How near an entry came whose keys did not match: another case, part of a word, or a message out of reach."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from familiar_app.domain.lorebook.pattern import looks_like_path
from familiar_app.domain.lorebook.prepared import Candidate, PreparedBooks
from familiar_app.domain.lorebook.scene import Scene
from familiar_app.domain.lorebook.window import PassState


def nearest_miss(
    candidate: Candidate, state: PassState, books: PreparedBooks, scene: Scene, slow: Collection[int]
) -> dict[str, Any] | None:
    """Return the nearest miss as JSON values, None where no key is anywhere near.

    `kind` is `time`, `case`, `word-boundary`, `window` (with `messages_back`, 1 for the newest message) or `path`; for
    an entry that goes by meaning also `vector` (with its `similarity` and the `threshold`), `vector-wait` where it has
    not been compared yet, and `vector-off` where nothing compares meanings.
    """
    return _nearest_key(candidate, state, books, scene, slow) or _nearest_meaning(candidate, scene)


def vector_detail(candidate: Candidate, scene: Scene) -> dict[str, Any] | None:
    """Return how near an entry is in meaning, None where that is not known."""
    likeness = scene.likeness
    if likeness is None or candidate.key not in likeness.cosines:
        return None
    return {"similarity": round(likeness.cosines[candidate.key], 3), "threshold": likeness.threshold}


def _nearest_meaning(candidate: Candidate, scene: Scene) -> dict[str, Any] | None:
    if not candidate.entry.vectorized:
        return None
    if scene.likeness is None:
        return {"kind": "vector-off"}
    detail = vector_detail(candidate, scene)
    return {"kind": "vector-wait"} if detail is None else {"kind": "vector", **detail}


def _nearest_key(
    candidate: Candidate, state: PassState, books: PreparedBooks, scene: Scene, slow: Collection[int]
) -> dict[str, Any] | None:
    depth = state.depth if candidate.scan_depth is None else candidate.scan_depth
    window = state.windows.get(depth, candidate.entry.sources)
    numbers = [(key, books.number(key, candidate, scene.expand)) for key in candidate.primary]
    for key, number in numbers:
        if number in slow:
            return {"kind": "time", "key": key.text}
        near = None if number is None else window.near.get(number)
        if near is not None:
            piece, (start, end), miss = near
            return {
                "kind": miss, "key": key.text, "where": piece.kind, "index": piece.index, "start": start, "end": end
            }  # fmt: skip
    older = state.windows.beyond(depth)
    for key, number in numbers:
        match = older.find(number)
        if match is not None and match.piece.kind == "message":
            back = len(scene.messages) - match.piece.index
            return {"kind": "window", "key": key.text, "messages_back": back, "depth": depth, **match.to_json()}
    path = next((key.text for key, _ in numbers if looks_like_path(key.text)), None)
    return None if path is None or books.rules.paths_are_patterns else {"kind": "path", "key": path}
