"""What of the lanes does not follow the chosen moment: grid, names, densities. Painted once and kept as a picture.

A step of the slider then costs only the bars.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPixmap

from familiar_app.domain.text import number
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.timeline.lane import Lanes
from familiar_app.ui.timeline.layout import MOST_BARS, Bars, LaneLayout
from familiar_app.ui.timeline.model import TimelineModel
from familiar_app.ui.timeline.paint import draw_density
from familiar_app.ui.timeline.scale import Scale, ticks

DENSITY_STEP = 3


@dataclass(frozen=True, slots=True)
class Sight:
    """What part of the lanes is seen: the area, the width of the names, how far it is scrolled, the lane in focus."""

    area: QRectF
    gutter: int
    top: int
    focus: int
    layout: LaneLayout
    scale: Scale


@dataclass(frozen=True, slots=True)
class OpenLane:
    """A lane to be drawn bar by bar, and where its bars lie."""

    inside: QRectF
    color: QColor
    bars: Bars


@dataclass(frozen=True, slots=True)
class Ground:
    """The picture below the bars, and the lanes whose bars are to be drawn on it."""

    picture: QPixmap
    lanes: tuple[OpenLane, ...]


def paint_ground(theme: Theme, model: TimelineModel, sight: Sight, ratio: float) -> Ground:
    """Paint everything below the bars; `ratio` is the screen's, so that it stays sharp."""
    size = sight.area.size().toSize()
    picture = QPixmap(size * ratio)
    picture.setDevicePixelRatio(ratio)
    painter = QPainter(picture)
    painter.fillRect(sight.area, theme.color("background_1"))
    opened: list[OpenLane] = []
    if model.lanes is not None and model.index is not None:
        _paint_grid(painter, theme, model, sight)
        painter.setFont(theme.font("small"))
        for lane in sight.layout.visible(sight.top, sight.top + int(sight.area.height())):
            opened += _paint_lane(painter, theme, model.lanes, sight, lane)
    painter.end()
    return Ground(picture, tuple(opened))


def _paint_grid(painter: QPainter, theme: Theme, model: TimelineModel, sight: Sight) -> None:
    area, gutter, scale = sight.area, sight.gutter, sight.scale
    now = gutter + scale.x(model.now())
    if now < area.right():
        painter.fillRect(QRectF(max(now, gutter), 0, area.right(), area.height()), theme.color("background_2"))
    painter.setPen(QPen(theme.color("line"), 1))
    for tick in ticks(scale, theme.px(76), model.zone):
        x = round(gutter + scale.x(tick.at)) + 0.5
        painter.drawLine(QPointF(x, 0), QPointF(x, area.height()))
    if gutter <= now < area.right():
        painter.setPen(QPen(theme.color("text_3"), 1, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(now, 0), QPointF(now, area.height()))


def _paint_lane(painter: QPainter, theme: Theme, lanes: Lanes, sight: Sight, lane: int) -> list[OpenLane]:
    layout, area, scale = sight.layout, sight.area, sight.scale
    y, end = int(layout.tops[lane]) - sight.top, int(layout.tops[lane + 1]) - sight.top
    color = theme.subject(lane)
    inside = QRectF(sight.gutter, y + layout.pad_px, area.width() - sight.gutter, end - y - 2 * layout.pad_px)
    dense = lanes.dense(lane)
    bars = None if dense else layout.bars(lane, scale, _lines(layout, inside, area))
    if bars is None or len(bars) > MOST_BARS:
        columns = max(1, int(scale.width) // DENSITY_STEP)
        middle = scale.start + (np.arange(columns) + 0.5) * ((scale.end - scale.start) / columns)
        draw_density(painter, color, inside, lanes.density(lane, middle.astype(np.int64)))
        bars = None
    _paint_name(
        painter, theme, lanes, lane, QRectF(0, y, sight.gutter, end - y), dense=dense, focus=lane == sight.focus
    )
    painter.setPen(QPen(theme.color("line"), 1))
    painter.drawLine(QPointF(0, end - 0.5), QPointF(area.width(), end - 0.5))
    return [] if bars is None else [OpenLane(inside, color, bars)]


def _lines(layout: LaneLayout, inside: QRectF, area: QRectF) -> tuple[int, int]:
    first = int(-inside.top() // layout.row_px) if inside.top() < 0 else 0
    return first, int((area.height() - inside.top()) // layout.row_px) + 1


def _paint_name(
    painter: QPainter, theme: Theme, lanes: Lanes, lane: int, box: QRectF, *, dense: bool, focus: bool
) -> None:
    painter.fillRect(box, theme.color("background_2"))
    painter.fillRect(QRectF(0, box.top(), 4, box.height() - 1), theme.subject(lane))
    if focus:
        painter.setPen(QPen(theme.color("accent"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(box.adjusted(5, 1, -2, -3))
    metrics = QFontMetricsF(painter.font())
    count = number(lanes.count(lane))
    high = metrics.height() + 6
    # The name of a lane that is higher than the window stays in sight.
    top = min(max(box.top(), 0) + 4, max(box.top() + 4, box.bottom() - high - 4))
    line = QRectF(12, top, box.width() - 18, min(high, box.height() - 4))
    painter.setPen(theme.color("text_3"))
    painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, count)
    room = line.width() - metrics.horizontalAdvance(count) - 8
    mark = "▸ " if dense else ""
    name = metrics.elidedText(mark + " ".join(lanes.labels[lane].split()), Qt.TextElideMode.ElideRight, room)
    painter.setPen(theme.color("text_1"))
    painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
