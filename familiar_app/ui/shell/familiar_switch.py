"""Which familiar is shown, in rail, title and status: its menu, switching, those that could not be loaded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.text import tr
from familiar_app.ui.kit.avatar import read_picture
from familiar_app.ui.kit.icon import icon
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.shell.familiar_status import show_familiar_status
from familiar_app.ui.shell.rail import FamiliarButton

if TYPE_CHECKING:
    from familiar_app.services import Services


class FamiliarSwitch:
    """Keeps the button of the rail and the status true to `context.familiar`.

    `shown` is called with the name of whoever is shown, `switched` after another one was chosen.
    """

    def __init__(
        self,
        services: Services,
        context: PanelContext,
        button: FamiliarButton,
        notice: Notice,
        tasks: Tasks,
        *,
        add: Callable[[], object],
        shown: Callable[[str], object],
        switched: Callable[[], object],
    ) -> None:
        self._services, self._context, self._button = services, context, button
        self._notice, self._tasks = notice, tasks
        self._add, self._shown, self._switched = add, shown, switched
        context.familiar_reloaded.connect(self._reloaded)
        context.local_only_changed.connect(lambda _on: self._show_status())
        context.settings_changed.connect(lambda _settings: self._show_status())

    @property
    def name(self) -> str:
        """The name of the present familiar."""
        return self._services.familiars[self._context.familiar].name

    def show(self) -> None:
        """Show name, picture and status of the present familiar."""
        self._button.set_familiar(self.name, None)
        self._tasks.start(self._load_picture, name="shell.picture", replace=True)
        self._shown(self.name)
        self._show_status()

    def switch(self, familiar: str) -> None:
        """Show another familiar of this vault."""
        if familiar != self._context.familiar and familiar in self._services.familiars:
            self._context.familiar = FamiliarId(familiar)
            self.show()
            self._switched()
            self._context.familiar_changed.emit(familiar)

    def open_menu(self) -> None:
        """Offer the familiars beside the button."""
        menu = self.menu()
        menu.popup(self._button.mapToGlobal(QPoint(self._button.width() + 4, 0)))

    def menu(self) -> QMenu:
        """Build the menu of all familiars, the broken ones with their reason behind a click."""
        theme = self._context.theme
        menu = QMenu(self._button)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setAccessibleName(tr("Familiars"))
        for familiar, hosted in self._services.familiars.items():
            action = menu.addAction(hosted.name.replace("&", "&&"))
            action.triggered.connect(lambda _checked=False, chosen=familiar: self.switch(chosen))
            if familiar == self._context.familiar:
                action.setIcon(icon(theme, "check", "accent"))
        for familiar, error in self._services.broken.items():
            action = menu.addAction(tr("{familiar} (could not be loaded)", familiar=familiar))
            action.setIcon(icon(theme, "warning", "danger"))
            action.triggered.connect(lambda _checked=False, f=familiar, e=error: self._tell_broken(f, e))
        menu.addSeparator()
        menu.addAction(tr("Add a familiar…")).triggered.connect(lambda _checked=False: self._add())
        leave = menu.addAction(tr("Erase {name}…", name=self.name.replace("&", "&&")))
        leave.triggered.connect(lambda _checked=False: self._context.erase(str(self._context.familiar)))
        return menu

    def _reloaded(self, familiar: str) -> None:
        if familiar == self._context.familiar:
            self.show()

    def _show_status(self) -> None:
        show_familiar_status(self._context.status, self._services, self._context.familiar)

    def _tell_broken(self, familiar: FamiliarId, error: FamiliarError) -> None:
        def again() -> None:
            self._tasks.start(lambda: self._reload(familiar), name="shell.reload")

        self._notice.show_error(error, step=tr("Load it again"), run=again)

    async def _reload(self, familiar: FamiliarId) -> None:
        if self._context.gate is not None:
            await self._context.gate.reload_familiar(familiar)
            self.switch(familiar)

    async def _load_picture(self) -> None:
        familiar = self._context.familiar
        path = await asyncio.to_thread(self._services.profile.avatar, familiar)
        if path is not None and familiar == self._context.familiar:
            self._button.set_familiar(self._services.familiars[familiar].name, read_picture(path))
