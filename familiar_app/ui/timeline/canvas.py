"""The lanes: one for each subject, with a bar for each fact. Holds nothing but where it is scrolled to."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip

from familiar_app.domain.fact import FactId
from familiar_app.domain.text import ntr, tr
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.timeline.ground import Ground, Sight, paint_ground
from familiar_app.ui.timeline.layout import Bars, LaneLayout
from familiar_app.ui.timeline.model import TimelineModel
from familiar_app.ui.timeline.paint import ROUNDED_UP_TO, draw_arrow, draw_bars, draw_texts
from familiar_app.ui.timeline.scale import Scale
from familiar_app.ui.timeline.span_index import Standing
from familiar_app.ui.timeline.word import STANDINGS, period

MOST_ARROWS = 80
ZOOM_STEP = 0.8


class Canvas(QAbstractScrollArea):
    """Paints the lanes of a model."""

    def __init__(self, theme: Theme, model: TimelineModel) -> None:
        super().__init__()
        self._theme, self._model = theme, model
        self._layout = LaneLayout(None, 20, 4)
        self._boxes: dict[int, QRectF] = {}
        self._painted: list[tuple[int, QRectF]] = []
        self._ground: Ground | None = None
        self._pressed: QPointF | None = None
        self._lane = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().setAccessibleName(tr("Lanes up and down"))
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.setAccessibleName(tr("Facts over time"))
        self.verticalScrollBar().valueChanged.connect(lambda _value: self.repaint_all())
        follow(theme, self, self.lay_out)

    @property
    def gutter(self) -> int:
        """The width of the names at the left."""
        return min(self._theme.px(150), max(60, self.viewport().width() // 4))

    def span(self) -> tuple[int, int]:
        """Return where time begins and how wide it lies."""
        return self.gutter, max(1, self.viewport().width() - self.gutter)

    def scale(self) -> Scale:
        """Return how time lies over the part right of the names."""
        return Scale(*self._model.window, self.span()[1])

    def lay_out(self) -> None:
        """Place the lanes anew."""
        self._layout = LaneLayout(self._model.lanes, self._theme.px(21), 4, room=self.viewport().height())
        bar = self.verticalScrollBar()
        bar.setRange(0, max(0, self._layout.height - self.viewport().height()))
        bar.setPageStep(self.viewport().height())
        bar.setSingleStep(self._theme.px(21))
        self._lane = max(0, min(self._lane, len(self._layout.tops) - 2))
        self.repaint_all()

    # ---- painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        self._boxes, self._painted = {}, []
        if self._ground is None:
            self._ground = paint_ground(self._theme, self._model, self._sight(), self.devicePixelRatioF())
        painter.drawPixmap(0, 0, self._ground.picture)
        if self._model.index is not None:
            area = QRectF(self.viewport().rect())
            painter.setFont(self._theme.font("small"))
            for lane in self._ground.lanes:
                painter.setClipRect(QRectF(self.gutter, lane.inside.top() - 4, area.width(), lane.inside.height() + 8))
                self._paint_bars(painter, lane.bars, lane.inside, lane.color)
            painter.setClipping(False)
            self._paint_arrows(painter, area)
            self._paint_handles(painter, area, self.scale())
        painter.end()

    def _sight(self) -> Sight:
        focus = self._lane if self.hasFocus() else -1
        area = QRectF(self.viewport().rect())
        return Sight(area, self.gutter, self.verticalScrollBar().value(), focus, self._layout, self.scale())

    def repaint_all(self) -> None:
        """Paint anew what does not follow the moment, too."""
        self._ground = None
        self.viewport().update()

    def _paint_bars(self, painter: QPainter, bars: Bars, inside: QRectF, color) -> None:
        model, height = self._model, self._layout.row_px
        standings = self._standings(bars)
        rows = bars.row.tolist()
        boxes = [
            QRectF(self.gutter + left, inside.top() + line * height + 1, right - left - 1, height - 3)
            for left, right, line in zip(bars.left.tolist(), bars.right.tolist(), bars.line.tolist(), strict=True)
        ]
        smooth = len(boxes) <= ROUNDED_UP_TO // 2 and len(self._boxes) <= ROUNDED_UP_TO
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, smooth)
        draw_bars(painter, color, boxes, standings, model.claims[bars.row].tolist(), smooth=smooth)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        # What is chosen or pointed at stands on top of its neighbours.
        self._painted += zip(rows, boxes, strict=True)
        self._boxes |= dict(zip(rows, boxes, strict=True))
        self._paint_chosen(painter, rows, boxes)
        texts = ((box, model.text(row), s) for row, box, s in zip(rows, boxes, standings, strict=True) if s)
        metrics = QFontMetricsF(painter.font())
        draw_texts(painter, self._theme, texts, QRectF(self.gutter, 0, inside.width(), 1), metrics)

    def _standings(self, bars: Bars) -> list[int]:
        """Return how each bar stands; along belief time, a bar is over where that belief had ended."""
        model = self._model
        found = model.index.standing(bars.row, model.moment, model.believed())
        if model.axis == "belief" and model.moment.known_at is not None:
            found[bars.end <= model.moment.known_at] = Standing.SUPERSEDED
            found[bars.start > model.moment.known_at] = Standing.UNKNOWN
        return found.tolist()

    def _paint_chosen(self, painter: QPainter, rows: list[int], boxes: list[QRectF]) -> None:
        chosen = {self._model.row_of(fact) for fact in self._model.chosen[:200]}
        hovered = -1 if self._model.hovered is None else self._model.row_of(self._model.hovered)
        if not chosen and hovered < 0:
            return
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for row, box in zip(rows, boxes, strict=True):
            if row in chosen or row == hovered:
                painter.setPen(QPen(self._theme.color("accent" if row in chosen else "text_2"), 2))
                painter.drawRoundedRect(box.adjusted(0, 0, 0, 0), 4, 4)

    def _paint_arrows(self, painter: QPainter, area: QRectF) -> None:
        model = self._model
        if not self._boxes or len(self._boxes) > MOST_ARROWS * 10:
            return
        rows = np.array(list(self._boxes), dtype=np.int64)
        after = model.index.successors(rows, model.moment.known_at)
        pairs = [(one, two) for one, two in zip(rows.tolist(), after.tolist(), strict=True) if two in self._boxes]
        if len(pairs) > MOST_ARROWS:
            marked = {model.row_of(one) for one in (*model.chosen[:20], *([model.hovered] if model.hovered else []))}
            pairs = [pair for pair in pairs if marked & set(pair)]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(QRectF(self.gutter, 0, area.width(), area.height()))
        for one, two in pairs:
            start, end = self._boxes[one], self._boxes[two]
            x = min(max(end.left() + 1, self.gutter + 4), area.width() - 8)
            down = end.top() >= start.top()
            draw_arrow(
                painter,
                self._theme.color("text_2"),
                QPointF(min(max(start.left() + 8, x), start.right()), start.bottom() if down else start.top()),
                QPointF(x + 4, end.top() if down else end.bottom()),
            )
        painter.setClipping(False)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _paint_handles(self, painter: QPainter, area: QRectF, scale: Scale) -> None:
        moment = self._model.moment
        for at, style in ((moment.known_at, Qt.PenStyle.DashLine), (moment.as_of, Qt.PenStyle.SolidLine)):
            x = self.gutter + scale.x(at) if at is not None else -1.0
            if self.gutter <= x <= area.right():
                painter.setPen(QPen(self._theme.color("accent"), 2, style))
                painter.drawLine(QPointF(x, 0), QPointF(x, area.height()))

    # ---- pointer

    def fact_at(self, place: QPointF) -> FactId | None:
        """Return the fact whose bar lies at a place of the viewport."""
        if place.x() < self.gutter:
            return None
        found = [row for row, box in self._painted if box.adjusted(-1, -1, 1, 1).contains(place)]
        return self._model.fact_at(found[-1]) if found else None

    def box_of(self, fact: FactId) -> QRectF | None:
        """Return where a fact's bar was painted."""
        return self._boxes.get(self._model.row_of(fact))

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            fact = self.fact_at(QPointF(event.pos()))
            tip = self._tip(fact) if event.pos().x() >= self.gutter else self._lane_tip(event.pos().y())
            QToolTip.showText(event.globalPos(), tip, self.viewport())
            return True
        if event.type() == QEvent.Type.Leave:
            self._model.hover(None)
        return super().viewportEvent(event)

    def _lane_tip(self, y: int) -> str:
        lane, lanes = self._layout.lane_at(y + self.verticalScrollBar().value()), self._model.lanes
        if lane < 0 or lanes is None:
            return ""
        name = lanes.labels[lane].replace("&", "&amp;").replace("<", "&lt;")
        return f"<p>{name}</p><p>{ntr('{n} fact', '{n} facts', lanes.count(lane))}</p>"

    def _tip(self, fact: FactId | None) -> str:
        if fact is None or self._model.index is None:
            return ""
        row = self._model.row_of(fact)
        standing = Standing(int(self._model.index.standing(np.array([row]), self._model.moment)[0]))
        text = self._model.text(row)
        text = text if len(text) <= 400 else text[:399] + "…"
        plain = text.replace("&", "&amp;").replace("<", "&lt;")
        return f"<p>{plain}</p><p>{period(self._model, row)}<br>{tr(STANDINGS[standing])}</p>"

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = event.position()
        if event.button() != Qt.MouseButton.LeftButton:
            return
        lane = self._layout.lane_at(int(place.y()) + self.verticalScrollBar().value())
        self._lane = max(0, lane)
        if place.x() < self.gutter:
            if lane >= 0:
                self._model.toggle_lane(lane)
            return
        fact = self.fact_at(place)
        if fact is None:
            self._pressed = place
            return
        several = event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
        kept = tuple(one for one in self._model.chosen if one != fact) if several else ()
        self._model.choose((fact, *kept))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = event.position()
        if self._pressed is not None and event.buttons() & Qt.MouseButton.LeftButton:
            moved = self._pressed - place
            self._pressed = place
            self._model.pan(moved.x() / self.scale().width)
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + round(moved.y()))
            return
        self._model.hover(self.fact_at(place))

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._pressed = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.position().x() >= self.gutter and self.fact_at(event.position()) is None:
            self._model.move(self._model.handle, self.scale().at(event.position().x() - self.gutter))

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta()
        keys = Qt.KeyboardModifier
        if event.position().x() < self.gutter or event.modifiers() & keys.ShiftModifier:
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() - (turned.y() or turned.x()))
        elif abs(turned.x()) > abs(turned.y()):
            self._model.pan(-turned.x() / 1200)
        else:
            at = self.scale().at(event.position().x() - self.gutter)
            self._model.zoom(ZOOM_STEP ** (turned.y() / 120), at)
        event.accept()

    # ---- keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys, last = Qt.Key, len(self._layout.tops) - 2
        if event.key() in (keys.Key_Up, keys.Key_Down) and not event.modifiers():
            self._lane = max(0, min(last, self._lane + (1 if event.key() == keys.Key_Down else -1)))
            self._show_lane()
        elif event.key() in (keys.Key_PageUp, keys.Key_PageDown):
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + bar.pageStep() * (1 if event.key() == keys.Key_PageDown else -1))
        elif event.key() in (keys.Key_Return, keys.Key_Enter) and last >= 0:
            self._model.toggle_lane(self._lane)
        else:
            # The view answers the keys that every picture has.
            event.ignore()

    def _show_lane(self) -> None:
        top, bottom = int(self._layout.tops[self._lane]), int(self._layout.tops[self._lane + 1])
        bar = self.verticalScrollBar()
        if bottom > bar.value() + self.viewport().height():
            bar.setValue(bottom - self.viewport().height())
        if top < bar.value():
            bar.setValue(top)
        lanes = self._model.lanes
        if lanes is not None and len(lanes):
            name, count = lanes.labels[self._lane], lanes.count(self._lane)
            self.setAccessibleDescription(ntr("{name}, {n} fact", "{name}, {n} facts", count, name=name))
        self.repaint_all()

    def show_fact(self, fact: FactId) -> None:
        """Scroll to the lane of a fact."""
        lanes, row = self._model.lanes, self._model.row_of(fact)
        if lanes is None or row < 0 or fact in {self._model.fact_at(one) for one in self._boxes}:
            return
        at = np.flatnonzero(lanes.row == row)
        if len(at):
            self._lane = int(np.searchsorted(lanes.first, at[0], side="right")) - 1
            self._show_lane()

    def focusInEvent(self, event) -> None:
        super().focusInEvent(event)
        self.repaint_all()

    def focusOutEvent(self, event) -> None:
        super().focusOutEvent(event)
        self.repaint_all()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.lay_out()
