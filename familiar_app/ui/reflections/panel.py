"""The Reflections panel of the main window: one view per familiar, made when it is first shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.projection import ReflectionId
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.familiar_views import FamiliarViews
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.zone import system_zone
from familiar_app.ui.reflections.model import ReflectionsModel
from familiar_app.ui.reflections.view import ReflectionsView

if TYPE_CHECKING:
    from familiar_app.services import Services

KEYS: Mapping[str, Sequence[tuple[str, str]]] = {
    tr_later("On a thought"): (
        (tr_later("Pin it, or pin it no more"), "P"),
        (tr_later("Hide it, or show it again"), "H"),
    ),
}


def create_reflections_panel(services: Services, context: PanelContext) -> ReflectionsPanel:
    """Make the Reflections panel for an open vault."""
    return ReflectionsPanel(services, context)


class ReflectionsPanel:
    """Implements `kit.panel.Panel`. A place is the number of a reflection."""

    id = "reflections"
    title = tr_later("Reflections")
    icon = "reflections"

    def __init__(self, services: Services, context: PanelContext) -> None:
        self._services, self._context = services, context
        self.widget: FamiliarViews[ReflectionsView] = FamiliarViews(
            services, context, self._make_view, begin=lambda view: view.load()
        )
        context.familiar_reloaded.connect(self._reloaded)

    @property
    def view(self) -> ReflectionsView:
        """The view of the familiar that is shown."""
        return self.widget.view

    def _make_view(self, familiar: FamiliarId) -> ReflectionsView:
        vault, hosted = self._services.vault, self._services.familiars[familiar]
        zone = hosted.config.display.zone() or system_zone()
        needed = hosted.config.memory.reflection.new_turns
        model = ReflectionsModel(vault, familiar, hosted, zone=zone, needed=needed)
        weak = hosted.background.info.weak
        return ReflectionsView(model, vault.facts.feed, self._context, weak=weak, needed=needed)

    def _reloaded(self, familiar: str) -> None:
        """The model or the settings may be others now: build the view anew."""
        self.widget.renew(familiar, lambda old: old.stop_looking())

    def actions(self) -> Sequence[Action]:
        def deed(name: str, title: str, run: Callable[[], object], key: str = "", icon: str = "", words: str = ""):
            return Action(f"reflections.{name}", title, run, key, icon, tr("Reflections"), words)

        return (
            deed("now", tr("Reflect now"), lambda: self.view.reflect(), "Ctrl+N", "reflections", tr("think")),
            deed("all", tr("Show all thoughts"), lambda: self.view.show_all()),
            deed("older", tr("Older thoughts"), lambda: self.view.turn_page(1), "Ctrl+PgDown"),
            deed("newer", tr("Newer thoughts"), lambda: self.view.turn_page(-1), "Ctrl+PgUp"),
        )

    def keys(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return the keys that only parts of this panel know."""
        return {tr(title): [(tr(deed), key) for deed, key in keys] for title, keys in KEYS.items()}

    def palette_entries(self) -> Sequence[Action]:
        return ()

    def activate(self) -> None:
        view = self.view
        view.load()
        (view.cards[0].text if view.cards else view.think).setFocus()

    def find(self) -> None:
        """There is nothing to type here: the filters are what narrows the thoughts."""
        self.view.where.setFocus()

    def show_place(self, key: str) -> None:
        """Show a thought."""
        if key.isdigit():
            self.view.show_thought(ReflectionId(int(key)))

    async def close(self) -> None:
        for view in self.widget:
            view.stop_looking()
            await view.tasks.cancel()
