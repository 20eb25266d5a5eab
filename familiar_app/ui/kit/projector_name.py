"""What each projector is called, wherever one is named: its upkeep, its prompts, the facts it wrote."""

from __future__ import annotations

from collections.abc import Mapping

from familiar_app.ui.kit.prompt_word import words

PROJECTORS: Mapping[str, str] = {
    "rich_note": "Facts",
    "fact_supersede": "Replacements",
    "people_dossier": "Portraits",
    "rolling_summary": "Stories",
    "reflection": "Reflections",
    "fact_embedding": "Search by meaning: facts",
    "turn_embedding": "Search by meaning: messages",
    "saved_memory": "Saved memories",
}


def projector_name(name: str) -> str:
    """Name a projector; one that was installed goes by its own name."""
    return PROJECTORS.get(name, name)


def purpose_name(purpose: str) -> str:
    """Name what a model was asked for, as a heading does."""
    return PROJECTORS.get(purpose) or words(purpose).capitalize() or "Unnamed"
