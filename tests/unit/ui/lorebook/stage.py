"""What tests of the lorebook panel share: a book on the disk, a model that counts, the terms of a familiar."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from familiar_app.domain.card import CharacterCard
from familiar_app.domain.settings import CharacterConfig
from familiar_app.interchange.lorebook.lore_file import LoreFile
from familiar_app.store.profile import Profile
from familiar_app.ui.lorebook.model import LorebookModel
from familiar_app.ui.lorebook.trial import Terms

TEXT = """\
# The town, as it was told.
name = "Salt Harbour"

[[entries]]
name = "The lighthouse"
# Written first.
keys = ["lighthouse", "lamp room"]
content = "The lighthouse of Salt Harbour has been dark since the winter of the great tide."
order = 200

[[entries]]
name = "Keeper Anselm"
keys = ["Anselm", "keeper"]
secondary_keys = ["lighthouse"]
content = "Anselm kept the lamp for forty years and still carries its key."
order = 150

[[entries]]
name = "The tide bell"
keys = ["bell"]
content = "The bell under the pier rings by itself before a storm."
constant = true
"""


class CountingModel:
    """Counts words as tokens and remembers how often it was asked."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        self.asked.append(len(texts))
        return [len(text.split()) for text in texts]


def config_of(folder: Path) -> CharacterConfig:
    """Return the shipped configuration."""
    return Profile(folder / "elsewhere").config("mira")


def terms_of(folder: Path) -> Terms:
    """Return the terms of a familiar as it is shipped."""
    config = config_of(folder)
    budget = config.budget.text
    return Terms(config.lorebook, budget.lorebook_tokens, budget.max_lorebook_entries, CharacterCard(name="Mira"))


async def loaded(folder: Path, text: str = TEXT) -> LorebookModel:
    """Return a model over a file that holds `text`."""
    path = folder / "lorebook.toml"
    path.write_text(text, encoding="utf-8")
    model = LorebookModel(LoreFile(path))
    await model.load()
    return model


def names(model: LorebookModel) -> list[str]:
    """Return the names of the rows."""
    return [one.name for one in model.rows()]
