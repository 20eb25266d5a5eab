"""Makes ready what the Timeline shows from what was read. Slow enough at 100,000 facts to be done on a thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from familiar_app.domain.ids import PersonKey
from familiar_app.store.fact_span import FactSpans
from familiar_app.ui.timeline.lane import Axis, Lanes
from familiar_app.ui.timeline.span_index import Mask, SpanIndex


@dataclass(frozen=True, slots=True)
class Filter:
    """What the person wants to see: facts with a text in them, about any of some people."""

    text: str = ""
    people: frozenset[PersonKey] = frozenset()

    @property
    def on(self) -> bool:
        return bool(self.text.strip() or self.people)


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """Facts ready to be shown: their index, the lanes along an axis, and which of them a filter lets through."""

    index: SpanIndex
    lanes: Lanes
    among: Mask | None


def prepare(spans: FactSpans, texts: Sequence[str], wanted: Filter, axis: Axis) -> Prepared:
    """Make everything anew."""
    among = passing(spans, texts, wanted)
    return Prepared(SpanIndex(spans), Lanes(spans, axis, among), among)


def passing(spans: FactSpans, texts: Sequence[str], wanted: Filter) -> Mask | None:
    """Return which facts a filter lets through, None where it is off."""
    if not wanted.on:
        return None
    mask = np.ones(len(spans), dtype=np.bool_)
    needle = wanted.text.strip().casefold()
    if needle:
        mask = np.fromiter((needle in one.casefold() for one in texts), np.bool_, len(texts))
        if len(mask) != len(spans):
            mask = np.zeros(len(spans), dtype=np.bool_)
    if wanted.people:
        keys = [number for number, key in enumerate(spans.people) if key in wanted.people]
        about = np.zeros(len(spans), dtype=np.bool_)
        about[spans.about_row[np.isin(spans.about_person, keys)]] = True
        mask &= about
    return mask
