"""Turns a lorebook from outside into the program's own: what is kept, and what is told about it."""

from __future__ import annotations

from dataclasses import dataclass

from familiar_app.interchange.cards import CardImport
from familiar_app.interchange.json_text import read_file, storable
from familiar_app.interchange.lorebook.document import LoreDocument
from familiar_app.interchange.lorebook.files import lorebook_of_card, own_book
from familiar_app.interchange.lorebook.lore_file import NO_FILE, LoreFile
from familiar_app.interchange.lorebook.merge import Merged, merge_books
from familiar_app.interchange.lorebook.native import render_native


def lorebook_of_import(found: CardImport) -> LoreDocument | None:
    """Return the lorebook that an imported card brought, None where it brought no entries."""
    if not found.raw:
        return None
    document = lorebook_of_card(found.raw, name=found.card.name)
    return document if document.book.entries else None


@dataclass(frozen=True, slots=True)
class Taken:
    """A book that was brought into a file of ours. `before` is what the file held, None where there was none."""

    merged: Merged
    file: LoreFile
    before: bytes | None
    revision: str

    def undo(self) -> None:
        """Let the file hold what it held before. Raises LoreConflictError where it was changed since."""
        self.file.put_back(self.before, self.revision)


def take_in(file: LoreFile, document: LoreDocument, *, dry_run: bool = False) -> Taken:
    """Bring a book's entries into a file of ours, which are not there yet.

    Raises LoreConflictError, BadInputError and OutsideError; then nothing is changed.
    """
    loaded = file.load()
    merged = merge_books(loaded.book, own_book(document))
    before = read_file(file.path) if loaded.revision != NO_FILE else None
    if not merged.added or dry_run:
        return Taken(merged, file, before, loaded.revision)
    return Taken(merged, file, before, file.save(loaded, merged.book).revision)


def native_bytes(document: LoreDocument) -> bytes:
    """Return the book as a new `lorebook.toml`."""
    return storable(render_native(own_book(document))).encode("utf-8")
