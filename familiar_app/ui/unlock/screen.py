"""The screen before a locked vault: passphrase, or recovery code and then a new passphrase."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from familiar_app.domain.errors import BadInputError, FamiliarError, LockedError
from familiar_app.domain.text import tr
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.field import LabelledField, line_edit
from familiar_app.ui.kit.going_back import choose_backup
from familiar_app.ui.kit.icon import follow, pixmap
from familiar_app.ui.kit.label import column, label, row, surface
from familiar_app.ui.kit.new_passphrase import NewPassphrase
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.parts import WindowParts
from familiar_app.ui.kit.profile_sheet import show_profiles
from familiar_app.ui.kit.stack import PageStack
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.unlock.entry import WIDTH, PassphraseEntry, in_the_middle


class UnlockScreen(QWidget):
    """`opened` tells that the vault is open and, where the recovery code was used, has a new passphrase.

    `back_wanted` carries the backup that somebody wants to go back to.
    """

    opened = Signal()
    back_wanted = Signal(object)

    def __init__(self, parts: WindowParts) -> None:
        super().__init__()
        surface(self, 1)
        self.setAccessibleName(tr("Unlock"))
        self._parts = parts
        self.notice = Notice(parts.theme)
        self._tasks = Tasks(parts.tasks, self, self._failed)
        self._picture = QLabel()
        self._stack = PageStack()
        for page in (self._make_passphrase(), self._make_recovery(), self._make_new()):
            self._stack.addWidget(page)
        self._middle = QWidget()
        inner = column(spacing=12)
        inner.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignHCenter)
        inner.addWidget(self._stack)
        inner.addWidget(self.notice)
        self._middle.setLayout(inner)
        self.setLayout(in_the_middle(self._middle))
        self._refresh()
        follow(parts.theme, self, self._refresh)

    def start(self) -> None:
        """Ask for the passphrase."""
        self._show(0)

    def try_keyring(self) -> None:
        """Try the key in the system's keyring first; without one, ask as usual."""
        self._tasks.start(self._with_keyring, name="unlock.keyring", show_error=self._keyring_failed)

    def tell(self, text: str) -> None:
        self.notice.tell(text)

    def _make_passphrase(self) -> QWidget:
        entry = PassphraseEntry(self._parts.theme, tr("Passphrase"), self._unlock)
        self._passphrase, self._field, self._caps = entry.field, entry.labelled, entry.caps
        self._go = button(tr("Unlock"), self._unlock, role="primary")
        forgotten = button(tr("Use the recovery code"), lambda: self._show(1), role="link")
        self.restore = button(tr("Go back to a backup…"), self._choose_backup, role="link")
        self.profiles = button(tr("Profiles…"), self._show_profiles, role="link")
        fields = (self._field, self._caps)
        return self._page(
            tr("Unlock your vault"), *fields, forward=self._go, beside=forgotten, below=(self.restore, self.profiles)
        )

    def _make_recovery(self) -> QWidget:
        self._code = line_edit(placeholder="XXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XXXX")
        self._code.textChanged.connect(lambda _text: self._code_field.set_wrong(""))
        self._code.returnPressed.connect(self._recover)
        hint = tr("Seven groups of four. Case, spaces and dashes do not matter. You then choose a new passphrase.")
        self._code_field = LabelledField(tr("Recovery code"), self._code, hint=hint)
        self._recover_button = button(tr("Go on"), self._recover, role="primary")
        back = button(tr("Use the passphrase"), lambda: self._show(0), role="link")
        return self._page(
            tr("Open with the recovery code"), self._code_field, forward=self._recover_button, beside=back
        )

    def _make_new(self) -> QWidget:
        self._new = NewPassphrase(self._parts.theme)
        self._new.entered.connect(self._set_new)
        words = tr("The code fits. Choose a new passphrase; the old one will no longer work.")
        text = label(words, "quiet", wrap=True)
        self._set_button = button(tr("Set passphrase and open"), self._set_new, role="primary")
        return self._page(tr("Choose a new passphrase"), text, self._new, forward=self._set_button, beside=None)

    @staticmethod
    def _page(
        title: str, *widgets: QWidget, forward: QWidget, beside: QWidget | None, below: Sequence[QWidget] = ()
    ) -> QWidget:
        page = QWidget()
        layout = column(spacing=12)
        heading = label(title, "title", wrap=True)
        heading.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        layout.addWidget(heading)
        layout.addSpacing(4)
        for widget in widgets:
            layout.addWidget(widget)
        buttons = row()
        if beside is not None:
            buttons.addWidget(beside)
        buttons.addStretch(1)
        buttons.addWidget(forward)
        layout.addLayout(buttons)
        for one in below:
            layout.addWidget(one, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addStretch(1)
        page.setLayout(layout)
        return page

    def _show(self, page: int) -> None:
        self._stack.setCurrentIndex(page)
        self.notice.clear()
        (self._passphrase.setFocus, self._code.setFocus, self._new.focus)[page]()

    def _choose_backup(self) -> None:
        self.notice.clear()
        self._tasks.start(self._ask_for_backup, name="unlock.restore", show_error=self.notice.show_error)

    def _show_profiles(self) -> None:
        self.notice.clear()
        self._tasks.start(lambda: show_profiles(self, self._parts), name="unlock.profiles")

    async def _ask_for_backup(self) -> None:
        choice = await choose_backup(self, self._parts.theme)
        if choice is not None:
            self.back_wanted.emit(choice)

    def _unlock(self) -> None:
        if self._passphrase.text():
            self._busy(True)
            self._tasks.start(self._with_passphrase, name="unlock")
        else:
            self._field.set_wrong(tr("Type the passphrase."))

    def _recover(self) -> None:
        if self._code.text().strip():
            self._busy(True)
            self._tasks.start(self._with_code, name="unlock")
        else:
            self._code_field.set_wrong(tr("Type the recovery code."))

    def _set_new(self) -> None:
        if self._new.check():
            self._busy(True)
            self._tasks.start(self._change, name="unlock")

    async def _with_passphrase(self) -> None:
        await self._parts.gate.unlock(passphrase=self._passphrase.text())
        self._finished()

    async def _with_code(self) -> None:
        await self._parts.gate.unlock(recovery_code=self._code.text())
        self._busy(False)
        self._show(2)

    async def _change(self) -> None:
        await self._parts.gate.services.vault.change_passphrase(self._new.passphrase)
        self._finished()

    async def _with_keyring(self) -> None:
        self._busy(True)
        await self._parts.gate.unlock(keyring=True)
        self._finished()

    def _finished(self) -> None:
        """Tell that the vault is open. This goes on saying so: until the window is built it would look refused."""
        self._passphrase.clear()
        self._code.clear()
        self._new.clear()
        self.opened.emit()

    def _keyring_failed(self, error: FamiliarError, _again: Callable[[], object] | None) -> None:
        self._busy(False)
        self._show(0)
        self.notice.show_error(error)

    def _failed(self, error: FamiliarError, again: Callable[[], object] | None) -> None:
        self._busy(False)
        page = self._stack.currentIndex()
        offered = self._code if page == 1 else self._passphrase
        if page < 2 and isinstance(error, LockedError | BadInputError):
            field = self._code_field if page == 1 else self._field
            text = str(error)
            field.set_wrong(text[:1].upper() + text[1:])
            offered.setFocus()
            # What is covered is typed anew; the code is read again and mended.
            offered.selectAll() if page == 0 else offered.end(False)
        else:
            self.notice.show_error(error, again)

    def _busy(self, on: bool) -> None:
        if on:
            self.notice.clear()
        captions = (
            (self._go, tr("Unlock")),
            (self._recover_button, tr("Go on")),
            (self._set_button, tr("Set passphrase and open")),
        )
        for made, caption in captions:
            made.setEnabled(not on)
            made.setText(tr("Opening…") if on else caption)
        for field in (self._passphrase, self._code):
            field.setReadOnly(on)

    def _refresh(self) -> None:
        theme = self._parts.theme
        self._middle.setFixedWidth(theme.px(WIDTH))
        self._picture.setPixmap(pixmap(theme, "familiar", "accent", side=48, scale=self.devicePixelRatioF()))
