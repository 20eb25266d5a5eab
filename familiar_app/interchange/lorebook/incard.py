"""Puts a lorebook into a character card: the one it came from, the one that is there, or a new one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from familiar_app.domain.card import CharacterCard
from familiar_app.domain.errors import BadInputError, UsageError
from familiar_app.domain.lorebook.decorators import strip_decorators
from familiar_app.domain.lorebook.entry import LoreBook
from familiar_app.domain.text import tr
from familiar_app.interchange.card_file import load_json_file
from familiar_app.interchange.card_json import CardVersion, card_data, card_format, card_from_json, card_to_json
from familiar_app.interchange.cards import write_card
from familiar_app.interchange.lorebook.cardbook import BOOK_V2, BOOK_V3, is_character_book
from familiar_app.interchange.lorebook.document import LoreDocument, Origin
from familiar_app.interchange.lorebook.shape import Shape
from familiar_app.interchange.lorebook.shape_write import write_book
from familiar_app.interchange.report import Report, ReportLine

_WITHOUT_EFFECT = frozenset({"keys", "content"})
"""What has no effect in these is told while reading, and is written all the same."""


def write_into_card(path: Path, document: LoreDocument, format: str) -> tuple[ReportLine, ...]:  # noqa: A002
    """Write the book into a card of this format. Returns what does not survive."""
    report = Report()
    card, raw, picture = _card_for(path, document)
    version: CardVersion = "card-v2" if format == "card-v2" else "card-v3"
    value = card_to_json(card, version, raw)
    value["data"]["character_book"] = _card_book(document, version, report)
    files = document.origin.files if document.origin is not None and raw is document.card else {}
    write_card(path, card, format=format, raw=value, avatar_png=picture, files=files)
    if format == "charx" and raw is not None and not files and len(value["data"].get("assets") or ()) > 1:
        report.add("assets", "dropped", tr("of the files in the archive only the portrait is written"))
    return tuple(report.lines)


def write_flat_card(path: Path, document: LoreDocument) -> tuple[ReportLine, ...]:
    """Write the card as version 1, without the book. Returns what does not survive; a book alone raises UsageError."""
    if document.card is None:
        raise UsageError(tr("Cards of version 1 hold no lorebook."), tr("Take card-v2 or card-v3."))
    report = Report()
    card, _raw, picture = _card_for(path, document)
    value = card_to_json(card, "card-v1", document.card)
    flat = document.card if card_format(document.card) == "card-v1" else None
    for name, content in card_data(document.card).items():
        if content and name not in value and name != "character_book":
            report.add(str(name), "dropped", tr("a card of version 1 has no such field"))
    for number in range(len(document.book.entries)):
        report.about(number).add("character_book", "dropped", tr("a card of version 1 holds no lorebook"))
    write_card(path, card, format="card-v1", raw=flat, avatar_png=picture)
    return tuple(report.lines)


def write_character_book(shape: Shape, book: LoreBook, origin: Origin, report: Report) -> Any:
    """Write a character book over the one it came from, which may be of the other version."""
    changes = origin.shape is not shape
    if changes and shape is BOOK_V2:
        book = _without_decorators(book, report)
    return write_book(shape, book, origin.book_value(), origin.slots, report, complete=changes)


def _without_decorators(book: LoreBook, report: Report) -> LoreBook:
    """Remove lines that readers of version 2 would show as text."""
    entries = []
    for number, entry in enumerate(book.entries):
        content = strip_decorators(entry.content)
        if content != entry.content:
            report.about(number).add("content", "dropped", tr("version 2 knows no decorators"))
        entries.append(replace(entry, content=content))
    return replace(book, entries=tuple(entries))


def note_foreign(document: LoreDocument, report: Report) -> None:
    """Report the fields that only the original format can hold."""
    for line in document.report:
        if line.what == "ignored" and line.entry is None:
            report.add(line.field, "dropped", tr("only the original format has this field"))


def _card_book(document: LoreDocument, version: CardVersion, report: Report) -> Any:
    shape, origin = BOOK_V3 if version == "card-v3" else BOOK_V2, document.origin
    if origin is not None and is_character_book(origin.shape):
        return write_character_book(shape, document.book, origin, report)
    for line in document.report:
        if line.what == "ignored" and line.field not in _WITHOUT_EFFECT:
            report.lines.append(
                ReportLine(line.field, "dropped", tr("only the original format has this field"), line.entry)
            )
    return write_book(shape, document.book, None, None, report)


def _card_for(path: Path, document: LoreDocument) -> tuple[CharacterCard, Mapping[str, Any] | None, bytes | None]:
    """Return the card to write into, the object it comes from, and its picture."""
    there = _card_at(path)
    if document.card is not None and (there is None or document.origin is not None):
        picture = document.origin.picture if document.origin else None
        return card_from_json(document.card, source=path, report=Report()), document.card, picture
    if there is not None:
        return card_from_json(there[0], source=path, report=Report()), there[0], there[1]
    return CharacterCard(name=document.book.name), None, None


def _card_at(path: Path) -> tuple[Mapping[str, Any], bytes | None] | None:
    """Return the card that a file already holds, if it is one."""
    if not path.exists():
        return None
    try:
        file = load_json_file(path, Report())
    except BadInputError:
        return None
    if not isinstance(file.value, dict) or card_format(file.value) is None:
        return None
    return file.value, file.picture
