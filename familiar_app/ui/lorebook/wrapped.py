"""Lists whose rows are as high as their wrapped texts."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtWidgets import QListView, QStyledItemDelegate, QStyleOptionViewItem

PADDING = 24
"""What the style sheet keeps free beside a text, and a little more."""


class WrappedRows(QStyledItemDelegate):
    """Measures rows by the width in which they are painted.

    Qt takes the scroll bar and the padding for room of the text, so that the ends of some rows would be cut off.
    """

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        if not self._view.wordWrap():
            return super().sizeHint(option, index)
        narrower = QStyleOptionViewItem(option)
        narrower.rect.setWidth(self._view.viewport().width() - PADDING)
        return super().sizeHint(narrower, index)


def wrap_rows(view: QListView) -> None:
    """Let the rows of a list wrap, also after it gets another width, instead of scrolling sideways."""
    view.setItemDelegate(WrappedRows(view))
    view.setWordWrap(True)
    view.setResizeMode(QListView.ResizeMode.Adjust)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
