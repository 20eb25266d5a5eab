"""The kept prompts at the left: two lines each, painted when they are seen."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from familiar_app.domain.text import tr
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.prompts.listing import TraceLine, TraceList

_Index = QModelIndex | QPersistentModelIndex
_NOTHING = QModelIndex()
LINE = Qt.ItemDataRole.UserRole


class TraceRows(QAbstractListModel):
    """The list as Qt sees it: only the ids are there, a line is made when it is asked for."""

    def __init__(self, lines: TraceList) -> None:
        super().__init__()
        self._lines = lines
        self._ids: list[int] = []
        self._now: datetime | None = None

    def refresh(self, now: datetime) -> None:
        """Take the rows anew."""
        self.beginResetModel()
        self._ids, self._now = [one.id for one in self._lines.shown], now
        self.endResetModel()

    def rowCount(self, parent: _Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self._ids)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or not 0 <= index.row() < len(self._ids) or self._now is None:
            return None
        roles = Qt.ItemDataRole
        if role not in (roles.DisplayRole, roles.AccessibleTextRole, roles.ToolTipRole, LINE):
            return None
        line = self._lines.line(index.row(), self._now)
        return line if role == LINE else line.spoken

    def id_at(self, row: int) -> int | None:
        """Return the trace of a row."""
        return self._ids[row] if 0 <= row < len(self._ids) else None


class TraceDelegate(QStyledItemDelegate):
    """Paints place and time above, purpose, model and cost below."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:
        return QSize(160, self._theme.px(50))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        line = index.data(LINE)
        if line is None:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = option.rect.adjusted(4, 1, -4, -1)
        paint_ground(self._theme, painter, option, box)
        inner = box.adjusted(8, 4, -8, -4)
        half = inner.height() // 2
        upper = QRect(inner.left(), inner.top(), inner.width(), half)
        lower = QRect(inner.left(), inner.top() + half, inner.width(), half)
        self._pair(painter, upper, line.place, line.time, strong=True)
        self._lower(painter, lower, line)
        painter.restore()

    def _lower(self, painter: QPainter, box: QRect, line: TraceLine) -> None:
        self._pair(painter, box, line.about, line.short, mark=line.mark or "text_3")

    def _pair(
        self, painter: QPainter, box: QRect, left: str, right: str, *, strong: bool = False, mark: str = "text_3"
    ) -> None:
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(self._theme.font("small", bold=mark != "text_3"))
        width = painter.fontMetrics().horizontalAdvance(right)
        painter.setPen(self._theme.color(mark))
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | middle, right)
        painter.setFont(self._theme.font("body" if strong else "small", bold=strong))
        painter.setPen(self._theme.color("text_1" if strong else "text_2"))
        room = box.adjusted(0, 0, -(width + 8 if right else 0), 0)
        shown = painter.fontMetrics().elidedText(left, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | middle, shown)


def paint_ground(theme: Theme, painter: QPainter, option: QStyleOptionViewItem, box: QRect) -> None:
    """Paint what tells a row apart: chosen, under the mouse, with the focus."""
    states = QStyle.StateFlag
    painter.setPen(Qt.PenStyle.NoPen)
    if option.state & states.State_Selected:
        painter.setBrush(theme.color("selected"))
        painter.drawRoundedRect(box, 6, 6)
    elif option.state & states.State_MouseOver:
        painter.setBrush(theme.color("background_3"))
        painter.drawRoundedRect(box, 6, 6)
    if option.state & states.State_HasFocus:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(theme.color("accent"))
        painter.drawRoundedRect(box, 6, 6)


class TraceListView(QListView):
    """Sends `chosen` with the trace that is selected, `beside` with one to be compared with the open one."""

    chosen = Signal(int)
    beside = Signal(int)

    def __init__(self, theme: Theme, lines: TraceList) -> None:
        super().__init__()
        self._lines = lines
        self.rows = TraceRows(lines)
        self.rows.setParent(self)
        self.setModel(self.rows)
        self._delegate = TraceDelegate(theme)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName(tr("Kept prompts"))
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self._quiet = False
        self.selectionModel().currentChanged.connect(self._moved)
        follow(theme, self, self.scheduleDelayedItemsLayout)

    def show_rows(self, now: datetime, open_trace: int | None) -> None:
        """Take the rows anew, with the open prompt chosen where it is among them."""
        self._quiet = True
        self.rows.refresh(now)
        self.select(open_trace)
        self._quiet = False

    def select(self, trace: int | None) -> None:
        """Choose a trace without opening it."""
        row, before = self._lines.row_of(trace), self._quiet
        self._quiet = True
        if row >= 0 and row != self.currentIndex().row():
            self.setCurrentIndex(self.rows.index(row))
        self._quiet = before

    def current_trace(self) -> int | None:
        """Return the trace of the chosen row."""
        return self.rows.id_at(self.currentIndex().row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and (trace := self.current_trace()) is not None:
            shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            (self.beside if shift else self.chosen).emit(trace)
        else:
            super().keyPressEvent(event)

    def _moved(self, now: QModelIndex, _before: QModelIndex) -> None:
        trace = self.rows.id_at(now.row())
        if trace is not None and not self._quiet:
            self.chosen.emit(trace)
