"""The screen over an open vault whose window is locked: the familiars go on, and nothing of them is shown."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from familiar_app.domain.errors import FamiliarError, LockedError
from familiar_app.domain.text import ptr, tr
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.icon import follow, pixmap
from familiar_app.ui.kit.label import column, label, row, surface
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.parts import WindowParts
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.unlock.entry import WIDTH, PassphraseEntry, in_the_middle


class CoverScreen(QWidget):
    """`opened` tells that somebody knew the passphrase or the recovery code; `close_wanted` asks to close the vault."""

    opened = Signal()
    close_wanted = Signal()

    def __init__(self, parts: WindowParts) -> None:
        super().__init__()
        surface(self, 1)
        self.setAccessibleName(tr("Window locked"))
        self._parts = parts
        self.notice = Notice(parts.theme)
        self._tasks = Tasks(parts.tasks, self, self._failed)
        self._picture = QLabel()
        entry = PassphraseEntry(parts.theme, tr("Passphrase or recovery code"), self._try)
        self.passphrase, self.field, self._caps = entry.field, entry.labelled, entry.caps
        self._go = button(ptr("window", "Unlock"), self._try, role="primary")
        self._close = button(tr("Close the vault"), self.close_wanted.emit, role="link")
        self._close.setToolTip(tr("Your familiars stop, and the key leaves this program's memory."))
        self._middle = QWidget()
        self._middle.setLayout(self._build())
        self.setLayout(in_the_middle(self._middle))
        self._refresh()
        follow(parts.theme, self, self._refresh)

    def start(self) -> None:
        """Ask for the passphrase."""
        self.passphrase.setFocus()

    def _build(self):
        inner = column(spacing=12)
        inner.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignHCenter)
        heading = label(tr("The window is locked"), "title", wrap=True)
        heading.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        inner.addWidget(heading)
        inner.addWidget(label(tr("Your familiars go on meanwhile. Closing the vault stops them."), "quiet", wrap=True))
        inner.addSpacing(4)
        for widget in (self.field, self._caps):
            inner.addWidget(widget)
        buttons = row()
        buttons.addWidget(self._close)
        buttons.addStretch(1)
        buttons.addWidget(self._go)
        inner.addLayout(buttons)
        inner.addWidget(self.notice)
        return inner

    def _try(self) -> None:
        if self.passphrase.text():
            self._busy(True)
            self._tasks.start(self._confirm, name="cover.unlock")
        else:
            self.field.set_wrong(tr("Type the passphrase."))

    async def _confirm(self) -> None:
        await self._parts.gate.services.vault.confirm(self.passphrase.text())
        self.passphrase.clear()
        self.opened.emit()

    def _failed(self, error: FamiliarError, again: Callable[[], object] | None) -> None:
        self._busy(False)
        if isinstance(error, LockedError):
            self.field.set_wrong(str(error))
            self.passphrase.setFocus()
            self.passphrase.selectAll()
        else:
            self.notice.show_error(error, again)

    def _busy(self, on: bool) -> None:
        if on:
            self.notice.clear()
        self._go.setEnabled(not on)
        self._go.setText(tr("Opening…") if on else ptr("window", "Unlock"))
        self.passphrase.setReadOnly(on)

    def _refresh(self) -> None:
        theme = self._parts.theme
        self._middle.setFixedWidth(theme.px(WIDTH))
        self._picture.setPixmap(pixmap(theme, "lock", "accent", side=48, scale=self.devicePixelRatioF()))
