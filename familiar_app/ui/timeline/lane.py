"""Puts facts into lanes, one for each subject: which segments a lane has, how deep they lie, in which row each stands.

A segment is a stretch of one clock: valid time, or one belief interval. Made for 100,000 facts in some 60 ms, off the
window's loop; rows of a lane are found when the lane is first seen.
"""

from __future__ import annotations

import heapq
from typing import Literal

import numpy as np

from familiar_app.domain.ids import PersonKey
from familiar_app.domain.text import tr
from familiar_app.store.fact_span import Column, FactSpans
from familiar_app.store.schema_memory import EVER, NEVER
from familiar_app.ui.timeline.span_index import Mask

Axis = Literal["world", "belief"]

MOST_ROWS = 12
"""A deeper lane is drawn as a density until it is opened, where the lanes together are higher than the window."""
MOST_DRAWN = 4000
"""A lane with more segments is always drawn as a density."""
NOBODY = PersonKey("")


class Lanes:
    """Segments sorted by lane and start. Lanes with most facts come first; facts about nobody have the last one.

    `row`, `start` and `end` are columns of all segments; those of lane `n` are `first[n]:first[n + 1]`.
    """

    def __init__(self, spans: FactSpans, axis: Axis, among: Mask | None = None) -> None:
        self.spans, self.axis = spans, axis
        row, person = _pairs(spans, among)
        row, person, start, end = _segments(spans, axis, row, person)
        counts = np.bincount(person, minlength=len(spans.people) + 1)
        nobody = len(spans.people)
        weight = counts.astype(np.int64)
        weight[nobody] = -1
        order = np.argsort(-weight, kind="stable")
        order = order[counts[order] > 0]
        self.people = tuple(spans.people[one] if one < nobody else NOBODY for one in order)
        self.labels = tuple(spans.labels[one] if one < nobody else tr("About nobody") for one in order)
        place = np.zeros(nobody + 1, dtype=np.int64)
        place[order] = np.arange(len(order))
        self._sort(place[person], row, start, end, counts[order])
        self.opened: set[PersonKey] = set()
        self.closed: set[PersonKey] = set()
        self._rows: dict[int, Column] = {}
        self.most_rows = MOST_ROWS

    def __len__(self) -> int:
        return len(self.people)

    def count(self, lane: int) -> int:
        """Return how many segments a lane has."""
        return int(self.first[lane + 1] - self.first[lane])

    def dense(self, lane: int) -> bool:
        """Tell whether a lane is drawn as a density and not bar by bar."""
        if self.count(lane) > MOST_DRAWN or self.people[lane] in self.closed:
            return True
        return int(self.depth[lane]) > self.most_rows and self.people[lane] not in self.opened

    def densities(self, opened: Mask, closed: Mask) -> Mask:
        """Tell the same of all lanes at once, given which were opened and closed by hand."""
        many = (self.first[1:] - self.first[:-1]) > MOST_DRAWN
        return many | closed | ((self.depth > self.most_rows) & ~opened)

    def fit(self, rows: int) -> None:
        """Fold no lane where all of them together have no more than so many rows, else those that are too deep."""
        needed = int(np.maximum(1, self.depth).sum())
        self.most_rows = max(MOST_ROWS, rows) if needed <= rows else MOST_ROWS

    def toggle(self, lane: int) -> bool:
        """Open a density or close an open lane. False where there are too many facts to draw."""
        key = self.people[lane]
        if self.dense(lane):
            if self.count(lane) > MOST_DRAWN:
                return False
            self.closed.discard(key)
            self.opened.add(key)
        else:
            self.opened.discard(key)
            self.closed.add(key)
        return True

    def height_rows(self, lane: int) -> int:
        """Return how many rows a lane takes."""
        return 1 if self.dense(lane) else max(1, int(self.depth[lane]))

    def rows_in(self, lane: int) -> Column:
        """Return the row within its lane for each segment: the topmost that is free at its start."""
        if lane not in self._rows:
            part = slice(self.first[lane], self.first[lane + 1])
            self._rows[lane] = _packed(self.start[part].tolist(), self.end[part].tolist())
        return self._rows[lane]

    def density(self, lane: int, instants: Column) -> Column:
        """Return how many segments of a lane cover each of some instants."""
        part = slice(self.first[lane], self.first[lane + 1])
        begun = np.searchsorted(self.start[part], instants, side="right")
        over = np.searchsorted(self.ends[part], instants, side="right")
        return (begun - over).astype(np.int64)

    def _sort(self, lane: Column, row: Column, start: Column, end: Column, counts: Column) -> None:
        times = np.concatenate((start, end))
        order = np.argsort(times)
        rising = times[order]
        step = np.empty(len(times), dtype=np.int64)
        step[order] = np.cumsum(np.concatenate(([0], (rising[1:] != rising[:-1]).astype(np.int64))))[: len(times)]
        wide = len(times) + 1
        opens, closes = lane * wide + step[: len(start)], lane * wide + step[len(start) :]
        by_start, by_end = np.argsort(opens, kind="stable"), np.argsort(closes, kind="stable")
        self.row, self.start, self.end = row[by_start], start[by_start], end[by_start]
        self.ends = end[by_end]
        self.first = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        held = np.arange(1, len(row) + 1) - np.searchsorted(closes[by_end], opens[by_start], side="right")
        self.depth = np.maximum.reduceat(held, self.first[:-1]) if len(row) else np.empty(0, np.int64)


