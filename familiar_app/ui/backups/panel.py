"""Backups as a panel without a place in the rail: the status bar, the settings and the palette lead to it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from familiar_app.domain.text import ntr, tr, tr_later
from familiar_app.store.backup_shelf import KeptBackup
from familiar_app.ui.backups.model import BackupsModel
from familiar_app.ui.backups.view import BackupsView
from familiar_app.ui.backups.word import status_text
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.going_back import choose_backup
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.kit.zone import system_zone

if TYPE_CHECKING:
    from familiar_app.domain.errors import FamiliarError
    from familiar_app.services import Services

STATUS_EVERY_MS = 60_000


def create_backups_panel(services: Services, context: PanelContext) -> BackupsPanel:
    """Make the panel for an open vault; a PanelFactory."""
    return BackupsPanel(services, context)


class BackupsPanel:
    """Implements `kit.panel.Panel`. It keeps the word about backups in the status bar, whether it is shown or not."""

    id = "backups"
    title = tr_later("Backups")
    icon = "save"
    off_rail = True

    def __init__(self, services: Services, context: PanelContext) -> None:
        self._services, self._context = services, context
        self.model = BackupsModel(services, system_zone())
        self.widget = self.view = BackupsView(self.model, context, self._go_back)
        self._tasks = Tasks(context.tasks, self.widget, self._failed)
        self.model.watch(lambda _what: self._tell())
        self._timer = QTimer(self.widget)
        self._timer.setInterval(STATUS_EVERY_MS)
        self._timer.timeout.connect(self._tell)
        self._timer.start()
        self._tasks.start(services.backups.listed_quietly, name="backups.look")

    def actions(self) -> Sequence[Action]:
        again = tr("Look for backups again")
        return (Action("backups.refresh", again, self.activate, "F5", "refresh", tr("Vault")),)

    def palette_entries(self) -> Sequence[Action]:
        show = partial(self._context.go_to, self.id, "")

        def deed(name: str, title: str, run, words: str) -> Action:
            return Action(f"backups.{name}", title, run, icon=self.icon, group=tr("Vault"), words=words)

        return (
            deed("show", tr("Backups"), show, tr("restore verify vacuum safety copy")),
            deed("make", tr("Back up now"), partial(self._press, "make"), tr("backup save copy")),
            deed("restore", tr("Go back to a backup…"), show, tr("restore undo rescue")),
            deed("verify", tr("Check the vault"), partial(self._press, "verify"), tr("verify damage integrity")),
            deed(
                "vacuum", tr("Give back unused room"), partial(self._press, "vacuum"), tr("vacuum compact shrink size")
            ),
        )

    def activate(self) -> None:
        self.view.load()
        (self.view.make if self.view.make.isEnabled() else self.view.from_file).setFocus()

    def find(self) -> None:
        """Nothing to search here."""

    def show_place(self, key: str) -> None:
        """There are no places within."""

    async def close(self) -> None:
        self._timer.stop()
        self.view.stop()
        self.model.close()
        await self.view.tasks.cancel()
        await self._tasks.cancel()

    def _press(self, name: str) -> None:
        self._context.go_to(self.id, "")
        getattr(self.view, name).click()

    def _go_back(self, kept: KeptBackup | None) -> None:
        self.view.notice.clear()
        self.view.tasks.start(partial(self._choose, kept), name="backups.restore")

    async def _choose(self, kept: KeptBackup | None) -> None:
        key = self._services.vault.data_key()
        turns = await self._services.vault.turns.count()
        told = ntr("The vault has {n} message now.", "The vault has {n} messages now.", turns)
        path = None if kept is None else kept.path
        choice = await choose_backup(self.widget, self._context.theme, path, data_key=key, told=told)
        if choice is not None:
            self._context.go_back_to(choice)

    def _tell(self) -> None:
        word, tip, tone = status_text(self.model.state, self.model.now(), self.model.zone)
        self._context.status.update(backup=word, backup_tip=tip, backup_tone=tone)

    def _failed(self, error: FamiliarError, _again: object) -> None:
        self._context.status.update(backup=tr("Backups: unknown"), backup_tip=str(error), backup_tone="danger")
