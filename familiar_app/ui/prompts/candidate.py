"""What memory offered for a prompt, and what other weights would make of it at once. Knows nothing of Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from familiar_app.domain.ranking import Signal, Weights
from familiar_app.domain.rerank import Place, Reranked, recorded_weights, rerank
from familiar_app.domain.text import tr, tr_later
from familiar_app.domain.trace import PromptTrace
from familiar_app.ui.prompts.item_word import item_word

SIGNALS: Mapping[str, tuple[str, str]] = {
    "bm25": (tr_later("Words"), tr_later("How well its words fit what was said.")),
    "embedding": (tr_later("Meaning"), tr_later("How near its meaning is to what was said.")),
    "nearness": (
        tr_later("Nearness"),
        tr_later("Its meaning against the nearest and the farthest of the candidates."),
    ),
    "named": (tr_later("Named"), tr_later("It is by or about somebody who was named.")),
    "neighbours": (tr_later("Neighbours"), tr_later("The turns beside it fit as well.")),
    "facts": (tr_later("Facts"), tr_later("A fact that fits was learned from it.")),
    "recency": (tr_later("Recency"), tr_later("How new it is among the candidates.")),
    "importance": (tr_later("Importance"), tr_later("How much it was said to matter, from 0 to 10.")),
}
"""Signals and weights by their names in a trace: the word and what it measures."""
MOST_WEIGHT = 2.0
JUST_MISSED = 3

WHY: Mapping[str, str] = {
    "kept": tr_later("It is in the prompt."),
    "score": tr_later("Others fitted better."),
    "limit": tr_later("There were as many as are wanted already."),
    "cap": tr_later("There was no room left in the budget."),
    "audience": tr_later("It was learned where not everybody here can read."),
    "window": tr_later("It stands among the recent turns already."),
    "left_out": tr_later("It was left out by hand."),
}
HELD_BACK = frozenset({"audience"})
_BY_PLACE = frozenset({"", "score", "limit", "cap"})
KEPT, WOULD_ENTER, WOULD_LEAVE = tr_later("kept"), tr_later("would enter"), tr_later("would leave")
HELD, JUST, MISSED, OUT = tr_later("held back"), tr_later("just missed"), tr_later("missed"), tr_later("left out")
STATES = (KEPT, WOULD_ENTER, WOULD_LEAVE, HELD, JUST, MISSED, OUT)


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """One candidate. `state` is the source's word for its fate, `why` a sentence in the person's language.

    `tone` is a colour role; `place` counts from 1, 0 where unranked.
    """

    kind: str
    id: int | str
    text: str
    score: float
    place: int
    state: str
    tone: str
    why: str
    signals: Mapping[str, Signal]
    moved: int = 0

    @property
    def key(self) -> tuple[str, int | str]:
        return self.kind, self.id

    @property
    def name(self) -> str:
        return item_word(self.kind, self.id)


class Weighing:
    """The candidates of one prompt under weights that can be moved. `weights` are those in force now."""

    def __init__(self, otherwise: Weights) -> None:
        self._otherwise = otherwise
        self._candidates: Sequence[Mapping[str, Any]] = ()
        self._ranking: Mapping[str, Any] | None = None
        self.recorded = self.weights = otherwise
        self.rows: tuple[CandidateRow, ...] = ()
        self.result = Reranked(())

    def fill(self, trace: PromptTrace | None) -> None:
        """Take the candidates of another prompt, with the weights it was made with."""
        self._candidates = trace.candidates if trace is not None else ()
        self._ranking = trace.ranking if trace is not None else None
        self.recorded = self.weights = recorded_weights(self._ranking, self._otherwise)
        self._rank()

    @property
    def changed(self) -> bool:
        """Whether the weights are others than the prompt was made with."""
        return self.weights != self.recorded

    @property
    def entering(self) -> int:
        return len(self.result.entering)

    @property
    def leaving(self) -> int:
        return len(self.result.leaving)

    def set_weight(self, name: str, value: float) -> None:
        """Rank anew with one weight changed. Some milliseconds for hundreds of candidates."""
        self.weights = replace(self.weights, **{name: min(MOST_WEIGHT, max(0.0, round(value, 2)))})
        self._rank()

    def reset(self) -> None:
        """Go back to the weights of the prompt."""
        self.weights = self.recorded
        self._rank()

    def summary(self) -> str:
        """Say what is kept, and what the moved weights would change."""
        if not self.rows:
            return tr("Memory offered nothing.")
        kept = sum(place.was_kept for place in self.result.places)
        held = sum(row.state == HELD for row in self.rows)
        told = tr("{kept} of {n} in the prompt", kept=kept, n=len(self.rows))
        if held:
            told = tr("{kept} of {n} in the prompt, {held} held back", kept=kept, n=len(self.rows), held=held)
        if not self.changed:
            return told
        moved = tr("{entering} would enter, {leaving} would leave", entering=self.entering, leaving=self.leaving)
        return f"{told} · {moved}"

    def find(self, key: tuple[str, int | str]) -> CandidateRow | None:
        """Return the row of a candidate."""
        return next((row for row in self.rows if row.key == key), None)

    def _rank(self) -> None:
        self.result = rerank(self._candidates, self.weights, self._ranking)
        missed = [place for place in self.result.places if not place.kept and place.why in _BY_PLACE]
        near = {(place.kind, place.id) for place in missed[:JUST_MISSED]}
        ranked = [_ranked_row(place, (place.kind, place.id) in near) for place in self.result.places]
        rest = [_plain_row(one) for one in self._candidates if not one.get("signals")]
        self.rows = (*ranked, *rest)


def why_word(why: str) -> str:
    """Say why a candidate is in the prompt or not; a reason of a later version is shown as it is."""
    return tr(WHY[why]) if why in WHY else why


def _ranked_row(place: Place, near: bool) -> CandidateRow:
    state, tone = _fate(place.was_kept, place.kept, place.why, near)
    return CandidateRow(
        kind=place.kind,
        id=place.id,
        text=" ".join(place.text.split()),
        score=place.score,
        place=place.after,
        state=state,
        tone=tone,
        why=why_word(place.why),
        signals=place.signals,
        moved=place.before - place.after,
    )


def _plain_row(one: Mapping[str, Any]) -> CandidateRow:
    kept, why = bool(one.get("kept")), str(one.get("why") or "")
    state, tone = _fate(kept, kept, why, near=False)
    return CandidateRow(
        kind=str(one.get("kind", "")),
        id=one.get("id", 0),
        text=" ".join(str(one.get("text") or "").split()),
        score=float(one.get("score") or 0.0),
        place=0,
        state=state,
        tone=tone,
        why=why_word(why),
        signals={},
    )


def _fate(was_kept: bool, kept: bool, why: str, near: bool) -> tuple[str, str]:
    if kept:
        return (KEPT, "text_1") if was_kept else (WOULD_ENTER, "good")
    if was_kept:
        return WOULD_LEAVE, "danger"
    if why in HELD_BACK:
        return HELD, "warning"
    if near:
        return JUST, "text_2"
    return (MISSED if why in _BY_PLACE else OUT), "text_3"
