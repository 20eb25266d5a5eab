"""Pages of the window where there is nothing else to show: each says why, and offers to try again."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.text import tr
from familiar_app.ui.kit.empty_state import EmptyState
from familiar_app.ui.kit.theme import Theme


def none_loaded(theme: Theme, broken: Mapping[FamiliarId, FamiliarError], again: Callable[[], object]) -> EmptyState:
    """Name every familiar of the vault with what is wrong with it."""
    text = "\n".join(f"{familiar}: {error}" for familiar, error in broken.items())
    heading = tr("No familiar could be loaded")
    return EmptyState(theme, "warning", heading, text, step=tr("Try again"), run=again)


def no_way_on(theme: Theme, error: FamiliarError, again: Callable[[], object]) -> EmptyState:
    """Tell of an error that stopped the window itself."""
    text, heading = str(error), tr("The program could not go on from here")
    return EmptyState(theme, "warning", heading, text[:1].upper() + text[1:], step=tr("Try again"), run=again)
