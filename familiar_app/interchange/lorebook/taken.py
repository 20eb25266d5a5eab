"""Turns a lorebook from outside into the program's own: what is kept, and what is told about it."""

from __future__ import annotations

from familiar_app.interchange.cards import CardImport
from familiar_app.interchange.json_text import storable
from familiar_app.interchange.lorebook.document import LoreDocument
from familiar_app.interchange.lorebook.files import lorebook_of_card, own_book
from familiar_app.interchange.lorebook.lore_file import LoreFile
from familiar_app.interchange.lorebook.merge import Merged, merge_books
from familiar_app.interchange.lorebook.native import render_native


def lorebook_of_import(found: CardImport) -> LoreDocument | None:
    """Return the lorebook that an imported card brought, None where it brought no entries."""
    if not found.raw:
        return None
    document = lorebook_of_card(found.raw, name=found.card.name)
    return document if document.book.entries else None


def take_in(file: LoreFile, document: LoreDocument, *, dry_run: bool = False) -> tuple[Merged, bytes | None]:
    """Bring a book's entries into a file of ours; return what came of it, and what the file held before.

    Raises LoreConflictError, BadInputError and OutsideError; then nothing is changed.
    """
    loaded = file.load()
    merged = merge_books(loaded.book, own_book(document))
    text = loaded.document.text
    if merged.added and not dry_run:
        file.save(loaded, merged.book)
    return merged, None if text is None else text.encode("utf-8")


def native_bytes(document: LoreDocument) -> bytes:
    """Return the book as a new `lorebook.toml`."""
    return storable(render_native(own_book(document))).encode("utf-8")
