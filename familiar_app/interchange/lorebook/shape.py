"""Shapes: descriptions of JSON lorebook formats, and the one reader and writer that serves them all."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from familiar_app.domain.lorebook.entry import Folder, LoreBook, LoreEntry
from familiar_app.domain.lorebook.fieldmap import (
    Field,
    entry_from_values,
    get_path,
    lay_over,
    quiet,
    read_values,
    set_path,
    values_of,
    write_fresh,
)
from familiar_app.domain.lorebook.kind import MISSING, finite_number, whole_text
from familiar_app.interchange.lorebook.deadletter import note_dead_letters
from familiar_app.interchange.report import Report

Uid = int | str
Raw = dict[str, Any]
MAX_ENTRIES = 100_000
_UNSPOKEN = {"uid", "display_index"}


def _every(_raw: Mapping[str, Any]) -> bool:
    return True


def _no_folders(_value: Any) -> tuple[Folder, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A JSON format. Its entries are the list (or object by id, if `keyed`) at `entries_path`.

    `implied` are settings that hold for every entry of the format without being written. `entry_base` and `book_base`
    are what new objects start from. `unused` names fields that are understood but have no effect here, with the reason.
    """

    name: str
    entries_path: str
    fields: tuple[Field, ...]
    keyed: bool = False
    uid_path: str | None = None
    book_fields: tuple[Field, ...] = ()
    implied: Mapping[str, Any] = field(default_factory=dict)
    entry_base: Mapping[str, Any] = field(default_factory=dict)
    book_base: Any = field(default_factory=dict)
    unused: Mapping[str, str] = field(default_factory=dict)
    is_entry: Callable[[Mapping[str, Any]], bool] = _every
    read_folders: Callable[[Any], tuple[Folder, ...]] = _no_folders

    def read_entry(self, raw: Mapping[str, Any], uid: Uid, report: Report) -> LoreEntry:
        """Read one entry; settings that the format implies are filled in."""
        return entry_from_values(uid, {**self.implied, **read_values(raw, self.fields, report.add)})

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


def read_book(shape: Shape, value: Any, name: str, report: Report) -> tuple[LoreBook, Slots]:
    """Read a book from a value of this shape."""
    found: list[LoreEntry] = []
    slots: dict[Uid, Raw] = {}
    raws = list(_raw_entries(shape, value, report))
    for number, (uid, (_, raw)) in enumerate(zip(_uids(shape, raws, report), raws, strict=True)):
        slots[uid] = raw
        found.append(shape.read_entry(raw, uid, report.about(number)))
        note_dead_letters(found[-1], report.about(number))
    if shape.keyed and isinstance(entries_value(shape, value), Mapping):
        found.sort(key=lambda entry: (isinstance(entry.uid, str), entry.uid))
    settings: Raw = read_values(value, shape.book_fields, report.add) if isinstance(value, Mapping) else {}
    settings["name"] = settings.get("name") or name
    _note_unused(shape, slots.values(), report)
    book = LoreBook(entries=tuple(found), folders=shape.read_folders(value), **settings)
    return book, Slots(slots, name)


def write_book(
    shape: Shape, book: LoreBook, value: Any, slots: Slots | None, report: Report, *, complete: bool = False
) -> Any:
    """Return a value of this shape that holds the book, laid over the one it came from, if any.

    What the shape has no place for is reported. With `complete`, required fields are added where they were missing.
    """
    if value is None or slots is None:
        value, slots = copy.deepcopy(shape.book_base), None
    known: Mapping[Uid, Raw] = slots.raw if slots else {}
    written = {entry.uid: _write_entry(shape, entry, known.get(entry.uid), complete=complete) for entry in book.entries}
    for number, entry in enumerate(book.entries):
        raw = known.get(entry.uid)
        # An edit that the format cannot say leaves the raw entry as it was.
        if raw is None or written[entry.uid] != raw or shape.read_entry(raw, entry.uid, Report()) != entry:
            _note_losses(shape, entry, written[entry.uid], report.about(number))
    before = entries_value(shape, value)
    uids = {id(raw): uid for uid, raw in known.items()}
    keyed = isinstance(before, Mapping) if isinstance(before, Mapping | list) and before else shape.keyed
    if not written and before is not MISSING and not isinstance(before, Mapping | list):
        return value
    items: Any = _fill_keyed(before, uids, written) if keyed else _fill_listed(before, uids, written)
    if not shape.entries_path:
        return items
    target: Raw = _without(value, shape.entries_path)
    set_path(target, shape.entries_path, items)
    _write_settings(shape, book, target, slots, report)
    return target


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
            report.add("entries", "ignored", "something that is no entry stands among the entries")
        elif shape.is_entry(raw):
            yield key, raw
    if len(pairs) > MAX_ENTRIES:
        report.add("entries", "ignored", f"only the first {MAX_ENTRIES} entries are used")


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
                what = "blank" if uid is None else "used twice"
                report.about(number).add(path, "repaired", f"the id is {what}; this entry counts as {free}")
            uid, free = free, free + 1
        uids.append(uid)
        taken.add(uid)
    return uids


