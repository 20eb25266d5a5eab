"""A familiar's lorebook while it is edited: rows, selection, changes with undo, and the file behind them.

Without Qt. Listeners hear `book` (entries came, went or moved), `entry` (the fields of `changed` differ), `rows`
(filter or sort), `selection`, and `state` (loading, saving, conflicts).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.lorebook.entry import LoreBook, LoreEntry
from familiar_app.domain.lorebook.sentence import short_number
from familiar_app.domain.text import ntr, tr
from familiar_app.interchange.lorebook.lore_file import LoadedLore, LoreConflictError, LoreFile
from familiar_app.ui.lorebook import edit
from familiar_app.ui.lorebook.field import field_title
from familiar_app.ui.lorebook.history import Step
from familiar_app.ui.lorebook.identity import Identities
from familiar_app.ui.lorebook.merge import Conflict, Uid, merge_books
from familiar_app.ui.lorebook.shown import EMPTY, ShownBook


class LorebookModel(ShownBook):
    """One book. `book` is what is shown; `base` is what the file held when it was last read or written."""

    def __init__(self, file: LoreFile) -> None:
        super().__init__()
        self.file = file
        self.base = EMPTY
        self.loaded = False
        self.problem: FamiliarError | None = None
        self.conflicts: dict[Uid, Conflict] = {}
        self.changed: tuple[Uid, ...] = ()
        self.wants_save: Callable[[], object] = lambda: None
        self.before_save: Callable[[], Awaitable[None]] | None = None
        self._stored: LoadedLore | None = None
        self._refused: str | None = None
        self._ids = Identities()
        self._touching = asyncio.Lock()

    # ---- changes

    def change(self, uid: Uid, **values: Any) -> None:
        """Change fields of one entry; typing on in one field is one step."""
        name = next(iter(values))
        self._apply(
            edit.with_entry(self.book, uid, **values),
            tr("“{field}” changed", field=field_title(name)),
            key=f"{uid}.{name}",
            uids=(uid,),
        )

    def change_all(self, uids: Collection[Uid], title: str, **values: Any) -> Step | None:
        """Change the same fields of several entries in one step."""
        return self._apply(edit.with_entries(self.book, set(uids), **values), title, uids=tuple(uids))

    def change_each(self, changes: Mapping[Uid, LoreEntry], title: str) -> Step | None:
        """Put changed entries in the place of those with their ids, in one step."""
        entries = tuple(changes.get(one.uid, one) for one in self.book.entries)
        book = self.book if entries == self.book.entries else replace(self.book, entries=entries)
        return self._apply(book, title, uids=tuple(changes))

    def change_book(self, title: str, **values: Any) -> Step | None:
        """Change what the book says about itself: its name, its budget, its folders."""
        book = replace(self.book, **values)
        return None if book == self.book else self._apply(book, title)

    def put_in_folder(self, uids: Collection[Uid], name: str) -> Step | None:
        """Put entries into a folder by its name, "" for none."""
        if name:
            title = ntr("{n} entry put into {folder}", "{n} entries put into {folder}", len(uids), folder=name)
        else:
            title = ntr("{n} entry taken out of a folder", "{n} entries taken out of a folder", len(uids))
        book = edit.with_folder(self.book, set(uids), name)
        return self._apply(book, title, uids=tuple(uids) if book.folders == self.book.folders else None)

    def drop_folder(self, id: str) -> Step | None:  # noqa: A002
        """Take a folder away; its entries stay."""
        return self._apply(edit.without_folder(self.book, id), tr("Folder taken away"))

    def raise_order(self, uids: Collection[Uid], by: float) -> Step | None:
        """Raise the order of entries, or lower it."""
        count, how_far = len(uids), short_number(abs(by))
        if by > 0:
            title = ntr("Order of {n} entry raised by {by}", "Order of {n} entries raised by {by}", count, by=how_far)
        else:
            title = ntr("Order of {n} entry lowered by {by}", "Order of {n} entries lowered by {by}", count, by=how_far)
        return self._apply(edit.with_order(self.book, set(uids), by), title, uids=tuple(uids))

    def file_uid(self, uid: Uid) -> Uid:
        """Return the id that an entry has in the file, by which others know it."""
        return self._ids.outer(uid)

    def set_enabled(self, uids: Collection[Uid], on: bool) -> None:
        """Switch entries on or off."""
        if on:
            title = ntr("{n} entry switched on", "{n} entries switched on", len(uids))
        else:
            title = ntr("{n} entry switched off", "{n} entries switched off", len(uids))
        self._apply(edit.with_entries(self.book, set(uids), enabled=on), title, uids=tuple(uids))

    def toggle(self, uids: Collection[Uid]) -> None:
        """Switch entries off where all of them are on, else on."""
        found = [self.entry(uid) for uid in uids]
        self.set_enabled(uids, not all(one.enabled for one in found if one is not None))

    def add(self) -> Uid:
        """Add an empty entry behind the current one and select it."""
        made = LoreEntry(uid=self._ids.new())
        self._apply(edit.with_new(self.book, made, after=self.current), tr("Entry added"))
        self.select((made.uid,))
        return made.uid

    def put_back(self, entry: LoreEntry) -> Uid:
        """Add an entry that was deleted, at the end, and select it."""
        made = replace(entry, uid=self._ids.new())
        self._apply(edit.with_new(self.book, made, after=None), tr("{entry} brought back", entry=entry.name))
        self.select((made.uid,))
        return made.uid

    def duplicate(self, uids: Collection[Uid]) -> None:
        """Copy entries and select the copies."""
        book, made = edit.with_copies(self.book, set(uids), self._ids.new)
        self._apply(book, ntr("{n} entry copied", "{n} entries copied", len(made)))
        self.select(made)

    def delete(self, uids: Collection[Uid]) -> Step | None:
        """Take entries out, select their neighbour, and return the step that can be taken back."""
        rows = [one.uid for one in self.rows()]
        gone = set(uids)
        last = max((number for number, uid in enumerate(rows) if uid in gone), default=-1)
        after = [uid for uid in rows[last + 1 :] if uid not in gone] or [u for u in rows[:last][::-1] if u not in gone]
        step = self._apply(edit.without(self.book, gone), ntr("{n} entry deleted", "{n} entries deleted", len(gone)))
        self.select(after[:1])
        return step

    def move_by(self, uids: Collection[Uid], step: int) -> None:
        """Move entries up (-1) or down (1) in the file."""
        self._apply(edit.moved_by(self.book, set(uids), step), _moved(uids))

    def move_to(self, uids: Collection[Uid], before: Uid | None) -> None:
        """Move entries in front of another one, or to the end."""
        self._apply(edit.moved_to(self.book, set(uids), before), _moved(uids))

    def bring_in(self, other: LoreBook, *, replace_all: bool) -> tuple[Step | None, int]:
        """Add the entries of another book, or put it in the place of this one; returns how many came."""
        how = edit.replaced_by if replace_all else edit.with_imported
        book, made = how(self.book, other, self._ids.new)
        step = self._apply(book, ntr("{n} entry imported", "{n} entries imported", len(made)))
        self.select(made[:1])
        return step, len(made)

    def _apply(self, book: LoreBook, title: str, *, key: str = "", uids: tuple[Uid, ...] | None = None) -> Step | None:
        if book is self.book or not self.loaded:
            return None
        step = Step(title, self.book, book, key)
        self.history.add(step)
        self._show(book, uids)
        self.wants_save()
        return step

    def _show(self, book: LoreBook, uids: tuple[Uid, ...] | None = None) -> None:
        """Show another book. With `uids`, only these entries differ; they keep their rows, so that nothing jumps."""
        self.book, self.changed = book, uids or ()
        if uids is not None:
            if self._rows is not None:
                self._rows = [self.entry(one.uid) or one for one in self._rows]
            self.tell("entry")
            return
        self._rows = None
        kept = tuple(uid for uid in self.selected if self.entry(uid) is not None)
        lost, self.selected = kept != self.selected, kept
        if self.current not in kept:
            self.current = kept[0] if kept else None
        self.tell("book")
        if lost:
            self.tell("selection")

    # ---- undo

    def undo(self) -> str:
        """Take the last step back; returns what it was, "" where there is none."""
        step = self.history.take_back()
        if step is None:
            return ""
        self._go(step.after, step.before)
        return step.title

    def redo(self) -> str:
        """Do again what was undone last."""
        step = self.history.do_again()
        if step is None:
            return ""
        self._go(step.before, step.after)
        return step.title

    def revert(self, step: Step) -> None:
        """Take back one step, whatever was done since; where both touch the same field, the later one stays."""
        if self.history.done and self.history.done[-1] is step:
            self.undo()
            return
        book = merge_books(step.after, step.before, self.book).book
        self._apply(book, tr("Undone: {what}", what=step.title))

    def _go(self, start: LoreBook, goal: LoreBook) -> None:
        self._show(merge_books(start, goal, self.book).book)
        before, after = ({one.uid for one in book.entries} for book in (start, goal))
        gained = after - before
        back = [one.uid for one in goal.entries if one.uid in gained]
        if back:
            self.select(back)
        self.wants_save()

    # ---- the file

    async def load(self) -> None:
        """Read the file for the first time, or again after a failure."""
        async with self._touching:
            try:
                stored = await asyncio.to_thread(self.file.load)
            except FamiliarError as error:
                self.problem = error
                self.tell("state")
                raise
            self._take(stored)
            await asyncio.to_thread(self._haystacks.prepare, self.book)
        self.tell("state")

    async def check_file(self) -> bool:
        """Look whether the file was changed outside, and show what came. Tells whether it was."""
        if not self.loaded or self._touching.locked():
            return False
        async with self._touching:
            revision = await asyncio.to_thread(self.file.revision)
            if self._stored is None or revision in (self._stored.revision, self._refused):
                return False
            self._refused = revision
            self._take(await asyncio.to_thread(self.file.load))
            self._refused = None
        self.tell("state")
        if self.book != self.base:
            self.wants_save()
        return True

    @property
    def unsaved(self) -> bool:
        """Tell whether something is not in the file yet."""
        return self.loaded and self.book is not self.base and self.book != self.base

    async def save(self) -> None:
        """Bring the file up to date; what others wrote meanwhile is merged. Raises OutsideError, BadInputError."""
        async with self._touching:
            while self.unsaved and self._stored is not None:
                book = self.book
                self.tell("state")
                if self.before_save is not None:
                    await self.before_save()
                try:
                    written = await asyncio.to_thread(self.file.save, self._stored, self._ids.outward(book))
                except LoreConflictError:
                    self._take(await asyncio.to_thread(self.file.load))
                    continue
                self._stored = written
                read_back = self._ids.stored(book, written.book)
                self.base = book if read_back == book else read_back
                if self.book is book and self.base is not book:
                    self._show(self.base)
        self.tell("state")

    def _take(self, stored: LoadedLore) -> None:
        """Take over what the file holds; what was changed here and is not in the file yet stays."""
        known, first = self.base, not self.loaded
        theirs = self._ids.inward(stored.book, known)
        self._stored, self.loaded, self.problem = stored, True, None
        merged = merge_books(known, self.book, theirs) if not first else None
        self.base = theirs
        self.conflicts |= {one.uid: one for one in merged.conflicts} if merged else {}
        self._show(theirs if merged is None else merged.book)

    def settle(self, uid: Uid, *, mine: bool) -> None:
        """End a conflict: with what was done here, or with what the file says."""
        conflict = self.conflicts.pop(uid, None)
        wanted = None if conflict is None else (conflict.mine if mine else conflict.theirs)
        if conflict is not None and wanted is None:
            self._apply(edit.without(self.book, {uid}), tr("Conflict settled"))
        elif conflict is not None and wanted != self.entry(uid):
            entries = tuple(wanted if one.uid == uid else one for one in self.book.entries)
            self._apply(replace(self.book, entries=entries), tr("Conflict settled"), uids=(uid,))
        self.tell("state")


def _moved(uids: Collection[Uid]) -> str:
    return ntr("{n} entry moved", "{n} entries moved", len(uids))
