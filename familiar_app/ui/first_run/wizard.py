"""The wizard: one step at a time, by keyboard alone if wanted; errors stand where they happened, nothing is lost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPushButton, QStackedWidget, QWidget

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.text import tr
from familiar_app.services import NewFamiliar
from familiar_app.ui.first_run.character_page import CharacterPage
from familiar_app.ui.first_run.model import ADD_FAMILIAR, FIRST_RUN, TITLES, FirstRun, Step
from familiar_app.ui.first_run.page import (
    ModelPage,
    Page,
    PassphrasePage,
    RecoveryPage,
    WelcomePage,
)
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.dialog import ask_for_network
from familiar_app.ui.kit.going_back import choose_backup
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.label import column, label, line, row, surface
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.page_scroll import PageScroll
from familiar_app.ui.kit.parts import WindowParts
from familiar_app.ui.kit.profile_sheet import show_profiles
from familiar_app.ui.kit.stack import PageStack
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.kit.wait import ProgressView

log = logging.getLogger(__name__)

_PAGES: dict[Step, type[Page]] = {
    "welcome": WelcomePage,
    "character": CharacterPage,
    "passphrase": PassphrasePage,
    "recovery": RecoveryPage,
    "model": ModelPage,
}
WIDTH = 560


class Wizard(QWidget):
    """Makes the vault and its first familiar, or (with `adding`) a further familiar in the open vault.

    `done` carries the familiar's id once it exists; `given_up` tells that the person left (only while adding);
    `back_wanted` carries the backup that somebody wants to go back to instead; `meant_for` the id of a familiar that is
    there, and the card that is meant for it.
    """

    done = Signal(str)
    given_up = Signal()
    back_wanted = Signal(object)
    meant_for = Signal(str, object)

    def __init__(self, parts: WindowParts, *, adding: bool = False) -> None:
        super().__init__()
        surface(self, 1)
        self.setAccessibleName(tr("Add a familiar") if adding else tr("First run"))
        self._parts, self._adding = parts, adding
        known = {str(one.id): one.name for one in parts.gate.services.familiars.values()} if adding else {}
        self.state = FirstRun(ADD_FAMILIAR if adding else FIRST_RUN, known=known)
        self.notice = Notice(parts.theme)
        self._tasks = Tasks(parts.tasks, self, self._failed)
        self._pages = {step: self._make_page(step) for step in self.state.steps}
        self._working = ProgressView(tr("Making your vault…") if not adding else tr("Adding your familiar…"))
        self._whole = QStackedWidget()
        self._whole.addWidget(self._make_steps())
        self._whole.addWidget(self._working)
        layout = column(spacing=0)
        layout.addWidget(self._whole)
        self.setLayout(layout)
        follow(parts.theme, self, self._set_width)

    def start(self, card: Path | None = None) -> None:
        """Show the first step; `card` is read into the step about the character."""
        self._show_step()
        self.take_card(card)

    def take_card(self, card: Path | None) -> None:
        """Read a card from a file, as if it had been dropped here."""
        page = self._pages["character"]
        if card is not None and isinstance(page, CharacterPage):
            page.take(card)

    def go_on(self) -> None:
        """Next: check this step, go to the next one or finish."""
        self.notice.clear()
        if not self._pages[self.state.step].leave():
            return
        if self.state.is_last:
            self._tasks.start(self._finish, name="first_run.finish")
        else:
            self.state.forward()
            self._show_step()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return goes on from everywhere; on a button it presses the button."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
        elif isinstance(focused := self.focusWidget(), QPushButton):
            focused.click()
        else:
            self.go_on()

    def go_back(self) -> None:
        if self.state.is_first:
            if self._adding:
                self.given_up.emit()
            return
        self.notice.clear()
        self.state.back()
        self._show_step()

    def _make_page(self, step: Step) -> Page:
        page = _PAGES[step](self._parts, self.state)
        page.entered.connect(self.go_on)
        if isinstance(page, CharacterPage):
            page.instead.connect(lambda familiar: self.meant_for.emit(familiar, self.state.imported_from))
        return page

    def _make_steps(self) -> QWidget:
        whole = surface(QWidget(), 1)
        self._title = label("", "title")
        self._progress = label("", "faint")
        self._stack = PageStack()
        for page in self._pages.values():
            self._stack.addWidget(page)
        self._inner = QWidget()
        inner = column(spacing=8)
        inner.setContentsMargins(24, 40, 24, 16)
        for widget in (self._progress, self._title):
            inner.addWidget(widget)
        inner.addSpacing(8)
        inner.addWidget(self._stack, 1)
        self._inner.setLayout(inner)
        self._scroll = PageScroll()
        self._scroll.setWidget(_centred(self._inner))
        layout = column(spacing=0)
        layout.addWidget(self._scroll, 1)
        layout.addWidget(line())
        layout.addWidget(self._make_foot())
        whole.setLayout(layout)
        self._set_width()
        return whole

    def _make_foot(self) -> QWidget:
        self._foot = surface(QWidget(), 2)
        foot = column(spacing=8)
        foot.setContentsMargins(24, 12, 24, 12)
        foot.addWidget(self.notice)
        buttons = row()
        self._back = button(tr("Back"), self.go_back)
        self._next = button(tr("Next"), self.go_on, role="primary")
        self.restore = button(tr("Go back to a backup…"), self._choose_backup, role="link")
        buttons.addWidget(self._back)
        buttons.addWidget(self.restore)
        self.profiles = button(tr("Profiles…"), self._show_profiles, role="link")
        buttons.addWidget(self.profiles)
        buttons.addStretch(1)
        buttons.addWidget(self._next)
        foot.addLayout(buttons)
        self._foot.setLayout(foot)
        return _centred(self._foot, level=2)

    def _set_width(self) -> None:
        for widget in (self._inner, self._foot):
            widget.setMaximumWidth(self._parts.theme.px(WIDTH) + 48)

    def _show_step(self) -> None:
        step = self.state.step
        page = self._pages[step]
        self._title.setText(tr(TITLES[step]))
        self._progress.setText(self.state.progress_text)
        self._progress.setVisible(len(self.state.steps) > 1)
        self._back.setText(tr("Cancel") if self._adding and self.state.is_first else tr("Back"))
        self._back.setAccessibleName(self._back.text())
        self._back.setVisible(self._adding or not self.state.is_first)
        self.restore.setVisible(step == "welcome")
        self.profiles.setVisible(step == "welcome")
        last = tr("Add familiar") if self._adding else tr("Make the vault")
        self._next.setText(last if self.state.is_last else (tr("Begin") if step == "welcome" else tr("Next")))
        self._next.setAccessibleName(self._next.text())
        self._stack.setCurrentWidget(page)
        self._scroll.verticalScrollBar().setValue(0)
        page.enter()
        if step == "welcome":
            self._next.setFocus()
        log.info("the first run shows %s", step)

    def _choose_backup(self) -> None:
        self.notice.clear()
        self._tasks.start(self._ask_for_backup, name="first_run.restore", show_error=self.notice.show_error)

    def _show_profiles(self) -> None:
        self.notice.clear()
        show_error = self.notice.show_error
        self._tasks.start(lambda: show_profiles(self, self._parts), name="first_run.profiles", show_error=show_error)

    async def _ask_for_backup(self) -> None:
        choice = await choose_backup(self, self._parts.theme)
        if choice is not None:
            self.back_wanted.emit(choice)

    async def _finish(self) -> None:
        if await self._may_leave():
            self._whole.setCurrentIndex(1)
            self.done.emit(await self._make())
        else:
            self._whole.setCurrentIndex(0)

    async def _may_leave(self) -> bool:
        """Ask before a model elsewhere takes the network, unless that was allowed before."""
        if not self.state.choice.leaves():
            return True
        settings = await asyncio.to_thread(self._parts.gate.profile.settings)
        return not settings.local_only or await ask_for_network(self, self.state.choice.host)

    async def _make(self) -> str:
        state, gate = self.state, self._parts.gate
        key = state.choice.key if state.choice.kind == "openai" else ""
        new = NewFamiliar(
            state.card(),
            model=state.choice.spec(),
            api_key=key or None,
            avatar_png=state.avatar_png,
            lorebook_toml=state.lorebook_toml,
            card_kept=state.card_kept,
        )
        if self._adding:
            hosted = await gate.add_familiar(new)
            familiar = hosted.id
        else:
            if owner := state.owner_name.strip():
                # The familiar that is made knows it from its first prompt on.
                await asyncio.to_thread(gate.profile.save_settings, {"owner_name": owner})
            services = await gate.create(
                state.passphrase, new, recovery_code=state.recovery_code, remember=state.remember
            )
            familiar = next(iter(services.familiars))
        if state.choice.leaves():
            await gate.set_local_only(False)
        return str(familiar)

    def _failed(self, error: FamiliarError, again: Callable[[], object] | None) -> None:
        self._whole.setCurrentIndex(0)
        retry = None
        if again is not None:

            def retry() -> None:
                self._whole.setCurrentIndex(1)
                again()

        self.notice.show_error(error, retry)


def _centred(widget: QWidget, *, level: int = 1) -> QWidget:
    """Put a widget of limited width in the middle."""
    holder = surface(QWidget(), level)
    layout = row(spacing=0)
    layout.addStretch(1)
    layout.addWidget(widget, 100)
    layout.addStretch(1)
    holder.setLayout(layout)
    return holder
