"""A familiar's settings for lorebooks, in the terms of the engine."""

from __future__ import annotations

from collections.abc import Iterable

from familiar_app.domain.lorebook.entry import LoreBook
from familiar_app.domain.lorebook.scene import LoreSettings, Strategy
from familiar_app.domain.settings import LorebookSettings

_STRATEGIES = {
    "evenly": Strategy.EVENLY,
    "familiar_first": Strategy.CHARACTER_FIRST,
    "shared_first": Strategy.GLOBAL_FIRST,
}


def lore_settings(chosen: LorebookSettings, books: Iterable[LoreBook], *, max_entries: int) -> LoreSettings:
    """Return the engine's settings; its budget is then the scene's whole `prompt_tokens`."""
    asked = chosen.recursive == "books" and any(book.recursive for book in books)
    return LoreSettings(
        depth=chosen.recent_window,
        budget_percent=100,
        recursive=asked or chosen.recursive == "on",
        max_passes=chosen.max_passes,
        min_activations=chosen.min_activations,
        min_activations_depth=chosen.min_activations_depth,
        case_sensitive=chosen.case_sensitive,
        match_whole_words=chosen.match_whole_words,
        group_scoring=chosen.group_scoring,
        strategy=_STRATEGIES[chosen.order],
        constants_first=chosen.constants_first,
        fill_gaps=chosen.fill_gaps,
        max_entries=max_entries,
    )
