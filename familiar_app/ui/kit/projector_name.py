"""What each projector is called, wherever one is named: its upkeep, its prompts, the facts it wrote."""

from __future__ import annotations

from collections.abc import Mapping

from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.prompt_word import words

PROJECTORS: Mapping[str, str] = {
    "rich_note": tr_later("Facts"),
    "fact_supersede": tr_later("Replacements"),
    "people_dossier": tr_later("Portraits"),
    "rolling_summary": tr_later("Stories"),
    "reflection": tr_later("Reflections"),
    "fact_embedding": tr_later("Search by meaning: facts"),
    "turn_embedding": tr_later("Search by meaning: messages"),
    "saved_memory": tr_later("Saved memories"),
}


def projector_name(name: str) -> str:
    """Name a projector; one that was installed goes by its own name."""
    return tr(PROJECTORS[name]) if name in PROJECTORS else name


def purpose_name(purpose: str) -> str:
    """Name what a model was asked for, as a heading does."""
    if purpose in PROJECTORS:
        return tr(PROJECTORS[purpose])
    spoken = words(purpose)
    return spoken[:1].upper() + spoken[1:] or tr("Unnamed")
