"""Keeps the books of many files at hand: each is read every time and parsed again only when its content changed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from familiar_app.domain.errors import BadInputError, OutsideError
from familiar_app.domain.lorebook.entry import LoreBook
from familiar_app.interchange.json_text import decode_text, read_file
from familiar_app.interchange.lorebook.lore_file import NO_FILE, revision_of
from familiar_app.interchange.lorebook.native import parse_native
from familiar_app.interchange.report import Report, ReportLine

_KEPT_BOOKS = 64


@dataclass(frozen=True, slots=True)
class ShelvedBook:
    """The book of one file at one revision; without a book, `error` tells why."""

    path: Path
    revision: str
    book: LoreBook | None = None
    error: BadInputError | OutsideError | None = None
    report: tuple[ReportLine, ...] = field(default=(), repr=False)


class LoreLibrary:
    """Reads `.toml` lorebooks. Methods block, up to seconds for thousands of entries, and may be called anywhere."""

    def __init__(self) -> None:
        self._books: OrderedDict[Path, ShelvedBook] = OrderedDict()
        self._reading = threading.Lock()

    def read(self, paths: Iterable[Path]) -> list[ShelvedBook]:
        """Return the present book of each file. What cannot be read has an error and keeps nothing from the others."""
        with self._reading:
            return [self._read(path) for path in paths]

    def _read(self, path: Path) -> ShelvedBook:
        try:
            data = read_file(path)
        except (BadInputError, OutsideError) as error:
            return ShelvedBook(path, NO_FILE, error=error)
        revision = revision_of(data)
        known = self._books.get(path)
        if known is None or known.revision != revision:
            known = _parsed(path, data, revision)
        self._books[path] = known
        self._books.move_to_end(path)
        while len(self._books) > _KEPT_BOOKS:
            self._books.popitem(last=False)
        return known


def _parsed(path: Path, data: bytes, revision: str) -> ShelvedBook:
    report = Report()
    try:
        book = parse_native(decode_text(data, source=path), source=path, name=path.stem, report=report)
    except BadInputError as error:
        return ShelvedBook(path, revision, error=error)
    return ShelvedBook(path, revision, book, report=tuple(report.lines))
