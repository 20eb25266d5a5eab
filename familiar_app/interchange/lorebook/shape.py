"""Shapes: descriptions of JSON lorebook formats, and the one reader that serves them all. `shape_write` writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from familiar_app.domain.lorebook.entry import Folder, LoreBook, LoreEntry
from familiar_app.domain.lorebook.fieldmap import (
    Field,
    entry_from_values,
    get_path,
    read_values,
)
from familiar_app.domain.lorebook.kind import MISSING, finite_number, whole_text
from familiar_app.domain.text import ntr, tr, tr_later
from familiar_app.interchange.lorebook.deadletter import note_dead_letters
from familiar_app.interchange.lorebook.entry_memo import EntryMemo, Raw, Uid
from familiar_app.interchange.report import Report

MAX_ENTRIES = 100_000
_BLANK_ID = tr_later("the id is blank; this entry counts as {number}")
_SAME_ID = tr_later("the id is used twice; this entry counts as {number}")
_UNKNOWN_FIELD = tr_later("the field is unknown here")


def _every(_raw: Mapping[str, Any]) -> bool:
    return True


def _no_folders(_value: Any) -> tuple[Folder, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A JSON format. Its entries are the list (or object by id, if `keyed`) at `entries_path`.

    Formats with several forms have a `variant` for each but the usual one; `relatives` are formats of which what was
    kept can be used too. `implied` are settings that hold for every entry of the format without being written.
    `entry_base` and `book_base` are what new objects start from. `unused` names fields that are understood but have no
    effect here, with the reason.
    """

    name: str
    variant: str = ""
    entries_path: str
    fields: tuple[Field, ...]
    keyed: bool = False
    uid_path: str | None = None
    book_fields: tuple[Field, ...] = ()
    implied: Mapping[str, Any] = field(default_factory=dict)
    entry_base: Mapping[str, Any] = field(default_factory=dict)
    book_base: Any = field(default_factory=dict)
    relatives: tuple[str, ...] = ()
    unused: Mapping[str, str] = field(default_factory=dict)
    is_entry: Callable[[Mapping[str, Any]], bool] = _every
    read_folders: Callable[[Any], tuple[Folder, ...]] = _no_folders

    def read_entry(self, raw: Mapping[str, Any], uid: Uid, report: Report) -> LoreEntry:
        """Read one entry; settings that the format implies are filled in."""
        return entry_from_values(uid, {**self.implied, **read_values(raw, self.fields, report.add)})

    @property
    def foreign_name(self) -> str:
        """The name under which what a file of this shape said beyond ours is kept."""
        return f"{self.name}/{self.variant}" if self.variant else self.name

    @property
    def known(self) -> set[str]:
        """The first names of all paths that the shape reads or explains."""
        paths = [place.path for mapped in self.fields for place in mapped.places]
        return {path.split(".")[0] for path in [*paths, *self.unused, self.uid_path or "uid"]}


@dataclass(frozen=True, slots=True)
class Slots:
    """Where a book's entries came from: raw objects by entry id, in file order. `name` is the one given by default."""

    raw: Mapping[Uid, Raw]
    name: str


def read_book(
    shape: Shape, value: Any, name: str, report: Report, memo: EntryMemo | None = None
) -> tuple[LoreBook, Slots]:
    """Read a book from a value of this shape; what the memo knows is not read again."""
    memo = memo or EntryMemo()

    def read(raw: Raw, uid: Uid, report: Report) -> LoreEntry:
        entry = shape.read_entry(raw, uid, report)
        note_dead_letters(entry, report)
        return entry

    found: list[LoreEntry] = []
    slots: dict[Uid, Raw] = {}
    raws = list(_raw_entries(shape, value, report))
    for number, (uid, (_, raw)) in enumerate(zip(_uids(shape, raws, report), raws, strict=True)):
        slots[uid] = raw
        found.append(memo.get(raw, uid, report.about(number), read))
    if shape.keyed and isinstance(entries_value(shape, value), Mapping):
        found.sort(key=lambda entry: (isinstance(entry.uid, str), entry.uid))
    settings: Raw = read_values(value, shape.book_fields, report.add) if isinstance(value, Mapping) else {}
    settings["name"] = settings.get("name") or name
    _note_unused(shape, slots.values(), report)
    book = LoreBook(entries=tuple(found), folders=shape.read_folders(value), **settings)
    return book, Slots(slots, name)


def entries_value(shape: Shape, value: Any) -> Any:
    """Return the list or object of raw entries, `MISSING` where there is none."""
    if not shape.entries_path:
        return value
    return get_path(value, shape.entries_path) if isinstance(value, Mapping) else MISSING


def _raw_entries(shape: Shape, value: Any, report: Report) -> Iterator[tuple[str | None, Raw]]:
    listed = entries_value(shape, value)
    pairs: Sequence[tuple[str | None, Any]] = []
    if isinstance(listed, Mapping):
        pairs = list(listed.items())
    elif isinstance(listed, list):
        pairs = [(None, raw) for raw in listed]
    for key, raw in pairs[:MAX_ENTRIES]:
        if not isinstance(raw, dict):
            report.add("entries", "ignored", tr("something that is no entry stands among the entries"))
        elif shape.is_entry(raw):
            yield key, raw
    if len(pairs) > MAX_ENTRIES:
        report.add("entries", "ignored", tr("only the first {count} entries are used", count=MAX_ENTRIES))


def _uids(shape: Shape, raws: Sequence[tuple[str | None, Raw]], report: Report) -> list[Uid]:
    """Return the entries' ids, new ones for those that have none or share one."""
    path = shape.uid_path or "uid"
    given = [_given_uid(raw.get(path), key) for key, raw in raws]
    free = max((uid for uid in given if isinstance(uid, int)), default=-1) + 1
    uids: list[Uid] = []
    taken: set[Uid] = set()
    for number, (uid, (_, raw)) in enumerate(zip(given, raws, strict=True)):
        if uid is None or uid in taken:
            if uid is not None or (shape.uid_path is not None and path in raw):
                what = _BLANK_ID if uid is None else _SAME_ID
                report.about(number).add(path, "repaired", tr(what, number=str(free)))
            uid, free = free, free + 1
        uids.append(uid)
        taken.add(uid)
    return uids


def _given_uid(given: Any, key: str | None) -> Uid | None:
    number = finite_number(given if given not in (None, "") else key)
    if number is not None:
        return int(number)
    return whole_text(given) if isinstance(given, str) and given.strip() else None


def _note_unused(shape: Shape, entries: Iterable[Raw], report: Report) -> None:
    """Report, once each, the fields that have no effect here."""
    known = shape.known
    counts: dict[str, int] = {}
    for raw in entries:
        for name, value in raw.items():
            if name not in known and value not in (None, "", [], {}, False):
                counts[name] = counts.get(name, 0) + 1
        for path in shape.unused:
            value = get_path(raw, path)
            if value is not MISSING and value not in (None, "", [], {}, False):
                counts[path] = counts.get(path, 0) + 1
    for name, count in counts.items():
        why = tr(shape.unused.get(name, _UNKNOWN_FIELD))
        detail = ntr(
            "{why}; it stays with the file ({n} entry)", "{why}; it stays with the file ({n} entries)", count, why=why
        )
        report.add(whole_text(name)[:80], "ignored", detail)
