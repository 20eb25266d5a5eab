"""Shows the rows of a transcript: paints only what is visible and keeps what is being read where it is.

Rows come from the view-model; the widgets that stand inside them are in `row_embeds`, their layouts in `row_heights`.
Overrides of Qt never raise.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.chat.look import Look
from familiar_app.ui.chat.pointer import Pointer
from familiar_app.ui.chat.row import Row, RowKey
from familiar_app.ui.chat.row_embeds import RowEmbeds
from familiar_app.ui.chat.row_heights import RowHeights
from familiar_app.ui.chat.row_layout import RowLayout
from familiar_app.ui.chat.row_painter import RowPainter
from familiar_app.ui.chat.selection import Selection
from familiar_app.ui.chat.stack import Stack

NEAR_ROWS = 12


class TranscriptView(QAbstractScrollArea):
    """The rows of the open channel. `current` is the row that keys and the row's buttons speak of."""

    near_top = Signal()
    near_bottom = Signal()
    moved = Signal()
    link_clicked = Signal(str)
    menu_wanted = Signal(object, object)
    whole_wanted = Signal(object)
    current_changed = Signal(object)
    deed = Signal(str, object)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.look = look
        self.rows: list[Row] = []
        self.selection = Selection()
        self.hits = ""
        self.current: RowKey | None = None
        self.hovered: RowKey | None = None
        self.stack = Stack(self._height)
        self._heights = RowHeights(look)
        self._embeds = RowEmbeds(self.viewport())
        self._pointer = Pointer(self)
        self._told = QTimer(self)
        self._told.setSingleShot(True)
        self._told.timeout.connect(self._tell)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Conversation"))
        self.setAccessibleDescription(tr("Up and Down go from message to message."))
        self.viewport().setMouseTracking(True)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.setMinimumSize(200, 120)

    # ---- contents

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Show other rows; what is being read stays where it is."""
        self.rows = list(rows)
        self.stack.set_keys([row.key for row in rows])
        if self.current not in self.stack.index:
            self.current = None
        self._embeds.keep_only(self.stack.index)
        self.refresh()

    def update_last(self, row: Row) -> None:
        """Show the last row's newer state and touch no other."""
        if self.rows and self.rows[-1].key == row.key:
            self.rows[-1] = row
            self.refresh()

    def set_look(self, look: Look) -> None:
        """Lay out everything anew under another theme or zoom."""
        self.look = self._heights.look = look
        self._heights.clear()
        self.refresh()

    def set_embed(self, key: RowKey, widget: QWidget | None, *, replaced: bool = False) -> None:
        """Put a widget below a row's text, or in its place; see `RowEmbeds.put`."""
        self._embeds.put(key, widget, replaced=replaced)
        self.refresh()

    def embed(self, key: RowKey) -> QWidget | None:
        """Return the widget that stands in a row."""
        return self._embeds.at(key)

    def clear_rows(self) -> None:
        """Forget everything, to begin anew with another channel."""
        self._embeds.keep_only(())
        self._heights.clear()
        self.selection.clear()
        self.current = self.hovered = None
        self.stack.shown, self.stack.anchor, self.stack.keys = [], None, []

    def layout_of(self, number: int) -> RowLayout:
        """Return the laid-out row of a number."""
        row, width = self.rows[number], self.viewport().width()
        found = self._heights.layout(row.key)
        embed_px = self._embeds.height_px(row.key, self.look.column(width)[1])
        found.update(row, width, embed_px=embed_px, replaced=self._embeds.replaces(row.key))
        return found

    def _height(self, number: int) -> float:
        return self.layout_of(number).height

    # ---- places

    def refresh(self) -> None:
        """Place and paint everything anew."""
        self.stack.viewport_px = self.viewport().height()
        self.stack.place()
        self._place_embeds()
        self.viewport().update()
        if not self._told.isActive():
            self._told.start(0)

    def _place_embeds(self) -> None:
        tops = {self.stack.keys[number]: (number, top) for number, top, _ in self.stack.shown}
        left, width = self.look.column(self.viewport().width())

        def box_of(key: RowKey) -> QRect | None:
            if key not in tops:
                return None
            number, top = tops[key]
            layout = self.layout_of(number)
            below = 0.0 if layout.replaced or not layout.pieces else max(layout.text_px, self.look.line_px)
            return QRect(int(left), int(top + layout.text_top + below), int(width), int(layout.embed_px))

        self._embeds.place(box_of)

    def _tell(self) -> None:
        self.moved.emit()
        shown = self.stack.shown
        if not shown:
            return
        if shown[0][0] <= NEAR_ROWS:
            self.near_top.emit()
        if shown[-1][0] >= len(self.rows) - 1 - NEAR_ROWS:
            self.near_bottom.emit()

    def scroll_by(self, pixels: float) -> None:
        """Move on (down for a positive number)."""
        self.stack.viewport_px = self.viewport().height()
        self.stack.scroll(pixels)
        self.refresh()

    def follow_end(self) -> None:
        """Show the end and stay there while text comes."""
        self.stack.following = True
        self.refresh()

    def show_row(self, key: RowKey, *, share: float = 0.25) -> None:
        """Bring a row into view and make it the current one."""
        self.stack.viewport_px = self.viewport().height()
        self.stack.show(key, share=share)
        self.refresh()

    def pixel_place(self) -> tuple[float, float]:
        """Return start and size of what is in view as shares of all held rows; heights not yet known are guessed."""
        total, start = 0.0, 0.0
        shown, width = self.stack.shown, self.viewport().width()
        for number, row in enumerate(self.rows):
            if shown and number == shown[0][0]:
                start = total - shown[0][1]
            total += self._heights.height(row, width)
        total = max(total, 1.0)
        return max(0.0, start / total), min(1.0, self.viewport().height() / total)

    def show_pixel_place(self, place: float) -> None:
        """Bring a share of the held rows to the upper edge."""
        heights = [self._heights.guess(row, self.viewport().width()) for row in self.rows]
        wanted = place * sum(heights)
        for number, height in enumerate(heights):
            if wanted < height:
                self.stack.following = False
                self.stack.anchor, self.stack.offset = self.rows[number].key, -min(wanted, height - 1)
                break
            wanted -= height
        self.refresh()

    # ---- the current row

    def set_current(self, key: RowKey | None, *, reveal: bool = True) -> None:
        """Make a row the one that keys speak of."""
        if key != self.current:
            self.current = key
            self.current_changed.emit(key)
        if key is not None and reveal:
            self.stack.reveal(key)
        self.refresh()

    def step_current(self, direction: int) -> None:
        """Go to the next or previous row that says something."""
        wanted = [number for number, row in enumerate(self.rows) if row.kind in ("turn", "live")]
        if not wanted:
            return
        if self.current in self.stack.index:
            here = self.stack.index[self.current]
        else:
            here = self.stack.shown[-1][0] + 1 if self.stack.shown else len(self.rows)
        later = [number for number in wanted if (number - here) * direction > 0]
        if later:
            self.set_current(self.rows[later[0] if direction > 0 else later[-1]].key)

    def row(self, key: RowKey | None) -> Row | None:
        """Return a row by its key."""
        return self.rows[self.stack.index[key]] if key is not None and key in self.stack.index else None

    def box_of(self, key: RowKey) -> QRectF | None:
        """Return where a row stands in the viewport, None where it is out of view."""
        for number, top, height in self.stack.shown:
            if self.stack.keys[number] == key:
                return QRectF(0, top, self.viewport().width(), height)
        return None

    def selected_text(self) -> str:
        """Return what is marked."""
        span = self.selection.ordered(self.stack.index)
        if span is None:
            return ""
        parts = []
        for number in range(span[0][0], span[1][0] + 1):
            layout = self.layout_of(number)
            within = self.selection.within(number, layout.end(), self.stack.index)
            if within and layout.pieces:
                parts.append(layout.text_between(*within))
        return "\n\n".join(parts)

    # ---- Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), self.look.theme.color("background_1"))
        clip = QRectF(event.rect())
        for number, top, height in self.stack.shown:
            if number >= len(self.rows) or top > clip.bottom() or top + height < clip.top():
                continue
            layout = self.layout_of(number)
            shown = RowPainter(painter, layout, top, clip)
            shown.paint(self.selection.within(number, layout.end(), self.stack.index), self.hits)
            if (self.hasFocus() or self.hits) and self.rows[number].key == self.current:
                shown.paint_frame(height)
        self._pointer.paint(painter)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.refresh()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
            return
        pixels = event.pixelDelta().y() or event.angleDelta().y() * self.look.line_px * 3 / 120
        self.scroll_by(-pixels)
        event.accept()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            self._pointer.tool_tip(event)
            return True
        if event.type() == QEvent.Type.Leave:
            self._pointer.leave()
        return super().viewportEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pointer.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pointer.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._pointer.double_click(event)

    def contextMenuEvent(self, event) -> None:
        found = self.stack.at(event.pos().y())
        key = self.current if event.reason() == event.Reason.Keyboard else self.rows[found[0]].key if found else None
        if key is not None:
            self.menu_wanted.emit(key, event.globalPos())

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self.current is None and event.reason() != Qt.FocusReason.MouseFocusReason:
            self.step_current(-1)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        # The tools of the current row go with the focus.
        self.current_changed.emit(self.current)
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = Qt.Key
        page = self.viewport().height() * 0.9
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        moves = {keys.Key_PageUp: -page, keys.Key_PageDown: page, keys.Key_Space: page}
        if plain and event.key() in (keys.Key_Up, keys.Key_Down):
            self.step_current(1 if event.key() == keys.Key_Down else -1)
        elif plain and event.key() in moves:
            self.scroll_by(moves[event.key()])
        elif event.key() in (keys.Key_Home, keys.Key_End):
            self.deed.emit("beginning" if event.key() == keys.Key_Home else "end", None)
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.deed.emit("copy", self.current)
        elif plain and event.key() == keys.Key_Delete and self.current is not None:
            self.deed.emit("remove", self.current)
        elif plain and event.key() in (keys.Key_Return, keys.Key_Enter, keys.Key_F2) and self.current is not None:
            self.deed.emit("edit", self.current)
        else:
            super().keyPressEvent(event)
