"""Writes the card that is shown to a file that another program reads. Without Qt; blocks, call it in a thread."""

from __future__ import annotations

from pathlib import Path

from familiar_app.domain.card import CharacterCard
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.text import tr_later
from familiar_app.interchange.card_export import card_for_export
from familiar_app.interchange.cards import write_card
from familiar_app.store.profile import Profile

FILTERS = (
    tr_later("Picture with the card (*.png)"),
    tr_later("JSON card (*.json)"),
    tr_later("charx archive (*.charx)"),
    tr_later("Markdown (*.md)"),
)
ENDINGS = (".png", ".apng", ".json", ".charx", ".md")


def named(path: Path) -> Path:
    """Return the file with an ending that says what is written; a picture where it has none of them."""
    return path if path.suffix.lower() in ENDINGS else path.with_name(f"{path.name}.png")


def export_card(profile: Profile, familiar: FamiliarId, card: CharacterCard, path: Path) -> None:
    """Write a card with the familiar's picture and lorebook. Raises UserError, BadInputError, OutsideError."""
    format_name = "familiar" if path.suffix.lower() == ".md" else None
    kept = card_for_export(card, profile.kept_card(familiar), profile.lorebook(familiar), format_name)
    avatar = profile.avatar(familiar)
    picture = avatar.read_bytes() if avatar is not None else None
    write_card(path, card, raw=kept.raw, avatar_png=picture, files=kept.files)
