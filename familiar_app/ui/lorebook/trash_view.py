"""What was deleted, in the side view, to be brought back: entries of this lorebook, and whole lorebooks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from familiar_app.domain.lorebook.entry import LoreEntry
from familiar_app.domain.text import tr
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.label import column, label, line
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.lorebook.books import Books
from familiar_app.ui.lorebook.entry_rows import one_line
from familiar_app.ui.lorebook.model import LorebookModel
from familiar_app.ui.lorebook.tip import plain_tip
from familiar_app.ui.lorebook.trash import EntryTrash, gone
from familiar_app.ui.lorebook.wrapped import wrap_rows


class TrashView(QWidget):
    """`back` brings an entry back, `restore` a whole lorebook by its file."""

    def __init__(
        self,
        entries: Sequence[LoreEntry],
        back: Callable[[LoreEntry], object],
        books: Sequence[Path],
        restore: Callable[[Path], object],
    ) -> None:
        super().__init__()
        self.setAccessibleName(tr("Deleted entries"))
        self._back = back
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Deleted entries"))
        wrap_rows(self.list)
        for entry in entries:
            item = QListWidgetItem(f"{one_line(entry.name)}\n{one_line(entry.content)[:120]}")
            item.setToolTip(plain_tip(entry.content))
            item.setData(Qt.ItemDataRole.UserRole, entry)
            self.list.addItem(item)
        self.list.itemActivated.connect(lambda _item: self._press())
        self.press = button(tr("Bring back"), self._press, role="primary")
        self.press.setEnabled(bool(entries))
        layout = column(margins=16, spacing=8)
        words = (
            tr("Newest first.") if entries else tr("Entries that you delete are kept here, and can be brought back.")
        )
        layout.addWidget(label(words, "quiet", wrap=True))
        layout.addWidget(self.list, 1)
        layout.addWidget(self.press, 0, Qt.AlignmentFlag.AlignLeft)
        self.books = [
            button(tr("Bring back the lorebook {book}", book=path.stem), lambda path=path: restore(path))
            for path in books
        ]
        if books:
            layout.addWidget(line())
            layout.addWidget(label(tr("Deleted lorebooks"), "strong"))
        for made in self.books:
            layout.addWidget(made, 0, Qt.AlignmentFlag.AlignLeft)
        self.setLayout(layout)
        if entries:
            self.list.setCurrentRow(0)

    def _press(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self._back(item.data(Qt.ItemDataRole.UserRole))


class Trash:
    """Keeps and shows the deleted entries of one view's book."""

    def __init__(self, model: LorebookModel, books: Books, context: PanelContext, tasks: Tasks) -> None:
        self._model, self._books, self._context, self._tasks = model, books, context, tasks
        self._kept = EntryTrash(model.file.path)
        model.before_save = self._keep

    async def _keep(self) -> None:
        """Keep what the file has and the book has not any more. Raises OutsideError."""
        self._kept.book = self._model.file.path
        await self._kept.put(gone(self._model.base, self._model.book))

    async def show(self) -> None:
        """Show the deleted entries. Raises OutsideError, BadInputError."""
        self._kept.book = self._model.file.path
        found = await self._kept.read(self._model.book)
        made = TrashView(found, self._bring_back, await self._books.trashed(), self._restore)
        self._context.side_view.show_widget(tr("Deleted entries"), made)
        (made.list if found else made).setFocus()

    def _bring_back(self, entry: LoreEntry) -> None:
        self._model.put_back(entry)
        self._tasks.start(lambda: self._forget(entry), name="lorebook.trash")

    def _restore(self, path: Path) -> None:
        self._context.side_view.close_view()
        self._tasks.start(lambda: self._books.restore(path), name="lorebook.restore")

    async def _forget(self, entry: LoreEntry) -> None:
        await self._kept.take(entry)
        await self.show()
