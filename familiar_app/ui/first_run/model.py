"""The state of the first run: its steps, what was entered, and what is still missing. Knows no Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from familiar_app.domain.card import CharacterCard
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.card_summary import KEPT, card_parts
from familiar_app.ui.kit.model_choice import ModelChoice

Step = Literal["welcome", "character", "passphrase", "recovery", "model"]
FIRST_RUN: tuple[Step, ...] = ("welcome", "character", "passphrase", "recovery", "model")
ADD_FAMILIAR: tuple[Step, ...] = ("character", "model")
LONGEST_NAME = 80

TITLES: dict[Step, str] = {
    "welcome": tr_later("Welcome"),
    "character": tr_later("Who is your familiar?"),
    "passphrase": tr_later("Choose a passphrase"),
    "recovery": tr_later("Keep the recovery code"),
    "model": tr_later("Choose a model"),
}


@dataclass(slots=True)
class FirstRun:
    """Everything entered so far; going back loses nothing.

    `imported` is a card that was read from a file; the name and the description entered win over its own.
    `report` has what did not come over as it stood in the file. `known` are the familiars that are there, by their ids.
    """

    steps: Sequence[Step]
    at: int = 0
    name: str = ""
    description: str = ""
    owner_name: str = ""
    imported: CharacterCard | None = None
    imported_from: Path | None = None
    avatar_png: bytes | None = field(default=None, repr=False)
    lorebook_toml: bytes | None = field(default=None, repr=False)
    card_kept: bytes | None = field(default=None, repr=False)
    report: tuple[str, ...] = ()
    known: Mapping[str, str] = field(default_factory=dict)
    passphrase: str = field(default="", repr=False)
    recovery_code: str = field(default="", repr=False)
    remember: bool = False
    choice: ModelChoice = field(default_factory=ModelChoice)

    @property
    def step(self) -> Step:
        return self.steps[self.at]

    @property
    def is_first(self) -> bool:
        return self.at == 0

    @property
    def is_last(self) -> bool:
        return self.at == len(self.steps) - 1

    @property
    def progress_text(self) -> str:
        return tr("Step {number} of {count}", number=self.at + 1, count=len(self.steps))

    def forward(self) -> None:
        self.at = min(self.at + 1, len(self.steps) - 1)

    def back(self) -> None:
        self.at = max(self.at - 1, 0)

    def take_card(
        self,
        card: CharacterCard,
        avatar_png: bytes | None,
        source: Path,
        lorebook_toml: bytes | None = None,
        card_kept: bytes | None = None,
        report: tuple[str, ...] = (),
    ) -> None:
        """Use a card from a file; what was typed before gives way to it."""
        self.report = report
        self.lorebook_toml, self.card_kept = lorebook_toml, card_kept
        self.imported, self.imported_from, self.avatar_png = card, source, avatar_png
        self.name, self.description = card.name, card.description

    def drop_card(self) -> None:
        """Forget the card from a file, and its texts where they are still its own."""
        if self.imported is not None:
            if self.name == self.imported.name:
                self.name = ""
            if self.description == self.imported.description:
                self.description = ""
        self.imported = self.imported_from = self.avatar_png = self.lorebook_toml = self.card_kept = None
        self.report = ()

    def name_problem(self) -> str:
        """Say what is wrong with the name, "" where nothing is."""
        name = self.name.strip()
        if not name:
            return tr("Give your familiar a name.")
        if len(name) > LONGEST_NAME:
            return tr("A name has at most {count} characters.", count=LONGEST_NAME)
        return ""

    @property
    def asks_owner(self) -> bool:
        """Whether the owner is not known yet."""
        return "passphrase" in self.steps

    def owner_problem(self) -> str:
        """Say what is wrong with the owner's name, "" where nothing is; it may be left out."""
        long = len(self.owner_name.strip()) > LONGEST_NAME
        return tr("A name has at most {count} characters.", count=LONGEST_NAME) if long else ""

    def card(self) -> CharacterCard:
        """Return the card that is written."""
        name, description = self.name.strip(), self.description.strip()
        if self.imported is not None:
            return replace(self.imported, name=name, description=description)
        return CharacterCard(name=name, description=description)

    @property
    def card_details(self) -> str:
        """Say what a card from a file brings besides name and description."""
        if self.imported is None:
            return ""
        there = card_parts(self.imported, picture=self.avatar_png is not None, lorebook=self.lorebook_toml is not None)
        said = [tr("With {parts}.", parts=", ".join(there))] if there else []
        if self.card_kept is not None:
            said.append(tr(KEPT))
        return " ".join(said)

    @property
    def namesake(self) -> str | None:
        """The id of a familiar of the same name that is there already."""
        name = self.name.strip().casefold()
        return next((one for one, known in self.known.items() if name and known.strip().casefold() == name), None)
