"""The two-dimensional picture: world time across, belief time up. Each belief in a fact is one rectangle.

Where there are too many to tell apart, a grid says how many beliefs cover each cell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from familiar_app.store.fact_span import Column, FactSpans
from familiar_app.ui.timeline.span_index import Mask

MOST_RECTANGLES = 600
GRID = (160, 100)


@dataclass(frozen=True, slots=True, eq=False)
class Rectangles:
    """Beliefs that meet a window of both clocks: their fact and edges, cut to nothing."""

    row: Column
    left: Column
    right: Column
    bottom: Column
    top: Column

    def __len__(self) -> int:
        return len(self.row)


def rectangles(spans: FactSpans, among: Mask | None, across: tuple[int, int], up: tuple[int, int]) -> Rectangles:
    """Return the beliefs that meet a window of world time `across` and belief time `up`."""
    row = spans.belief_row
    left, right = spans.valid_from[row], spans.valid_to[row]
    meets = (left < across[1]) & (right > across[0]) & (spans.belief_since < up[1]) & (spans.belief_until > up[0])
    if among is not None:
        meets &= among[row]
    return Rectangles(row[meets], left[meets], right[meets], spans.belief_since[meets], spans.belief_until[meets])


def grid(shown: Rectangles, across: tuple[int, int], up: tuple[int, int]) -> NDArray[np.int64]:
    """Return how many rectangles cover the middle of each cell, rows from the oldest belief time up.

    Each rectangle adds at four corners, and sums along both sides spread that: the cost does not grow with their size.
    """
    columns, rows = GRID
    left, right = _cells(shown.left, across, columns), _cells(shown.right, across, columns)
    bottom, top = _cells(shown.bottom, up, rows), _cells(shown.top, up, rows)
    wide = columns + 1
    corners = np.zeros((rows + 1) * wide, dtype=np.int64)
    for line, column, sign in ((bottom, left, 1), (bottom, right, -1), (top, left, -1), (top, right, 1)):
        corners += sign * np.bincount(line * wide + column, minlength=len(corners))
    covered: NDArray[np.int64] = corners.reshape(rows + 1, wide).cumsum(axis=0).cumsum(axis=1)[:rows, :columns]
    return covered


def _cells(edges: Column, window: tuple[int, int], count: int) -> Column:
    """Return the first cell whose middle lies at or after each edge."""
    length = max(1, window[1] - window[0])
    share = (np.clip(edges, window[0], window[1]) - window[0]) / length
    return np.clip(np.ceil(share * count - 0.5), 0, count).astype(np.int64)
