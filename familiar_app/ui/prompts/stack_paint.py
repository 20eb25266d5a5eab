"""Paints the rows of a stack, and above them what each column means."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QListView, QSizePolicy, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.hue_mark import paint_mark
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.prompts.list_view import paint_ground
from familiar_app.ui.prompts.stack import StackRow
from familiar_app.ui.prompts.stack_shape import Places, StackShape, heads

_Index = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole
HEIGHT, HEAD, BAR = 26, 20, 6


class StackDelegate(QStyledItemDelegate):
    """Paints one layer on one line: mark and name, how full its budget is, and its tokens."""

    def __init__(self, theme: Theme, shape: StackShape) -> None:
        super().__init__()
        self._theme, self._shape = theme, shape

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:
        return QSize(240, self._theme.px(HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row = index.data(ROW)
        if row is None:
            return
        theme, places = self._theme, self._shape.places(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_ground(theme, painter, option, option.rect.adjusted(4, 0, -4, 0))
        self._mark(painter, places.mark, row)
        painter.setFont(theme.font("body"))
        painter.setPen(theme.color("text_1" if row.tokens else "text_3"))
        _text(painter, places.name, row.title)
        painter.setFont(theme.font("small"))
        painter.setPen(theme.color("warning" if row.left_out else "text_2"))
        _text(painter, places.told, row.summary, right=True)
        self._fill(painter, places, row)
        painter.restore()

    def _mark(self, painter: QPainter, box: QRect, row: StackRow) -> None:
        if row.tokens:
            paint_mark(painter, QRectF(box), self._theme, row.hue, ground="background_1", radius=2)
        else:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.color("background_3"))
            painter.drawRoundedRect(box, 2, 2)

    def _fill(self, painter: QPainter, places: Places, row: StackRow) -> None:
        if places.bar is None or places.percent is None or row.fill is None:
            return
        painter.setPen(self._theme.color("text_2"))
        _text(painter, places.percent, row.percent, right=True)
        high = self._theme.px(BAR)
        box = QRectF(places.bar.left(), places.bar.center().y() + 1 - high / 2, places.bar.width(), high)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("background_3"))
        painter.drawRoundedRect(box, 2, 2)
        if row.fill:
            box.setWidth(max(2.0, box.width() * row.fill))
            paint_mark(painter, box, self._theme, row.hue, ground="background_3", radius=2)


class StackHead(QWidget):
    """Says above a list of layers what its columns are."""

    def __init__(self, listed: QListView, theme: Theme, shape: StackShape) -> None:
        super().__init__()
        self._listed, self._theme, self._shape = listed, theme, shape
        told = tr(
            "Each bar in the list shows how full a layer's own budget is. The bar above shows all layers in the "
            "model's whole context, with the room kept for the answer hatched at its end."
        )
        self.setToolTip(told)
        self.setAccessibleName(told)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        follow(theme, self, self.updateGeometry)

    def sizeHint(self) -> QSize:
        return QSize(240, self._theme.px(HEAD))

    def paintEvent(self, _event: QPaintEvent) -> None:
        left = self._listed.viewport().mapTo(self._listed, self._listed.viewport().rect().topLeft()).x()
        places = self._shape.places(QRect(left, 0, self._listed.viewport().width(), self.height()))
        layer, budget, tokens = heads()
        painter = QPainter(self)
        painter.setFont(self._theme.font("small"))
        painter.setPen(self._theme.color("text_3"))
        _text(painter, places.name.adjusted(places.mark.left() - places.name.left(), 0, 0, 0), layer)
        _text(painter, places.told, tokens, right=True)
        if places.bar is not None and places.percent is not None:
            _text(painter, places.bar.united(places.percent), budget)
        painter.end()


def _text(painter: QPainter, box: QRect, text: str, *, right: bool = False) -> None:
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, box.width())
    painter.drawText(box, side | Qt.AlignmentFlag.AlignVCenter, shown)
