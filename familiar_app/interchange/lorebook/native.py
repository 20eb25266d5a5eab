"""Our own `lorebook.toml`: written by people, so their comments, their order and keys unknown here survive a change.

An entry needs `keys` and `content`; everything else has a default. `selective = true` without secondary keys asks for
all keys at once.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import AoT, Table
from tomlkit.toml_document import TOMLDocument

from familiar_app.domain.lorebook.entry import DEFAULT_DEPTH, LoreBook, LoreEntry
from familiar_app.domain.lorebook.fieldmap import Field, quiet, values_of
from familiar_app.interchange.lorebook.entry_memo import Raw, Uid
from familiar_app.interchange.lorebook.native_block import join_blocks
from familiar_app.interchange.lorebook.native_edit import edit_block
from familiar_app.interchange.lorebook.native_fields import NATIVE, NATIVE_FIELDS, wants_all_keys
from familiar_app.interchange.lorebook.native_text import NativeText, read_text
from familiar_app.interchange.lorebook.shape import read_book
from familiar_app.interchange.report import Report

_SHORT_FORM = {"keys", "secondary_keys", "logic"}


def parse_native(text: str, *, source: Path | str, name: str, report: Report) -> LoreBook:
    """Read a book from TOML. Raises BadInputError with the line."""
    return read_native(read_text(text, source), name, report)


def read_native(text: NativeText, name: str, report: Report) -> LoreBook:
    """Return the book that a text says."""
    return read_book(NATIVE, text.value, name, report, text.memo)[0]


def render_native(book: LoreBook, text: str | None = None, *, source: Path | str = "lorebook.toml") -> str:
    """Write a book as TOML, into `text` where it was read from that: whatever did not change stays as it is."""
    return write_native(book, None if text is None else read_text(text, source))


def write_native(book: LoreBook, text: NativeText | None, given_name: str | None = None) -> str:
    """Write a book as TOML into the text that it was read from.

    A text without a name gets one only where the book is called otherwise than `given_name`, which was read.
    """
    given_name = book.name if given_name is None else given_name
    quick = None if text is None else _rewrite_blocks(text, book, given_name)
    if quick is not None:
        return quick
    plain = {} if text is None else text.value
    document = tomlkit.document() if text is None else tomlkit.parse(text.text.removeprefix("\ufeff"))
    _write_settings(document, plain, book, given_name)
    _write_folders(document, plain, book)
    _write_entries(document, plain, book)
    return tomlkit.dumps(document)


def _rewrite_blocks(text: NativeText, book: LoreBook, given_name: str) -> str | None:
    """Rewrite the blocks of changed entries alone, which is quick in a long file; None where that cannot be done."""
    blocks, plain = text.blocks, text.value
    if blocks is None or not book.entries:
        return None
    if _changed_settings(plain, book, given_name) or NATIVE.read_folders(plain) != book.folders:
        return None
    before = read_book(NATIVE, plain, book.name, Report(), text.memo)[0]
    places = {entry.uid: number for number, entry in enumerate(before.entries)}
    written = []
    for entry in book.entries:
        at = places.get(entry.uid)
        if at is None:
            written.append(_new_block(entry))
        elif before.entries[at] is entry:
            written.append(blocks.entries[at])
        else:
            block, raw = _changed_block(blocks.entries[at], blocks.raws[at], before.entries[at], entry)
            written.append(block)
            if raw is not None:
                text.known[block] = raw
    return join_blocks([blocks.head, *written, blocks.tail])


def _changed_block(block: str, raw: Raw, before: LoreEntry, entry: LoreEntry) -> tuple[str, Raw | None]:
    """Return the block as it says the changed entry, and its raw object where that is known."""
    changed = [one for one in NATIVE_FIELDS if getattr(before, one.attribute) != _value(entry, one)]
    if not changed:
        return block, raw
    if not (wants_all_keys(raw) and any(field.attribute in _SHORT_FORM for field in changed)):
        written = {_path(raw, field): _styled(field.kind.write(_value(entry, field), None)) for field in changed}
        edited = edit_block(block, raw, written)
        if edited is not None:
            return edited
    document = tomlkit.parse(block)
    entries: Any = document["entries"]
    _change_entry(entries[0], raw, entry)
    return tomlkit.dumps(document), None


def _new_block(entry: LoreEntry) -> str:
    document, tables = tomlkit.document(), tomlkit.aot()
    tables.append(_new_entry(entry))
    document.append("entries", tables)
    return f"\n{tomlkit.dumps(document)}"


def _changed_settings(plain: Mapping[str, Any], book: LoreBook, given_name: str) -> list[Field]:
    found = []
    for field in NATIVE.book_fields:
        there = field.read(plain, quiet)
        unsaid = field.attribute == "name" and there == "" and plain and book.name == given_name
        if there != getattr(book, field.attribute) and not unsaid:
            found.append(field)
    return found


def _write_settings(document: TOMLDocument, plain: Mapping[str, Any], book: LoreBook, given_name: str) -> None:
    for field in _changed_settings(plain, book, given_name):
        _put(document, field, getattr(book, field.attribute))


def _write_folders(document: TOMLDocument, plain: Mapping[str, Any], book: LoreBook) -> None:
    if NATIVE.read_folders(plain) == book.folders:
        return
    document.pop("folders", None)
    if book.folders:
        tables = tomlkit.aot()
        for folder in book.folders:
            table = tomlkit.table()
            table.update({"id": folder.id, "name": folder.name, "enabled": folder.enabled})
            tables.append(table)
        document.append("folders", tables)


def _write_entries(document: TOMLDocument, plain: Mapping[str, Any], book: LoreBook) -> None:
    _, slots = read_book(NATIVE, plain, book.name, Report())
    tables: Any = document.get("entries")
    known: dict[Uid, Any] = dict(zip(slots.raw, tables or (), strict=True))
    for entry in book.entries:
        if entry.uid in known:
            _change_entry(known[entry.uid], slots.raw[entry.uid], entry)
    order = [entry.uid for entry in book.entries]
    if order == list(known):
        return
    if isinstance(tables, AoT) and order[: len(known)] == list(known):
        for entry in book.entries[len(known) :]:
            tables.append(_new_entry(entry))
    else:
        _rebuild_entries(document, known, book)


def _rebuild_entries(document: TOMLDocument, known: Mapping[Uid, Any], book: LoreBook) -> None:
    """Put the entries into the book's order, each with its own comments."""
    document.pop("entries", None)
    if not book.entries:
        return
    tables = tomlkit.aot()
    for entry in book.entries:
        old = known.get(entry.uid)
        table = old if isinstance(old, Table) else _new_entry(entry)
        if not isinstance(old, Table) and old is not None:
            table.update({name: value for name, value in old.items() if name not in table})
        tables.append(table)
    document.append("entries", tables)


