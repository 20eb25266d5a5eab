"""The lorebooks of one familiar, one view for each, made when it is first shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtWidgets import QStackedWidget

from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.lorebook.books import Books
from familiar_app.ui.lorebook.view import LorebookView


class BookViews(QStackedWidget):
    """Shows the view of the book that `books` shows. `make` builds one for a file."""

    def __init__(self, books: Books, context: PanelContext, make: Callable[[Path], LorebookView]) -> None:
        super().__init__()
        self.books, self._make = books, make
        self._views: dict[Path, LorebookView] = {}
        self._begun = False
        self.tasks = Tasks(context.tasks, self, lambda error, again: self.current.notice.show_error(error, again))
        books.watch(self._heard)
        self._show()

    @property
    def current(self) -> LorebookView:
        """The view that is shown."""
        return self.currentWidget()

    def __iter__(self) -> Iterator[LorebookView]:
        return iter(list(self._views.values()))

    def load(self) -> None:
        """Read the book that is shown, and look which others there are."""
        self._begun = True
        self.current.load()
        self.look()

    def look(self) -> None:
        """Look which books there are now."""
        self.tasks.start(self.books.read, name="lorebook.books")

    def open_entry(self, path: Path, number: int) -> None:
        """Show an entry of a book by its place in the file."""
        self.books.show(path)
        self.current.choosing.place(number)

    def show_book(self, name: str) -> None:
        """Show a book by its name, as traces have it: where names are shared, the file is told too."""
        for one in self.books.books:
            if name == one.name or (name.startswith(f"{one.name} (") and name.endswith(f": {one.path.stem})")):
                self.books.show(one.path)
                return

    def _heard(self, _what: str) -> None:
        self._show()
        for view in self:
            view.head.box.refresh()

    def _show(self) -> None:
        self._follow_files()
        path = self.books.shown
        if path not in self._views:
            view = self._views[path] = self._make(path)
            view.library.open_entry, view.library.lasting = self.open_entry, self.tasks
            self.addWidget(view)
            if self._begun:
                view.load()
        self.setCurrentWidget(self._views[path])

    def _follow_files(self) -> None:
        """Keep the views of files that were moved, and drop those of files that are gone."""
        self._views = {view.model.file.path: view for view in self}
        for path, view in list(self._views.items()):
            if path != self.books.own and path != self.books.shown and not path.exists():
                del self._views[path]
                view.work.let_go()
                self.removeWidget(view)
                view.deleteLater()
