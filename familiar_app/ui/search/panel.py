"""The search as a panel that the rail does not list: Ctrl+Shift+F opens it from everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.familiar_views import FamiliarViews
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.zone import system_zone
from familiar_app.ui.search.model import SearchModel
from familiar_app.ui.search.view import SearchView
from familiar_app.ui.search.wanted import EVERYTHING

if TYPE_CHECKING:
    from familiar_app.services import Services

KEYS: Mapping[str, Sequence[tuple[str, str]]] = {
    tr_later("In the search"): (
        (tr_later("Go to the results"), "↓"),
        (tr_later("Open the chosen one"), tr_later("Return")),
        (tr_later("Empty the field, leave"), tr_later("Esc")),
    ),
    tr_later("Among the results"): (
        (tr_later("Open it"), tr_later("Return")),
        (tr_later("Back to the field"), tr_later("↑ in the first row")),
    ),
}

ACTIONS: Mapping[str, str] = {
    EVERYTHING: tr_later("Search all kinds"),
    "person": tr_later("Search people"),
    "turn": tr_later("Search messages"),
    "fact": tr_later("Search facts"),
    "memory": tr_later("Search saved memories"),
    "reflection": tr_later("Search reflections"),
    "lore": tr_later("Search lorebook"),
    "prompt": tr_later("Search prompts"),
}


def create_search_panel(services: Services, context: PanelContext) -> SearchPanel:
    """Make the search for an open vault."""
    return SearchPanel(services, context)


class SearchPanel:
    """Implements `kit.panel.Panel` and `OffRail`. Looking changes nothing in the vault."""

    id = "search"
    title = tr_later("Search")
    icon = "search"
    off_rail = True

    def __init__(self, services: Services, context: PanelContext) -> None:
        self._services, self._context = services, context
        self.widget = FamiliarViews(services, context, self._make_view, begin=lambda _view: None)
        self.widget.show_familiar(context.familiar)

    @property
    def view(self) -> SearchView:
        """The view of the familiar that is shown."""
        return self.widget.current

    def _make_view(self, familiar: FamiliarId) -> SearchView:
        return SearchView(SearchModel(self._services, familiar, system_zone()), self._context)

    def actions(self) -> Sequence[Action]:
        group, words = tr(self.title), tr("filter kind only")
        made = [
            Action(
                f"search.{kind or 'all'}",
                tr(title),
                lambda kind=kind: self.view.bar.show_kind(kind),
                icon="search",
                group=group,
                words=words,
            )
            for kind, title in ACTIONS.items()
        ]
        return [*made, Action("search.clear", tr("Clear the filters"), self.view.bar.clear_filters, group=group)]

    def keys(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return the keys that only parts of this panel know."""
        return {tr(place): [(tr(what), tr(key)) for what, key in keys] for place, keys in KEYS.items()}

    def palette_entries(self) -> Sequence[Action]:
        return ()

    def activate(self) -> None:
        self.view.load()
        self.view.begin()

    def find(self) -> None:
        self.view.begin()

    def show_place(self, key: str) -> None:
        self.view.look_for(key)

    async def close(self) -> None:
        for view in self.widget:
            await view.tasks.cancel()
