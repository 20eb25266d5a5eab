"""The pages of the first run that only ask and tell. Each shows the state when entered and checks it when left."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QCheckBox, QLabel, QPlainTextEdit, QWidget

from familiar_app.domain.text import tr
from familiar_app.store.recovery_code import new_recovery_code
from familiar_app.ui.first_run.model import FirstRun
from familiar_app.ui.kit.avatar import avatar, picture_from_bytes
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.dialog import choose_file
from familiar_app.ui.kit.field import LabelledField, line_edit
from familiar_app.ui.kit.label import column, label, row
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


class CharacterPage(Page):
    """The name and a few words, or a card from a file."""

    def __init__(self, parts: WindowParts, state: FirstRun) -> None:
        super().__init__(parts, state)
        self.setAcceptDrops(True)
        self.notice = Notice(parts.theme)
        self._tasks = Tasks(parts.tasks, self, self.notice.show_error)
        self._name = line_edit()
        self._name.setMaxLength(200)
        self._name_field = LabelledField(tr("Name"), self._name)
        self._description = QPlainTextEdit()
        self._description.setTabChangesFocus(True)
        self._description.setFixedHeight(parts.theme.px(120))
        described = LabelledField(
            tr("Description"),
            self._description,
            hint=tr("Who they are and how they speak. A few sentences are enough; it can be changed at any time."),
        )
        self._owner = line_edit()
        self._owner.setMaxLength(200)
        self._owner_field = LabelledField(
            tr("Your name"),
            self._owner,
            hint=tr("What your familiar calls you. It can be left out, and changed at any time."),
        )
        self._owner_field.setVisible(state.asks_owner)
        self.body.addLayout(self._make_import())
        self.body.addWidget(self.notice)
        self.body.addWidget(self._name_field)
        self.body.addWidget(described)
        self.body.addWidget(self._owner_field)
        self.body.addStretch(1)
        self._owner.textChanged.connect(self._typed)
        self._name.textChanged.connect(self._typed)
        self._description.textChanged.connect(self._typed)

    def enter(self) -> None:
        self._show()
        self._name.setFocus()

    def leave(self) -> bool:
        problem = self.state.name_problem()
        self._name_field.set_wrong(problem)
        owner_problem = self.state.owner_problem()
        self._owner_field.set_wrong(owner_problem)
        if problem or owner_problem:
            (self._name if problem else self._owner).setFocus()
        return not (problem or owner_problem)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        urls = event.mimeData().urls()
        if urls and urls[0].isLocalFile():
            self.take(Path(urls[0].toLocalFile()))

    def take(self, path: Path) -> None:
        """Read a card from a file; what is wrong with it is said here."""
        self._tasks.start(lambda: self._read(path), name="first_run.card", replace=True)

    def _make_import(self):
        self._face = QLabel()
        self._source = label("", "quiet", wrap=True)
        start = partial(self._tasks.start, self._choose, name="first_run.choose")
        self._import = button(tr("Use a character card…"), start, theme=self.parts.theme, icon="file")
        self._drop = button(tr("Remove card"), self._drop_card, role="link")
        steps = row(spacing=12)
        steps.addWidget(self._import)
        steps.addWidget(self._drop)
        steps.addStretch(1)
        beside = column(spacing=4)
        beside.addLayout(steps)
        beside.addWidget(self._source)
        line = row(spacing=12)
        line.addWidget(self._face, 0, Qt.AlignmentFlag.AlignTop)
        line.addLayout(beside, 1)
        return line

    def _typed(self) -> None:
        self.state.name = self._name.text()
        self.state.description = self._description.toPlainText()
        self.state.owner_name = self._owner.text()
        self._name_field.set_wrong("")
        self._owner_field.set_wrong("")
        self._show_face()

    def _show(self) -> None:
        name, description, owner = self.state.name, self.state.description, self.state.owner_name
        self._name.setText(name)
        self._description.setPlainText(description)
        self._owner.setText(owner)
        card = self.state.imported_from
        self._drop.setVisible(card is not None)
        words = (
            f"{card.name}. {self.state.card_details}" if card is not None else tr("PNG, JSON or charx; or drop it here")
        )
        self._source.setText(words)
        self._show_face()

    def _show_face(self) -> None:
        picture = picture_from_bytes(self.state.avatar_png) if self.state.avatar_png else None
        name = self.state.name.strip() or "?"
        self._face.setPixmap(avatar(self.parts.theme, name, picture, side=48, scale=self.devicePixelRatioF()))

    async def _choose(self) -> None:
        filters = [tr("Character cards (*.png *.json *.charx *.md)"), tr("All files (*)")]
        path = await choose_file(self, tr("Choose a character card"), filters=filters)
        if path is not None:
            await self._read(path)

    async def _read(self, path: Path) -> None:
        self.notice.clear()
        read = await asyncio.to_thread(self.parts.read_card, path)
        lorebook = await asyncio.to_thread(self.parts.card_lorebook, read)
        kept = await asyncio.to_thread(self.parts.card_kept, read)
        self.state.take_card(read.card, read.avatar_png, path, lorebook, kept)
        self._show()

    def _drop_card(self) -> None:
        self.state.drop_card()
        self._show()


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
