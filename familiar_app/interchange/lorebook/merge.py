"""Brings the entries of one lorebook into another; what is there already is not brought twice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from familiar_app.domain.lorebook.entry import Folder, LoreBook, LoreEntry
from familiar_app.domain.text import tr
from familiar_app.interchange.report import Report, ReportLine


@dataclass(frozen=True, slots=True)
class Merged:
    """The book with the new entries behind its own, how many there were of each kind, and what changed on the way."""

    book: LoreBook
    added: int
    already_there: int
    report: tuple[ReportLine, ...]


def merge_books(base: LoreBook, new: LoreBook) -> Merged:
    """Return `base` with the entries of `new`. A base without entries takes over the new book's settings too."""
    report = Report()
    if not base.entries:
        return Merged(new, len(new.entries), 0, ())
    folders, renamed = _merge_folders(base.folders, new.folders)
    _note_settings(base, new, report)
    known = {_identity(entry) for entry in base.entries}
    taken = {entry.uid for entry in base.entries}
    free = max((uid for uid in taken if isinstance(uid, int)), default=-1) + 1
    added: list[LoreEntry] = []
    for number, entry in enumerate(new.entries):
        moved = _moved(entry, new, base, renamed)
        if _identity(moved) in known:
            continue
        known.add(_identity(moved))
        if moved.uid in taken:
            report.about(number).add(
                "id", "renamed", tr("the id is in use; this entry counts as {number}", number=str(free))
            )
            moved, free = replace(moved, uid=free), free + 1
        taken.add(moved.uid)
        if isinstance(moved.uid, int):
            free = max(free, moved.uid + 1)
        added.append(moved)
    book = replace(base, entries=(*base.entries, *added), folders=folders)
    return Merged(book, len(added), len(new.entries) - len(added), tuple(report.lines))


def _identity(entry: LoreEntry) -> LoreEntry:
    return replace(entry, uid=0, display_index=None, foreign="")


def _moved(entry: LoreEntry, source: LoreBook, base: LoreBook, folders: dict[str, str]) -> LoreEntry:
    """Return the entry with what its book said of it, where the other book says something else."""
    depth = entry.scan_depth
    if depth is None and source.scan_depth != base.scan_depth:
        depth = source.scan_depth
    return replace(entry, scan_depth=depth, folder=folders.get(entry.folder, entry.folder))


def _merge_folders(base: Iterable[Folder], new: Iterable[Folder]) -> tuple[tuple[Folder, ...], dict[str, str]]:
    """Return the folders of both, and new ids for those of the second that others had already."""
    folders = list(base)
    renamed: dict[str, str] = {}
    for folder in new:
        if folder in folders:
            continue
        ids = {one.id for one in folders}
        number, free = 2, folder.id
        while free in ids:
            number, free = number + 1, f"{folder.id}-{number}"
        if free != folder.id:
            renamed[folder.id] = free
        folders.append(replace(folder, id=free))
    return tuple(folders), renamed


def _note_settings(base: LoreBook, new: LoreBook, report: Report) -> None:
    if new.scan_depth is not None and new.scan_depth != base.scan_depth:
        report.add("scan_depth", "merged", tr("the book's depth is written into its entries"))
    for name in ("description", "token_budget", "recursive"):
        value = getattr(new, name)
        if value not in (None, "") and value != getattr(base, name):
            report.add(name, "dropped", tr("the book that is there keeps its own setting"))
