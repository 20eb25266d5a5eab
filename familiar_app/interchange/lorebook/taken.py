"""Turns a lorebook from outside into the program's own: what is kept, and what is told about it."""

from __future__ import annotations

from familiar_app.interchange.cards import CardImport
from familiar_app.interchange.json_text import storable
from familiar_app.interchange.lorebook.document import LoreDocument
from familiar_app.interchange.lorebook.files import lorebook_of_card, own_book
from familiar_app.interchange.lorebook.native import render_native


def lorebook_of_import(found: CardImport) -> LoreDocument | None:
    """Return the lorebook that an imported card brought, None where it brought no entries."""
    if not found.raw:
        return None
    document = lorebook_of_card(found.raw, name=found.card.name)
    return document if document.book.entries else None


def native_bytes(document: LoreDocument) -> bytes:
    """Return the book as a new `lorebook.toml`."""
    return storable(render_native(own_book(document))).encode("utf-8")
