"""The layers as a stack: hue and name, a bar of what each took of its budget, and its cost in words."""

from __future__ import annotations

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QListView, QSizePolicy, QStyledItemDelegate, QStyleOptionViewItem

from familiar_app.domain.text import number, tr
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.prompts.list_view import paint_ground
from familiar_app.ui.prompts.stack import Stack, StackRow

_Index = QModelIndex | QPersistentModelIndex
_NOTHING = QModelIndex()
ROW = Qt.ItemDataRole.UserRole
HEIGHT = 26
MOST_ROWS = 11
NARROW = 320
"""Below this width (at 100 %) a row has room for name and tokens alone."""


class StackRows(QAbstractListModel):
    """The rows of a `Stack` as Qt lists them."""

    def __init__(self) -> None:
        super().__init__()
        self._stack = Stack()

    def fill(self, stack: Stack) -> None:
        """Show another stack."""
        self.beginResetModel()
        self._stack = stack
        self.endResetModel()

    def rowCount(self, parent: _Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self._stack.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or not 0 <= index.row() < len(self._stack.rows):
            return None
        row = self._stack.rows[index.row()]
        if role == ROW:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row.spoken
        return row.spoken if role == Qt.ItemDataRole.ToolTipRole else None

    def name_at(self, row: int) -> str:
        """Return the layer of a row, "" where there is none."""
        return self._stack.rows[row].name if 0 <= row < len(self._stack.rows) else ""

    def row_of(self, name: str) -> int:
        """Return the row of a layer, -1 where it is not in the stack."""
        return next((at for at, row in enumerate(self._stack.rows) if row.name == name), -1)


class StackDelegate(QStyledItemDelegate):
    """Paints one layer on one line."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:
        return QSize(240, self._theme.px(HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row = index.data(ROW)
        if row is None:
            return
        theme, box = self._theme, option.rect.adjusted(4, 0, -4, 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_ground(theme, painter, option, box)
        inner = box.adjusted(8, 0, -8, 0)
        side = theme.px(10)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.subject(row.hue) if row.tokens else theme.color("background_3"))
        painter.drawRoundedRect(QRect(inner.left(), inner.center().y() - side // 2, side, side), 2, 2)
        narrow = inner.width() < theme.px(NARROW)
        name_share, bar_share = (0.62, 0.0) if narrow else (0.42, 0.14)
        name = QRect(inner).adjusted(side + 8, 0, 0, 0)
        name.setRight(inner.left() + round(inner.width() * name_share))
        painter.setFont(theme.font("body"))
        painter.setPen(theme.color("text_1" if row.tokens else "text_3"))
        self._text(painter, name, row.title)
        told = QRect(inner)
        told.setLeft(name.right() + round(inner.width() * bar_share) + 8)
        painter.setFont(theme.font("small"))
        painter.setPen(theme.color("warning" if row.left_out else "text_2"))
        self._text(painter, told, number(row.tokens) if narrow else row.summary, right=True)
        if not narrow:
            width = inner.width() * bar_share - 8
            self._bar(painter, QRectF(name.right() + 8, inner.center().y() - 2, width, 5), row)
        painter.restore()

    def _bar(self, painter: QPainter, box: QRectF, row: StackRow) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("background_3"))
        painter.drawRoundedRect(box, 2, 2)
        share = row.fill if row.fill is not None else row.share
        if share:
            painter.setBrush(self._theme.subject(row.hue))
            painter.drawRoundedRect(QRectF(box.left(), box.top(), max(2.0, box.width() * share), box.height()), 2, 2)

    def _text(self, painter: QPainter, box: QRect, text: str, *, right: bool = False) -> None:
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, side | Qt.AlignmentFlag.AlignVCenter, shown)


class StackView(QListView):
    """Sends `chosen` with a layer, `fold_wanted` for Space and a double click."""

    chosen = Signal(str)
    fold_wanted = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme, self._quiet = theme, False
        self.rows = StackRows()
        self.rows.setParent(self)
        self.setModel(self.rows)
        self._delegate = StackDelegate(theme)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName(tr("Layers of the prompt"))
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.selectionModel().currentChanged.connect(self._moved)
        self.doubleClicked.connect(lambda index: self.fold_wanted.emit(self.rows.name_at(index.row())))
        follow(theme, self, self._restyle)

    def show_stack(self, stack: Stack, layer: str) -> None:
        """Show another stack with a layer chosen."""
        self._quiet = True
        self.rows.fill(stack)
        self._quiet = False
        self.select(layer)
        self.updateGeometry()

    def select(self, layer: str) -> None:
        """Choose a layer without telling of it."""
        row = self.rows.row_of(layer)
        if row >= 0 and row != self.currentIndex().row():
            self._quiet = True
            self.setCurrentIndex(self.rows.index(row))
            self._quiet = False

    def sizeHint(self) -> QSize:
        count = min(MOST_ROWS, max(1, self.rows.rowCount()))
        return QSize(280, count * self._theme.px(HEIGHT) + 8)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 2 * self._theme.px(HEIGHT))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        name = self.rows.name_at(self.currentIndex().row())
        if event.key() == Qt.Key.Key_Space and name:
            self.fold_wanted.emit(name)
        else:
            super().keyPressEvent(event)

    def _moved(self, now: QModelIndex, _before: QModelIndex) -> None:
        name = self.rows.name_at(now.row())
        if name and not self._quiet:
            self.chosen.emit(name)

    def _restyle(self) -> None:
        self.scheduleDelayedItemsLayout()
        self.updateGeometry()
