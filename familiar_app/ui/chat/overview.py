"""The bar beside the transcript: it stands for the whole channel, however little of it is held.

Marks show where days begin and where a search was found; the handle shows what is in view and can be dragged.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.date_text import numeric_date
from familiar_app.ui.kit.theme import Theme

_LEAST_PX = 28.0


class Overview(QWidget):
    """Places are shares of the channel: 0 its beginning, 1 its end."""

    wanted = Signal(float)
    stepped = Signal(int)
    wheeled = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._start, self._size = 0.0, 1.0
        self._days: list[tuple[float, str]] = []
        self._hits: list[float] = []
        self._grabbed: float | None = None
        self.setAccessibleName(tr("Place in the conversation"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMouseTracking(True)
        self.setFixedWidth(14)

    def sizeHint(self) -> QSize:
        return QSize(14, 100)

    def show_place(self, start: float, size: float) -> None:
        """Show what is in view; `start` and `size` are shares of the channel."""
        self._start, self._size = min(1.0, max(0.0, start)), min(1.0, max(0.0, size))
        percent = round(min(1.0, self._start + self._size) * 100)
        told = tr("{percent} % of the conversation. Page Up and Page Down move through it.", percent=percent)
        self.setAccessibleDescription(told)
        self.update()

    def show_marks(self, days: Sequence[tuple[float, str]], hits: Sequence[float]) -> None:
        """Show where days begin and where a search was found."""
        self._days, self._hits = list(days), list(hits)
        self.update()

    def _handle(self) -> QRectF:
        room = float(self.height())
        size = max(_LEAST_PX, self._size * room)
        free = room - size
        share = self._start / (1.0 - self._size) if self._size < 1.0 else 0.0
        return QRectF(3, min(1.0, share) * free, self.width() - 6, size)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), self._theme.color("background_1"))
        painter.setPen(Qt.PenStyle.NoPen)
        if self._size < 1.0:
            for place, _ in self._days:
                painter.fillRect(
                    QRectF(self.width() - 5, place * self.height(), 4, 1), self._theme.color("line_strong")
                )
            painter.setBrush(self._theme.color("text_3" if self._grabbed is not None else "line_strong"))
            painter.drawRoundedRect(self._handle(), 4, 4)
        for place in self._hits:
            painter.fillRect(
                QRectF(1, min(place * self.height(), self.height() - 3), self.width() - 2, 3),
                self._theme.color("accent"),
            )
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(self._theme.color("accent"))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.end()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            place = event.pos().y() / max(1, self.height())
            days = [day for start, day in self._days if start <= place]
            QToolTip.showText(event.globalPos(), numeric_date(date.fromisoformat(days[-1])) if days else "", self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        handle = self._handle()
        inside = handle.contains(QPointF(handle.center().x(), event.position().y()))
        self._grabbed = event.position().y() - handle.top() if inside else handle.height() / 2
        if not inside:
            self._ask(event.position().y())
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grabbed is not None:
            self._ask(event.position().y())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._grabbed = None
        self.update()

    def _ask(self, y: float) -> None:
        free = self.height() - self._handle().height()
        share = (y - (self._grabbed or 0.0)) / free if free > 0 else 0.0
        self.wanted.emit(min(1.0, max(0.0, share)))

    @property
    def dragged(self) -> bool:
        """Tell whether the handle is held."""
        return self._grabbed is not None

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.wheeled.emit(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = Qt.Key
        steps = {keys.Key_PageUp: -1, keys.Key_Up: -1, keys.Key_PageDown: 1, keys.Key_Down: 1}
        if event.key() in steps:
            self.stepped.emit(steps[event.key()])
        elif event.key() in (keys.Key_Home, keys.Key_End):
            self.wanted.emit(0.0 if event.key() == keys.Key_Home else 1.0)
        else:
            super().keyPressEvent(event)
