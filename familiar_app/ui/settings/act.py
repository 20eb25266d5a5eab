"""What the rows without a value do: dialogs, other panels, folders, and taking leave."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.text import tr
from familiar_app.ui.kit.dialog import choose_file
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.parts import WindowParts
from familiar_app.ui.kit.profile_sheet import show_profiles
from familiar_app.ui.settings.change import SettingsChange
from familiar_app.ui.settings.dialog import ask_new_passphrase, ask_new_recovery_code
from familiar_app.ui.settings.setting import Setting

if TYPE_CHECKING:
    from familiar_app.services import Services

Act = Callable[[Setting], Awaitable[object]]


class SettingsActs:
    """`widget` gives what dialogs stand over. Every act is a coroutine that raises FamiliarError."""

    def __init__(
        self,
        services: Services,
        context: PanelContext,
        parts: WindowParts,
        change: SettingsChange,
        widget: Callable[[], QWidget],
    ) -> None:
        self._services, self._context, self._parts = services, context, parts
        self._change, self._widget = change, widget

    def of(self, setting: Setting) -> tuple[str, Act]:
        """Return what stands on the button of a row, and what it does."""
        acts: dict[str, tuple[str, Act]] = {
            "passphrase": (tr("Change…"), self.new_passphrase),
            "recovery_code": (tr("Make a new one…"), self.new_code),
            "profile_folder": (tr("Open folder"), self.open_folder),
            "backups": (tr("Show…"), partial(self.show_panel, "backups")),
            "profiles": (tr("Show…"), self.show_profiles),
            "about": (tr("Show…"), partial(self.show_panel, "about")),
            "model_files": (tr("Show…"), partial(self.show_panel, "models")),
            "network": (tr("Show…"), partial(self.show_panel, "network")),
            "statement": (tr("Save…"), self.save_statement),
            "erase_familiar": (tr("Erase…"), self.erase_familiar),
            "erase_everything": (tr("Erase…"), self.erase_everything),
        }
        return acts[setting.key]

    async def new_passphrase(self, _setting: Setting) -> None:
        new = await ask_new_passphrase(self._widget(), self._parts, self._services.vault.confirm)
        if new is not None:
            await self._services.vault.change_passphrase(new)
            self._context.tell(tr("The passphrase was changed."))

    async def new_code(self, _setting: Setting) -> None:
        code = await ask_new_recovery_code(self._widget(), self._parts, self._services.profile.root)
        if code is not None:
            await self._services.vault.replace_recovery_code(code)
            self._context.tell(tr("The new recovery code is in force."))

    async def save_statement(self, _setting: Setting) -> None:
        file = await choose_file(
            self._widget(),
            tr("Save the privacy statement"),
            filters=[tr("Markdown (*.md)")],
            mode="save",
            suggest="privacy.md",
        )
        if file is not None:
            await self._change.save_statement(file)
            self._context.tell(tr("The privacy statement is saved as {name}.", name=file.name))

    async def show_profiles(self, _setting: Setting) -> None:
        await show_profiles(self._widget(), self._parts)

    async def show_panel(self, panel: str, _setting: Setting) -> None:
        self._context.go_to(panel, "")

    async def open_folder(self, _setting: Setting) -> None:
        root = self._services.profile.root
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(root))):
            raise OutsideError(
                tr("The system could not open the folder."), tr("Open {folder} yourself.", folder=str(root))
            )

    async def erase_familiar(self, _setting: Setting) -> None:
        self._context.erase(str(self._context.familiar))

    async def erase_everything(self, _setting: Setting) -> None:
        self._context.erase("")
