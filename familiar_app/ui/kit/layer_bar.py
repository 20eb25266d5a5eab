"""A prompt's tokens as one bar: a piece for each layer in its hue, the room kept for the answer hatched at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from familiar_app.domain.text import number, tr
from familiar_app.ui.kit.hue_mark import paint_mark
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.theme import Theme

GAP = 1.0
LEAST = 4.0
"""No piece is narrower than that many pixels, gap included, where all of them find room so."""
_LOW = 0.25
"""So much of the height a piece that was not chosen leaves free above and below."""


@dataclass(frozen=True, slots=True)
class BarPiece:
    """One piece: what it is called, its tokens, and the number of its hue."""

    title: str
    tokens: int
    hue: int


class LayerBar(QWidget):
    """Shows how a model's context is used. Its accessible name says the same in words."""

    def __init__(self, theme: Theme, *, height: int = 10) -> None:
        super().__init__()
        self._theme, self._height = theme, height
        self._pieces: Sequence[BarPiece] = ()
        self._whole, self._answer, self._chosen = 1, 0, -1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        follow(theme, self, self._restyle)

    def show_pieces(self, pieces: Sequence[BarPiece], *, context: int, answer: int = 0) -> None:
        """Show pieces of a context of so many tokens, of which `answer` are kept for the answer."""
        self._pieces, self._answer = tuple(pieces), answer
        used = sum(piece.tokens for piece in pieces)
        self._whole = max(1, context, used)
        parts = ", ".join(f"{piece.title} {number(piece.tokens)}" for piece in pieces if piece.tokens)
        what = parts or tr("nothing")
        self.setAccessibleName(tr("{used} of {context} tokens: {what}", used=used, context=context, what=what))
        self.update()

    def show_chosen(self, hue: int) -> None:
        """Let one piece stand out; -1 for none."""
        self._chosen = hue
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(160, self._theme.px(self._height))

    def spans(self) -> list[QRectF]:
        """Return where each piece lies; one of no tokens is empty."""
        left, found = 0.0, []
        for width in self._widths():
            found.append(QRectF(left, 0, max(width - GAP, 1.0) if width else 0.0, self.height()))
            left += width
        return found

    def _widths(self) -> list[float]:
        exact = [self.width() * piece.tokens / self._whole for piece in self._pieces]
        least = [max(width, LEAST) if width else 0.0 for width in exact]
        room = self.width() * (1 - min(self._answer, self._whole) / self._whole)
        return least if sum(least) <= room else exact

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("background_3"))
        painter.drawRoundedRect(QRectF(self.rect()), 3, 3)
        if self._answer:
            width = self.width() * min(self._answer, self._whole) / self._whole
            painter.setBrush(QBrush(self._theme.color("line_strong"), Qt.BrushStyle.BDiagPattern))
            painter.drawRect(QRectF(self.width() - width, 0, width, self.height()))
        for piece, span in zip(self._pieces, self.spans(), strict=True):
            # The chosen one is taller; each keeps its colour, by which it is known in the list below.
            low = 0.0 if self._chosen in (-1, piece.hue) else self.height() * _LOW
            paint_mark(painter, span.adjusted(0, low, 0, -low), self._theme, piece.hue, ground="background_3")
        painter.end()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            x = event.pos().x()
            found = next(
                (p for p, s in zip(self._pieces, self.spans(), strict=True) if s.left() <= x <= s.right()), None
            )
            text = tr("{title}: {n} tokens", title=found.title, n=found.tokens) if found else self._rest(x)
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def _rest(self, x: int) -> str:
        if self._answer and x > self.width() * (1 - self._answer / self._whole):
            return tr("Kept for the answer: {n} tokens", n=self._answer)
        used = sum(piece.tokens for piece in self._pieces)
        return tr("Free: {n} tokens", n=max(0, self._whole - used - self._answer))

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()
