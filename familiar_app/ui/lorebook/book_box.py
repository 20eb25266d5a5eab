"""Chooses which lorebook is shown, in the head of the panel."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSize

from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.lorebook.books import Books
from familiar_app.ui.lorebook.control import ChoiceBox
from familiar_app.ui.lorebook.tip import plain_tip

NEW = tr_later("Make a new one…")
WIDEST = 34


class BookBox(ChoiceBox):
    """Lists the books; the last line makes a new one."""

    def __init__(self, books: Books, path: Callable[[], Path], make: Callable[[], object]) -> None:
        super().__init__()
        self._books, self._path, self._make = books, path, make
        self.setAccessibleName(tr("Lorebook"))
        self.activated.connect(self._chosen)
        self.refresh()

    def refresh(self) -> None:
        """List the books that are there now."""
        self.blockSignals(True)
        self.clear()
        for book in self._books.books:
            title = self._books.title(book)
            self.addItem(title if len(title) <= WIDEST else f"{title[: WIDEST - 1]}…", book.path)
        self.insertSeparator(self.count())
        self.addItem(tr(NEW))
        self.blockSignals(False)
        self.show_own()

    def sizeHint(self) -> QSize:
        """As wide as the name of the book that is shown."""
        hint = super().sizeHint()
        hint.setWidth(self.fontMetrics().horizontalAdvance(f"{self.currentText()}  ") + 2 * hint.height())
        return hint

    def minimumSizeHint(self) -> QSize:
        return QSize(3 * self.sizeHint().height(), self.sizeHint().height())

    def show_own(self) -> None:
        """Show the book of the view that this box stands in."""
        at = next((number for number, one in enumerate(self._books.books) if one.path == self._path()), 0)
        self.setCurrentIndex(at)
        self.setToolTip(plain_tip(self._books.title(self._books.books[at])))
        self.updateGeometry()

    def _chosen(self, number: int) -> None:
        books = self._books.books
        if number < len(books):
            self._books.show(books[number].path)
        else:
            self._make()
        self.show_own()
