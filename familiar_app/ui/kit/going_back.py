"""Asks for everything that going back to a backup needs: the file, its passphrase, and whether what is inside is meant.

Nothing is changed here; the window itself goes back, since the vault is closed for it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtWidgets import QCheckBox, QWidget

from familiar_app.domain.clock import local_time
from familiar_app.domain.errors import BadInputError, LockedError
from familiar_app.domain.text import ntr, ptr, tr
from familiar_app.store.backup_file import SealedBackup
from familiar_app.store.restore import Looked, look_inside, look_with_key
from familiar_app.ui.kit.date_text import date_time
from familiar_app.ui.kit.dialog import Dialog, choose_file, shown
from familiar_app.ui.kit.field import LabelledField, PasswordField
from familiar_app.ui.kit.label import label
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.kit.zone import system_zone


@dataclass(frozen=True, slots=True)
class BackupChoice:
    """A backup that somebody wants to go back to, and whether settings and characters come back too."""

    looked: Looked
    canon: bool


async def choose_backup(
    parent: QWidget, theme: Theme, path: Path | None = None, *, data_key: bytes | None = None, told: str = ""
) -> BackupChoice | None:
    """Let the person choose a backup, open it and confirm; None where they gave it up.

    `data_key` is that of the open vault: a backup of its own needs no passphrase. Raises UserError, OutsideError.
    """
    path = path or await choose_file(
        parent, tr("Choose a backup"), filters=[tr("Backups (*.backup)"), tr("All files (*)")]
    )
    if path is None:
        return None
    sealed = await asyncio.to_thread(SealedBackup, path)
    if data_key is not None and sealed.keys.accepts(data_key):
        looked: Looked | None = await asyncio.to_thread(look_with_key, sealed, data_key)
    else:
        looked = await _open(parent, theme, path)
    return None if looked is None else await _confirm(parent, looked, told)


async def _open(parent: QWidget, theme: Theme, path: Path) -> Looked | None:
    """Ask for the passphrase until it fits."""
    wrong, typed = "", ""
    while True:
        dialog = Dialog(parent, tr("Open the backup"))
        text = tr("The passphrase or recovery code that was in force when this backup was made.")
        dialog.body.addWidget(label(text, "quiet", wrap=True))
        secret = PasswordField(theme, tr("Passphrase of the backup"))
        field = LabelledField(tr("Passphrase or recovery code"), secret)
        secret.setText(typed)
        secret.selectAll()
        field.set_wrong(wrong)
        dialog.body.addWidget(field)
        dialog.add_choice("", tr("Cancel"))
        dialog.add_choice("open", tr("Look inside"), "primary", default=True)
        secret.setFocus()
        await shown(dialog)
        typed = secret.text()
        if dialog.chosen != "open":
            return None
        if not typed:
            wrong = tr("Type the passphrase.")
            continue
        try:
            return await asyncio.to_thread(_look, path, typed)
        except LockedError as error:
            wrong = str(error)


def _look(path: Path, secret: str) -> Looked:
    """Open a backup by either of its two secrets."""
    try:
        return look_inside(path, "passphrase", secret)
    except LockedError as error:
        try:
            return look_inside(path, "recovery_code", secret)
        except (LockedError, BadInputError):
            raise error from None


async def _confirm(parent: QWidget, looked: Looked, told: str) -> BackupChoice | None:
    contents = looked.contents
    dialog = Dialog(parent, tr("Go back to this backup?"))
    made_at = local_time(contents.made_at, system_zone())
    inside = tr(
        "It was made on {date} and holds {messages} and {facts}. Familiars: {names}.",
        date=date_time(made_at),
        messages=ntr("{n} message", "{n} messages", contents.counts.get("turns", 0)),
        facts=ntr("{n} fact", "{n} facts", contents.counts.get("facts", 0)),
        names=", ".join(contents.familiars.values()) or ptr("no familiars", "none"),
    )
    dialog.body.addWidget(label(inside, wrap=True))
    kept = tr(
        "What is there now is set aside in a folder of the profile, not overwritten. What was erased since then is "
        "erased again. The passphrase and recovery code of that day are in force afterwards."
    )
    dialog.body.addWidget(label(f"{told} {kept}".strip(), "quiet", wrap=True))
    canon = QCheckBox(tr("Bring back settings, characters and lorebooks too"))
    canon.setAccessibleName(canon.text())
    canon.setChecked(True)
    dialog.body.addWidget(canon)
    dialog.add_choice("", tr("Cancel"), default=True)
    dialog.add_choice("restore", tr("Go back"), "danger")
    await shown(dialog)
    return BackupChoice(looked, canon.isChecked()) if dialog.chosen == "restore" else None
