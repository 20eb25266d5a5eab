"""Which text of the transcript is marked, over one row or several."""

from __future__ import annotations

from dataclasses import dataclass

from familiar_app.ui.chat.row import RowKey
from familiar_app.ui.chat.row_layout import Spot

Place = tuple[RowKey, Spot]


@dataclass(slots=True)
class Selection:
    """From `anchor`, where the marking began, to `head`, where it is now. Rows are told by key, so they may move."""

    anchor: Place | None = None
    head: Place | None = None

    def clear(self) -> None:
        """Mark nothing."""
        self.anchor = self.head = None

    def begin(self, place: Place) -> None:
        """Start at a place."""
        self.anchor = self.head = place

    @property
    def empty(self) -> bool:
        return self.anchor is None or self.anchor == self.head

    def ordered(self, index: dict[RowKey, int]) -> tuple[tuple[int, Spot], tuple[int, Spot]] | None:
        """Return start and end as row numbers and places; None where nothing is marked."""
        if self.empty or self.anchor is None or self.head is None:
            return None
        if self.anchor[0] not in index or self.head[0] not in index:
            return None
        one, other = (index[self.anchor[0]], self.anchor[1]), (index[self.head[0]], self.head[1])
        return (one, other) if one <= other else (other, one)

    def within(self, number: int, end: Spot, index: dict[RowKey, int]) -> tuple[Spot, Spot] | None:
        """Return what is marked of row `number`, whose text ends at `end`."""
        span = self.ordered(index)
        if span is None or not span[0][0] <= number <= span[1][0]:
            return None
        start = span[0][1] if number == span[0][0] else (0, 0)
        stop = span[1][1] if number == span[1][0] else end
        return start, stop
