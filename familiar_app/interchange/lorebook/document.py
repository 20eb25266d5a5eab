"""A lorebook together with the file it came from, so that it can be written back without losing anything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from typing import Any

from familiar_app.domain.lorebook.entry import LoreBook, LoreEntry
from familiar_app.interchange.charx import Members
from familiar_app.interchange.lorebook.shape import Shape, Slots
from familiar_app.interchange.report import ReportLine


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a book came from: the whole value, the way to the book inside it, and its raw entries."""

    shape: Shape
    value: Any = field(repr=False)
    path: tuple[str, ...]
    slots: Slots = field(repr=False)
    picture: bytes | None = field(default=None, repr=False)
    files: Members = field(default_factory=dict, repr=False)

    def book_value(self) -> Any:
        """Return the raw book."""
        value = self.value
        for name in self.path:
            value = value[name]
        return value


@dataclass(frozen=True, slots=True)
class LoreDocument:
    """A book, the name of its format, its origin and what reading it had to report.

    `text` is the TOML it was read from. `card` is the raw card around the book.
    """

    format: str
    book: LoreBook
    report: tuple[ReportLine, ...] = ()
    origin: Origin | None = None
    card: Mapping[str, Any] | None = field(default=None, repr=False)
    text: str | None = field(default=None, repr=False)

    def with_book(self, book: LoreBook) -> LoreDocument:
        """Return the document with an edited book; entries keep their ids."""
        return replace(self, book=book)

    def to_json(self) -> dict[str, Any]:
        """Return format, name, entries and report as JSON values."""
        return {
            "format": self.format,
            "name": self.book.name,
            "entries": [entry_to_json(entry) for entry in self.book.entries],
            "report": report_to_json(self.report),
        }


_APART = ("uid", "comment", "foreign")


def entry_to_json(entry: LoreEntry) -> dict[str, Any]:
    """Return an entry as JSON values, choices as words."""
    values = {name: _plain(value) for name, value in asdict(entry).items() if name not in _APART}
    return {"id": entry.uid, "name": entry.comment, **values}


def report_to_json(lines: Iterable[ReportLine]) -> list[dict[str, Any]]:
    """Return report lines as JSON values."""
    return [{"entry": line.entry, "field": line.field, "what": line.what, "detail": line.detail} for line in lines]


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.name.lower().replace("_", "-")
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value
