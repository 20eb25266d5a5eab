"""Changes to a book, each from one book to the next: adding, copying, taking out, moving, bringing others in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from familiar_app.domain.lorebook.entry import Folder, LoreBook, LoreEntry
from familiar_app.domain.text import tr
from familiar_app.ui.lorebook.merge import Uid

NewUid = Callable[[], Uid]


def with_entry(book: LoreBook, uid: Uid, **values: Any) -> LoreBook:
    """Change fields of one entry."""
    return with_entries(book, {uid}, **values)


def with_entries(book: LoreBook, uids: Collection[Uid], **values: Any) -> LoreBook:
    """Change the same fields of several entries; the book itself comes back where nothing differs."""
    entries = tuple(replace(one, **values) if one.uid in uids else one for one in book.entries)
    return book if entries == book.entries else replace(book, entries=entries)


def with_new(book: LoreBook, entry: LoreEntry, *, after: Uid | None) -> LoreBook:
    """Put an entry behind another one, or at the end."""
    at = next((number + 1 for number, one in enumerate(book.entries) if one.uid == after), len(book.entries))
    return replace(book, entries=(*book.entries[:at], entry, *book.entries[at:]))


def with_copies(book: LoreBook, uids: Collection[Uid], new: NewUid) -> tuple[LoreBook, list[Uid]]:
    """Copy entries, each right behind its original; returns the ids of the copies too."""
    entries: list[LoreEntry] = []
    made: list[Uid] = []
    for one in book.entries:
        entries.append(one)
        if one.uid in uids:
            copy = replace(one, uid=new(), comment=tr("{entry} (copy)", entry=one.name))
            entries.append(copy)
            made.append(copy.uid)
    return replace(book, entries=tuple(entries)), made


def without(book: LoreBook, uids: Collection[Uid]) -> LoreBook:
    """Take entries out."""
    return replace(book, entries=tuple(one for one in book.entries if one.uid not in uids))


def moved_by(book: LoreBook, uids: Collection[Uid], step: int) -> LoreBook:
    """Move entries one place up (-1) or down (1); those that touch the end stay."""
    entries = list(book.entries)
    numbers = [number for number, one in enumerate(entries) if one.uid in uids]
    for number in numbers if step < 0 else reversed(numbers):
        other = number + step
        if 0 <= other < len(entries) and entries[other].uid not in uids:
            entries[number], entries[other] = entries[other], entries[number]
    return _ordered(book, entries)


def moved_to(book: LoreBook, uids: Collection[Uid], before: Uid | None) -> LoreBook:
    """Move entries in front of another one, or to the end."""
    going = [one for one in book.entries if one.uid in uids]
    staying = [one for one in book.entries if one.uid not in uids]
    target = before
    if before in uids:
        behind = [one.uid for one in book.entries]
        rest = behind[behind.index(before) :]
        target = next((uid for uid in rest if uid not in uids), None)
    at = next((number for number, one in enumerate(staying) if one.uid == target), len(staying))
    return _ordered(book, [*staying[:at], *going, *staying[at:]])


def with_folder(book: LoreBook, uids: Collection[Uid], name: str) -> LoreBook:
    """Put entries into the folder of that name, which is made where there is none; "" takes them out of theirs."""
    folder = next((one for one in book.folders if one.name.casefold() == name.casefold()), None) if name else None
    if name and folder is None:
        taken = {one.id for one in book.folders}
        number = next(number for number in range(1, len(taken) + 2) if f"folder-{number}" not in taken)
        folder = Folder(f"folder-{number}", name)
        book = replace(book, folders=(*book.folders, folder))
    return with_entries(book, uids, folder="" if folder is None else folder.id)


def without_folder(book: LoreBook, id: str) -> LoreBook:  # noqa: A002
    """Take a folder away; its entries stay, in no folder."""
    inside = {one.uid for one in book.entries if one.folder == id}
    kept = replace(book, folders=tuple(one for one in book.folders if one.id != id))
    return with_entries(kept, inside, folder="")


def with_order(book: LoreBook, uids: Collection[Uid], by: float) -> LoreBook:
    """Raise or lower the order of entries by the same amount."""
    entries = tuple(replace(one, order=one.order + by) if one.uid in uids else one for one in book.entries)
    return book if entries == book.entries else replace(book, entries=entries)


def _ordered(book: LoreBook, entries: Sequence[LoreEntry]) -> LoreBook:
    return book if tuple(entries) == book.entries else replace(book, entries=tuple(entries))


def with_imported(book: LoreBook, other: LoreBook, new: NewUid) -> tuple[LoreBook, list[Uid]]:
    """Add the entries of another book at the end; those that are here already, word for word, are left out."""
    here = {replace(one, uid=0, display_index=None) for one in book.entries}
    added = []
    for one in other.entries:
        plain = replace(one, uid=0, display_index=None)
        if plain not in here:
            here.add(plain)
            added.append(replace(one, uid=new()))
    known = {folder.id for folder in book.folders}
    folders = (*book.folders, *(folder for folder in other.folders if folder.id not in known))
    changed = replace(book, entries=(*book.entries, *added), folders=folders)
    return changed, [one.uid for one in added]


def replaced_by(book: LoreBook, other: LoreBook, new: NewUid) -> tuple[LoreBook, list[Uid]]:
    """Put another book in the place of this one; the book keeps its name here."""
    entries = tuple(replace(one, uid=new()) for one in other.entries)
    return replace(other, name=book.name, entries=entries), [one.uid for one in entries]
