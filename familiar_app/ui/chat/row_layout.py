"""One row of the transcript laid out for a width: its documents, its height and what is where.

A message is a stack of short documents, so that a reply that grows lays out only its last piece anew.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QTextCursor, QTextDocument, QTextOption

from familiar_app.ui.chat.document import code_blocks, code_text, trim_last_margin
from familiar_app.ui.chat.look import Look
from familiar_app.ui.chat.markdown import split_segments, to_html
from familiar_app.ui.chat.row import Row

FOLD_CHARS = 16_000
SHOWN_CHARS = 8_000
Spot = tuple[int, int]
"""A place in a row's text: the piece, and the position in its document."""


@dataclass(slots=True)
class Piece:
    """A part of a message. `top` counts from the top of the message's text."""

    text: str
    document: QTextDocument
    growing: bool = False
    top: float = 0.0
    height: float = 0.0


class RowLayout:
    """A row at one width. `embed_px` is room kept below the text for a widget; `replaced` shows a widget instead."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self.pieces: list[Piece] = []
        self.row: Row | None = None
        self.width = 0.0
        self.height = 0.0
        self.text_top = 0.0
        self.text_px = 0.0
        self.embed_px = 0.0
        self.folded = False
        self.replaced = False

    def update(self, row: Row, width: float, *, embed_px: float = 0.0, replaced: bool = False) -> None:
        """Lay out a row; does nothing where neither row nor width has changed."""
        same = self.row is not None and self.row.version == row.version and self.row.kind == row.kind
        if same and self.width == width and self.embed_px == embed_px and self.replaced == replaced:
            self.row = row
            return
        if self.width != width or not same:
            self.row, self.width = row, width
            self._lay_text(row, self.look.column(width)[1])
        self.embed_px, self.replaced = embed_px, replaced
        self._measure(row)

    def _lay_text(self, row: Row, width: float) -> None:
        text = row.text if row.kind in ("turn", "live") else ""
        self.folded = len(text) > FOLD_CHARS and row.kind == "turn"
        if self.folded:
            text = text[:SHOWN_CHARS] + "…"
        top = 0.0
        parts = split_segments(text)
        for index, part in enumerate(parts):
            piece = self._piece(index, part, growing=row.kind == "live" and index == len(parts) - 1)
            if piece.document.textWidth() != width:
                piece.document.setTextWidth(width)
            piece.top, piece.height = top, piece.document.size().height()
            top += piece.height
        del self.pieces[len(parts) :]
        self.text_px = top

    def _piece(self, index: int, text: str, *, growing: bool) -> Piece:
        if index < len(self.pieces):
            piece = self.pieces[index]
            if piece.text == text and piece.growing == growing:
                return piece
        else:
            piece = Piece("", self._new_document())
            self.pieces.append(piece)
        piece.text, piece.growing = text, growing
        piece.document.setHtml(f"<body>{to_html(text, growing=growing)}</body>")
        trim_last_margin(piece.document)
        return piece

    def _new_document(self) -> QTextDocument:
        document = QTextDocument()
        document.setUndoRedoEnabled(False)
        document.setDocumentMargin(0)
        document.setIndentWidth(20)
        document.setDefaultFont(self.look.body)
        document.setDefaultStyleSheet(self.look.style_sheet)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        document.setDefaultTextOption(option)
        return document

    def _measure(self, row: Row) -> None:
        if row.kind in ("day", "unread"):
            self.text_top, self.height = 0.0, self.look.bar_px + 8.0
            return
        if row.kind not in ("turn", "live"):
            self.text_top, self.height = 4.0, self.embed_px + 12.0
            return
        self.text_top = (12.0 + self.look.head_px + 6.0) if row.head else 8.0
        text = 0.0 if self.replaced else max(self.text_px, self.look.line_px)
        fold = self.look.line_px + 4 if self.folded and not self.replaced else 0.0
        self.height = self.text_top + text + fold + self.embed_px + 8.0

    # ---- what is where

    def spot_at(self, x: float, y: float) -> Spot:
        """Return the place in the text nearest to a point of the row."""
        left, _ = self.look.column(self.width)
        inside = y - self.text_top
        for index, piece in enumerate(self.pieces):
            if inside < piece.top + piece.height or index == len(self.pieces) - 1:
                point = QPointF(x - left, min(max(0.0, inside - piece.top), piece.height - 0.5))
                found = piece.document.documentLayout().hitTest(point, Qt.HitTestAccuracy.FuzzyHit)
                return (index, max(0, found))
        return (0, 0)

    def end(self) -> Spot:
        """Return the place after the last character."""
        return (len(self.pieces) - 1, self.pieces[-1].document.characterCount() - 1) if self.pieces else (0, 0)

    def link_at(self, x: float, y: float) -> str:
        """Return the address of the link at a point of the row."""
        left, _ = self.look.column(self.width)
        for piece in self.pieces:
            point = QPointF(x - left, y - self.text_top - piece.top)
            if 0 <= point.y() < piece.height:
                return piece.document.documentLayout().anchorAt(point)
        return ""

    def fold_at(self, y: float) -> bool:
        """Tell whether a point is on the line that leads to the whole message."""
        start = self.text_top + self.text_px
        return self.folded and start <= y < start + self.look.line_px + 8

    def code_at(self, x: float, y: float) -> tuple[QRectF, str] | None:
        """Return the box (in the row) and the text of the code block at a point."""
        left, _ = self.look.column(self.width)
        for piece in self.pieces:
            for box, table in code_blocks(piece.document):
                placed = box.translated(left, self.text_top + piece.top)
                if placed.contains(x, y):
                    return placed, code_text(table)
        return None

    def text_between(self, start: Spot, end: Spot) -> str:
        """Return the text between two places."""
        parts = []
        for index in range(start[0], min(end[0], len(self.pieces) - 1) + 1):
            document = self.pieces[index].document
            last = document.characterCount() - 1
            cursor = QTextCursor(document)
            cursor.setPosition(min(start[1] if index == start[0] else 0, last))
            cursor.setPosition(min(end[1] if index == end[0] else last, last), QTextCursor.MoveMode.KeepAnchor)
            parts.append(cursor.selection().toPlainText())
        return "\n".join(parts)

    def word_at(self, spot: Spot) -> tuple[Spot, Spot]:
        """Return where the word at a place begins and ends."""
        if not self.pieces:
            return spot, spot
        cursor = QTextCursor(self.pieces[spot[0]].document)
        cursor.setPosition(min(spot[1], self.pieces[spot[0]].document.characterCount() - 1))
        cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        return (spot[0], cursor.selectionStart()), (spot[0], cursor.selectionEnd())


def estimate_px(row: Row, look: Look, width: float) -> float:
    """Guess the height of a row that was never laid out."""
    if row.kind not in ("turn", "live"):
        return look.bar_px + 8.0
    per_line = max(10.0, look.column(width)[1] / look.char_px * 1.05)
    text = row.text if len(row.text) <= FOLD_CHARS else row.text[:SHOWN_CHARS]
    lines = sum(1 + int(len(line) / per_line) for line in text.split("\n")) if text else 1
    return lines * look.line_px + (look.head_px + 26.0 if row.head else 16.0)
