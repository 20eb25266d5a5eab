"""The prompt as it was sent, with a thin margin that tells by hue and name which layer each line came from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QToolTip, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.hue_mark import paint_mark
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.label import set_role
from familiar_app.ui.kit.prompt_word import words
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.prompts.find import Find, Hit
from familiar_app.ui.prompts.item_word import opened
from familiar_app.ui.prompts.sheet import Run, Sheet

STRIP = 4
LEAST_NAME, MOST_NAME = 60, 200
MOST_MARKED = 400
_FOLDED = "▸ "


class SheetView(QPlainTextEdit):
    """Shows a `Sheet`. `line_chosen` follows the cursor; `fold_wanted` carries the layer to fold or unfold."""

    line_chosen = Signal(int)
    fold_wanted = Signal(str)
    opened = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._sheet = Sheet()
        self._layer, self._quiet = "", False
        self._find: Find | None = None
        self._folded: set[str] = set()
        set_role(self, "bare")
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setAccessibleName(tr("The prompt as it was sent"))
        flags = Qt.TextInteractionFlag
        self.setTextInteractionFlags(flags.TextSelectableByMouse | flags.TextSelectableByKeyboard)
        self.setCursorWidth(2)
        self.margin = Margin(self)
        self.updateRequest.connect(self._scrolled)
        self.cursorPositionChanged.connect(self._moved)
        self._restyle()
        follow(theme, self, self._restyle)

    @property
    def sheet(self) -> Sheet:
        return self._sheet

    @property
    def theme(self) -> Theme:
        return self._theme

    @property
    def layer(self) -> str:
        """The layer that stands out."""
        return self._layer

    def show_sheet(self, sheet: Sheet) -> None:
        """Show another prompt from its top."""
        self._quiet = True
        self._sheet, self._folded = sheet, set()
        self.setPlainText(sheet.text)
        self._format_heads()
        self._quiet = False
        self.margin.measure(dict.fromkeys(run.layer for run in sheet.runs))
        self._place_margin()

    def show_layer(self, layer: str) -> None:
        """Let the lines of a layer stand out."""
        self._layer = layer
        self.margin.update()

    def go_to_line(self, line: int) -> None:
        """Put the cursor into a line, near the top of what is seen."""
        block = self.document().findBlockByNumber(line)
        if not block.isValid():
            return
        self._quiet = True
        self.setTextCursor(QTextCursor(block))
        self._quiet = False
        self.verticalScrollBar().setValue(max(0, block.firstLineNumber() - 1))

    def show_folds(self, folded: set[str]) -> None:
        """Hide all but the first line of folded layers."""
        changed = folded ^ self._folded
        self._folded = set(folded)
        for run in self._sheet.runs:
            if run.layer in changed:
                self._set_visible(run, run.layer not in folded)
        if changed:
            self._relayout()

    def is_folded(self, layer: str) -> bool:
        """Tell whether a layer is folded."""
        return layer in self._folded

    def show_hits(self, find: Find) -> None:
        """Mark the hits of a search and show the present one."""
        self._find = find
        marked = [self._mark(hit, strong=False) for hit in _around(find)]
        here = find.here
        if here is not None:
            marked.append(self._mark(here, strong=True))
            block = self.document().findBlockByNumber(here.line)
            cursor = QTextCursor(block)
            cursor.setPosition(block.position() + here.start)
            self._quiet = True
            self.setTextCursor(cursor)
            self._quiet = False
            self.centerCursor()
        self.setExtraSelections(marked)

    # ---- events

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            run = self._sheet.run_at(self.textCursor().blockNumber())
            if run is not None:
                self.fold_wanted.emit(run.layer)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_margin()

    def visible_blocks(self) -> Sequence[tuple[QTextBlock, int, int]]:
        """Return the blocks that are seen, each with its top and its height in pixels."""
        found, block = [], self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= self.viewport().height():
            height = self.blockBoundingRect(block).height()
            if block.isVisible():
                found.append((block, round(top), round(height)))
            top += height
            block = block.next()
        return found

    # ---- inside

    def _moved(self) -> None:
        if not self._quiet:
            self.line_chosen.emit(self.textCursor().blockNumber())

    def _scrolled(self, _rect: QRect, moved: int) -> None:
        if moved:
            self.margin.scroll(0, moved)
        self.margin.update()

    def _place_margin(self) -> None:
        width = self.margin.sizeHint().width()
        if self.viewportMargins().left() != width + 8:
            self.setViewportMargins(width + 8, 4, 4, 4)
        box = self.contentsRect()
        self.margin.setGeometry(QRect(box.left(), box.top(), width, box.height()))
        self.margin.update()

    def _set_visible(self, run: Run, on: bool) -> None:
        block = self.document().findBlockByNumber(run.first + 1)
        while block.isValid() and block.blockNumber() < run.end:
            block.setVisible(on)
            block.setLineCount(max(1, block.layout().lineCount()) if on else 0)
            block = block.next()

    def _relayout(self) -> None:
        document = self.document()
        document.markContentsDirty(0, document.characterCount())
        self.viewport().update()
        self.margin.update()

    def _format_heads(self) -> None:
        look = QTextCharFormat()
        look.setForeground(self._theme.color("text_3"))
        look.setFont(self._theme.font("small", bold=True))
        for number in self._sheet.heads:
            cursor = QTextCursor(self.document().findBlockByNumber(number))
            cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
            cursor.mergeCharFormat(look)

    def _mark(self, hit: Hit, *, strong: bool) -> QTextEdit.ExtraSelection:
        found = QTextEdit.ExtraSelection()
        block = self.document().findBlockByNumber(hit.line)
        cursor = QTextCursor(block)
        cursor.setPosition(block.position() + hit.start)
        cursor.setPosition(block.position() + hit.end, QTextCursor.MoveMode.KeepAnchor)
        found.cursor = cursor
        found.format.setBackground(self._theme.color("accent" if strong else "selected"))
        found.format.setForeground(self._theme.color("on_accent" if strong else "text_1"))
        if not strong:
            found.format.setProperty(QTextFormat.Property.OutlinePen, QPen(self._theme.color("accent")))
        return found

    def _restyle(self) -> None:
        self.setFont(self._theme.font("body"))
        self.margin.measure(dict.fromkeys(run.layer for run in self._sheet.runs))
        self._place_margin()
        self._format_heads()
        if self._find is not None:
            self.show_hits(self._find)


def _around(find: Find) -> Sequence[Hit]:
    """Return the hits to be marked: all, or those around the present one where there are very many."""
    if len(find.hits) <= MOST_MARKED:
        return find.hits
    first = max(0, find.current - MOST_MARKED // 2)
    return find.hits[first : first + MOST_MARKED]


class Margin(QWidget):
    """Paints for each line the hue of its layer, and the layer's name where it begins. A click folds."""

    def __init__(self, view: SheetView) -> None:
        super().__init__(view)
        self._view, self._names = view, 0
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def measure(self, layers: Iterable[str]) -> None:
        """Be as wide as the names of these layers ask for."""
        metrics = QFontMetrics(self._view.theme.font("small", bold=True))
        self._names = max((metrics.horizontalAdvance(_FOLDED + words(layer)) for layer in layers), default=0)

    def sizeHint(self) -> QSize:
        px = self._view.theme.px
        wanted = min(max(self._names, px(LEAST_NAME)), px(MOST_NAME)) + px(STRIP) * 2 + 12
        return QSize(min(wanted, self._view.width() * 2 // 5), 0)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            run = self.run_at(event.pos())
            told = tr("{layer}: fold or unfold it (Space)", layer=opened(words(run.layer))) if run else ""
            QToolTip.showText(event.globalPos(), told, self)
            return True
        return super().event(event)

    def run_at(self, place: QPoint) -> Run | None:
        """Return the layer whose lines stand beside a place of the margin."""
        block = self._view.cursorForPosition(self._view.viewport().mapFromGlobal(self.mapToGlobal(place))).block()
        return self._view.sheet.run_at(block.blockNumber())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        view, theme = self._view, self._view.theme
        painter.fillRect(self.rect(), theme.color("background_1"))
        strip, named = theme.px(STRIP), ""
        for block, top, height in view.visible_blocks():
            number = block.blockNumber()
            run = view.sheet.run_at(number)
            if run is None:
                named = ""
                continue
            wide = strip * 2 if view.layer == run.layer else strip
            paint_mark(painter, QRectF(self.width() - wide, top, wide, height), theme, run.hue, ground="background_1")
            if named != run.layer:
                named = run.layer
                self._name(painter, run, top, strong=view.layer == run.layer)
        painter.end()

    def _name(self, painter: QPainter, run: Run, top: int, *, strong: bool) -> None:
        theme, view = self._view.theme, self._view
        painter.setFont(theme.font("small", bold=strong))
        painter.setPen(theme.color("text_1" if strong else "text_2"))
        metrics = painter.fontMetrics()
        room = QRect(4, max(top, 0), self.width() - theme.px(STRIP) * 2 - 10, metrics.height() + 4)
        mark = _FOLDED if view.is_folded(run.layer) else ""
        text = metrics.elidedText(mark + words(run.layer), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        run = self.run_at(event.position().toPoint())
        if run is not None:
            self._view.fold_wanted.emit(run.layer)
