"""The Memories panel of the main window: one view per familiar, made when it is first shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.saved_memory.memory import MemoryId
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.familiar_views import FamiliarViews
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.zone import system_zone
from familiar_app.ui.memories.model import MemoriesModel
from familiar_app.ui.memories.side import DEEDS
from familiar_app.ui.memories.view import MemoriesView

if TYPE_CHECKING:
    from familiar_app.services import Services


def create_memories_panel(services: Services, context: PanelContext) -> MemoriesPanel:
    """Make the Memories panel for an open vault; a PanelFactory."""
    return MemoriesPanel(services, context)


class MemoriesPanel:
    """Implements `kit.panel.Panel`. A place is the number of a memory."""

    id = "memories"
    title = tr_later("Memories")
    icon = "memories"

    def __init__(self, services: Services, context: PanelContext) -> None:
        self._services, self._context = services, context
        self.widget: FamiliarViews[MemoriesView] = FamiliarViews(
            services, context, self._make_view, begin=lambda view: view.load()
        )
        context.familiar_reloaded.connect(self._reloaded)

    @property
    def view(self) -> MemoriesView:
        """The view of the familiar that is shown; made when it is first asked for."""
        return self.widget.view

    def _make_view(self, familiar: FamiliarId) -> MemoriesView:
        return MemoriesView(MemoriesModel(self._services, familiar, system_zone()), self._context)

    def _reloaded(self, familiar: str) -> None:
        """Limits, zone or fading may be others now."""
        view = self.widget.of(familiar)
        if view is not None:
            view.load()

    def actions(self) -> Sequence[Action]:
        def deed(word: str, title: str, shortcut: str = "", icon: str = "memories") -> Action:
            return Action(
                f"memories.{word}",
                title,
                lambda: self.view.deeds.do(word),
                shortcut=shortcut,
                icon=icon,
                group=tr("Memories"),
                words=tr("saved memory remember keep"),
            )

        chosen = (
            deed(word, tr("{deed}: the chosen memories", deed=tr(title).rstrip("… "))) for word, title, _key in DEEDS
        )
        return (
            deed("add", tr("Write a memory down…"), "Ctrl+N", "plus"),
            *chosen,
            deed("import", tr("Import memories…")),
            deed("export", tr("Export memories…")),
        )

    def keys(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return the keys that only the table knows."""
        deeds = tuple((tr(title).rstrip("… "), key) for _word, title, key in DEEDS)
        return {tr("Among the memories"): (*deeds, (tr("Details"), "Return"), (tr("Choose all"), "Ctrl+A"))}

    def palette_entries(self) -> Sequence[Action]:
        return ()

    def activate(self) -> None:
        self.view.load()
        self.view.table.setFocus()

    def find(self) -> None:
        self.view.search.setFocus()
        self.view.search.selectAll()

    def show_place(self, key: str) -> None:
        """Show a memory by its number."""
        if key.isdigit():
            self.view.reveal(MemoryId(int(key)))

    async def close(self) -> None:
        for view in self.widget:
            view.stop()
            await view.tasks.cancel()
