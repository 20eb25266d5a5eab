"""The dialogs behind the settings: a model, a new passphrase, a new recovery code."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.text import tr
from familiar_app.store.recovery_code import new_recovery_code
from familiar_app.ui.kit.dialog import Dialog, shown
from familiar_app.ui.kit.field import LabelledField, PasswordField
from familiar_app.ui.kit.label import column, label, surface
from familiar_app.ui.kit.model_choice import ModelChoice
from familiar_app.ui.kit.model_chooser import ModelChooser
from familiar_app.ui.kit.new_passphrase import NewPassphrase
from familiar_app.ui.kit.parts import WindowParts
from familiar_app.ui.kit.recovery_code import RecoveryCodeView
from familiar_app.ui.kit.task import Tasks


async def ask_model(
    parent: QWidget,
    parts: WindowParts,
    title: str,
    choice: ModelChoice,
    *,
    local_only: Callable[[], bool],
    stored_key: Callable[[], Awaitable[str | None]],
    network_allowed: Callable[[], object] = lambda: None,
) -> ModelChoice | None:
    """Let the person choose and test a model; None where they gave up.

    `network_allowed` is called where local-only mode was left to fetch one.
    """
    dialog = Dialog(parent, title)
    chooser = ModelChooser(parts, choice, local_only=local_only, stored_key=stored_key)
    chooser.network_allowed.connect(lambda: network_allowed())
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    holder = surface(QWidget(), 1)
    inner = column(spacing=0)
    inner.setContentsMargins(0, 0, 16, 0)
    inner.addWidget(chooser)
    inner.addStretch(1)
    holder.setLayout(inner)
    area.setWidget(holder)
    room = parent.window().size()
    area.setMinimumSize(min(parts.theme.px(600), room.width() - 80), min(parts.theme.px(460), room.height() - 200))
    dialog.body.addWidget(area)
    dialog.add_choice("", tr("Cancel"))
    save = dialog.add_choice("save", tr("Use this model"), "primary")
    save.clicked.disconnect()
    save.clicked.connect(lambda: dialog.choose("save") if chooser.check() else None)
    chooser.focus()
    await shown(dialog)
    chooser.stop()
    return choice if dialog.chosen == "save" else None


async def ask_new_passphrase(
    parent: QWidget, parts: WindowParts, confirm: Callable[[str], Awaitable[object]]
) -> str | None:
    """Let somebody who knows the old passphrase choose a new one; None where they gave up.

    `confirm` raises LockedError where what was typed is neither the passphrase nor the recovery code.
    """
    dialog = Dialog(parent, tr("Change the passphrase"))
    dialog.setMinimumWidth(min(parts.theme.px(440), parent.window().width() - 80))
    words = tr("The vault is not written anew; only the lock changes. The recovery code stays as it is.")
    dialog.body.addWidget(label(words, "quiet", wrap=True))
    old = _OldPassphrase(parts.theme, tr("Present passphrase"))
    old_field = LabelledField(tr("Present passphrase"), old, hint=tr("The recovery code will do as well."))
    fields = NewPassphrase(parts.theme, name=tr("New passphrase"))
    dialog.body.addWidget(old_field)
    dialog.body.addWidget(fields)
    dialog.add_choice("", tr("Cancel"))
    save = dialog.add_choice("save", tr("Change passphrase"), "primary", default=True)
    save.clicked.disconnect()

    def refuse(error: FamiliarError, _again: Callable[[], object] | None) -> None:
        save.setEnabled(True)
        old_field.set_wrong(str(error))
        old.setFocus()
        old.selectAll()

    tasks = Tasks(parts.tasks, dialog, refuse)

    async def finish() -> None:
        save.setEnabled(False)
        await confirm(old.text())
        dialog.choose("save")

    def check() -> None:
        old_field.set_wrong("" if old.text() else tr("Type the passphrase that opens the vault now."))
        if not old.text():
            old.setFocus()
        elif fields.check():
            tasks.start(finish, name="settings.confirm")

    save.clicked.connect(check)
    fields.entered.connect(check)
    old.entered.connect(fields.focus)
    old.setFocus()
    await shown(dialog)
    tasks.cancel_soon()
    return fields.passphrase if dialog.chosen == "save" else None


class _OldPassphrase(PasswordField):
    """Return leads on, and nobody above sees it."""

    entered = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit()
        else:
            super().keyPressEvent(event)


async def ask_new_recovery_code(parent: QWidget, parts: WindowParts, where: Path) -> str | None:
    """Show a fresh recovery code and have it confirmed; None where the person gave up."""
    dialog = Dialog(parent, tr("New recovery code"))
    words = tr("Keep this code, then confirm it. From then on the old code no longer opens the vault.")
    dialog.body.addWidget(label(words, "quiet", wrap=True))
    code = new_recovery_code()
    view = RecoveryCodeView(parts.theme, parts.tasks, where)
    view.set_code(code)
    dialog.body.addWidget(view)
    dialog.add_choice("", tr("Cancel"))
    save = dialog.add_choice("save", tr("Use this code"), "primary")
    save.clicked.disconnect()

    def finish() -> None:
        if view.check():
            dialog.choose("save")

    save.clicked.connect(finish)
    view.entered.connect(finish)
    view.focus()
    await shown(dialog)
    return code if dialog.chosen == "save" else None