def _given_uid(given: Any, key: str | None) -> Uid | None:
    number = finite_number(given if given not in (None, "") else key)
    if number is not None:
        return int(number)
    return whole_text(given) if isinstance(given, str) and given.strip() else None


def _write_entry(shape: Shape, entry: LoreEntry, raw: Mapping[str, Any] | None, *, complete: bool) -> Raw:
    if raw is not None and not complete and shape.read_entry(raw, entry.uid, Report()) == entry:
        return copy.deepcopy(dict(raw))
    if raw is not None:
        target = lay_over(raw, values_of(entry), shape.fields)
        for mapped in shape.fields if complete else ():
            if mapped.required and get_path(target, mapped.path) is MISSING:
                mapped.write(target, values_of(entry)[mapped.attribute])
        return target
    written = write_fresh(values_of(entry), shape.fields, shape.entry_base)
    if shape.uid_path:
        written[shape.uid_path] = entry.uid
    return written


def _fill_keyed(before: Any, uids: Mapping[int, Uid], written: Mapping[Uid, Raw]) -> dict[str, Any]:
    """Put entries into an object, each under the key it had, new ones under their ids."""
    pairs = before.items() if isinstance(before, Mapping) else ()
    left = dict(written)
    items: dict[str, Any] = {}
    for key, old in pairs:
        if id(old) not in uids:
            items[str(key)] = copy.deepcopy(old)
        elif uids[id(old)] in left:
            items[str(key)] = left.pop(uids[id(old)])
    for uid, raw in left.items():
        key = str(uid)
        while key in items:
            key = f"{key}0"
        items[key] = raw
    return items


def _fill_listed(before: Any, uids: Mapping[int, Uid], written: Mapping[Uid, Raw]) -> list[Any]:
    """Put entries into a list in the book's order; what is no entry keeps its place."""
    listed = before if isinstance(before, list) else []
    waiting = list(written.values())
    items: list[Any] = []
    for old in listed:
        if id(old) not in uids:
            items.append(copy.deepcopy(old))
        elif waiting:
            items.append(waiting.pop(0))
    return items + waiting


def _without(value: Any, path: str) -> Raw:
    """Return a copy of the object in which nothing stands at `path`."""
    name, _, rest = path.partition(".")
    target = {key: copy.deepcopy(inner) for key, inner in value.items() if key != name}
    ordered = {key: target.get(key) for key in value}
    if rest and isinstance(value.get(name), Mapping):
        ordered[name] = _without(value[name], rest)
    return ordered


def _write_settings(shape: Shape, book: LoreBook, target: Raw, slots: Slots | None, report: Report) -> None:
    values = {mapped.name: getattr(book, mapped.name) for mapped in fields(book)}
    if slots is not None and book.name == slots.name:
        values["name"] = ""
    for mapped in shape.book_fields:
        there = mapped.read(target, quiet)
        if mapped.attribute == "name" and there == book.name:
            continue
        if there != values[mapped.attribute]:
            mapped.write(target, values[mapped.attribute])
    known = {mapped.attribute for mapped in shape.book_fields}
    for name in ("description", "scan_depth", "token_budget", "recursive"):
        if name not in known and values[name] not in (None, ""):
            report.add(name, "dropped", "the format has no place for this setting of the book")
    if book.folders and shape.read_folders(target) != book.folders:
        report.add("folders", "dropped", "the format has no place for folders like these")


def _note_losses(shape: Shape, entry: LoreEntry, raw: Mapping[str, Any], report: Report) -> None:
    """Compare an entry with what a reader of the written one would see."""
    seen = shape.read_entry(raw, entry.uid, Report())
    for mapped in fields(entry):
        name = mapped.name
        wanted = getattr(entry, name)
        if name in _UNSPOKEN or wanted == getattr(seen, name) or (wanted is None and name in shape.implied):
            continue
        report.add(name, "dropped", "the format cannot say this, or not exactly")


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
        why = shape.unused.get(name, "the field is unknown here")
        report.add(whole_text(name)[:80], "ignored", f"{why}; it stays with the file ({count} entries)")
