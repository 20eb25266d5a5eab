"""The square: what is true across, what is believed up. A point of it is a moment on both clocks."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QWidget

from familiar_app.domain.text import ntr, tr
from familiar_app.store.fact_span import Column
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.timeline.canvas import ZOOM_STEP
from familiar_app.ui.timeline.model import TimelineModel
from familiar_app.ui.timeline.paint import faint
from familiar_app.ui.timeline.scale import Scale, shown, ticks
from familiar_app.ui.timeline.span_index import Moment
from familiar_app.ui.timeline.square import GRID, MOST_RECTANGLES, Rectangles, grid, rectangles


class SquareView(QWidget):
    """Paints beliefs as rectangles, or as a grid of shades where they are many. Both sides show the same stretch."""

    def __init__(self, theme: Theme, model: TimelineModel) -> None:
        super().__init__()
        self._theme, self._model = theme, model
        self._pointer: QPointF | None = None
        self._dragged = False
        self._kept: tuple[object, Rectangles, QImage | None] | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Facts on both clocks: what was true across, what was believed up"))
        follow(theme, self, self._forget)

    def _forget(self) -> None:
        self._kept = None
        self.update()

    def area(self) -> QRectF:
        """Return the part in which time lies."""
        left, below = self._theme.px(120), self._theme.px(34)
        return QRectF(left, 12, max(1, self.width() - left - 16), max(1, self.height() - below - 12))

    def moment_at(self, place: QPointF) -> Moment:
        """Return the moment of a place."""
        area = self.area()
        across, up = Scale(*self._model.window, area.width()), Scale(*self._model.window, area.height())
        return Moment(across.at(place.x() - area.left()), up.at(area.bottom() - place.y()))

    def place_of(self, as_of: int, known_at: int) -> QPointF:
        """Return the place of a moment."""
        area = self.area()
        across, up = Scale(*self._model.window, area.width()), Scale(*self._model.window, area.height())
        return QPointF(area.left() + across.x(as_of), area.bottom() - up.x(known_at))

    # ---- painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme, area = QPainter(self), self._theme, self.area()
        painter.fillRect(self.rect(), theme.color("background_1"))
        painter.fillRect(area, theme.color("background_2"))
        painter.setFont(theme.font("small"))
        self._paint_axes(painter, area)
        painter.setClipRect(area)
        shown, shades = self._content()
        if shades is not None:
            painter.drawImage(area, shades)
        else:
            self._paint_rectangles(painter, shown)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.color("text_3"), 1, Qt.PenStyle.DotLine))
        painter.drawLine(area.bottomLeft(), area.topRight())
        self._paint_moment(painter, area)
        painter.setClipping(False)
        if self.hasFocus():
            painter.setPen(QPen(theme.color("accent"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(area)
        self._paint_reading(painter, area)
        painter.end()

    def _content(self) -> tuple[Rectangles, QImage | None]:
        model = self._model
        key = (id(model.index), id(model.among), model.window, self._theme.name)
        if self._kept is None or self._kept[0] != key:
            if model.index is None:
                shown = Rectangles(*(np.empty(0, np.int64) for _ in range(5)))
            else:
                shown = rectangles(model.index.spans, model.among, model.window, model.window)
            many = len(shown) > MOST_RECTANGLES
            shades = self._shades(grid(shown, model.window, model.window)) if many else None
            self._kept = (key, shown, shades)
        return self._kept[1], self._kept[2]

    def _shades(self, counts: Column) -> QImage:
        columns, rows = GRID
        strength = np.sqrt(counts / max(1, int(counts.max()))) * 0.85
        color = self._theme.color("accent")
        # Premultiplied, the topmost line of the picture first.
        alpha = strength[::-1]
        pixels = np.empty((rows, columns, 4), dtype=np.uint8)
        for channel, value in enumerate((color.blueF(), color.greenF(), color.redF(), 1.0)):
            pixels[..., channel] = np.round(alpha * value * 255)
        return QImage(pixels.tobytes(), columns, rows, columns * 4, QImage.Format.Format_ARGB32_Premultiplied).copy()

    def _paint_rectangles(self, painter: QPainter, shown: Rectangles) -> None:
        model, lanes = self._model, self._model.lanes
        hues = {} if lanes is None else {int(row): number for number, row in self._lane_rows()}
        chosen = {model.row_of(one) for one in model.chosen[:200]}
        for row, left, right, bottom, top in zip(
            *(one.tolist() for one in (shown.row, shown.left, shown.right, shown.bottom, shown.top)), strict=True
        ):
            low, high = self.place_of(left, bottom), self.place_of(right, top)
            color = self._theme.subject(hues.get(row, 0))
            marked = row in chosen
            style = Qt.PenStyle.DashLine if model.claims[row] else Qt.PenStyle.SolidLine
            painter.setPen(
                QPen(self._theme.color("accent") if marked else faint(color, 0.8), 2 if marked else 1, style)
            )
            painter.setBrush(faint(color, 0.3 if marked else 0.12))
            painter.drawRect(QRectF(low, high).normalized())

    def _lane_rows(self) -> list[tuple[int, int]]:
        lanes = self._model.lanes
        lane = np.repeat(np.arange(len(lanes)), np.diff(lanes.first))
        return list(zip(lane.tolist(), lanes.row.tolist(), strict=True))

    def _paint_axes(self, painter: QPainter, area: QRectF) -> None:
        theme, zone, metrics = self._theme, self._model.zone, QFontMetricsF(painter.font())
        for tick in ticks(Scale(*self._model.window, area.width()), theme.px(80), zone):
            x = self.place_of(tick.at, self._model.window[0]).x()
            painter.setPen(QPen(theme.color("line"), 1))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            painter.setPen(theme.color("text_2"))
            width = metrics.horizontalAdvance(tick.label)
            left = min(max(area.left(), x - width / 2), self.width() - width - 2)
            painter.drawText(QPointF(left, area.bottom() + metrics.height() + 2), tick.label)
        for tick in ticks(Scale(*self._model.window, area.height()), theme.px(34), zone):
            y = self.place_of(self._model.window[0], tick.at).y()
            painter.setPen(QPen(theme.color("line"), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(theme.color("text_2"))
            box = QRectF(0, y - metrics.height() / 2, area.left() - 8, metrics.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, tick.label)
        painter.setPen(theme.color("text_3"))
        painter.save()
        painter.translate(4 + metrics.height(), area.center().y())
        painter.rotate(-90)
        painter.drawText(
            QRectF(-120, -metrics.height(), 240, metrics.height()), Qt.AlignmentFlag.AlignCenter, tr("Believed")
        )
        painter.restore()
        painter.drawText(
            QRectF(area.left(), self.height() - metrics.height() - 1, area.width(), metrics.height()),
            Qt.AlignmentFlag.AlignRight,
            tr("True in the world"),
        )

    def _paint_moment(self, painter: QPainter, area: QRectF) -> None:
        moment = self._model.moment
        low, high = self._model.window
        place = self.place_of(
            low if moment.as_of is None else moment.as_of, high if moment.known_at is None else moment.known_at
        )
        accent = self._theme.color("text_1")
        if moment.known_at is not None:
            painter.setPen(QPen(accent, 1.5, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(area.left(), place.y()), QPointF(area.right(), place.y()))
        if moment.as_of is not None:
            painter.setPen(QPen(accent, 1.5))
            painter.drawLine(QPointF(place.x(), area.top()), QPointF(place.x(), area.bottom()))
        painter.setBrush(accent)
        painter.drawEllipse(place, 4, 4)

    def _paint_reading(self, painter: QPainter, area: QRectF) -> None:
        """Write the moment under the pointer, or the chosen one, into the corner."""
        moment = self._model.moment if self._pointer is None else self.moment_at(self._pointer)
        if moment.as_of is None or moment.known_at is None or self._model.index is None:
            return
        found = self._model.index.at(moment)
        count = int((found if self._model.among is None else found & self._model.among).sum())
        zone = self._model.zone
        lines = (
            tr("True {date}", date=shown(moment.as_of, zone)),
            tr("Believed {date}", date=shown(moment.known_at, zone)),
            ntr("{n} fact", "{n} facts", count),
        )
        metrics = QFontMetricsF(painter.font())
        width = max(metrics.horizontalAdvance(one) for one in lines) + 16
        box = QRectF(area.left() + 8, area.top() + 8, width, metrics.lineSpacing() * len(lines) + 10)
        painter.setPen(QPen(self._theme.color("line_strong"), 1))
        painter.setBrush(self._theme.color("background_1"))
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(self._theme.color("text_1"))
        for number, one in enumerate(lines):
            place = QPointF(box.left() + 8, box.top() + 5 + metrics.ascent() + number * metrics.lineSpacing())
            painter.drawText(place, one)

    # ---- pointer and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.area().contains(event.position()):
            self._dragged = True
            self._model.begin_drag()
            self._go(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        inside = self.area().contains(event.position())
        self._pointer = event.position() if inside else None
        if self._dragged and inside:
            self._go(event.position())
        self.update()

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._dragged = False
        self._model.end_drag()

    def leaveEvent(self, event) -> None:
        super().leaveEvent(event)
        self._pointer = None
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        moment = self.moment_at(event.position())
        self._model.zoom(ZOOM_STEP ** (event.angleDelta().y() / 120), moment.as_of or 0)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        up = event.key() == Qt.Key.Key_Up
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._model.unlink()
            big = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self._model.step(1 if up else -1, "known_at", count=10 if big else 1)
        else:
            event.ignore()

    def _go(self, place: QPointF) -> None:
        self._model.unlink()
        self._model.go(self.moment_at(place))

    def focusInEvent(self, event) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event) -> None:
        super().focusOutEvent(event)
        self.update()
