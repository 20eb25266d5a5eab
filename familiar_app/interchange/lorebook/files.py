"""Reads a lorebook from any known file, and writes it to any other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from familiar_app.domain.errors import BadInputError, UsageError
from familiar_app.domain.lorebook.entry import LoreBook
from familiar_app.domain.text import tr
from familiar_app.interchange.card_file import CARD_KEYWORDS, JsonFile, load_json_file
from familiar_app.interchange.card_json import card_data, card_format
from familiar_app.interchange.json_text import decode_text, read_file, write_file
from familiar_app.interchange.lorebook.cardbook import BOOK_V2, BOOK_V3, is_character_book
from familiar_app.interchange.lorebook.document import LoreDocument, Origin
from familiar_app.interchange.lorebook.incard import (
    note_foreign,
    write_character_book,
    write_flat_card,
    write_into_card,
)
from familiar_app.interchange.lorebook.native import parse_native, render_native
from familiar_app.interchange.lorebook.shape import Shape, read_book
from familiar_app.interchange.lorebook.shape_write import keep_foreign, write_book
from familiar_app.interchange.lorebook.sniff import SHAPES, find_shape, is_card, shape_of_book
from familiar_app.interchange.report import Report, ReportLine

CARD_LORE_FORMATS = ("card-v2", "card-v3", "charx")
LORE_FORMATS = ("familiar", *SHAPES, "card-v1", *CARD_LORE_FORMATS)
_KEYWORDS = (*CARD_KEYWORDS, "naidata")
_ENDINGS = {".toml": "familiar", ".png": "card-v3", ".apng": "card-v3", ".charx": "charx", ".lorebook": "novelai"}


def read_lorebook(path: Path) -> LoreDocument:
    """Read the lorebook in a file; its format is found out. A card without one gives a book without entries.

    Raises BadInputError naming the file and the reason, OutsideError where the disk fails.
    """
    report = Report()
    if path.suffix.lower() == ".toml":
        text = decode_text(read_file(path), source=path)
        book = parse_native(text, source=path, name=path.stem, report=report)
        return LoreDocument("familiar", book, tuple(report.lines), text=text)
    file = load_json_file(path, report, keywords=_KEYWORDS)
    found = find_shape(file.value)
    if found is not None:
        shape, way = found
        return _document(shape.name, shape, file, way, path.stem, report)
    if is_card(file.value):
        return _from_card(file, path, report)
    raise BadInputError(
        tr("this is no lorebook that the program knows."),
        source=path,
        next_step=tr(
            "Known are those of SillyTavern, RisuAI, NovelAI, Agnai, KoboldAI, AI Dungeon and Chub, and cards."
        ),
    )


def convert_lorebook(document: LoreDocument, format: str) -> tuple[Any, tuple[ReportLine, ...]]:  # noqa: A002
    """Return the book as a value of a JSON format, with what does not survive. Raises UsageError."""
    if format not in SHAPES:
        raise UsageError(f"{format!r} is no JSON lorebook format.", f"Known are {', '.join(SHAPES)}.")
    report = Report()
    shape, origin = shape_of_book(format, document.book), document.origin
    if origin is not None and origin.shape.name == format and document.card is None:
        value = write_book(origin.shape, document.book, origin.book_value(), origin.slots, report)
        return _put_back(origin.value, origin.path, value), tuple(report.lines)
    if origin is not None and is_character_book(origin.shape) and is_character_book(shape):
        value = write_character_book(shape, document.book, origin, report)
    else:
        value = write_book(shape, document.book, None, None, report)
        note_foreign(document, report)
    if shape is BOOK_V3:
        value = {"spec": "lorebook_v3", "data": value}
    return value, tuple(report.lines)


def write_lorebook(path: Path, document: LoreDocument, format: str | None = None) -> tuple[ReportLine, ...]:  # noqa: A002
    """Write the book; the format is `format`, or what the file's ending or the book's origin says.

    Returns what does not survive. Raises UsageError for a format that is unknown or can hold no lorebook.
    """
    format = format or format_for(path, document)  # noqa: A001
    if format not in LORE_FORMATS:
        raise UsageError(f"there is no lorebook format {format!r}.", f"Known are {', '.join(LORE_FORMATS)}.")
    if format == "familiar":
        write_file(path, render_native(own_book(document), document.text, source=path).encode())
        report = Report()
        if document.text is None:
            note_foreign(document, report)
        return tuple(report.lines)
    if format == "card-v1":
        return write_flat_card(path, document)
    if format in CARD_LORE_FORMATS:
        return write_into_card(path, document, format)
    value, lines = convert_lorebook(document, format)
    write_file(path, json.dumps(value, indent=2).encode())
    return lines


def own_book(document: LoreDocument) -> LoreBook:
    """Return the book with all that its file said beyond it, as it goes into a file of ours."""
    origin = document.origin
    if origin is None:
        return document.book
    return keep_foreign(origin.shape, document.book, origin.book_value(), origin.slots)


def format_for(path: Path, document: LoreDocument) -> str:
    """Return the format that a file's ending says; `.json` is that of the book's origin, where it is a JSON one.

    Raises UsageError for an ending that says none.
    """
    ending = path.suffix.lower()
    if ending == ".json":
        if document.format == "charx":
            return "card-v3"
        return document.format if document.format in SHAPES or document.format in CARD_LORE_FORMATS else "sillytavern"
    if ending not in _ENDINGS:
        raise UsageError(
            f"{path.name} has no ending that says a lorebook format.",
            f"Name one with --to: {', '.join(LORE_FORMATS)}. Known endings: {', '.join(('.json', *_ENDINGS))}.",
        )
    by_ending = _ENDINGS[ending]
    return document.format if by_ending == "card-v3" and document.format == "card-v2" else by_ending


def lorebook_of_card(raw: Mapping[str, Any], *, name: str) -> LoreDocument:
    """Return the lorebook inside a card object; one without entries where the card has none."""
    return _from_card(JsonFile(raw, "json"), Path(name), Report())


def _from_card(file: JsonFile, path: Path, report: Report) -> LoreDocument:
    version = card_format(file.value) or "card-v1"
    format = "charx" if file.container == "charx" else version  # noqa: A001
    data = card_data(file.value)
    name = data.get("name") if isinstance(data.get("name"), str) else None
    book = data.get("character_book")
    if not isinstance(book, Mapping) and (not isinstance(book, list) or find_shape(book) is None):
        return LoreDocument(format, LoreBook(name=name or path.stem), tuple(report.lines), card=file.value)
    way = ("data", "character_book") if data is not file.value else ("character_book",)
    found = find_shape(book)
    shape = BOOK_V3 if version == "card-v3" else BOOK_V2
    if found is not None and found[0] not in (BOOK_V2, BOOK_V3):
        shape = found[0]
        report.add(
            "character_book", "repaired", tr("the lorebook in the card has the form of {format}", format=shape.name)
        )
    return _document(format, shape, file, way, name or path.stem, report)


def _document(
    format: str,  # noqa: A002
    shape: Shape,
    file: JsonFile,
    way: tuple[str, ...],
    name: str,
    report: Report,
) -> LoreDocument:
    value = file.value
    for step in way:
        value = value[step]
    book, slots = read_book(shape, value, name, report)
    origin = Origin(shape, file.value, way, slots, file.picture, file.files)
    card = file.value if is_card(file.value) else None
    return LoreDocument(format, book, tuple(report.lines), origin, card)


def _put_back(value: Any, path: tuple[str, ...], book: Any) -> Any:
    """Return the outer value with another book in the place of the old one."""
    if not path:
        return book
    return {**value, path[0]: _put_back(value[path[0]], path[1:], book)}