def _pairs(spans: FactSpans, among: Mask | None) -> tuple[Column, Column]:
    """Return pairs of fact and subject; who has none is paired with the number after the last."""
    alone = np.ones(len(spans), dtype=np.bool_)
    alone[spans.about_row] = False
    nobody = np.flatnonzero(alone)
    row = np.concatenate((spans.about_row, nobody)).astype(np.int64)
    person = np.concatenate((spans.about_person, np.full(len(nobody), len(spans.people), dtype=np.int64)))
    if among is None:
        return row, person
    keep = among[row]
    return row[keep], person[keep]


def _segments(spans: FactSpans, axis: Axis, row: Column, person: Column) -> tuple[Column, Column, Column, Column]:
    if axis == "world":
        return row, person, spans.valid_from[row], spans.valid_to[row]
    if len(spans.belief_row) == len(spans):
        return row, person, spans.belief_since[row], spans.belief_until[row]
    first = np.searchsorted(spans.belief_row, np.arange(len(spans) + 1))
    counts = (first[1:] - first[:-1])[row]
    repeated = np.repeat(np.arange(len(row)), counts)
    within = np.arange(len(repeated)) - np.repeat(np.cumsum(counts) - counts, counts)
    belief = first[row[repeated]] + within
    return row[repeated], person[repeated], spans.belief_since[belief], spans.belief_until[belief]


def _packed(starts: list[int], ends: list[int]) -> Column:
    free: list[int] = []
    busy: list[tuple[int, int]] = []
    found, used = [], 0
    for start, end in zip(starts, ends, strict=True):
        while busy and busy[0][0] <= start:
            heapq.heappush(free, heapq.heappop(busy)[1])
        if free:
            chosen = heapq.heappop(free)
        else:
            chosen, used = used, used + 1
        found.append(chosen)
        heapq.heappush(busy, (end, chosen))
    return np.array(found, dtype=np.int64)


def extent(spans: FactSpans, now: int) -> tuple[int, int]:
    """Return the first and last instant at which anything happens on either clock, `now` included."""
    parts = (spans.valid_from, spans.valid_to, spans.belief_since, spans.belief_until)
    finite = [one[(one > EVER) & (one < NEVER)] for one in parts]
    low = min((int(one.min()) for one in finite if len(one)), default=now)
    high = max((int(one.max()) for one in finite if len(one)), default=now)
    return min(low, now), max(high, now)
