"""Draws bars and densities: current ones full, ended ones faded, superseded ones hatched, claims dashed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from familiar_app.store.fact_span import Column
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.timeline.span_index import Standing

ROUNDED_UP_TO = 400
"""With more bars than this, corners are square and edges plain: smooth ones cost most of the time."""
LEAST_FOR_TEXT = 34.0
_FILL = {
    Standing.CURRENT: 0.26,
    Standing.AHEAD: 0.12,
    Standing.ENDED: 0.09,
    Standing.SUPERSEDED: 0.0,
    Standing.UNKNOWN: 0.0,
}
_EDGE = {
    Standing.CURRENT: 1.0,
    Standing.AHEAD: 0.9,
    Standing.ENDED: 0.4,
    Standing.SUPERSEDED: 0.55,
    Standing.UNKNOWN: 0.3,
}
_TEXT = {
    Standing.CURRENT: "text_1",
    Standing.AHEAD: "text_1",
    Standing.ENDED: "text_3",
    Standing.SUPERSEDED: "text_3",
    Standing.UNKNOWN: "text_3",
}


def faint(color: QColor, share: float) -> QColor:
    """Return a colour at a share of its strength."""
    made = QColor(color)
    made.setAlphaF(share)
    return made


def pens(color: QColor, standing: Standing, claim: bool) -> tuple[QPen, QBrush]:
    """Return the pen and brush for bars that stand like this."""
    edge = QPen(faint(color, _EDGE[standing]), 1.0)
    if standing is Standing.UNKNOWN:
        edge.setStyle(Qt.PenStyle.DotLine)
    elif claim:
        edge.setStyle(Qt.PenStyle.DashLine)
    if standing is Standing.SUPERSEDED:
        return edge, QBrush(faint(color, 0.35), Qt.BrushStyle.BDiagPattern)
    return edge, QBrush(faint(color, _FILL[standing]))


def draw_bars(
    painter: QPainter,
    color: QColor,
    boxes: list[QRectF],
    standings: list[int],
    claims: list[bool],
    *,
    smooth: bool,
) -> None:
    """Draw the bars of one lane, all that look alike at once."""
    groups: dict[tuple[int, bool], list[QRectF]] = {}
    for box, standing, claim in zip(boxes, standings, claims, strict=True):
        groups.setdefault((standing, claim), []).append(box)
    for (standing, claim), alike in groups.items():
        pen, brush = pens(color, Standing(standing), claim)
        painter.setPen(pen)
        painter.setBrush(brush)
        if smooth:
            for box in alike:
                painter.drawRoundedRect(box, 4, 4)
        else:
            painter.drawRects(alike)
        if standing == Standing.CURRENT:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawRects(
                [QRectF(box.left(), box.top() + 1, min(3.0, box.width()), box.height() - 2) for box in alike]
            )


def draw_texts(
    painter: QPainter, theme: Theme, boxes: Iterable[tuple[QRectF, str, int]], visible: QRectF, metrics: QFontMetricsF
) -> None:
    """Write what fits into bars; the text of a bar that begins outside begins at the window's edge."""
    average = max(1.0, metrics.averageCharWidth())
    flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine
    for box, text, standing in boxes:
        left = max(box.left() + 7, visible.left() + 6)
        room = min(box.right(), visible.right()) - 4 - left
        if room < LEAST_FOR_TEXT or not text:
            continue
        most = int(room / average * 1.6) + 4
        shown = text if len(text) <= most else text[:most] + "…"
        if len(shown) * average * 1.3 > room:
            shown = metrics.elidedText(shown, Qt.TextElideMode.ElideRight, room)
        painter.setPen(theme.color(_TEXT[Standing(standing)]))
        painter.drawText(QRectF(left, box.top(), room, box.height()), flags, shown)


def draw_density(painter: QPainter, color: QColor, box: QRectF, counts: Column) -> None:
    """Draw how many facts a lane has over time, as a filled line of steps; its top is the most there are."""
    most = int(counts.max()) if len(counts) else 0
    if most <= 0:
        return
    width = box.width() / len(counts)
    heights = np.sqrt(counts / most) * (box.height() - 2)
    points = [QPointF(box.left(), box.bottom())]
    for number, height in enumerate(heights.tolist()):
        points.append(QPointF(box.left() + number * width, box.bottom() - height))
        points.append(QPointF(box.left() + (number + 1) * width, box.bottom() - height))
    points.append(QPointF(box.right(), box.bottom()))
    painter.setPen(QPen(faint(color, 0.9), 1.0))
    painter.setBrush(faint(color, 0.22))
    painter.drawPolygon(QPolygonF(points))


def draw_arrow(painter: QPainter, color: QColor, start: QPointF, end: QPointF) -> None:
    """Draw an arrow from a bar to the one that took its place."""
    painter.setPen(QPen(color, 1.5))
    painter.setBrush(color)
    line = QLineF(start, end)
    painter.drawLine(line)
    if line.length() < 1:
        return
    unit = line.unitVector()
    dx, dy = unit.dx(), unit.dy()
    back = QPointF(end.x() - 7 * dx, end.y() - 7 * dy)
    side = QPointF(-3.5 * dy, 3.5 * dx)
    painter.drawPolygon(QPolygonF([end, back + side, back - side]))
