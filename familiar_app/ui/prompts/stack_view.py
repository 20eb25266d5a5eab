"""The layers as a list: mark and name, a bar of how full the budget of each is, and its tokens."""

from __future__ import annotations

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QListView, QSizePolicy

from familiar_app.domain.text import tr
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.prompts.stack import Stack
from familiar_app.ui.prompts.stack_paint import HEIGHT, ROW, StackDelegate, StackHead
from familiar_app.ui.prompts.stack_shape import StackShape

_Index = QModelIndex | QPersistentModelIndex
_NOTHING = QModelIndex()
MOST_ROWS = 12


class StackRows(QAbstractListModel):
    """The rows of a `Stack` as Qt lists them."""

    def __init__(self) -> None:
        super().__init__()
        self.stack = Stack()

    def fill(self, stack: Stack) -> None:
        """Show another stack."""
        self.beginResetModel()
        self.stack = stack
        self.endResetModel()

    def rowCount(self, parent: _Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self.stack.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or not 0 <= index.row() < len(self.stack.rows):
            return None
        row = self.stack.rows[index.row()]
        if role == ROW:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row.spoken
        return row.spoken if role == Qt.ItemDataRole.ToolTipRole else None

    def name_at(self, row: int) -> str:
        """Return the layer of a row, "" where there is none."""
        return self.stack.rows[row].name if 0 <= row < len(self.stack.rows) else ""

    def row_of(self, name: str) -> int:
        """Return the row of a layer, -1 where it is not in the stack."""
        return next((at for at, row in enumerate(self.stack.rows) if row.name == name), -1)


class StackView(QListView):
    """Sends `chosen` with a layer, `fold_wanted` for Space and a double click. `head` is to stand above it."""

    chosen = Signal(str)
    fold_wanted = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme, self._quiet = theme, False
        self.rows = StackRows()
        self.rows.setParent(self)
        self.setModel(self.rows)
        self.shape_of_rows = StackShape(theme)
        self.shape_of_rows.measure([])
        self._delegate = StackDelegate(theme, self.shape_of_rows)
        self.head = StackHead(self, theme, self.shape_of_rows)
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
        self._measure()
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.head.update()

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

    def _measure(self) -> None:
        self.shape_of_rows.measure(self.rows.stack.rows)
        self.head.update()

    def _restyle(self) -> None:
        self._measure()
        self.scheduleDelayedItemsLayout()
        self.updateGeometry()