def _new_entry(entry: LoreEntry) -> Table:
    table = tomlkit.table()
    table.add("id", entry.uid)
    values = _values(entry)
    for field in NATIVE_FIELDS:
        if values[field.attribute] != field.fallback or field.attribute in ("keys", "content"):
            _put(table, field, values[field.attribute])
    return table


def _change_entry(table: Any, raw: Mapping[str, Any], entry: LoreEntry) -> None:
    values = _values(entry)
    changed = [field for field in NATIVE_FIELDS if field.read(raw, quiet) != values[field.attribute]]
    if wants_all_keys(raw) and any(field.attribute in _SHORT_FORM for field in changed):
        del table["selective"]
        changed += [field for field in NATIVE_FIELDS if field.attribute in _SHORT_FORM and field not in changed]
    for field in changed:
        _put(table, field, values[field.attribute])


def _value(entry: LoreEntry, field: Field) -> Any:
    value = getattr(entry, field.attribute)
    return DEFAULT_DEPTH if field.attribute == "depth" and value is None else value


def _values(entry: LoreEntry) -> dict[str, Any]:
    return values_of(replace(entry, depth=DEFAULT_DEPTH if entry.depth is None else entry.depth))


def _put(table: Any, field: Field, value: Any) -> None:
    """Write one value where it stands; a value at its default that TOML cannot say is removed."""
    path = _path(table, field)
    written = field.kind.write(value, None)
    if written is None:
        table.pop(path, None)
    else:
        table[path] = _styled(written)


def _path(table: Any, field: Field) -> str:
    return next((place.path for place in field.places if place.path in table), field.path)


def _styled(value: Any) -> Any:
    """Write a text of several lines over several lines, if it reads back the same."""
    if isinstance(value, str) and "\n" in value:
        styled = tomlkit.string(value, multiline=True)
        try:
            if tomllib.loads(f"value = {styled.as_string()}") == {"value": value}:
                return styled
        except tomllib.TOMLDecodeError:
            return value
    return value
