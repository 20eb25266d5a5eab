"""Offers facts in the command palette by what is typed there: a bounded search on demand, nothing is held ready."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from familiar_app.domain.text import tr
from familiar_app.ui.kit.action import Action, ActionRegistry
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.shell.palette import Palette

if TYPE_CHECKING:
    from familiar_app.services import Services

OWNER = "facts"
PANEL = "timeline"
LEAST_TYPED = 3
MOST_OFFERED = 12
MOST_READ = 200
"""So many with the longest word are looked through for the others."""
PAUSE_S = 0.15


class FactFinder:
    """Searches while the person types in the palette."""

    def __init__(
        self, services: Services, context: PanelContext, palette: Palette, actions: ActionRegistry, tasks: Tasks
    ) -> None:
        self._services, self._context = services, context
        self._palette, self._actions, self._tasks = palette, actions, tasks
        palette.typed.connect(self.look_for)

    def look_for(self, text: str) -> None:
        """Search for a text; a later one takes its place."""
        if len(text.strip()) >= LEAST_TYPED and self._context.has_panel(PANEL):
            self._tasks.start(partial(self._find, text), name="shell.facts", replace=True)
        else:
            self._tasks.stop("shell.facts")
            self._actions.withdraw(OWNER)

    async def _find(self, text: str) -> None:
        await asyncio.sleep(PAUSE_S)
        words = text.casefold().split()
        page = await self._services.vault.facts.page(
            self._context.familiar, search=max(words, key=len), limit=MOST_READ
        )
        found = [one for one in page if all(word in one.text.casefold() for word in words)][:MOST_OFFERED]
        self._actions.offer(
            OWNER,
            [
                Action(
                    f"fact.{one.id}",
                    " ".join(one.text.split()),
                    partial(self._context.go_to, PANEL, str(one.id)),
                    icon=PANEL,
                    group=tr("Facts"),
                )
                for one in found
            ],
        )
        self._palette.look_again()
