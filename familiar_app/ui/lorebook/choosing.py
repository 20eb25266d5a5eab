"""Which entry is shown when something leads to one: the tester, the budget, another panel, a trace."""

from __future__ import annotations

from familiar_app.ui.kit.field import SearchField
from familiar_app.ui.lorebook.merge import Uid
from familiar_app.ui.lorebook.model import LorebookModel


class Choosing:
    """Chooses entries of one book. What is asked for before the book was read is kept, and chosen by `read`."""

    def __init__(self, model: LorebookModel, search: SearchField) -> None:
        self._model, self._search = model, search
        self._wanted: int | str | None = None

    def read(self) -> None:
        """The file was read: choose what is wanted, else the first entry."""
        model = self._model
        if isinstance(self._wanted, str):
            self.named(self._wanted)
        elif self._wanted is not None:
            self.place(self._wanted)
        if model.current is None and model.rows():
            model.select([model.rows()[0].uid])

    def entry(self, uid: Uid) -> None:
        """Show an entry; where the filter hides it, the filter goes."""
        if self._model.entry(uid) is None:
            return
        if all(one.uid != uid for one in self._model.rows()):
            self.show_all()
        self._model.select([uid], uid)

    def named(self, uid: str) -> None:
        """Show an entry by the id it has in the file; once the file was read."""
        self._wanted = uid
        model = self._model
        if model.loaded:
            self._wanted = None
            found = [one.uid for one in model.book.entries if str(model.file_uid(one.uid)) == uid]
            if found:
                self.entry(found[0])

    def place(self, number: int) -> None:
        """Show an entry by its place in the file, from 0; once the file was read."""
        self._wanted = number
        entries = self._model.book.entries
        if self._model.loaded:
            self._wanted = None
            if number < len(entries):
                self.entry(entries[number].uid)

    def show_all(self) -> None:
        """Take back what narrows the table down."""
        self._search.clear()
        self._model.narrow("all")
