"""A card from a file on its way into a familiar: what it would change, what comes with it, and how that is undone.

Without Qt. The card and the picture are stored by the model; here are the lorebook and what is kept for an export.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from familiar_app.domain.card import CharacterCard
from familiar_app.domain.ids import FamiliarId
from familiar_app.interchange.card_kept import kept_of
from familiar_app.interchange.cards import CardImport
from familiar_app.interchange.lorebook.document import LoreDocument
from familiar_app.interchange.lorebook.lore_file import LoreFile
from familiar_app.interchange.lorebook.taken import Taken, lorebook_of_import, take_in
from familiar_app.ui.character.field import changed_fields
from familiar_app.ui.kit.card_summary import report_texts

if TYPE_CHECKING:
    from familiar_app.store.profile import Profile
    from familiar_app.ui.kit.parts import ReadCard


@dataclass(frozen=True, slots=True)
class Import:
    """A card that was read from a file and is not yet in use. `report` has what did not come over as it was."""

    source: str
    card: CharacterCard
    avatar_png: bytes | None
    changes: tuple[str, ...]
    report: tuple[str, ...]
    lorebook: LoreDocument | None = field(default=None, repr=False)
    kept: bytes | None = field(default=None, repr=False)

    @property
    def entries(self) -> int:
        """How many lorebook entries the card brings."""
        return len(self.lorebook.book.entries) if self.lorebook is not None else 0


def import_of(path: Path, found: ReadCard, now: CharacterCard) -> Import:
    """Say what a card that was read would change; blocks."""
    whole = found if isinstance(found, CardImport) else None
    lorebook = lorebook_of_import(whole) if whole is not None else None
    lines = list(getattr(found, "report", ()))
    if lorebook is not None:
        lines = [*(line for line in lines if line.field != "character_book"), *lorebook.report]
    changes = tuple(changed_fields(now, found.card))
    kept = kept_of(whole) if whole is not None else None
    return Import(path.name, found.card, found.avatar_png, changes, report_texts(lines), lorebook, kept)


@dataclass(frozen=True, slots=True)
class Companions:
    """What came with a card, and what stood in its place before."""

    taken: Taken | None
    kept_before: bytes | None

    def undo(self, profile: Profile, familiar: FamiliarId) -> None:
        """Put back what was there; blocks. Raises LoreConflictError where the lorebook was changed since."""
        profile.save_kept_card(familiar, self.kept_before)
        if self.taken is not None:
            self.taken.undo()


def take_companions(profile: Profile, familiar: FamiliarId, found: Import, *, lorebook: bool) -> Companions:
    """Store what comes with a card; blocks. Raises BadInputError, OutsideError."""
    taken = None
    if lorebook and found.lorebook is not None:
        taken = take_in(LoreFile(profile.lorebook(familiar)), found.lorebook)
    before = profile.kept_card(familiar)
    profile.save_kept_card(familiar, found.kept)
    return Companions(taken, before)
