"""A lorebook in the program's own format, opened for editing: comments stay, and no change is written over another.

A file has a revision, which changes with its content. Saving names the revision that the edit began with; where the
file has another one by now, somebody else changed it, and nothing is written.
"""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, field
from pathlib import Path

from familiar_app.domain.errors import BadInputError, UserError
from familiar_app.domain.lorebook.entry import LoreBook
from familiar_app.domain.text import tr
from familiar_app.interchange.json_text import decode_text, read_file, remove_file, storable, write_file
from familiar_app.interchange.lorebook.document import LoreDocument
from familiar_app.interchange.lorebook.native import read_native, write_native
from familiar_app.interchange.lorebook.native_text import NativeText, read_text
from familiar_app.interchange.report import Report

NO_FILE = ""


class LoreConflictError(UserError):
    """The file was changed elsewhere since it was loaded. Nothing was written; `current` is what it holds now."""

    def __init__(self, path: Path, current: LoadedLore | None) -> None:
        super().__init__(
            tr("{file} was changed elsewhere since it was opened.", file=path.name),
            tr("Load it again, then make your change anew."),
        )
        self.current = current


@dataclass(frozen=True, slots=True)
class LoadedLore:
    """A book as the file held it at one revision; `NO_FILE` where there was no file."""

    document: LoreDocument
    revision: str
    text: NativeText | None = field(default=None, repr=False, compare=False)

    @property
    def book(self) -> LoreBook:
        """The book; its entries keep their ids through edits."""
        return self.document.book


@dataclass(slots=True)
class LoreFile:
    """One `.toml` lorebook. The file need not exist. Methods block; call them in a thread."""

    path: Path
    _changing: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def revision(self) -> str:
        """Return the file's present revision, at the cost of reading it. Raises BadInputError, OutsideError."""
        data = self._data()
        return NO_FILE if data is None else revision_of(data)

    def load(self) -> LoadedLore:
        """Read the book; an empty one where there is no file. Raises BadInputError with the line, OutsideError."""
        data = self._data()
        if data is None:
            return LoadedLore(LoreDocument("familiar", LoreBook(name=self.path.stem)), NO_FILE)
        return _parsed(data, self.path)

    def save(self, loaded: LoadedLore, book: LoreBook) -> LoadedLore:
        """Write `book` in the place of the one loaded and return it as it reads now; what did not change stays.

        Raises LoreConflictError where the file changed meanwhile, OutsideError where the disk fails.
        """
        with self._changing:
            data = self._data()
            if (NO_FILE if data is None else revision_of(data)) != loaded.revision:
                raise LoreConflictError(self.path, self._readable(data))
            written = storable(write_native(book, loaded.text, loaded.book.name)).encode("utf-8")
            saved = _parsed(written, self.path, loaded.text)
            if written != data:
                write_file(self.path, written)
            return saved

    def put_back(self, data: bytes | None, revision: str) -> None:
        """Let the file hold `data` again, None for no file, if it is still at a revision.

        Raises LoreConflictError where it changed meanwhile, OutsideError where the disk fails.
        """
        with self._changing:
            now = self._data()
            if (NO_FILE if now is None else revision_of(now)) != revision:
                raise LoreConflictError(self.path, self._readable(now))
            if data is None:
                remove_file(self.path)
            else:
                write_file(self.path, data)

    def _data(self) -> bytes | None:
        return read_file(self.path) if self.path.exists() else None

    def _readable(self, data: bytes | None) -> LoadedLore | None:
        """Return what the file holds now, None where it is gone or cannot be read."""
        try:
            return None if data is None else _parsed(data, self.path)
        except BadInputError:
            return None


def revision_of(data: bytes) -> str:
    """Return the revision of a file with this content."""
    return hashlib.sha256(data).hexdigest()


def _parsed(data: bytes, path: Path, before: NativeText | None = None) -> LoadedLore:
    text, report = read_text(decode_text(data, source=path), path, before), Report()
    book = read_native(text, path.stem, report)
    document = LoreDocument("familiar", book, tuple(report.lines), text=text.text)
    return LoadedLore(document, revision_of(data), text)
