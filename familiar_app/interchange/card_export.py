"""What goes out with a familiar's card: what was kept of the card it came from, and its lorebook."""

from __future__ import annotations

from pathlib import Path

from familiar_app.domain.card import CharacterCard
from familiar_app.interchange.card_json import CardVersion, card_to_json
from familiar_app.interchange.card_kept import KeptCard, kept_card
from familiar_app.interchange.lorebook.files import CARD_LORE_FORMATS, convert_lorebook
from familiar_app.interchange.lorebook.lore_file import LoreFile


def card_for_export(card: CharacterCard, kept: bytes | None, lorebook: Path, format_name: str | None) -> KeptCard:
    """Return the raw card to lay `card` over. Blocks. Raises BadInputError, OutsideError."""
    found = kept_card(card, kept)
    if not lorebook.exists() or format_name not in (None, *CARD_LORE_FORMATS):
        return found
    version: CardVersion = "card-v2" if format_name == "card-v2" else "card-v3"
    shape = "book-v2" if version == "card-v2" else "lorebook-v3"
    value, _ = convert_lorebook(LoreFile(lorebook).load().document, shape)
    raw = card_to_json(card, version, found.raw)
    raw["data"]["character_book"] = value if version == "card-v2" else value["data"]
    return KeptCard(raw, found.files)
