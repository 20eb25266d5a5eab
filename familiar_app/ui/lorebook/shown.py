"""What the editor of a lorebook shows of it: rows, filter and sort, and which entries are selected. Without Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from familiar_app.domain.lorebook.entry import LoreBook, LoreEntry
from familiar_app.domain.lorebook.lint import Found
from familiar_app.ui.lorebook.history import History
from familiar_app.ui.lorebook.listing import Haystacks, Use, in_order, matching, narrowed
from familiar_app.ui.lorebook.merge import Uid

EMPTY = LoreBook(name="")


class ShownBook:
    """One book as it is looked at. Listeners hear `rows`, `selection`, `warnings` and `uses`."""

    def __init__(self) -> None:
        self.book = EMPTY
        self.history = History()
        self.selected: tuple[Uid, ...] = ()
        self.current: Uid | None = None
        self.filter, self.only, self.column, self.descending = "", "all", "place", False
        self.tokens: Callable[[LoreEntry], int] = lambda entry: len(entry.content) // 4
        self.ranks: dict[Uid, int] = {}
        self.warnings: Found = {}
        self.uses: Mapping[Uid, Use] = {}
        self._listeners: list[Callable[[str], object]] = []
        self._haystacks = Haystacks()
        self._rows: list[LoreEntry] | None = None
        self._index: tuple[LoreBook, dict[Uid, LoreEntry]] = (EMPTY, {})

    def watch(self, listener: Callable[[str], object]) -> None:
        """Call `listener` with a word after each change."""
        self._listeners.append(listener)

    def tell(self, what: str) -> None:
        """Tell the listeners of a change."""
        for listener in list(self._listeners):
            listener(what)

    def entry(self, uid: Uid | None) -> LoreEntry | None:
        """Return an entry by its id."""
        if self._index[0] is not self.book:
            self._index = (self.book, {one.uid: one for one in self.book.entries})
        return None if uid is None else self._index[1].get(uid)

    def place(self, uid: Uid) -> int:
        """Return the place of an entry in the file, from 1."""
        return next((number for number, one in enumerate(self.book.entries, 1) if one.uid == uid), 0)

    def rows(self) -> list[LoreEntry]:
        """Return the entries the table shows, in its order."""
        if self._rows is None:
            wanted = narrowed(self.only, self.warnings, self.uses)
            found = matching(self.book, self.filter, self._haystacks, wanted)
            self._rows = in_order(
                found,
                self.column,
                descending=self.descending,
                tokens=self.tokens,
                ranks=self.ranks,
                uses=self.uses,
            )
        return self._rows

    def search(self, text: str) -> list[LoreEntry]:
        """Return the entries that hold every word of `text`, whatever the table shows."""
        return matching(self.book, text, self._haystacks)

    def show_only(self, text: str) -> None:
        """Filter the rows by words."""
        if text != self.filter:
            self.filter = text
            self._tell_rows()

    def narrow(self, only: str) -> None:
        """Show only the entries of one kind, or of one folder."""
        if only != self.only:
            self.only = only
            self._tell_rows()

    def put_warnings(self, found: Found) -> None:
        """Note what is odd about the entries. Rows stay as they are until they are asked for anew, so nothing jumps."""
        if found != self.warnings:
            self.warnings = found
            self.tell("warnings")

    def put_uses(self, uses: Mapping[Uid, Use]) -> None:
        """Note how often the entries stood in a prompt."""
        if uses != self.uses:
            self.uses = uses
            self.tell("uses")
            self.sort_again("times", "last")

    def sort(self, column: str, *, descending: bool = False) -> None:
        """Sort the rows."""
        if (column, descending) != (self.column, self.descending):
            self.column, self.descending = column, descending
            self._tell_rows()

    def sort_again(self, *columns: str) -> None:
        """Sort anew where the rows are sorted by one of these columns, whose values have changed."""
        if self.column in columns:
            self._tell_rows()

    @property
    def narrowed(self) -> bool:
        """Tell whether some entries may not be among the rows."""
        return bool(self.filter.strip()) or self.only != "all"

    @property
    def in_file_order(self) -> bool:
        """Tell whether the rows can be moved: all there, as in the file."""
        return self.column == "place" and not self.descending and not self.narrowed

    def select(self, uids: Sequence[Uid], current: Uid | None = None) -> None:
        """Note what is selected; `current` is shown in the form."""
        current = current if current in uids else (uids[0] if uids else None)
        if (tuple(uids), current) != (self.selected, self.current):
            self.selected, self.current = tuple(uids), current
            self.history.seal()
            self.tell("selection")

    def _tell_rows(self) -> None:
        self._rows = None
        self.tell("rows")
