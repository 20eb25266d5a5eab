"""What changed between two moments: facts gained, facts lost, and facts that another one replaced."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from familiar_app.store.fact_span import Column
from familiar_app.ui.timeline.span_index import Mask, Moment, SpanIndex

NONE: Column = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Delta:
    """Rows gained and lost, newest first, and pairs of (before, after) where one fact took the place of another.

    A fact of a pair is neither in `gained` nor in `lost`.
    """

    gained: Column
    lost: Column
    before: Column
    after: Column

    @property
    def size(self) -> int:
        return len(self.gained) + len(self.lost) + len(self.after)


NOTHING = Delta(NONE, NONE, NONE, NONE)


def delta(index: SpanIndex, then: Moment, now: Moment, among: Mask | None = None) -> Delta:
    """Compare what holds at two moments, whichever of them is earlier."""
    if then == now:
        return NOTHING
    old, new = index.at(then), index.at(now)
    if among is not None:
        old, new = old & among, new & among
    lost, gained = np.flatnonzero(old & ~new), np.flatnonzero(new & ~old)
    latest = max((one.known_at for one in (then, now) if one.known_at is not None), default=None)
    forward, backward = index.successors(lost, latest), index.successors(gained, latest)
    on, back = _inside(forward, gained), _inside(backward, lost)
    before = np.concatenate((lost[on], backward[back]))
    after = np.concatenate((forward[on], gained[back]))
    # Where many were merged into one, or one takes the place of many, each pair is told.
    gained = gained[~np.isin(gained, after)]
    lost = lost[~np.isin(lost, before)]
    order = np.argsort(-after, kind="stable")
    return Delta(gained[::-1], lost[::-1], before[order], after[order])


def _inside(wanted: Column, rows: Column) -> Mask:
    return (wanted >= 0) & np.isin(wanted, rows)
