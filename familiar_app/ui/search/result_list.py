"""The result list: painted rows under headings that stay out of the arrow keys' way."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPainter, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from familiar_app.domain.text import tr
from familiar_app.ui.kit.icon import follow, pixmap
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.search.found import Spans
from familiar_app.ui.search.listing import Row, first_choice

_Index = QModelIndex | QPersistentModelIndex
_NOTHING = QModelIndex()
ROW = Qt.ItemDataRole.UserRole
_ICONS = {
    "person": "people",
    "turn": "chat",
    "fact": "timeline",
    "memory": "memories",
    "reflection": "reflections",
    "lore": "lorebook",
    "prompt": "prompts",
}


class ResultRows(QAbstractListModel):
    """The rows as Qt sees them."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: Sequence[Row] = ()

    def fill(self, rows: Sequence[Row]) -> None:
        """Take other rows."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: _Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or not 0 <= index.row() < len(self.rows):
            return None
        row = self.rows[index.row()]
        if role == ROW:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row.spoken
        return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        enabled = Qt.ItemFlag.ItemIsEnabled
        return enabled if self.rows[index.row()].sort == "heading" else enabled | Qt.ItemFlag.ItemIsSelectable


class ResultDelegate(QStyledItemDelegate):
    """Paints whose it is, where and when above, and the text with the words strong below."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, index: _Index) -> QSize:
        row: Row | None = index.data(ROW)
        heights = {"heading": 38, "more": 30, "found": 52}
        return QSize(200, self._theme.px(heights[row.sort] if row is not None else 30))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row: Row | None = index.data(ROW)
        if row is None:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = option.rect.adjusted(8, 1, -8, -1)
        if row.sort == "heading":
            self._heading(painter, box, row)
        else:
            self._ground(painter, option, box)
            (self._found if row.found is not None else self._more)(painter, box.adjusted(12, 4, -12, -4), row)
        painter.restore()

    def _ground(self, painter: QPainter, option: QStyleOptionViewItem, box: QRect) -> None:
        states = QStyle.StateFlag
        chosen = option.state & states.State_Selected
        if chosen or option.state & states.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.color("selected" if chosen else "background_3"))
            painter.drawRoundedRect(box, 6, 6)
        if chosen and option.state & states.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(self._theme.color("accent"))
            painter.drawRoundedRect(box, 6, 6)

    def _heading(self, painter: QPainter, box: QRect, row: Row) -> None:
        side = self._theme.px(16)
        room = box.adjusted(12, self._theme.px(10), -12, 0)
        picture = pixmap(self._theme, _ICONS[row.kind], "text_2", side=16, scale=painter.device().devicePixelRatioF())
        painter.drawPixmap(QRect(room.x(), room.center().y() - side // 2 + 1, side, side), picture)
        painter.setFont(self._theme.font("small", bold=True))
        painter.setPen(self._theme.color("text_2"))
        painter.drawText(room.adjusted(side + 8, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, row.text)

    def _more(self, painter: QPainter, box: QRect, row: Row) -> None:
        painter.setFont(self._theme.font())
        painter.setPen(self._theme.color("accent"))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, row.text)

    def _found(self, painter: QPainter, box: QRect, row: Row) -> None:
        one = row.found
        half = box.height() // 2
        upper = QRect(box.x(), box.y(), box.width(), half)
        right = " · ".join(part for part in (one.note, one.place, row.time) if part)
        painter.setFont(self._theme.font("small"))
        metrics = painter.fontMetrics()
        shown = metrics.elidedText(right, Qt.TextElideMode.ElideMiddle, upper.width() // 2)
        painter.setPen(self._theme.color("text_3"))
        painter.drawText(upper, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, shown)
        upper.setRight(upper.right() - metrics.horizontalAdvance(shown) - 12)
        self._line(painter, upper, one.title, one.title_spans, strong=True)
        self._line(painter, QRect(box.x(), box.y() + half, box.width(), half), one.text, one.text_spans, strong=False)

    def _line(self, painter: QPainter, box: QRect, text: str, spans: Spans, *, strong: bool) -> None:
        """Draw one line of text, elided, with marked words; shaped as a whole, whatever the script."""
        font = self._theme.font("body", bold=strong)
        painter.setFont(font)
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, box.width() - 24)
        layout = QTextLayout(shown, font)
        plain, marked = QTextCharFormat(), QTextCharFormat()
        plain.setForeground(self._theme.color("text_1" if strong else "text_2"))
        marked.setForeground(self._theme.color("text_1"))
        marked.setFontWeight(QFont.Weight.Bold)
        marked.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        marked.setUnderlineColor(self._theme.color("accent"))
        ranges = [_range(0, len(shown), plain)]
        ranges += [_range(start, end - start, marked) for start, end in spans if end <= len(shown)]
        layout.setFormats(ranges)
        layout.beginLayout()
        line = layout.createLine()
        line.setNumColumns(len(shown))
        layout.endLayout()
        layout.draw(painter, QPointF(box.x(), box.y() + (box.height() - line.height()) / 2))


class ResultList(QListView):
    """Sends `opened` with the chosen row. `left_above` tells that an arrow key went beyond the first row."""

    opened = Signal(object)
    left_above = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.model_rows = ResultRows()
        self.model_rows.setParent(self)
        self.setModel(self.model_rows)
        self._delegate = ResultDelegate(theme)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName(tr("What was found"))
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.clicked.connect(self._open)
        follow(theme, self, self.scheduleDelayedItemsLayout)

    def fill(self, rows: Sequence[Row], *, keep: bool) -> None:
        """Show other rows. With `keep`, what was chosen stays chosen and what is read stays where it is."""
        chosen = self.chosen if keep else None
        bar = self.verticalScrollBar()
        place = bar.value() if keep else 0
        before = chosen.found if chosen is not None else None
        self.model_rows.fill(rows)
        number = first_choice(rows, before)
        self.setCurrentIndex(self.model_rows.index(number) if number >= 0 else QModelIndex())
        # Before they are laid out there is nothing to scroll.
        self.doItemsLayout()
        bar.setValue(place)

    @property
    def chosen(self) -> Row | None:
        """The row that is chosen."""
        return self.currentIndex().data(ROW) if self.currentIndex().isValid() else None

    def step(self, direction: int) -> bool:
        """Choose the next row that can be chosen; False where there is none."""
        number = self.currentIndex().row() + direction
        while 0 <= number < len(self.model_rows.rows) and self.model_rows.rows[number].sort == "heading":
            number += direction
        if not 0 <= number < len(self.model_rows.rows):
            return False
        self.setCurrentIndex(self.model_rows.index(number))
        return True

    def open_chosen(self) -> None:
        """Go to what is chosen."""
        self._open(self.currentIndex())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.open_chosen()
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            moved = self.step(1 if event.key() == Qt.Key.Key_Down else -1)
            if not moved and event.key() == Qt.Key.Key_Up:
                self.scrollToTop()
                self.left_above.emit()
        else:
            super().keyPressEvent(event)

    def _open(self, index: QModelIndex) -> None:
        row = index.data(ROW) if index.isValid() else None
        if row is not None and row.sort != "heading":
            self.opened.emit(row)


def _range(start: int, length: int, form: QTextCharFormat) -> QTextLayout.FormatRange:
    made = QTextLayout.FormatRange()
    made.start, made.length, made.format = start, length, form
    return made
