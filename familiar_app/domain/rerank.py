"""Ranks the candidates of a stored trace again with other weights, and tells what would enter and what would leave.

Works on the recorded signals alone: nothing is searched. What was never found cannot come in, and what was held back
for another reason than its place (the audience, the window, left out by hand) stays out. Where the trace tells how
much room there was, what is kept fills that room; else as many are kept as were. Turns that stand beside each other
share lines in a prompt; here each is counted whole, so where the order changes, the last item that fits is a guess.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from familiar_app.domain.ranking import Candidate, Key, Kind, Ranked, Signal, Weights, rank

KINDS: tuple[Kind, ...] = ("turn", "fact", "memory")
# Why something was or was not kept that only its place decided.
RANKED_REASONS = frozenset({"", "kept", "score", "limit", "cap"})
_TWO_SPEAKERS = 2.0

Recorded = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """A candidate in its new place. `before` and `after` count from 1; `why` is the trace's word, or the new reason."""

    kind: str
    id: int
    text: str
    score: float
    signals: Mapping[str, Signal]
    before: int
    after: int
    was_kept: bool
    kept: bool
    why: str


@dataclass(frozen=True, slots=True)
class Reranked:
    """Candidates in their new order, best first."""

    places: tuple[Place, ...]

    @property
    def entering(self) -> tuple[Place, ...]:
        """Those that were left out and would be shown."""
        return tuple(place for place in self.places if place.kept and not place.was_kept)

    @property
    def leaving(self) -> tuple[Place, ...]:
        """Those that were shown and would be left out."""
        return tuple(place for place in self.places if place.was_kept and not place.kept)


def rerank(candidates: Sequence[Recorded], weights: Weights, ranking: Recorded | None = None) -> Reranked:
    """Return the candidates of a trace in the order that `weights` give; `ranking` is the trace's."""
    told = ranking or {}
    by_key = {_key(one): one for one in candidates if one.get("signals")}
    places_before = {key: place for place, key in enumerate(by_key, start=1)}
    ranked = rank(
        [_candidate(one) for one in by_key.values()], weights, speakers=float(told.get("speakers") or _TWO_SPEAKERS)
    )
    in_order = [by_key[one.key] for one in ranked if _is_ranked(by_key[one.key])]
    if [_key(one) for one in in_order] == [key for key, one in by_key.items() if _is_ranked(one)]:
        kept = {key for key, one in by_key.items() if one.get("kept")}
    else:
        kept = _kept(in_order, told)
    return Reranked(
        tuple(
            _place(one, by_key[one.key], places_before[one.key], after, kept)
            for after, one in enumerate(ranked, start=1)
        )
    )


def recorded_weights(ranking: Recorded | None, otherwise: Weights) -> Weights:
    """Return the weights that a trace was ranked with, as far as it tells."""
    told = (ranking or {}).get("weights") or {}
    values = {name: float(told.get(name, getattr(otherwise, name))) for name in Weights.__dataclass_fields__}
    return Weights(**values)


def _key(one: Recorded) -> Key:
    return cast(Kind, one["kind"]), int(one["id"])


def _candidate(one: Recorded) -> Candidate:
    kind, _ = key = _key(one)
    signals = one["signals"]
    order, importance = _raw(signals, "recency"), _raw(signals, "importance")
    return Candidate(
        key=key,
        order=int(order) if order is not None else 0,
        bm25=_raw(signals, "bm25"),
        importance=None if importance is None else int(importance),
        cosine=_raw(signals, "embedding"),
        named=bool(_raw(signals, "named")),
        neighbours=tuple(("turn", int(turn)) for turn in one.get("neighbours") or ()),
        # Only a fact lends to turns; a turn names none.
        sources=tuple(("turn", int(turn)) for turn in one.get("sources") or ()) if kind == "fact" else (),
    )


def _raw(signals: Recorded, name: str) -> float | None:
    raw = (signals.get(name) or {}).get("raw")
    return None if raw is None else float(raw)


def _kept(free: Sequence[Recorded], told: Recorded) -> set[Key]:
    """Return what is kept: as many as fit the room, or as many as were kept where the room is not told."""
    room = told.get("cap_tokens")
    if room is not None and all(one.get("tokens") is not None for one in free):
        filled = sum(int(one["tokens"]) for one in free if one.get("kept"))
        return _filled(free, max(int(room), filled), told.get("limit"))
    return {_key(one) for one in free[: sum(bool(one.get("kept")) for one in free)]}


def _filled(free: Sequence[Recorded], room: int, limit: int | None) -> set[Key]:
    kept: set[Key] = set()
    for one in free:
        if limit is not None and len(kept) >= limit:
            break
        if one["tokens"] <= room:
            kept.add(_key(one))
            room -= one["tokens"]
    return kept


def _is_ranked(one: Recorded) -> bool:
    """Tell whether only the place of a candidate decides if it is shown."""
    return bool(one.get("kept")) or (one.get("why") or "") in RANKED_REASONS


def _place(one: Ranked, recorded: Recorded, before: int, after: int, kept: set[Key]) -> Place:
    was, now = bool(recorded.get("kept")), one.key in kept
    why = str(recorded.get("why") or "")
    if was != now:
        why = "kept" if now else "score"
    return Place(
        kind=one.key[0],
        id=one.key[1],
        text=str(recorded.get("text") or ""),
        score=one.score,
        signals=one.signals,
        before=before,
        after=after,
        was_kept=was,
        kept=now,
        why=why,
    )
