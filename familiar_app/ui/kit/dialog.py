"""Dialogs that are awaited. None of them runs a loop of its own: they are opened and their end is a future."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QDir, Qt
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QFileDialog, QLineEdit, QPushButton, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.button import ButtonRole, button
from familiar_app.ui.kit.curtain import curtain
from familiar_app.ui.kit.field import line_edit
from familiar_app.ui.kit.label import column, label, row

Choice = tuple[str, str, ButtonRole]
"""What is returned, the text of the button, and its role."""


class Dialog(QDialog):
    """A window-modal dialog with a heading and a row of buttons. Fill `body`, then `await shown(dialog)`."""

    def __init__(self, parent: QWidget | None, title: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setMinimumWidth(400)
        self.chosen = ""
        self._typed: tuple[QLineEdit, QPushButton] | None = None
        layout = column(margins=20, spacing=12)
        layout.addWidget(label(title, "heading", wrap=True))
        self.body = column(spacing=8)
        layout.addLayout(self.body)
        layout.addSpacing(4)
        self.buttons = row()
        self.buttons.addStretch(1)
        layout.addLayout(self.buttons)
        self.setLayout(layout)

    def add_choice(self, value: str, text: str, role: ButtonRole = "plain", *, default: bool = False):
        """Add a button that ends the dialog with `value`."""
        made = button(text, lambda: self.choose(value), role=role)
        made.setAutoDefault(True)
        made.setDefault(default)
        self.buttons.addWidget(made)
        return made

    def choose(self, value: str) -> None:
        self.chosen = value
        self.accept()

    def confirm_with(self, field: QLineEdit, confirm: QPushButton) -> None:
        """Have Return in a field that a word is typed into lead to the button, neither pressing it nor giving up."""
        self._typed = field, confirm

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if (
            self._typed is not None
            and self._typed[0].hasFocus()
            and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        ):
            if self._typed[1].isEnabled():
                self._typed[1].setFocus()
            return
        super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Take the height that all of it needs: Qt gives a new window two thirds of the screen at most."""
        super().showEvent(event)
        needed = self.layout().totalHeightForWidth(self.width())
        room = self.screen().availableGeometry().height() - 40
        if self.height() < min(needed, room):
            self.resize(self.width(), min(needed, room))


async def shown(dialog: QDialog) -> int:
    """Open a dialog and wait for its end; returns 1 where it was accepted. A cancelled task closes it."""
    future: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def finished(result: int) -> None:
        if not future.done():
            future.set_result(result)

    dialog.finished.connect(finished)
    curtain().open(dialog)
    try:
        return await future
    finally:
        curtain().over(dialog)
        dialog.finished.disconnect(finished)
        dialog.close()
        dialog.deleteLater()


async def ask(parent: QWidget | None, title: str, text: str, choices: Sequence[Choice], *, default: str = "") -> str:
    """Ask a question and return the value of the chosen button, "" where the person closed the dialog."""
    dialog = Dialog(parent, title)
    dialog.body.addWidget(label(text, "quiet", wrap=True))
    for value, caption, role in choices:
        made = dialog.add_choice(value, caption, role, default=value == default)
        if value == default:
            made.setFocus()
    await shown(dialog)
    return dialog.chosen


async def ask_for_network(parent: QWidget | None, host: str) -> bool:
    """Ask before local-only is switched off for a model on the computer `host`."""
    words = tr(
        "This model runs on another computer, {host}, and local only is on. To use it, local only has to be off; "
        "conversations are then sent there.",
        host=host,
    )
    choices = (("", tr("Cancel"), "plain"), ("allow", tr("Allow the network"), "primary"))
    return await ask(parent, tr("Allow the network?"), words, choices) == "allow"


async def ask_text(
    parent: QWidget | None, title: str, text: str, *, value: str = "", accept: str = "", name: str = ""
) -> str | None:
    """Ask for one line of text; None where the person closed the dialog or left it empty."""
    dialog = Dialog(parent, title)
    if text:
        dialog.body.addWidget(label(text, "quiet", wrap=True))
    field = line_edit(value, name=name or title)
    field.selectAll()
    dialog.body.addWidget(field)
    dialog.add_choice("", tr("Cancel"))
    ok = dialog.add_choice("ok", accept or tr("OK"), "primary", default=True)
    ok.setEnabled(bool(value.strip()))
    field.textChanged.connect(lambda typed: ok.setEnabled(bool(typed.strip())))
    field.setFocus()
    await shown(dialog)
    return field.text().strip() if dialog.chosen == "ok" else None


async def confirm_by_typing(parent: QWidget | None, title: str, text: str, word: str, *, accept: str) -> bool:
    """Ask for an erasure to be confirmed by typing `word`."""
    dialog = Dialog(parent, title)
    dialog.body.addWidget(label(text, "quiet", wrap=True))
    dialog.body.addWidget(label(tr("Type {word} to go on:", word=word), wrap=True))
    field = line_edit(name=tr("Type {word} to go on", word=word))
    dialog.body.addWidget(field)
    dialog.add_choice("", tr("Cancel"))
    ok = dialog.add_choice("ok", accept, "danger")
    ok.setEnabled(False)
    field.textChanged.connect(lambda typed: ok.setEnabled(typed.strip() == word))
    dialog.confirm_with(field, ok)
    field.setFocus()
    await shown(dialog)
    return dialog.chosen == "ok"


async def choose_file(
    parent: QWidget | None,
    title: str,
    *,
    filters: Sequence[str] = (),
    mode: Literal["open", "save", "folder"] = "open",
    suggest: str = "",
) -> Path | None:
    """Let the person choose a file or folder; `filters` like `Cards (*.png *.json)`. None where they chose none."""
    dialog = QFileDialog(parent, title)
    dialog.setAccessibleName(title)
    modes = QFileDialog.FileMode
    dialog.setFileMode({"open": modes.ExistingFile, "save": modes.AnyFile, "folder": modes.Directory}[mode])
    if mode == "save":
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    if filters:
        dialog.setNameFilters(list(filters))
    if dialog.directory() == QDir.current():
        # Where the program was started from means nothing to the person.
        dialog.setDirectory(QDir.home())
    if suggest:
        dialog.selectFile(suggest)
    if not await shown(dialog):
        return None
    files = dialog.selectedFiles()
    return Path(files[0]) if files else None
