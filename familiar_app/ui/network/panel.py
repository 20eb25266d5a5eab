"""The network as a panel without a place in the rail: the settings, the palette and the shield's sheet lead to it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from familiar_app.domain.errors import BugError
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.zone import system_zone
from familiar_app.ui.network.model import NetworkModel
from familiar_app.ui.network.view import NetworkView

if TYPE_CHECKING:
    from familiar_app.services import Services


def create_network_panel(services: Services, context: PanelContext) -> NetworkPanel:
    """Make the panel for an open vault; a PanelFactory."""
    return NetworkPanel(services, context)


class NetworkPanel:
    """Implements `kit.panel.Panel`."""

    id = "network"
    title = tr_later("Network")
    icon = "globe"
    off_rail = True

    def __init__(self, services: Services, context: PanelContext) -> None:
        if context.gate is None:
            raise BugError("The panel of the network was made outside a window.")
        self._services, self._context, self._gate = services, context, context.gate
        self.model = NetworkModel(services, system_zone())
        self.widget = self.view = NetworkView(self.model, context, self._switch)
        context.local_only_changed.connect(lambda _on: self.view.load())
        context.familiar_reloaded.connect(lambda _id: self.view.load())

    def actions(self) -> Sequence[Action]:
        return (
            Action("network.refresh", tr("Look at the network again"), self.view.load, "F5", "refresh", tr("Privacy")),
        )

    def palette_entries(self) -> Sequence[Action]:
        run = partial(self._context.go_to, self.id, "")
        words = tr("hosts connections internet privacy endpoints traffic")
        return (Action("network.show", tr("Network: who is spoken to"), run, "", self.icon, tr("Privacy"), words),)

    def activate(self) -> None:
        self.view.load()
        self.view.switch_button.setFocus()

    def find(self) -> None:
        """Nothing to search here."""

    def show_place(self, key: str) -> None:
        """There are no places within."""

    async def close(self) -> None:
        await self.view.tasks.cancel()

    def _switch(self, on: bool) -> None:
        self.view.notice.clear()
        self.view.tasks.start(partial(self._switch_now, on), name="network.switch")

    async def _switch_now(self, on: bool) -> None:
        await self._gate.set_local_only(on)
        now = self._services.network.local_only
        self._context.local_only_changed.emit(now)
        if now and not on:
            self.view.notice.tell(tr("The program was started with --local-only, so it stays on until it is left."))
