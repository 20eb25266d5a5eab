"""The head of the lorebook panel: which book, how many entries, what can be done with them, the search."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu, QToolButton

from familiar_app.domain.text import ntr, tr, tr_later
from familiar_app.ui.kit.button import button, icon_button
from familiar_app.ui.kit.field import SearchField
from familiar_app.ui.kit.header import PanelHeader
from familiar_app.ui.kit.label import label
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.lorebook.book_box import BookBox
from familiar_app.ui.lorebook.books import Books
from familiar_app.ui.lorebook.model import LorebookModel

BUTTONS = (
    ("add", "plus", tr_later("Add an entry"), "Ctrl+N"),
    ("duplicate", "copy", tr_later("Duplicate"), "Ctrl+D"),
    ("delete", "trash", tr_later("Delete"), "Del"),
    ("undo", "undo", tr_later("Undo"), "Ctrl+Z"),
    ("redo", "redo", tr_later("Redo"), "Ctrl+Shift+Z"),
    ("replace", "edit", tr_later("Search and replace…"), "Ctrl+H"),
    ("import", "folder", tr_later("Import a lorebook…"), ""),
    ("export", "save", tr_later("Export…"), ""),
)


MARGINS = 52
LEAVE_FIRST = ("export", "import", "duplicate", "replace", "redo", "undo", "delete")
"""The buttons that go into the menu, one after another, where the head is narrow."""


class Head(PanelHeader):
    """`do` runs a deed of the view by its word."""

    def __init__(self, theme: Theme, model: LorebookModel, books: Books, do: Callable[[str], object]) -> None:
        super().__init__(theme, tr("Lorebook"))
        self._model = model
        self.box = BookBox(books, lambda: model.file.path, lambda: do("make"))
        self.about = icon_button(theme, "settings", tr("About this lorebook"), lambda: do("about"))
        self.count = label("", "faint")
        self.elsewhere = button("", lambda: do("elsewhere"), role="link")
        self.elsewhere.hide()
        self.state = label("", "faint")
        for made in (self.box, self.about, self.count, self.elsewhere, self.state):
            self.add(made)
        self.buttons = {
            word: icon_button(theme, icon, tr(name), lambda word=word: do(word), shortcut=shortcut)
            for word, icon, name, shortcut in BUTTONS
        }
        self.search = SearchField(theme, tr("Search entries"))
        self.search.setMinimumWidth(theme.px(120))
        self.more = icon_button(theme, "more", tr("More that can be done"))
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more.setMenu(QMenu(self.more))
        self._items = {
            word: self.more.menu().addAction(tr(name), lambda word=word: do(word)) for word, _i, name, _k in BUTTONS
        }
        self.more.hide()
        for made in (*self.buttons.values(), self.more, self.search):
            self.add_end(made)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def fit(self) -> None:
        """Put the buttons that have no room into the menu, and leave the count out before that."""
        gap = self.layout().itemAt(0).layout().spacing()
        fixed = [self._title, self.box, self.about, self.search, *self.buttons.values()]
        fixed += [one for one in (self.elsewhere, self.state) if one.text() and one.isVisibleTo(self)]
        need = sum(max(one.sizeHint().width(), one.minimumWidth()) + gap for one in fixed) + MARGINS
        menu = self.more.sizeHint().width() + gap
        self.count.setVisible(need + self.count.sizeHint().width() + gap <= self.width())
        hidden: set[str] = set()
        for word in LEAVE_FIRST:
            if need + (menu if hidden else 0) > self.width():
                hidden.add(word)
                need -= self.buttons[word].sizeHint().width() + gap
        self._title.setVisible(need + (menu if hidden else 0) <= self.width())
        for word, made in self.buttons.items():
            made.setVisible(word not in hidden)
            self._items[word].setVisible(word in hidden)
        self.more.setVisible(bool(hidden))

    def show_state(self) -> None:
        """Show how many entries there are and what can be done."""
        model = self._model
        whole, shown = len(model.book.entries), len(model.rows())
        if model.narrowed:
            self.count.setText(ntr("{shown} of {n} entry", "{shown} of {n} entries", whole, shown=shown))
        else:
            self.count.setText(ntr("{n} entry", "{n} entries", whole))
        self.state.setText(tr("Saving…") if model.unsaved else "")
        for word, on in (
            ("duplicate", bool(model.selected)),
            ("delete", bool(model.selected)),
            ("undo", bool(model.history.done)),
            ("redo", bool(model.history.undone)),
            ("replace", bool(whole)),
            ("export", bool(whole)),
        ):
            self.buttons[word].setEnabled(on)
            self._items[word].setEnabled(on)

    def show_elsewhere(self, count: int) -> None:
        """Offer what was found in other books."""
        self.elsewhere.setText(ntr("{n} in other lorebooks", "{n} in other lorebooks", count))
        self.elsewhere.setAccessibleName(self.elsewhere.text())
        self.elsewhere.setVisible(count > 0)
        self.fit()
