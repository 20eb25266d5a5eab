"""A layout that puts its items in rows and begins a new row where the next one does not fit (chips, tags)."""

from __future__ import annotations

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

LEAST_WIDTH = 120


class FlowLayout(QLayout):
    """Rows of items, right to left where the window's text is.

    With `fill`, the last item takes the rest of its row, and items shrink rather than widen what they stand in.
    """

    def __init__(self, parent: QWidget | None = None, *, spacing: int = 8, fill: bool = False) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap, self._fill = spacing, fill
        self.setContentsMargins(QMargins(0, 0, 0, 0))

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def insert_before_last(self, widget: QWidget) -> None:
        """Put a widget in front of the last one."""
        self.addWidget(widget)
        self._items.insert(len(self._items) - 2, self._items.pop())
        self.invalidate()

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            size = size.expandedTo(QSize(self._least_width(item), item.minimumSize().height()))
        margins = self.contentsMargins()
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def _least_width(self, item: QLayoutItem) -> int:
        width = item.minimumSize().width()
        return min(width, LEAST_WIDTH) if self._fill else width

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        inner = rect.marginsRemoved(self.contentsMargins())
        x, y, row_height = inner.x(), inner.y(), 0
        backwards = self.parentWidget() is not None and self.parentWidget().layoutDirection() == Qt.RightToLeft
        shown = [item for item in self._items if not item.isEmpty()]
        for item in shown:
            size = item.sizeHint().boundedTo(QSize(max(inner.width(), self._least_width(item)), 1 << 20))
            if x + size.width() > inner.right() + 1 and row_height:
                x, y, row_height = inner.x(), y + row_height + self._gap, 0
            if self._fill and item is shown[-1]:
                size.setWidth(max(size.width(), inner.right() + 1 - x))
            if move:
                left = inner.right() + 1 - (x - inner.x()) - size.width() if backwards else x
                item.setGeometry(QRect(QPoint(left, y), size))
            x += size.width() + self._gap
            row_height = max(row_height, size.height())
        return y + row_height - rect.y() + self.contentsMargins().bottom()
