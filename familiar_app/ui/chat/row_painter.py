"""Paints one laid-out row of the transcript: its ground, its head, its text with what is marked in it, its caret."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QPainter,
    QPalette,
    QPen,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)

from familiar_app.domain.text import tr
from familiar_app.ui.chat.document import mark
from familiar_app.ui.chat.row import Row
from familiar_app.ui.chat.row_layout import Piece, RowLayout, Spot

HITS_SHOWN = 200
BESIDE = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class RowPainter:
    """Paints a row with its top edge at `top`, and of its text only what lies in `clip`."""

    def __init__(self, painter: QPainter, layout: RowLayout, top: float, clip: QRectF) -> None:
        self._painter, self._layout, self._top, self._clip = painter, layout, top, clip
        self._look, self._theme = layout.look, layout.look.theme
        self._left, self._width = layout.look.column(layout.width)

    def paint(self, selected: tuple[Spot, Spot] | None, hits: str) -> None:
        """Paint the row, with what is selected and every place that says `hits` marked in it."""
        layout, row = self._layout, self._layout.row
        if row is None:
            return
        if row.kind in ("day", "unread"):
            self._paint_mark(row)
            return
        if row.kind not in ("turn", "live"):
            return
        if not row.own:
            self._paint_ground()
        if row.head:
            self._paint_head(row)
        if not layout.replaced:
            for index, piece in enumerate(layout.pieces):
                self._paint_piece(index, piece, selected, hits)
            if layout.folded:
                self._paint_fold(row)
        if row.kind == "live":
            self._paint_caret()

    def paint_frame(self, height: float) -> None:
        """Paint the frame that tells which row the keys speak of."""
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.setPen(QPen(self._theme.color("accent"), 1.5))
        above = self._layout.text_top - 8
        box = QRectF(self._left - 12, self._top + above, self._width + 22, height - above)
        self._painter.drawRoundedRect(box, 6, 6)

    def _paint_ground(self) -> None:
        painter, text_top = self._painter, self._layout.text_top
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("background_2"))
        start = self._top + text_top - 6
        painter.drawRoundedRect(
            QRectF(self._left - 10, start, self._width + 18, self._layout.height - text_top + 4), 6, 6
        )

    def _paint_head(self, row: Row) -> None:
        painter, look, left = self._painter, self._look, self._left
        painter.drawPixmap(QPointF(left - look.gutter_px, self._top + 12), look.avatar(row.name))
        box = QRectF(left, self._top + 10, self._width, look.head_px)
        painter.setFont(look.name)
        painter.setPen(self._theme.color("text_1"))
        metrics = painter.fontMetrics()
        name = metrics.elidedText(row.name, Qt.TextElideMode.ElideRight, int(self._width * 0.6))
        painter.drawText(box, BESIDE, name)
        shift = metrics.horizontalAdvance(name) + 10
        painter.setFont(look.small)
        painter.setPen(self._theme.color("text_3"))
        painter.drawText(box.adjusted(shift, 0, 0, 0), BESIDE, _remarks(row))

    def _paint_piece(self, index: int, piece: Piece, selected: tuple[Spot, Spot] | None, hits: str) -> None:
        painter, clip = self._painter, self._clip
        at = QPointF(self._left, self._top + self._layout.text_top + piece.top)
        if at.y() > clip.bottom() or at.y() + piece.height < clip.top():
            return
        context = QAbstractTextDocumentLayout.PaintContext()
        palette = QPalette(context.palette)
        palette.setColor(QPalette.ColorRole.Text, self._theme.color("text_1"))
        context.palette = palette
        context.clip = clip.translated(-at.x(), -at.y())
        context.selections = [*self._hits(piece.document, hits), *self._selection(index, piece.document, selected)]
        painter.save()
        painter.translate(at)
        self._paint_quote_bars(piece.document)
        piece.document.documentLayout().draw(painter, context)
        painter.restore()

    def _selection(
        self, index: int, document: QTextDocument, selected: tuple[Spot, Spot] | None
    ) -> list[QAbstractTextDocumentLayout.Selection]:
        if selected is None or not selected[0][0] <= index <= selected[1][0]:
            return []
        last = document.characterCount() - 1
        start = selected[0][1] if index == selected[0][0] else 0
        end = selected[1][1] if index == selected[1][0] else last
        return [mark(document, start, min(end, last), self._theme.color("accent"), self._theme.color("on_accent"))]

    def _hits(self, document: QTextDocument, text: str) -> list[QAbstractTextDocumentLayout.Selection]:
        found: list[QAbstractTextDocumentLayout.Selection] = []
        ground, ink = self._theme.color("selected"), self._theme.color("text_1")
        cursor = document.find(text) if text else QTextCursor()
        while not cursor.isNull() and len(found) < HITS_SHOWN:
            found.append(mark(document, cursor.selectionStart(), cursor.selectionEnd(), ground, ink))
            cursor = document.find(text, cursor)
        return found

    def _paint_quote_bars(self, document: QTextDocument) -> None:
        block = document.begin()
        while block.isValid():
            if block.blockFormat().intProperty(QTextFormat.Property.BlockQuoteLevel) > 0:
                box = document.documentLayout().blockBoundingRect(block)
                self._painter.fillRect(QRectF(0, box.top(), 3, box.height()), self._theme.color("line_strong"))
            block = block.next()

    def _paint_fold(self, row: Row) -> None:
        painter, layout = self._painter, self._layout
        painter.setFont(self._look.small)
        painter.setPen(self._theme.color("accent"))
        text = tr("Show the whole message ({n} characters)", n=len(row.text))
        below = self._top + layout.text_top + layout.text_px + self._look.line_px
        painter.drawText(QPointF(self._left, below), text)

    def _paint_mark(self, row: Row) -> None:
        painter, look = self._painter, self._look
        color = self._theme.color("accent" if row.kind == "unread" else "text_3")
        rule = self._theme.color("accent" if row.kind == "unread" else "line")
        painter.setFont(look.small)
        start = self._left - look.gutter_px
        box = QRectF(start, self._top, self._width + look.gutter_px + 8, self._layout.height)
        text = painter.fontMetrics().horizontalAdvance(row.label) + 24
        middle, beside = round(box.center().y()), (box.width() - text) / 2
        painter.fillRect(QRectF(box.left(), middle, beside, 1), rule)
        painter.fillRect(QRectF(box.right() - beside, middle, beside, 1), rule)
        painter.setPen(color)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, row.label)

    def _paint_caret(self) -> None:
        x, y, height = 0.0, 0.0, self._look.line_px
        if self._layout.pieces:
            piece = self._layout.pieces[-1]
            block = piece.document.lastBlock()
            lines = block.layout().lineCount()
            if lines:
                line = block.layout().lineAt(lines - 1)
                place = line.cursorToX(block.length() - 1)
                x = (place[0] if isinstance(place, tuple) else place) + block.layout().position().x() + 2
                y = piece.top + block.layout().position().y() + line.y()
                height = line.height()
        top = self._top + self._layout.text_top + y + 1
        self._painter.fillRect(QRectF(self._left + x, top, 2, height - 2), self._theme.color("accent"))


def _remarks(row: Row) -> str:
    """Say in the head what else is to be known of a turn."""
    parts = [row.time]
    if row.turn is not None and row.turn.revision > 1:
        parts.append(tr("edited"))
    if row.turn is not None and row.turn.alternatives > 1 and not row.last_answer:
        parts.append(f"{row.turn.alternative}/{row.turn.alternatives}")
    return " · ".join(part for part in parts if part)
