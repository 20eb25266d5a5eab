"""Where the parts of a layer's row stand, as wide as the words of all rows ask for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect
from PySide6.QtGui import QFontMetrics

from familiar_app.domain.text import tr
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.prompts.stack import StackRow

GAP, MARK, EDGE = 8, 10, 12
LEAST_BAR, MOST_BAR = 40, 140
LEAST_NAME = 0.55
"""Where less than this part of the longest name has room, the bar is left out."""


@dataclass(frozen=True, slots=True)
class Places:
    """The parts of one row; `bar` and `percent` are None where there is no room for them."""

    mark: QRect
    name: QRect
    bar: QRect | None
    percent: QRect | None
    told: QRect


class StackShape:
    """The widths that the rows of one stack ask for; `places` gives each part its room."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._name = self._told = self._percent = 0

    def measure(self, rows: Sequence[StackRow]) -> None:
        """Take the widths of other rows, heads included."""
        body, small = QFontMetrics(self._theme.font("body")), QFontMetrics(self._theme.font("small"))
        layer, budget, tokens = heads()
        self._name = _widest(body, [layer, *(row.title for row in rows)])
        self._told = _widest(small, [tokens, *(row.summary for row in rows)])
        self._percent = _widest(small, [tr("{share} %", share="10"), *(row.percent for row in rows)])
        self._bar = max(self._theme.px(LEAST_BAR), _widest(small, [budget]) - self._percent - GAP)

    def places(self, box: QRect) -> Places:
        """Divide the box of a row."""
        side = self._theme.px(MARK)
        inner = box.adjusted(EDGE, 0, -EDGE, 0)
        mark = QRect(inner.left(), inner.center().y() - side // 2, side, side)
        left = inner.left() + side + GAP
        room = inner.right() + 1 - left
        free = room - self._told - self._percent - 3 * GAP
        if free - self._bar < self._name * LEAST_NAME:
            told = min(self._told, room // 2)
            name = _part(inner, left, room - told - GAP)
            return Places(mark, name, None, None, _part(inner, inner.right() + 1 - told, told))
        bar = min(self._theme.px(MOST_BAR), max(self._bar, free - self._name))
        at = left + free - bar + GAP
        return Places(
            mark,
            _part(inner, left, free - bar),
            _part(inner, at, bar),
            _part(inner, at + bar + GAP, self._percent),
            _part(inner, inner.right() + 1 - self._told, self._told),
        )


def heads() -> tuple[str, str, str]:
    """Name the columns: the layer, its bar, its figures."""
    return tr("Layer"), tr("Of its budget"), tr("Tokens")


def _part(row: QRect, left: int, width: int) -> QRect:
    return QRect(left, row.top(), width, row.height())


def _widest(metrics: QFontMetrics, texts: Sequence[str]) -> int:
    return max(metrics.horizontalAdvance(text) for text in texts) + 2
