"""What can be done with whole lorebooks from one view: about, bind, make, delete, and finding in the others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from familiar_app.domain.text import tr
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.lorebook.book_page import BookPage
from familiar_app.ui.lorebook.books import Books, Elsewhere
from familiar_app.ui.lorebook.elsewhere_view import ElsewhereView
from familiar_app.ui.lorebook.model import LorebookModel

TakeChannels = Callable[[], Awaitable[Sequence[tuple[str, str]]]]


class LibraryDeeds:
    """Works for one view. `take_channels` gives the keys of the familiar's channels with their titles."""

    def __init__(
        self, books: Books, model: LorebookModel, context: PanelContext, tasks: Tasks, take_channels: TakeChannels
    ) -> None:
        self.books, self._model, self._context = books, model, context
        self._take_channels = take_channels
        self.lasting = tasks
        """What goes on when the view is gone, as it is once its book was deleted."""
        self.found: list[Elsewhere] = []
        self.open_entry: Callable[[Path, int], object] = lambda _path, _number: None
        self._page: BookPage | None = None

    @property
    def path(self) -> Path:
        """The file of the view's book."""
        return self._model.file.path

    async def make(self) -> None:
        """Make a book and show it. Raises OutsideError."""
        await self.books.make()

    async def about(self) -> None:
        """Show what the book says about itself. Raises OutsideError."""
        channels = await self._take_channels()
        book = self.books.of(self.path)
        if book is None:
            return
        made = BookPage(self._context.theme, self._model, book, channels, self._bind, self._discard)
        self._page = made
        self._context.side_view.show_widget(tr("About this lorebook"), made, closed=self._closed)
        made.name.setFocus()

    def _closed(self) -> None:
        self._page = None

    def show_folders(self) -> None:
        """List the folders anew, where they are shown."""
        if self._page is not None:
            self._page.show_folders()

    def _bind(self, everywhere: bool, channels: list[str]) -> None:
        async def work() -> None:
            await self._model.save()
            if not self.path.exists():
                return
            await self.books.bind(self.path, everywhere=everywhere, channels=channels, moved_to=self._moved_to)

        self.lasting.start(work, name="lorebook.bind")

    def _moved_to(self, path: Path) -> None:
        self._model.file.path = path

    def _discard(self) -> None:
        self.lasting.start(self.discard, name="lorebook.discard")

    async def discard(self) -> None:
        """Put the book into the trash. Raises OutsideError."""
        name = self._model.book.name
        await self._model.save()
        if not self.path.exists():
            self._context.tell(tr("There is no file yet."))
            return
        self._context.side_view.close_view()
        trashed = await self.books.discard(self.path)
        self._context.offer_undo(
            tr("{book} deleted.", book=name),
            lambda: self.lasting.start(lambda: self.books.restore(trashed), name="lorebook.restore"),
        )

    async def search(self, text: str) -> int:
        """Look for entries in the other books; returns how many there are."""
        self.found = await self.books.search(text, self.path)
        return len(self.found)

    def show_found(self, text: str) -> None:
        """List what was found in the other books."""
        made = ElsewhereView(text, self.found, lambda one: self.open_entry(one.path, one.number))
        self._context.side_view.show_widget(tr("Found in other lorebooks"), made)
        made.list.setFocus()
