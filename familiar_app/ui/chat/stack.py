"""Rows stacked in a viewport around one that stays where it is: nothing moves when rows come above or below.

No pixel position of the whole transcript is ever kept: heights are known only for rows that were seen. Knows heights
through a function alone, so that it is tested without a screen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from familiar_app.ui.chat.row import RowKey

MARGIN_PX = 12.0


@dataclass(slots=True)
class Stack:
    """`place` puts rows around the anchor: the row `anchor` begins `offset` px below the viewport's upper edge.

    While `following`, the end of the last row is kept at the lower edge. `height` measures a row by its number.
    """

    height: Callable[[int], float]
    viewport_px: float = 0.0
    keys: list[RowKey] = field(default_factory=list)
    index: dict[RowKey, int] = field(default_factory=dict)
    anchor: RowKey | None = None
    offset: float = 0.0
    following: bool = True
    shown: list[tuple[int, float, float]] = field(default_factory=list)

    def set_keys(self, keys: Sequence[RowKey]) -> None:
        """Take other rows; the anchor stays, or the nearest shown row that is still there takes its place."""
        survivors = [(self.keys[number], top) for number, top, _ in self.shown if number < len(self.keys)]
        self.keys = list(keys)
        self.index = {key: number for number, key in enumerate(self.keys)}
        if self.anchor not in self.index:
            self.anchor = None
            for key, top in survivors:
                if key in self.index:
                    self.anchor, self.offset = key, top
                    break

    def place(self) -> list[tuple[int, float, float]]:
        """Return the visible rows as (number, top, height), from above."""
        self.shown = []
        if not self.keys or self.viewport_px <= 0:
            return self.shown
        if self.following:
            first, top = self._from_end()
        else:
            first, top = self._from_anchor()
        number = first
        while number < len(self.keys) and top < self.viewport_px:
            height = self.height(number)
            if top + height > 0:
                self.shown.append((number, top, height))
            top += height
            number += 1
        if self.shown:
            self.anchor, self.offset = self.keys[self.shown[0][0]], self.shown[0][1]
        return self.shown

    def _from_end(self) -> tuple[int, float]:
        """Walk up from the last row; short contents stand at the top."""
        bottom = self.viewport_px - MARGIN_PX
        number = len(self.keys)
        while number > 0 and bottom > 0:
            number -= 1
            bottom -= self.height(number)
        return (0, MARGIN_PX) if number == 0 and bottom > MARGIN_PX else (number, bottom)

    def _from_anchor(self) -> tuple[int, float]:
        number = self.index.get(self.anchor, 0) if self.anchor is not None else 0
        top = self.offset if self.anchor is not None else MARGIN_PX
        while number > 0 and top > 0:
            number -= 1
            top -= self.height(number)
        if number == 0 and top > MARGIN_PX:
            top = MARGIN_PX
        first, start = number, top
        end = top
        while number < len(self.keys) and end < self.viewport_px:
            end += self.height(number)
            number += 1
        if number == len(self.keys) and end < self.viewport_px - MARGIN_PX:
            return self._from_end()
        return first, start

    def scroll(self, by: float) -> None:
        """Move the contents up by `by` px (down for a negative number)."""
        self.place()
        if not self.shown:
            return
        if by < 0:
            self.following = False
        self.offset -= by
        self.place()
        if by > 0 and self.at_bottom():
            self.following = True

    def at_bottom(self) -> bool:
        """Tell whether the end of the last row is in view."""
        if not self.shown:
            return True
        number, top, height = self.shown[-1]
        return number == len(self.keys) - 1 and top + height <= self.viewport_px + 1

    def at_top(self) -> bool:
        """Tell whether the beginning of the first row is in view."""
        return not self.shown or (self.shown[0][0] == 0 and self.shown[0][1] >= 0)

    def show(self, key: RowKey, *, share: float = 0.25) -> None:
        """Put a row at a share of the viewport's height, at its upper edge where it is taller than that allows."""
        if key not in self.index:
            return
        self.following = False
        self.anchor = key
        height = self.height(self.index[key])
        room = self.viewport_px - height
        self.offset = min(self.viewport_px * share, max(MARGIN_PX, room - MARGIN_PX))
        self.place()
        self.following = self.at_bottom()

    def reveal(self, key: RowKey) -> None:
        """Move just so far that a row is in view."""
        for number, top, height in self.place():
            if self.keys[number] == key:
                if top < 0:
                    self.scroll(top - MARGIN_PX)
                elif top + height > self.viewport_px:
                    self.scroll(min(top - MARGIN_PX, top + height - self.viewport_px + MARGIN_PX))
                return
        self.show(key)

    def at(self, y: float) -> tuple[int, float, float] | None:
        """Return the shown row at a height of the viewport."""
        return next(((n, top, height) for n, top, height in self.shown if top <= y < top + height), None)
