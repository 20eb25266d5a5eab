"""The laid-out rows of the transcript: made where they are needed, forgotten where they are not, guessed until then."""

from __future__ import annotations

from collections import OrderedDict

from familiar_app.ui.chat.look import Look
from familiar_app.ui.chat.row import Row, RowKey
from familiar_app.ui.chat.row_layout import RowLayout, estimate_px

KEPT = 160


class RowHeights:
    """Layouts for one look. Only those that were used last are kept; a guess is cheap and kept for every row."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self._layouts: OrderedDict[RowKey, RowLayout] = OrderedDict()
        self._guesses: dict[RowKey, tuple[object, float]] = {}

    def clear(self) -> None:
        """Forget everything: other rows come, or the look has changed."""
        self._layouts.clear()
        self._guesses.clear()

    def layout(self, key: RowKey) -> RowLayout:
        """Return the layout of a row, to be brought up to date; a new one where there is none."""
        found = self._layouts.get(key)
        if found is None:
            found = self._layouts[key] = RowLayout(self.look)
        self._layouts.move_to_end(key)
        while len(self._layouts) > KEPT:
            self._layouts.popitem(last=False)
        return found

    def height(self, row: Row, width: float) -> float:
        """Return the height of a row as it was laid out last, else the guess."""
        known = self._layouts.get(row.key)
        return known.height if known and known.height else self.guess(row, width)

    def guess(self, row: Row, width: float) -> float:
        """Guess the height of a row without laying it out."""
        state = (row.version, width)
        found = self._guesses.get(row.key)
        if found is None or found[0] != state:
            found = self._guesses[row.key] = (state, estimate_px(row, self.look, width))
        return found[1]
