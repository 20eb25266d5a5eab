"""The main window: which screen is shown (first run, unlock, the open vault), locking, closing, the tray."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtGui import QCloseEvent, QIcon
from PySide6.QtWidgets import QApplication, QStackedLayout, QWidget

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.settings import ProfileSettings
from familiar_app.domain.text import tr
from familiar_app.store.resource import resource
from familiar_app.ui.kit.empty_state import EmptyState
from familiar_app.ui.kit.focus_keeper import keep_focus
from familiar_app.ui.kit.going_back import BackupChoice
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.label import surface
from familiar_app.ui.kit.parts import WindowParts
from familiar_app.ui.kit.secret_clipboard import secret_clipboard
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.kit.wait import ProgressView
from familiar_app.ui.shell.adding import Adding, Way
from familiar_app.ui.shell.covering import Covering
from familiar_app.ui.shell.dead_end import no_way_on, none_loaded
from familiar_app.ui.shell.entrance import Entrance
from familiar_app.ui.shell.frame import Frame
from familiar_app.ui.shell.happening import Happening, Happenings
from familiar_app.ui.shell.locking import Locking, close_dialogs
from familiar_app.ui.shell.looks import apply_looks
from familiar_app.ui.shell.notifier import Notifier
from familiar_app.ui.shell.novelty import tell_what_is_new
from familiar_app.ui.shell.page_keys import PageKeys
from familiar_app.ui.shell.parting import Parting, Stage
from familiar_app.ui.shell.presence import Presence
from familiar_app.ui.shell.returning import Returning
from familiar_app.ui.shell.window_place import WindowPlace

log = logging.getLogger(__name__)


class MainWindow(QWidget):
    """Call `start` inside the running loop. On the way out, await `prepare_close` before the gate is closed.

    Closing the window asks `parts.request_quit`, or hides it where the tray is on.
    """

    def __init__(self, parts: WindowParts) -> None:
        super().__init__()
        self._parts = parts
        surface(self, 1)
        self.setWindowTitle(parts.desktop.titled("Familiar"))
        self.setAccessibleName("Familiar")
        self._place = WindowPlace(self)
        self._tasks = Tasks(parts.tasks, self, self._failed)
        self._pages = QStackedLayout(self)
        self._frame: Frame | None = None
        self._leaving = False
        self._keys = PageKeys(parts, self._pages, covered=lambda: self.locked)
        self._covering = Covering(
            parts, self._pages, add=self._add, close_vault=self.close_vault, uncovered=self._uncovered
        )
        self._make_ways(parts)
        self._presence = Presence(self, parts, lock=self.lock, close_vault=self.close_vault)
        self._tray = self._presence.tray
        self.notifier = Notifier(self, self._tray, locked=lambda: self.locked, go=self._go_to_happening)
        self.locking = Locking(self, lock=self.lock, close_vault=self.close_vault)
        keep_focus(QApplication.instance())
        self._refresh()
        follow(parts.theme, self, self._refresh)

    def _make_ways(self, parts: WindowParts) -> None:
        """Make what leads in, back to a backup, on to another familiar, and out."""
        way = Way(lambda: self._frame, self._lay_over, self._show, self._start_open, self._leave)
        self._adding = Adding(parts, way)
        self._entrance = Entrance(parts, show=self._show, opened=self._start_open, back_wanted=self._go_back_to)
        self._returning = Returning(
            parts.gate,
            put_away=self._put_frame_away,
            show=self._show,
            unlock=lambda told: self._entrance.unlock(told=told),
            apply=self._apply,
        )
        self._parting = Parting(
            parts,
            Stage(self, self._put_frame_away, self._show, self._open, self._begin, self._tell_failure),
        )

    @property
    def frame(self) -> Frame | None:
        """The open vault's frame, None on the other screens."""
        return self._frame

    def start(self, card: Path | None = None, *, hidden: bool = False) -> None:
        """Show the window with the screen that fits the state of the vault; `card` becomes a familiar then.

        `hidden` leaves it in the tray, or minimised where the desktop has none.
        """
        self._adding.keep(card)
        self._presence.begin(hidden=hidden)
        self._tasks.start(self._begin, name="window.begin")

    def open_card(self, card: Path) -> None:
        """Let a card become a familiar: at once, or as soon as the vault is open."""
        self._adding.keep(card)
        self._offer_card()

    def bring_to_front(self) -> None:
        self._presence.bring_to_front()

    def lock(self) -> None:
        """Cover the window until somebody gives the passphrase; the familiars go on."""
        if self._is_open:
            self._covering.cover()
            self.setWindowTitle(self._parts.desktop.titled("Familiar"))

    def close_vault(self) -> None:
        """Close the vault and ask for the passphrase: everything of it stops."""
        if self._is_open:
            close_dialogs()
            self._tasks.start(self._close_vault, name="window.lock")

    @property
    def _is_open(self) -> bool:
        """Whether the vault is open behind what is shown: its frame, or an error with a way on."""
        shown = self._frame is not None or self._covering.on or isinstance(self._pages.currentWidget(), EmptyState)
        return shown and not self._leaving and self._parts.gate.state == "open"

    @property
    def locked(self) -> bool:
        """Whether the window of an open vault is covered."""
        return self._covering.on

    async def prepare_close(self) -> None:
        """Store drafts and the window's place, and take no more input."""
        self._leaving = True
        self._tray.put_away()
        self.locking.stop()
        secret_clipboard().forget()
        await self._put_frame_away(tr("Closing…"))
        self.hide()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._leaving:
            event.accept()
        elif self._tray.active:
            event.ignore()
            self.hide()
        else:
            event.ignore()
            self._parts.request_quit()

    async def _begin(self) -> None:
        gate = self._parts.gate
        settings = await asyncio.to_thread(gate.profile.settings)
        self._apply(settings)
        match gate.state:
            case "new":
                self._entrance.make_vault(self._adding.take_card())
            case "locked":
                self._entrance.unlock(keyring=settings.remember_key)
                if not settings.remember_key:
                    self.notifier.tell(Happening("locked"))
            case "open":
                await self._open()
        # Once it is on the screen: where no window manager gives it the focus, it asks for it.
        if self.isVisible() and not self.isMinimized():
            self.activateWindow()

    def _apply(self, settings: ProfileSettings) -> None:
        apply_looks(self._parts.theme, settings)
        self._tray.set_shown(settings.tray)
        self.notifier.apply(settings)
        self.locking.apply(settings)

    def _start_open(self, familiar: str = "") -> None:
        self._tasks.start(partial(self._open, familiar), name="window.open")

    async def _open(self, familiar: str = "") -> None:
        """Build the frame for the vault that is open."""
        services = self._parts.gate.services
        if not services.familiars:
            self._show_nobody()
            return
        settings = await asyncio.to_thread(services.profile.settings)
        wanted = familiar or settings.last_familiar or ""
        shown = wanted if wanted in services.familiars else next(iter(services.familiars))
        frame = Frame(self._parts, services, familiar=shown, lock=self.lock, close_vault=self.close_vault)
        frame.add_wanted.connect(self._adding.begin)
        frame.familiar_shown.connect(self._name_window)
        frame.context.settings_changed.connect(self._apply)
        frame.back_wanted.connect(self._go_back_to)
        frame.erase_wanted.connect(self._erase)
        await self._place.restore(services.vault.state, frame)
        self._frame = frame
        self._name_window(services.familiars[frame.context.familiar].name)
        self._show(frame)
        frame.start()
        news = partial(tell_what_is_new, services.vault.state, frame.notice, frame.go_to)
        self._tasks.start(news, name="window.news", replace=True)
        self._offer_card()
        happenings = Happenings(services, self.notifier.tell)
        self._tasks.start(happenings.run, name="window.happenings", replace=True)

    def _go_to_happening(self, happening: Happening) -> None:
        """Bring the window to the front, at the place where something happened."""
        self.bring_to_front()
        frame = self._frame
        if frame is None or self._covering.on or not happening.panel:
            return
        if happening.familiar is not None and happening.familiar != frame.context.familiar:
            frame.switch_familiar(happening.familiar)
        frame.go_to(happening.panel, happening.key)

    def _offer_card(self) -> None:
        """Show the card that waits in the wizard, unless the vault is closed or the window covered."""
        if not self._covering.on:
            self._adding.offer_card(self._pages.currentWidget())

    def _show_nobody(self) -> None:
        broken = self._parts.gate.services.broken
        if not broken:
            self._adding.begin()
            return
        again = partial(self._tasks.start, self._reopen, name="window.reopen")
        self._show(none_loaded(self._parts.theme, broken, again))

    async def _reopen(self) -> None:
        gate = self._parts.gate
        for familiar in list(gate.services.broken):
            await gate.reload_familiar(familiar)
        await self._open()

    def _lay_over(self, page: QWidget) -> None:
        """Show a page and keep what is below it."""
        self._add(page)
        self._pages.setCurrentWidget(self._covering.front(page))

    def _leave(self, page: QWidget) -> None:
        """Take away a page that has nothing below it."""
        self._pages.removeWidget(page)
        page.deleteLater()
        self._show_nobody()

    def _uncovered(self, page: QWidget) -> None:
        """Go on with what was covered."""
        if self._frame is not None:
            self._name_window(self._frame.familiar_name)
            if page is self._frame:
                self._frame.focus_panel()
        self._offer_card()

    def _go_back_to(self, choice: BackupChoice) -> None:
        self._tasks.start(partial(self._returning.to, choice), name="window.restore")

    def _erase(self, familiar: str) -> None:
        """Erase a familiar, or with "" everything, once that is confirmed."""
        parting = self._parting
        work = partial(parting.from_familiar, FamiliarId(familiar)) if familiar else parting.from_everything
        self._tasks.start(work, name="window.erase", show_error=lambda error, _again: self._tell_failure(error))

    def _tell_failure(self, error: FamiliarError) -> None:
        """Tell of an error where one can go on all the same."""
        if self._frame is not None:
            self._frame.notice.show_error(error)
        else:
            self._failed(error, None)

    async def _close_vault(self) -> None:
        try:
            await self._put_frame_away(tr("Closing the vault…"))
        finally:
            # Also where a draft cannot be stored: whoever wants it closed must not leave it open.
            await self._parts.gate.close()
        self._entrance.unlock()

    async def _put_frame_away(self, text: str) -> None:
        frame, self._frame = self._frame, None
        self._covering.forget()
        self.setWindowTitle(self._parts.desktop.titled("Familiar"))
        self._tasks.stop("window.happenings")
        if frame is None:
            return
        await frame.close_panels()
        await self._place.store(self._parts.gate.services.vault.state, frame)
        self._show(ProgressView(text))

    def _show(self, page: QWidget) -> None:
        """Show a page and delete the others, but for the cover: while that is there, it stays in front."""
        log.info("the window shows %s", type(page).__name__)
        if self._pages.indexOf(page) < 0:
            self._add(page)
        front = self._covering.front(page)
        self._pages.setCurrentWidget(front)
        for index in reversed(range(self._pages.count())):
            other = self._pages.widget(index)
            if other is not page and other is not front:
                self._frame = None if other is self._frame else self._frame
                self._pages.removeWidget(other)
                other.hide()
                other.deleteLater()

    def _add(self, page: QWidget) -> None:
        """Add a page; those without a frame get the few keys that are in force everywhere."""
        self._pages.addWidget(page)
        if not isinstance(page, Frame):
            self._keys.bind(page)

    def can_help(self) -> bool:
        """Whether the manual can be shown over the page; asked by the links to it that stand on pages."""
        return self._keys.can_help()

    def show_help(self) -> None:
        """Show the manual over a page that is no frame."""
        self._keys.show_help()

    def _name_window(self, familiar: str) -> None:
        if self._covering.on:
            return
        self.setWindowTitle(self._parts.desktop.titled(f"{familiar} – Familiar"))

    def _failed(self, error: FamiliarError, again: Callable[[], object] | None) -> None:
        """Show an error that leaves nothing else to show."""
        run = again or (lambda: self._tasks.start(self._begin, name="window.begin"))
        self._show(no_way_on(self._parts.theme, error, run))

    def _refresh(self) -> None:
        self.setWindowIcon(QIcon(str(resource("app", "familiar.svg"))))
