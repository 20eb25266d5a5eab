"""The time axis under the picture with its two handles, and the overview of all of time below it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from familiar_app.domain.text import tr, tr_later
from familiar_app.store.schema_memory import EVER, NEVER
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.timeline.canvas import ZOOM_STEP
from familiar_app.ui.timeline.model import Handle, TimelineModel
from familiar_app.ui.timeline.paint import faint
from familiar_app.ui.timeline.scale import Scale, shown, ticks

BUCKETS = 300
_REACH = 9
_MOVED = {
    "linked": tr_later("The arrow keys move both, linked."),
    "as_of": tr_later("The arrow keys move what was true."),
    "known_at": tr_later("The arrow keys move what was believed."),
}


class Axis(QWidget):
    """Ticks and handles: the full one says what was true, the hollow one what was believed. Both can be dragged."""

    def __init__(self, theme: Theme, model: TimelineModel, span: Callable[[], tuple[int, int]]) -> None:
        super().__init__()
        self._theme, self._model, self._span = theme, model, span
        self._held: Handle | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(tr("Moment on the time axis"))
        follow(theme, self, self.updateGeometry)
        self.show_moment()

    def sizeHint(self) -> QSize:
        return QSize(200, self._theme.px(44))

    @property
    def gutter(self) -> int:
        """The width of the names beside the picture."""
        return self._span()[0]

    def scale(self) -> Scale:
        return Scale(*self._model.window, max(1, self._span()[1]))

    def show_moment(self) -> None:
        """Paint the handles where they are now, and say so."""
        model = self._model
        as_of, known_at = model.moment.as_of, model.moment.known_at
        true_at = tr("True at any time.") if as_of is None else tr("True at {date}.", date=shown(as_of, model.zone))
        if known_at is None:
            believed = tr("Believed at any time.")
        else:
            believed = tr("Believed at {date}.", date=shown(known_at, model.zone))
        held = tr(_MOVED["linked" if model.linked else model.handle])
        self.setAccessibleDescription(f"{true_at} {believed} {held}")
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme, scale = QPainter(self), self._theme, self.scale()
        painter.fillRect(self.rect(), theme.color("background_1"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = theme.font("table")
        font.setPixelSize(theme.font("small").pixelSize())
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        painter.setPen(QPen(theme.color("line_strong"), 1))
        painter.drawLine(QPointF(self.gutter, 0.5), QPointF(self.width(), 0.5))
        top = self._theme.px(20)
        for tick in ticks(scale, theme.px(76), self._model.zone):
            x = self.gutter + scale.x(tick.at)
            painter.setPen(QPen(theme.color("line_strong"), 1))
            painter.drawLine(QPointF(x, 0), QPointF(x, top * 0.4))
            painter.setPen(theme.color("text_1" if tick.strong else "text_2"))
            width = metrics.horizontalAdvance(tick.label)
            left = min(max(x - width / 2, self.gutter), self.width() - width)
            painter.drawText(QRectF(left, top, width + 1, metrics.height()), Qt.AlignmentFlag.AlignLeft, tick.label)
        self._paint_handles(painter, scale)
        if self.hasFocus():
            painter.setPen(QPen(theme.color("accent"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.end()

    def _paint_handles(self, painter: QPainter, scale: Scale) -> None:
        accent, height = self._theme.color("accent"), self._theme.px(18)
        half = self._theme.px(6)
        for handle, x in self._places(scale).items():
            painter.setPen(QPen(accent, 2))
            painter.setBrush(accent if handle == "as_of" else self._theme.color("background_1"))
            if handle == "as_of":
                shape = [(x, 1), (x + half, half + 1), (x + half, height), (x - half, height), (x - half, half + 1)]
            else:
                shape = [(x, 1), (x + half, height / 2), (x, height), (x - half, height / 2)]
            painter.drawPolygon(QPolygonF([QPointF(*one) for one in shape]))

    def _places(self, scale: Scale) -> dict[Handle, float]:
        """Return where the handles stand, those out of sight left out; the believed one first, so it lies below."""
        moment = self._model.moment
        found: dict[Handle, float] = {}
        for handle, at in (("known_at", moment.known_at), ("as_of", moment.as_of)):
            if at is None or (handle == "known_at" and self._model.linked):
                continue
            x = self.gutter + scale.x(at)
            if self.gutter - 1 <= x <= self.width() + 1:
                found[handle] = x
        return found

    def mousePressEvent(self, event: QMouseEvent) -> None:
        x, model = event.position().x(), self._model
        places = self._places(self.scale())
        near = [one for one in places if abs(places[one] - x) <= self._theme.px(_REACH)]
        self._held = near[-1] if near else ("as_of" if model.linked else model.handle)
        model.hold(self._held)
        model.begin_drag()
        if not near:
            self._move(x)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is not None:
            self._move(event.position().x())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._held = None
        self._model.end_drag()

    def _move(self, x: float) -> None:
        held = self._held
        if held is not None:
            self._model.move(held, self.scale().at(min(max(x, self.gutter), self.width()) - self.gutter))

    def wheelEvent(self, event: QWheelEvent) -> None:
        at = self.scale().at(event.position().x() - self.gutter)
        self._model.zoom(ZOOM_STEP ** (event.angleDelta().y() / 120), at)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and not self._model.linked:
            self._model.hold("known_at" if event.key() == Qt.Key.Key_Up else "as_of")
        else:
            event.ignore()

    def focusInEvent(self, event) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event) -> None:
        super().focusOutEvent(event)
        self.update()


class Overview(QWidget):
    """All of time in one strip: how much changed when, the window as a frame that can be dragged, both handles."""

    def __init__(self, theme: Theme, model: TimelineModel, span: Callable[[], tuple[int, int]]) -> None:
        super().__init__()
        self._theme, self._model, self._span = theme, model, span
        self._counts = np.zeros(BUCKETS)
        self._grabbed: float | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("All of time, with the shown part as a frame"))
        follow(theme, self, self.updateGeometry)

    def sizeHint(self) -> QSize:
        return QSize(200, self._theme.px(30))

    @property
    def gutter(self) -> int:
        """The width of the names beside the picture."""
        return self._span()[0]

    def scale(self) -> Scale:
        return Scale(*self._model.whole, max(1, self._span()[1]))

    def count(self) -> None:
        """Count the changes anew."""
        index, whole = self._model.index, self._model.whole
        self._counts = np.zeros(BUCKETS)
        if index is not None:
            columns = (index.spans.valid_from, index.spans.valid_to, index.spans.belief_since, index.spans.belief_until)
            times = np.concatenate([one[(one > EVER) & (one < NEVER)] for one in columns])
            self._counts = np.histogram(times, bins=BUCKETS, range=whole)[0].astype(float)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme, scale = QPainter(self), self._theme, self.scale()
        painter.fillRect(self.rect(), theme.color("background_1"))
        area = QRectF(self.gutter, 2, scale.width, self.height() - 4)
        painter.fillRect(area, theme.color("background_2"))
        most = float(self._counts.max()) or 1.0
        width = area.width() / BUCKETS
        bars = [
            QRectF(area.left() + n * width, area.bottom() - h, max(1.0, width), h)
            for n, h in enumerate((np.sqrt(self._counts / most) * (area.height() - 2)).tolist())
            if h > 0
        ]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("line_strong"))
        painter.drawRects(bars)
        painter.setBrush(faint(theme.color("accent"), 0.14))
        painter.setPen(QPen(theme.color("accent"), 1))
        painter.drawRect(self._frame(scale))
        moment = self._model.moment
        for at, style in ((moment.known_at, Qt.PenStyle.DashLine), (moment.as_of, Qt.PenStyle.SolidLine)):
            if at is not None:
                x = self.gutter + scale.x(at)
                painter.setPen(QPen(theme.color("accent"), 2, style))
                painter.drawLine(QPointF(x, 0), QPointF(x, self.height()))
        painter.end()

    def _frame(self, scale: Scale) -> QRectF:
        left = max(0.0, scale.x(self._model.window[0]))
        right = min(scale.width, scale.x(self._model.window[1]))
        return QRectF(self.gutter + min(left, scale.width - 4), 1, max(4.0, right - left) - 1, self.height() - 3)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        frame = self._frame(self.scale())
        inside = frame.left() <= event.position().x() <= frame.right()
        self._grabbed = event.position().x() - frame.left() if inside else frame.width() / 2
        self._show(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grabbed is not None:
            self._show(event.position().x())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._grabbed = None

    def _show(self, x: float) -> None:
        start, end = self._model.window
        at = self.scale().at(x - (self._grabbed or 0.0) - self.gutter)
        self._model.show_window(at, end - start)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._model.zoom(
            ZOOM_STEP ** (event.angleDelta().y() / 120), self.scale().at(event.position().x() - self.gutter)
        )
        event.accept()
