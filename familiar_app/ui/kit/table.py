"""The look and the keys of every table: whole rows, no grid, figures of equal width, quick at a million rows."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from familiar_app.domain.text import tr
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.theme import Theme

_AROUND_TEXT = 24


class Table(QTableView):
    """A table of rows. Return or a double click opens the row, Ctrl+C copies what `copy_text` makes of the selection.

    The last column takes the free width.
    """

    opened = Signal(QModelIndex)
    current_changed = Signal(QModelIndex)

    def __init__(self, theme: Theme, name: str, *, copy: Callable[[], object] | None = None) -> None:
        super().__init__()
        self._theme, self._copy = theme, copy
        self.setAccessibleName(name)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.horizontalHeader().setAccessibleName(tr("Columns of {name}", name=name))
        self.verticalHeader().setAccessibleName(tr("Rows of {name}", name=name))
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setStretchLastSection(True)
        self.setCornerButtonEnabled(False)
        self.doubleClicked.connect(self.opened)
        self._refresh()
        follow(theme, self, self._refresh)

    def text_width(self, text: str, *, bold: bool = False) -> int:
        """Return how wide a column has to be to show a text in full."""
        figures = QFontMetrics(self._theme.font("table", bold=bold))
        return figures.horizontalAdvance(text) + self._theme.px(_AROUND_TEXT)

    def title_width(self, column: int) -> int:
        """Return how wide a column has to be to show its title in full."""
        title = self.model().headerData(column, Qt.Orientation.Horizontal)
        return self.text_width(str(title), bold=True)

    def currentChanged(self, current: QModelIndex, previous: QModelIndex) -> None:
        super().currentChanged(current, previous)
        self.current_changed.emit(current)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit(self.currentIndex())
        elif event.matches(QKeySequence.StandardKey.Copy) and self._copy is not None:
            self._copy()
        else:
            super().keyPressEvent(event)

    def _refresh(self) -> None:
        self.setFont(self._theme.font("table"))
        self.verticalHeader().setDefaultSectionSize(self._theme.px(26))
