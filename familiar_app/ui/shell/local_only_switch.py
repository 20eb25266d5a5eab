"""Switches local-only for the window: by its action, and in the sheet that opens above the shield."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from familiar_app.domain.statement import endpoint_hosts
from familiar_app.domain.text import tr
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.shell.local_only import LocalOnlySheet

if TYPE_CHECKING:
    from familiar_app.services import Gate, Services


class LocalOnlySwitch:
    """Asks the gate, tells the panels, and says in the status bar what is in force then."""

    def __init__(
        self, gate: Gate, services: Services, context: PanelContext, tasks: Tasks, *, tell: Callable[[str], object]
    ) -> None:
        self._gate, self._services, self._context, self._tasks = gate, services, context, tasks
        self._tell = tell

    def toggle(self) -> None:
        self._set(not self._services.network.local_only)

    def open_sheet(self, shield: QWidget) -> None:
        """Explain above the shield what is in force, and offer the switch."""
        on = self._services.network.local_only
        hosts = endpoint_hosts(one.config for one in self._services.familiars.values())
        context = self._context
        show = (lambda: context.go_to("network", "")) if context.has_panel("network") else None
        sheet = LocalOnlySheet(context.theme, context.window, on=on, switch=self._set, hosts=hosts, show_hosts=show)
        sheet.open_above(shield)

    def _set(self, on: bool) -> None:
        self._tasks.start(lambda: self._switch(on), name="shell.local_only")

    async def _switch(self, on: bool) -> None:
        await self._gate.set_local_only(on)
        now = self._services.network.local_only
        self._context.local_only_changed.emit(now)
        if now == on:
            self._tell(tr("Nothing leaves this computer now.") if on else tr("The network is allowed now."))
        else:
            self._tell(tr("The program was started with --local-only; that stays in force."))
