"""What the mouse does in the transcript: marking text, following links, copying code, hovering."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent, QPainter
from PySide6.QtWidgets import QToolTip

from familiar_app.domain.text import tr
from familiar_app.ui.chat.row_layout import RowLayout
from familiar_app.ui.chat.selection import Place

if TYPE_CHECKING:
    from familiar_app.ui.chat.transcript_view import TranscriptView

_DRAG_PX = 4


class Pointer:
    """The mouse over one transcript view."""

    def __init__(self, view: TranscriptView) -> None:
        self._view = view
        self._pressed: QPointF | None = None
        self._dragging = False
        self._code: tuple[QRectF, str] | None = None
        self._copied = False

    def _under(self, at: QPointF) -> tuple[RowLayout, float] | None:
        found = self._view.stack.at(at.y())
        return (self._view.layout_of(found[0]), found[1]) if found and found[0] < len(self._view.rows) else None

    def _place(self, at: QPointF) -> Place | None:
        """Return the text place nearest to a point, also from marks and margins."""
        shown = [one for one in self._view.stack.shown if self._view.layout_of(one[0]).pieces]
        if not shown:
            return None
        number, top, _ = min(shown, key=lambda one: max(one[1] - at.y(), at.y() - one[1] - one[2], 0.0))
        return self._view.rows[number].key, self._view.layout_of(number).spot_at(at.x(), at.y() - top)

    # ---- events

    def press(self, event: QMouseEvent) -> None:
        at = event.position()
        if event.button() != Qt.MouseButton.LeftButton:
            return
        self._pressed, self._dragging = at, False
        place = self._place(at)
        if place is None:
            return
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self._view.selection.anchor is not None:
            self._view.selection.head = place
        else:
            self._view.selection.begin(place)
        self._view.set_current(place[0], reveal=False)

    def move(self, event: QMouseEvent) -> None:
        at = event.position()
        if event.buttons() & Qt.MouseButton.LeftButton and self._pressed is not None:
            self._drag(at)
            return
        found = self._view.stack.at(at.y())
        row = self._view.rows[found[0]] if found and found[0] < len(self._view.rows) else None
        hovered = row.key if row and row.kind == "turn" else None
        under = self._under(at)
        self._code = None
        if under is not None:
            code = under[0].code_at(at.x(), at.y() - under[1])
            self._code = (code[0].translated(0, under[1]), code[1]) if code else None
        self._set_cursor(at)
        if hovered != self._view.hovered or self._code is not None or self._copied:
            self._copied = self._copied and self._code is not None
            self._view.hovered = hovered
            self._view.viewport().update()
            self._view.moved.emit()

    def _drag(self, at: QPointF) -> None:
        if not self._dragging and self._pressed is not None:
            self._dragging = (at - self._pressed).manhattanLength() >= _DRAG_PX
        place = self._place(at) if self._dragging else None
        if place is not None:
            self._view.selection.head = place
            height = self._view.viewport().height()
            if at.y() < 0 or at.y() > height:
                self._view.scroll_by(at.y() if at.y() < 0 else at.y() - height)
            self._view.viewport().update()

    def release(self, event: QMouseEvent) -> None:
        at = event.position()
        clicked = self._pressed is not None and not self._dragging and event.button() == Qt.MouseButton.LeftButton
        self._pressed = None
        if not clicked:
            self._keep_primary()
            return
        under = self._under(at)
        if self._code is not None and self._copy_box(self._code[0]).contains(at):
            QGuiApplication.clipboard().setText(self._code[1])
            self._copied = True
            self._view.viewport().update()
        elif under is not None and (link := under[0].link_at(at.x(), at.y() - under[1])):
            self._view.link_clicked.emit(link)
        elif under is not None and under[0].fold_at(at.y() - under[1]) and under[0].row is not None:
            self._view.whole_wanted.emit(under[0].row.key)

    def double_click(self, event: QMouseEvent) -> None:
        place = self._place(event.position())
        if place is None:
            return
        layout = self._view.layout_of(self._view.stack.index[place[0]])
        start, end = layout.word_at(place[1])
        self._view.selection.anchor, self._view.selection.head = (place[0], start), (place[0], end)
        self._dragging = True
        self._keep_primary()
        self._view.viewport().update()

    def leave(self) -> None:
        self._code = None
        self._copied = False
        if self._view.hovered is not None:
            self._view.hovered = None
            self._view.moved.emit()
        self._view.viewport().update()

    def tool_tip(self, event: QEvent) -> None:
        at = QPointF(event.pos())
        under = self._under(at)
        text = ""
        if under is not None and under[0].row is not None:
            y = at.y() - under[1]
            text = under[0].link_at(at.x(), y)
            left, _ = self._view.look.column(self._view.viewport().width())
            if not text and (at.x() < left or y < under[0].text_top):
                # The time of a message is told at its head and beside it: over the text it would hide what is read.
                text = under[0].row.when
        # A tool tip that looks like HTML would be shown as such.
        QToolTip.showText(event.globalPos(), text.replace("<", "‹"), self._view.viewport())

    def _keep_primary(self) -> None:
        clipboard = QGuiApplication.clipboard()
        text = self._view.selected_text() if clipboard.supportsSelection() else ""
        if text:
            clipboard.setText(text, clipboard.Mode.Selection)

    def _set_cursor(self, at: QPointF) -> None:
        under = self._under(at)
        shape = Qt.CursorShape.ArrowCursor
        if under is not None:
            y = at.y() - under[1]
            copy = self._code is not None and self._copy_box(self._code[0]).contains(at)
            if copy or under[0].link_at(at.x(), y) or under[0].fold_at(y):
                shape = Qt.CursorShape.PointingHandCursor
            elif under[0].pieces and y >= under[0].text_top:
                shape = Qt.CursorShape.IBeamCursor
        self._view.viewport().setCursor(shape)

    # ---- the copy button of a block of code

    def _copy_box(self, code: QRectF) -> QRectF:
        width = self._view.look.theme.px(64)
        return QRectF(code.right() - width - 6, code.top() + 6, width, self._view.look.theme.px(22))

    def paint(self, painter: QPainter) -> None:
        """Paint the copy button of the block of code under the mouse."""
        if self._code is None:
            return
        theme = self._view.look.theme
        box = self._copy_box(self._code[0])
        painter.setBrush(theme.color("background_1"))
        painter.setPen(theme.color("line_strong"))
        painter.drawRoundedRect(box, 6, 6)
        painter.setPen(theme.color("text_2"))
        painter.setFont(self._view.look.small)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, tr("Copied") if self._copied else tr("Copy"))
