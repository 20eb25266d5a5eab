"""Writes lorebooks in the shapes of other programs: over the file they came from, or anew with what was kept of one."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from familiar_app.domain.lorebook.entry import DEFAULT_DEPTH, LoreBook, LoreEntry
from familiar_app.domain.lorebook.fieldmap import get_path, lay_over, quiet, set_path, values_of, write_fresh
from familiar_app.domain.lorebook.kind import MISSING
from familiar_app.domain.text import tr
from familiar_app.interchange.lorebook.entry_memo import Raw, Uid
from familiar_app.interchange.lorebook.foreign import Residue, residue_between, residue_from
from familiar_app.interchange.lorebook.shape import Shape, Slots, entries_value
from familiar_app.interchange.report import Report

_UNSPOKEN = {"uid", "display_index", "foreign"}


def write_book(
    shape: Shape, book: LoreBook, value: Any, slots: Slots | None, report: Report, *, complete: bool = False
) -> Any:
    """Return a value of this shape that holds the book, laid over the one it came from, if any.

    What the shape has no place for is reported. With `complete`, required fields are added where they were missing.
    """
    if value is None or slots is None:
        return _write_anew(shape, book, report)
    known: Mapping[Uid, Raw] = slots.raw
    written = {entry.uid: _write_entry(shape, entry, known.get(entry.uid), complete=complete) for entry in book.entries}
    for number, entry in enumerate(book.entries):
        raw = known.get(entry.uid)
        # An edit that the format cannot say leaves the raw entry as it was.
        if raw is None or written[entry.uid] != raw or shape.read_entry(raw, entry.uid, Report()) != entry:
            _note_losses(shape, entry, written[entry.uid], report.about(number))
    before = entries_value(shape, value)
    uids = {id(raw): uid for uid, raw in known.items()}
    keyed = (
        isinstance(before, Mapping) if isinstance(before, Mapping | list) and (before or not written) else shape.keyed
    )
    if not written and before is not MISSING and not isinstance(before, Mapping | list):
        return value
    items: Any = _fill_keyed(before, uids, written) if keyed else _fill_listed(before, uids, written)
    if not shape.entries_path:
        return items
    target: Raw = _emptied(value, shape.entries_path)
    if items or before is not MISSING:
        set_path(target, shape.entries_path, items)
    _write_settings(shape, book, target, slots.name, report)
    return target


def _write_anew(shape: Shape, book: LoreBook, report: Report) -> Any:
    """Write a book that has no file of this shape behind it, but for what it kept of one."""
    kept = residue_from(book.foreign, shape.foreign_name) or Residue()
    written = {entry.uid: _restored(shape, entry) for entry in book.entries}
    for number, entry in enumerate(book.entries):
        _note_losses(shape, entry, written[entry.uid], report.about(number))
        if entry.foreign and not _understands(shape, entry):
            report.about(number).add("foreign", "dropped", tr("what another program's file said beyond this entry"))
    items = _items_anew(shape, book, kept, written)
    if not shape.entries_path:
        return items
    target = kept.apply(_fresh_settings(shape, book))
    set_path(target, shape.entries_path, items)
    _write_settings(shape, book, target, kept.more.get("name"), report)
    return target


def _items_anew(shape: Shape, book: LoreBook, kept: Residue, written: Mapping[Uid, Raw]) -> Any:
    """Put entries, and what stood among them in the file and was none, into a list or an object."""
    others = kept.more.get("others")
    pairs = [one for one in (others if isinstance(others, list) else []) if isinstance(one, list) and len(one) == 2]
    if kept.more.get("keyed", shape.keyed):
        keys = {entry.uid: _kept_key(shape, entry) for entry in book.entries}
        found: dict[str, Any] = {str(key): other for key, other in pairs}
        for uid, raw in written.items():
            key = keys[uid]
            while key in found:
                key = f"{key}0"
            found[key] = raw
        return found
    items: list[Any] = list(written.values())
    for place, other in pairs:
        items.insert(place if isinstance(place, int) else len(items), other)
    return items


def _understands(shape: Shape, entry: LoreEntry) -> bool:
    names = (shape.foreign_name, *shape.relatives)
    return any(residue_from(entry.foreign, name) is not None for name in names)


def _kept_key(shape: Shape, entry: LoreEntry) -> str:
    kept = residue_from(entry.foreign, shape.foreign_name)
    return str(entry.uid if kept is None else kept.more.get("key", entry.uid))


def _fresh_entry(shape: Shape, entry: LoreEntry) -> Raw:
    written = write_fresh(values_of(entry), shape.fields, shape.entry_base)
    if shape.uid_path:
        written[shape.uid_path] = entry.uid
    return written


def _fresh_settings(shape: Shape, book: LoreBook) -> Raw:
    """Return the settings of a book as they are written anew."""
    target: Raw = copy.deepcopy(dict(shape.book_base))
    _write_settings(shape, book, target, None, Report())
    return target


def _restored(shape: Shape, entry: LoreEntry) -> Raw:
    """Write an entry with what its file said beyond it. Character books of both versions understand each other."""
    fresh = _fresh_entry(shape, entry)
    kept = residue_from(entry.foreign, shape.foreign_name)
    if kept is not None:
        return lay_over(kept.apply(fresh), values_of(entry), shape.fields)
    for name in shape.relatives:
        kept = residue_from(entry.foreign, name)
        if kept is not None:
            return _with_required(shape, entry, lay_over(kept.apply(fresh), values_of(entry), shape.fields))
    return fresh


def keep_foreign(shape: Shape, book: LoreBook, value: Any, slots: Slots) -> LoreBook:
    """Return the book with everything that its file said beyond it, so that it can do without the file."""
    before = entries_value(shape, value)
    keys = {id(raw): key for key, raw in before.items()} if isinstance(before, Mapping) else {}
    entries = tuple(_with_foreign(shape, entry, slots.raw.get(entry.uid), keys) for entry in book.entries)
    raws = {id(raw) for raw in slots.raw.values()}
    listed = before if isinstance(before, list) else ()
    pairs: list[tuple[Any, Any]] = list(before.items() if isinstance(before, Mapping) else enumerate(listed))
    more: dict[str, Any] = {
        "others": [[place, other] for place, other in pairs if id(other) not in raws] or None,
        "keyed": isinstance(before, Mapping) if isinstance(before, Mapping) != shape.keyed else None,
        "variant": shape.variant or None,
    }
    if not shape.entries_path or not isinstance(value, Mapping):
        return replace(book, entries=entries, foreign=residue_between({}, {}, **more).to_text(shape.foreign_name))
    fresh, said = _fresh_settings(shape, book), _without(value, shape.entries_path)
    more["name"] = slots.name if book.name == slots.name else None
    residue = residue_between(_without(fresh, shape.entries_path), said, **more)
    return replace(book, entries=entries, foreign=residue.to_text(shape.foreign_name))


def _with_foreign(shape: Shape, entry: LoreEntry, raw: Raw | None, keys: Mapping[int, str]) -> LoreEntry:
    if raw is None:
        return entry
    # What reads back from our own file has a depth in any case.
    plain = replace(entry, depth=DEFAULT_DEPTH if entry.depth is None else entry.depth)
    key = keys.get(id(raw))
    residue = residue_between(_fresh_entry(shape, plain), raw, key=None if key == str(entry.uid) else key)
    return replace(entry, foreign=residue.to_text(shape.foreign_name))


def _write_entry(shape: Shape, entry: LoreEntry, raw: Mapping[str, Any] | None, *, complete: bool) -> Raw:
    if raw is None:
        return _restored(shape, entry)
    if not complete and shape.read_entry(raw, entry.uid, Report()) == entry:
        return copy.deepcopy(dict(raw))
    target = lay_over(raw, values_of(entry), shape.fields)
    return _with_required(shape, entry, target) if complete else target


def _with_required(shape: Shape, entry: LoreEntry, target: Raw) -> Raw:
    """Add the fields that the format requires where they are missing."""
    for mapped in shape.fields:
        if mapped.required and get_path(target, mapped.path) is MISSING:
            mapped.write(target, values_of(entry)[mapped.attribute])
    return target


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


def _emptied(value: Any, path: str) -> Raw:
    """Return a copy of the object in which `path` has its place, but nothing stands there."""
    name, _, rest = path.partition(".")
    target = {key: copy.deepcopy(inner) if key != name else None for key, inner in value.items()}
    if rest and isinstance(value.get(name), Mapping):
        target[name] = _emptied(value[name], rest)
    return target


def _without(value: Mapping[str, Any], path: str) -> Raw:
    """Return a copy of the object in which nothing stands at `path`."""
    name, _, rest = path.partition(".")
    target = {key: copy.deepcopy(inner) for key, inner in value.items() if key != name}
    if rest and isinstance(value.get(name), Mapping):
        target[name] = _without(value[name], rest)
    return target


def _write_settings(shape: Shape, book: LoreBook, target: Raw, given_name: Any, report: Report) -> None:
    """Write what differs; a name that was only given by default is not written."""
    values = {mapped.name: getattr(book, mapped.name) for mapped in fields(book)}
    if book.name == given_name:
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
            report.add(name, "dropped", tr("the format has no place for this setting of the book"))
    if book.folders and shape.read_folders(target) != book.folders:
        report.add("folders", "dropped", tr("the format has no place for folders like these"))


def _note_losses(shape: Shape, entry: LoreEntry, raw: Mapping[str, Any], report: Report) -> None:
    """Compare an entry with what a reader of the written one would see."""
    seen = shape.read_entry(raw, entry.uid, Report())
    for mapped in fields(entry):
        name = mapped.name
        wanted = getattr(entry, name)
        if name in _UNSPOKEN or wanted == getattr(seen, name) or (wanted is None and name in shape.implied):
            continue
        report.add(name, "dropped", tr("the format cannot say this, or not exactly"))
