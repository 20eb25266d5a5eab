"""Bringing books in from other programs and taking this one out, with what that does to them said first. No Qt."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from familiar_app.domain.lorebook.entry import LoreBook
from familiar_app.domain.text import ntr, tr, tr_later
from familiar_app.interchange.json_text import storable, write_file
from familiar_app.interchange.lorebook.document import LoreDocument
from familiar_app.interchange.lorebook.files import convert_lorebook, own_book, read_lorebook, write_lorebook
from familiar_app.interchange.report import ReportLine
from familiar_app.ui.lorebook.field import field_title
from familiar_app.ui.lorebook.trial import Run
from familiar_app.ui.lorebook.word import WHAT

FORMATS = (
    ("sillytavern", tr_later("SillyTavern world info"), ".json"),
    ("lorebook-v3", tr_later("Character book, version 3"), ".json"),
    ("book-v2", tr_later("Character book, version 2"), ".json"),
    ("risu", "RisuAI", ".json"),
    ("novelai", "NovelAI", ".lorebook"),
    ("agnai", "Agnai", ".json"),
    ("kobold", "KoboldAI", ".json"),
    ("chub", "Chub", ".json"),
    ("familiar", "Familiar (TOML)", ".toml"),
)
FILE_FILTER = tr_later("Lorebooks and cards (*.json *.lorebook *.png *.charx *.toml)")


@dataclass(frozen=True, slots=True)
class Found:
    """A book that was read from a file and is not in use yet; `lines` is the report of the reading."""

    source: str
    format: str
    book: LoreBook
    lines: tuple[str, ...]


def read_import(path: Path) -> Found:
    """Read a lorebook of any known format; blocks. Raises BadInputError, OutsideError."""
    document = read_lorebook(path)
    return Found(path.name, document.format, own_book(document), tuple(report_lines(document.report, document.book)))


def format_title(name: str) -> str:
    """Return what a format is called."""
    return next((tr(title) for known, title, _ending in FORMATS if known == name), name)


def report_lines(lines: tuple[ReportLine, ...], book: LoreBook, title: Callable[[str], str] = str) -> list[str]:
    """Say each line of a report for people; the same thing said of many entries is said once.

    `title` gives what a field is called.
    """
    said: dict[tuple[str, str, str], list[int]] = {}
    for line in lines:
        said.setdefault((line.field, line.what, line.detail), []).append(-1 if line.entry is None else line.entry)
    found = []
    for (name, what, detail), numbers in said.items():
        entries = [number for number in numbers if 0 <= number < len(book.entries)]
        names = [book.entries[number].name for number in entries]
        found.append(_line(title(name), tr(WHAT.get(what, what)), f"{detail[:1].upper()}{detail[1:]}", names))
    return found


def _line(name: str, what: str, detail: str, entries: list[str]) -> str:
    values = {"field": name, "what": what, "detail": detail}
    if len(entries) == 1:
        return tr("{field}: {what}. {detail} ({entry})", **values, entry=entries[0])
    if entries:
        return ntr(
            "{field}: {what}. {detail} ({n} entry)",
            "{field}: {what}. {detail} ({n} entries)",
            len(entries),
            **values,
        )
    return tr("{field}: {what}. {detail}", **values)


def export_losses(book: LoreBook, format_name: str) -> list[str]:
    """Return what would not survive in a format; blocks."""
    if format_name == "familiar":
        return []
    _value, lines = convert_lorebook(LoreDocument("familiar", book), format_name)
    return report_lines(lines, book, field_title)


def export(book: LoreBook, path: Path, format_name: str) -> None:
    """Write the book to a file; blocks. Raises UserError, OutsideError."""
    write_lorebook(path, LoreDocument("familiar", book), format_name)


def write_case(run: Run, path: Path, title: str) -> None:
    """Write what was tried out, as `familiar lore test --case` takes it; blocks. Raises OutsideError."""
    text = json.dumps(run.case(title), ensure_ascii=False, indent=1)
    write_file(path, storable(f"{text}\n").encode("utf-8"))
