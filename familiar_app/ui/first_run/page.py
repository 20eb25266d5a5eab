"""The pages of the first run that only ask and tell. Each shows the state when entered and checks it when left."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QLabel, QWidget

from familiar_app.domain.text import tr
from familiar_app.store.recovery_code import new_recovery_code
from familiar_app.ui.first_run.model import FirstRun
from familiar_app.ui.kit.label import column, label
from familiar_app.ui.kit.model_chooser import ModelChooser
from familiar_app.ui.kit.new_passphrase import NewPassphrase
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.parts import WindowParts
from familiar_app.ui.kit.recovery_code import RecoveryCodeView
from familiar_app.ui.kit.task import Tasks


class Page(QWidget):
    """One step. `entered` asks to go on, as if Next had been pressed."""

    entered = Signal()

    def __init__(self, parts: WindowParts, state: FirstRun) -> None:
        super().__init__()
        self.parts, self.state = parts, state
        self.body = column(spacing=12)
        self.setLayout(self.body)

    def enter(self) -> None:
        """The page is about to be shown: put the focus where typing begins."""

    def leave(self) -> bool:
        """The person wants to go on: mark what is missing, or store and return True."""
        return True


class WelcomePage(Page):
    """What this is and where its data will be."""

    def __init__(self, parts: WindowParts, state: FirstRun) -> None:
        super().__init__(parts, state)
        for heading, text in (
            (
                tr("A character that remembers"),
                tr(
                    "A familiar is an AI character you talk with here. What was said is kept, dated, and yours to "
                    "read and correct."
                ),
            ),
            (
                tr("On this computer, encrypted"),
                tr(
                    "Everything goes into one encrypted vault. Nothing leaves this computer unless you choose a model "
                    "elsewhere, and you will be told when you do."
                ),
            ),
            (
                tr("What you will need"),
                tr(
                    "A name or a character card, a passphrase, and a place to keep a recovery code. The program brings "
                    "a small model, so no account and no network are needed. It takes about two minutes."
                ),
            ),
        ):
            self._add_pair(label(heading, "strong"), label(text, "quiet", wrap=True))
        where = label(str(parts.gate.profile.root), "code", wrap=True, selectable=True)
        self._add_pair(label(tr("Your data will be in"), "strong"), where)
        self.body.addStretch(1)

    def _add_pair(self, heading: QLabel, text: QLabel) -> None:
        pair = column(spacing=4)
        pair.addWidget(heading)
        pair.addWidget(text)
        self.body.addLayout(pair)
        self.body.addSpacing(4)


class PassphrasePage(Page):
    """The passphrase, twice, and whether the keyring may keep a copy of the key."""

    def __init__(self, parts: WindowParts, state: FirstRun) -> None:
        super().__init__(parts, state)
        text = tr(
            "It encrypts everything. Nobody can reset it for you: without it and without the recovery code of the next "
            "step, what is in the vault is lost."
        )
        self.body.addWidget(label(text, "quiet", wrap=True))
        self._fields = NewPassphrase(parts.theme)
        self._fields.entered.connect(self.entered)
        self.body.addWidget(self._fields)
        self._remember = QCheckBox(tr("Open without asking on this computer"))
        self._remember.toggled.connect(self._set_remember)
        hint = tr(
            "Keeps a copy of the vault's key in the system's keyring. Whoever can use your account can then open it."
        )
        self._remember.setAccessibleDescription(hint)
        self._hint = label(hint, "faint", wrap=True)
        self._hint.setContentsMargins(parts.theme.px(16) + 14, 0, 0, 0)
        remember = column(spacing=0)
        remember.addWidget(self._remember)
        remember.addWidget(self._hint)
        self.body.addLayout(remember)
        self.body.addStretch(1)
        self._remember.hide()
        self._hint.hide()
        self._tasks = Tasks(parts.tasks, self, Notice(parts.theme).show_error)
        self._asked = False

    def enter(self) -> None:
        self._fields.focus()
        if not self._asked:
            self._asked = True
            self._tasks.start(self._ask_keyring, name="first_run.keyring")

    def leave(self) -> bool:
        if not self._fields.check():
            return False
        self.state.passphrase = self._fields.passphrase
        return True

    async def _ask_keyring(self) -> None:
        there = await asyncio.to_thread(self.parts.keyring_available)
        self._remember.setVisible(there)
        self._hint.setVisible(there)

    def _set_remember(self, on: bool) -> None:
        self.state.remember = on


class RecoveryPage(Page):
    """The recovery code, which has to be kept and confirmed."""

    def __init__(self, parts: WindowParts, state: FirstRun) -> None:
        super().__init__(parts, state)
        text = tr(
            "If the passphrase is ever forgotten, this code opens the vault. It is shown only now. Keep it on paper or "
            "in a password manager, not on this computer alone."
        )
        self.body.addWidget(label(text, "quiet", wrap=True))
        self._view = RecoveryCodeView(parts.theme, parts.tasks, parts.gate.profile.root)
        self._view.entered.connect(self.entered)
        self.body.addWidget(self._view)
        self.body.addStretch(1)

    def enter(self) -> None:
        if not self.state.recovery_code:
            self.state.recovery_code = new_recovery_code()
        self._view.set_code(self.state.recovery_code)
        self._view.focus()

    def leave(self) -> bool:
        return self._view.check()


class ModelPage(Page):
    """Which model answers."""

    def __init__(self, parts: WindowParts, state: FirstRun) -> None:
        super().__init__(parts, state)
        text = tr("The model writes what your familiar says. Each familiar can have another one, at any time.")
        self.body.addWidget(label(text, "quiet", wrap=True))
        self._chooser = ModelChooser(parts, state.choice)
        self.body.addWidget(self._chooser)
        self.body.addStretch(1)

    def enter(self) -> None:
        self._chooser.focus()

    def leave(self) -> bool:
        return self._chooser.check()
