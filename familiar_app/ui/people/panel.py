"""The People panel of the main window: one view per familiar, made when it is first shown."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from familiar_app.domain.ids import FamiliarId, PersonKey
from familiar_app.domain.text import tr, tr_later
from familiar_app.store.person_count import PersonRow
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.familiar_views import FamiliarViews
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.kit.zone import system_zone
from familiar_app.ui.people.model import PeopleModel
from familiar_app.ui.people.view import PeopleView

if TYPE_CHECKING:
    from familiar_app.services import Services

log = logging.getLogger(__name__)
MOST_OFFERED = 300
NAMES_AFTER_S = 1.0
"""Opening the vault has enough to do before that."""


def create_people_panel(services: Services, context: PanelContext) -> PeoplePanel:
    """Make the People panel for an open vault."""
    return PeoplePanel(services, context)


class PeoplePanel:
    """Implements `kit.panel.Panel`. A place is the key of a person."""

    id = "people"
    title = tr_later("People")
    icon = "people"

    def __init__(self, services: Services, context: PanelContext) -> None:
        self._services, self._context = services, context
        self.widget: FamiliarViews[PeopleView] = FamiliarViews(
            services, context, self._make_view, begin=lambda view: view.load()
        )
        self._names: list[PersonRow] = []
        self._tasks = Tasks(context.tasks, self.widget, lambda error, _again: log.warning("no names: %s", error.kind))
        context.familiar_changed.connect(lambda _familiar: self._learn_names())
        self._learn_names()
        context.familiar_reloaded.connect(self._reloaded)

    @property
    def view(self) -> PeopleView:
        """The view of the familiar that is shown."""
        return self.widget.view

    def _make_view(self, familiar: FamiliarId) -> PeopleView:
        hosted = self._services.familiars[familiar]
        zone = hosted.config.display.zone() or system_zone()
        lineage = hosted.config.lineage
        model = PeopleModel(self._services.vault, familiar, hosted.name, lineage=lineage, zone=zone)
        return PeopleView(model, self._context)

    def _learn_names(self) -> None:
        """Read who there is for the palette, which may be asked before this panel is opened."""
        self._tasks.start(self._read_names, name="people.names", replace=True)

    async def _read_names(self) -> None:
        familiar = self._context.familiar
        await asyncio.sleep(NAMES_AFTER_S)
        rows = await self._services.vault.person_pages.list(familiar)
        if familiar == self._context.familiar:
            self._names = rows
            self._context.actions_changed(self.id)

    def _reloaded(self, familiar: str) -> None:
        self.widget.renew(familiar)

    def actions(self) -> Sequence[Action]:
        return (
            Action(
                "people.refresh", tr("Read the people anew"), lambda: self.view.load(), "F5", "refresh", tr("People")
            ),
            Action(
                "people.myself",
                tr("What the familiar knows of itself"),
                lambda: self.view.show_person(self.view.model.ego),
                icon="familiar",
                group=tr("People"),
                words=tr("own dossier stances ego"),
            ),
            Action(
                "people.erase",
                tr("Erase the chosen person…"),
                self._erase,
                group=tr("People"),
                words=tr("forget delete remove privacy"),
                enabled=lambda: self.widget.current is not None and len(self.view.model.chosen) == 1,
            ),
        )

    def _erase(self) -> None:
        for row in self.view.model.rows_of(self.view.model.chosen)[:1]:
            self.view.erase(row)

    def palette_entries(self) -> Sequence[Action]:
        """Offer people by name, those seen last first."""
        loaded = self.widget.current is not None and self.view.model.loaded and not self.view.model.query
        rows = (self.view.model.rows if loaded else self._names)[:MOST_OFFERED]
        return tuple(
            Action(
                f"people.person.{row.key}",
                row.label,
                lambda key=row.key: self._context.go_to(self.id, key),
                icon="user",
                group=tr("Person"),
                words=" ".join(row.identities),
            )
            for row in rows
        )

    def activate(self) -> None:
        self.view.load()
        self.view.table.setFocus()

    def find(self) -> None:
        self.view.search.setFocus()
        self.view.search.selectAll()

    def show_place(self, key: str) -> None:
        """Show somebody."""
        if key:
            self.view.show_person(PersonKey(key))

    async def close(self) -> None:
        await self._tasks.cancel()
        for view in self.widget:
            await view.tasks.cancel()
