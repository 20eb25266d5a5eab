"""The dialogs behind the settings: a model, a new passphrase, a new recovery code."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QWidget

from familiar_app.store.recovery_code import new_recovery_code
from familiar_app.ui.kit.dialog import Dialog, shown
from familiar_app.ui.kit.label import column, label, surface
from familiar_app.ui.kit.model_choice import ModelChoice
from familiar_app.ui.kit.model_chooser import ModelChooser
from familiar_app.ui.kit.new_passphrase import NewPassphrase
from familiar_app.ui.kit.parts import WindowParts
from familiar_app.ui.kit.recovery_code import RecoveryCodeView


async def ask_model(
    parent: QWidget,
    parts: WindowParts,
    title: str,
    choice: ModelChoice,
    *,
    local_only: Callable[[], bool],
    stored_key: Callable[[], Awaitable[str | None]],
) -> ModelChoice | None:
    """Let the person choose and test a model; None where they gave up."""
    dialog = Dialog(parent, title)
    chooser = ModelChooser(parts, choice, local_only=local_only, stored_key=stored_key)
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
    dialog.add_choice("", "Cancel")
    save = dialog.add_choice("save", "Use this model", "primary")
    save.clicked.disconnect()
    save.clicked.connect(lambda: dialog.choose("save") if chooser.check() else None)
    chooser.focus()
    await shown(dialog)
    chooser.stop()
    return choice if dialog.chosen == "save" else None


async def ask_new_passphrase(parent: QWidget, parts: WindowParts) -> str | None:
    """Let the person choose a new passphrase; None where they gave up."""
    dialog = Dialog(parent, "Change the passphrase")
    words = "The vault is not written anew; only the lock changes. The recovery code stays as it is."
    dialog.body.addWidget(label(words, "quiet", wrap=True))
    fields = NewPassphrase(parts.theme)
    dialog.body.addWidget(fields)
    dialog.add_choice("", "Cancel")
    save = dialog.add_choice("save", "Change passphrase", "primary", default=True)
    save.clicked.disconnect()

    def finish() -> None:
        if fields.check():
            dialog.choose("save")

    save.clicked.connect(finish)
    fields.entered.connect(finish)
    fields.focus()
    await shown(dialog)
    return fields.passphrase if dialog.chosen == "save" else None


async def ask_new_recovery_code(parent: QWidget, parts: WindowParts, where: Path) -> str | None:
    """Show a fresh recovery code and have it confirmed; None where the person gave up."""
    dialog = Dialog(parent, "New recovery code")
    words = "Keep this code, then confirm it. From then on the old code no longer opens the vault."
    dialog.body.addWidget(label(words, "quiet", wrap=True))
    code = new_recovery_code()
    view = RecoveryCodeView(parts.theme, parts.tasks, where)
    view.set_code(code)
    dialog.body.addWidget(view)
    dialog.add_choice("", "Cancel")
    save = dialog.add_choice("save", "Use this code", "primary")
    save.clicked.disconnect()

    def finish() -> None:
        if view.check():
            dialog.choose("save")

    save.clicked.connect(finish)
    view.entered.connect(finish)
    view.focus()
    await shown(dialog)
    return code if dialog.chosen == "save" else None
