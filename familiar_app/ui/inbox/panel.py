"""The inbox as a panel of the main window: one view per familiar, and a badge for what waits or is new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from familiar_app.domain.ids import FamiliarId
from familiar_app.ui.inbox.model import InboxModel
from familiar_app.ui.inbox.side import DEEDS
from familiar_app.ui.inbox.view import KEY_OF, InboxView
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.familiar_views import FamiliarViews
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.zone import system_zone

if TYPE_CHECKING:
    from familiar_app.services import Services


def create_inbox_panel(services: Services, context: PanelContext) -> InboxPanel:
    """Make the inbox of an open vault; a PanelFactory."""
    return InboxPanel(services, context)


class InboxPanel:
    """Implements `kit.panel.Panel`. It has one place only."""

    id = "inbox"
    title = "Inbox"
    icon = "archive"

    def __init__(self, services: Services, context: PanelContext) -> None:
        self._services, self._context = services, context
        self.widget = FamiliarViews(
            services, context, self._make_view, begin=lambda _view: None, shown=lambda view: view.count()
        )
        self.widget.show_familiar(context.familiar)
        context.familiar_reloaded.connect(self._reloaded)

    @property
    def view(self) -> InboxView:
        """The view of the familiar that is shown."""
        return self.widget.current

    def _make_view(self, familiar: FamiliarId) -> InboxView:
        services, hosted = self._services, self._services.familiars[familiar]
        vault, zone = services.vault, hosted.config.display.zone() or system_zone()
        model = InboxModel(familiar, hosted.name, vault.retirements, vault.facts, services.clock, zone)
        return InboxView(
            model, vault.facts, self._context, at_once=hosted.config.memory.fact_supersede.retire_at_once
        )  # fmt: skip

    def _reloaded(self, familiar: str) -> None:
        view, hosted = self.widget.of(familiar), self._services.familiars.get(FamiliarId(familiar))
        if view is not None and hosted is not None:
            view.model.zone = hosted.config.display.zone() or system_zone()
            view.model.name = hosted.name
            view.set_at_once(hosted.config.memory.fact_supersede.retire_at_once)

    def actions(self) -> Sequence[Action]:
        return tuple(
            Action(f"inbox.{word}", f"{title}: the chosen proposals", lambda word=word: self.view.do(word),
                   icon="archive", group="Inbox", words="retirement fact replace")
            for word, title in DEEDS
        )  # fmt: skip

    def keys(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return the keys that only the table knows."""
        deeds = tuple((title, KEY_OF[word]) for word, title in DEEDS)
        return {"In the inbox": (*deeds, ("Details", "Return"), ("Choose all", "Ctrl+A"))}

    def palette_entries(self) -> Sequence[Action]:
        setting = partial(self._context.go_to, "settings", "memory.fact_supersede.retire_at_once")
        return (
            Action("inbox.setting", "Replace facts at once, or wait for me", setting, icon="settings", group="Inbox"),
        )  # fmt: skip

    def activate(self) -> None:
        self.view.load(looking=True)
        self.view.table.setFocus()

    def find(self) -> None:
        self.view.search.setFocus()
        self.view.search.selectAll()

    def show_place(self, key: str) -> None:
        """The inbox has one place only."""

    async def close(self) -> None:
        for view in self.widget:
            view.stop()
            await view.tasks.cancel()
