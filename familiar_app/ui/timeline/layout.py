"""Where lanes and bars lie, in pixels, without Qt. Only what the window shows is ever placed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from familiar_app.store.fact_span import Column
from familiar_app.ui.timeline.lane import Lanes
from familiar_app.ui.timeline.scale import Scale

MOST_BARS = 700
"""A lane with more bars in the window is drawn as a density for now."""
NARROW = 2.0
"""Bars narrower than this, in pixels, are drawn as one where they fall on the same spot."""

Pixels = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """Bars of one lane: their fact's row, left and right edge in pixels, their line within the lane, their times."""

    row: Column
    left: Pixels
    right: Pixels
    line: Column
    start: Column
    end: Column

    def __len__(self) -> int:
        return len(self.row)


class LaneLayout:
    """Stacks lanes from the top; `row_px` is the height of a bar with its gap, `pad_px` stands between lanes.

    Lanes that fit together into a height of `room` are not folded.
    """

    def __init__(self, lanes: Lanes | None, row_px: int, pad_px: int, *, room: int = 0) -> None:
        self.lanes, self.row_px, self.pad_px = lanes, row_px, pad_px
        if lanes is None or not len(lanes):
            self.tops = np.zeros(1, dtype=np.int64)
            return
        lanes.fit((room - 2 * pad_px * len(lanes)) // row_px)
        opened = np.array([key in lanes.opened for key in lanes.people], np.bool_)
        closed = np.array([key in lanes.closed for key in lanes.people], np.bool_)
        rows = np.where(lanes.densities(opened, closed), 1, np.maximum(1, lanes.depth))
        self.tops = np.concatenate(([0], np.cumsum(rows * row_px + 2 * pad_px))).astype(np.int64)

    @property
    def height(self) -> int:
        return int(self.tops[-1])

    def lane_at(self, y: int) -> int:
        """Return the lane at a height, -1 where there is none."""
        if not 0 <= y < self.height:
            return -1
        return int(np.searchsorted(self.tops, y, side="right")) - 1

    def visible(self, top: int, bottom: int) -> range:
        """Return the lanes that meet a stretch of height."""
        if self.height == 0:
            return range(0)
        first = max(0, int(np.searchsorted(self.tops, top, side="right")) - 1)
        return range(first, min(len(self.tops) - 1, int(np.searchsorted(self.tops, bottom, side="left"))))

    def bars(self, lane: int, scale: Scale, lines: tuple[int, int]) -> Bars:
        """Return the bars of a lane that meet the window of `scale` and a range of lines."""
        lanes = self.lanes
        if lanes is None:
            return Bars(*(np.empty(0, np.int64) for _ in range(6)))  # type: ignore[arg-type]
        part = slice(lanes.first[lane], lanes.first[lane + 1])
        start, end, line = lanes.start[part], lanes.end[part], lanes.rows_in(lane)
        meets = (start <= scale.end) & (end >= scale.start) & (line >= lines[0]) & (line <= lines[1])
        row, line = lanes.row[part][meets], line[meets]
        length = max(1, scale.end - scale.start)
        left = (np.clip(start[meets], scale.start - length, scale.end) - scale.start) / length * scale.width
        right = (np.clip(end[meets], scale.start, scale.end + length) - scale.start) / length * scale.width
        keep = _thinned(left, right, line)
        right = np.maximum(right, left + NARROW)
        return Bars(row[keep], left[keep], right[keep], line[keep], start[meets][keep], end[meets][keep])


def _thinned(left: Pixels, right: Pixels, line: Column) -> Column:
    """Return the places of the bars to draw: all wide ones, and one narrow one for each spot."""
    narrow = right - left < NARROW
    if not narrow.any():
        return np.arange(len(left))
    spot = line * 100_000 + np.floor(left / NARROW).astype(np.int64)
    places = np.flatnonzero(narrow)
    _, first = np.unique(spot[places], return_index=True)
    return np.sort(np.concatenate((np.flatnonzero(~narrow), places[first])))
