"""The page of backups: how they stand, the list, and the care of the vault below it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QTimer, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QProgressBar, QWidget

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.text import tr, tr_later
from familiar_app.store.backup_shelf import KeptBackup
from familiar_app.ui.backups.model import BackupsModel
from familiar_app.ui.backups.word import KEPT, row_text, state_text
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.card import card, flowing
from familiar_app.ui.kit.dialog import choose_file
from familiar_app.ui.kit.header import PanelHeader
from familiar_app.ui.kit.label import clear_layout, column, label, line, row, surface
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.page_scroll import PageScroll
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.kit.wait import WaitStack

WIDTH = 760
MOST_PROBLEMS = 100
EMPTY = tr_later(
    "The first backup is made by itself a minute after the vault was opened. Each one holds the vault, the settings "
    "and the characters in one encrypted file, and opens with the passphrase of its day."
)
VERIFY = tr_later("Reads every page of the vault and checks that all of it fits together.")
VACUUM = tr_later(
    "Writes the vault anew without the room it no longer uses. Needs as much free room again for a moment."
)
AGE_EVERY_MS = 60_000


class BackupsView(QWidget):
    """Shows a BackupsModel. `go_back` starts the way back to a backup, None asks for a file first."""

    def __init__(
        self, model: BackupsModel, context: PanelContext, go_back: Callable[[KeptBackup | None], object]
    ) -> None:
        super().__init__()
        self.model, self._context, self._go_back = model, context, go_back
        surface(self, 1)
        self.setAccessibleName(tr("Backups"))
        self.notice = Notice(context.theme)
        self.tasks = Tasks(context.tasks, self, self.notice.show_error)
        self._build()
        model.watch(self._heard)
        self._ages = QTimer(self)
        self._ages.setInterval(AGE_EVERY_MS)
        self._ages.timeout.connect(self._show_state)
        self._show_state()
        self._show_work()

    # ---- building

    def _build(self) -> None:
        theme = self._context.theme
        header = PanelHeader(theme, tr("Backups"))
        self.make = button(tr("Back up now"), self._make, theme=theme, icon="save", role="primary")
        header.add_end(self.make)
        page = column(spacing=12)
        page.setContentsMargins(24, 16, 24, 24)
        page.addWidget(self.notice)
        page.addWidget(self._build_state())
        page.addWidget(self._build_list())
        page.addWidget(self._build_care())
        page.addStretch(1)
        self.scroll = PageScroll()
        self.scroll.show_page(theme, page, WIDTH)
        self._wait = WaitStack(theme, self.scroll)
        layout = column(spacing=0)
        layout.addWidget(header)
        layout.addWidget(self._wait, 1)
        self.setLayout(layout)

    def _build_state(self) -> QFrame:
        made, inside = card()
        self.elsewhere = button(tr("Back up to a file…"), self._make_elsewhere)
        self.from_file = button(tr("Go back to a file…"), partial(self._go_back, None))
        self._state = label("", "strong", wrap=True)
        self._failure = label("", "danger", wrap=True, selectable=True)
        self._bar = _bar(tr("A backup is being made"))
        self.stop_button = button(tr("Cancel"), lambda: self.tasks.stop("backups.make"))
        self.stop_button.setAccessibleName(tr("Cancel the backup"))
        self._said = label("", "quiet", wrap=True)
        for widget in (self._state, self._failure, self._bar, self._said):
            inside.addWidget(widget)
        inside.addWidget(flowing(self.elsewhere, self.from_file, self.stop_button))
        return made

    def _build_list(self) -> QFrame:
        made, inside = card()
        head = row(spacing=8)
        head.addWidget(label(tr("Kept backups"), "strong"))
        head.addStretch(1)
        open_folder = partial(self.tasks.start, self._open_folder, name="backups.folder")
        self.folder_button = button(tr("Open folder"), open_folder)
        settings = button(tr("Settings…"), partial(self._context.go_to, "settings", "backup."))
        settings.setAccessibleName(tr("Settings of backups"))
        head.addWidget(self.folder_button)
        head.addWidget(settings)
        inside.addLayout(head)
        inside.addWidget(label(tr(KEPT), "quiet", wrap=True))
        self._rows = column(spacing=8)
        inside.addLayout(self._rows)
        self._empty = label(tr(EMPTY), "quiet", wrap=True)
        inside.addWidget(self._empty)
        self.row_buttons: list[QWidget] = []
        return made

    def _build_care(self) -> QFrame:
        made, inside = card()
        inside.addWidget(label(tr("Care of the vault"), "strong"))
        inside.addWidget(label(tr(VERIFY), "quiet", wrap=True))
        self.verify = button(tr("Check the vault"), partial(self._care, "verify"))
        inside.addWidget(flowing(self.verify))
        self._found = column(spacing=4)
        inside.addLayout(self._found)
        inside.addWidget(label(tr(VACUUM), "quiet", wrap=True))
        self.vacuum = button(tr("Give back room"), partial(self._care, "vacuum"))
        inside.addWidget(flowing(self.vacuum))
        self._care_bar = _bar(tr("At work on the vault"))
        inside.addWidget(self._care_bar)
        return made

    # ---- doing

    def load(self) -> None:
        """Read the list anew."""
        if not self.model.loaded:
            self._wait.begin(tr("Looking for backups…"))
        self._ages.start()
        self.tasks.start(self._load, name="backups.load", replace=True)

    async def _load(self) -> None:
        try:
            await self.model.load()
        finally:
            self._wait.end()

    def stop(self) -> None:
        """Listen no more."""
        self._ages.stop()
        self.model.unwatch(self._heard)

    def _make(self) -> None:
        self.notice.clear()
        self.tasks.start(self.model.make, name="backups.make")

    def _make_elsewhere(self) -> None:
        self.notice.clear()
        self.tasks.start(self._to_file, name="backups.make")

    async def _to_file(self) -> None:
        path = await choose_file(
            self, tr("Back up to a file"), mode="save", filters=[tr("Backups (*.backup)")], suggest="familiar.backup"
        )
        if path is not None:
            await self.model.make(path)

    def _care(self, work: str) -> None:
        self.notice.clear()
        run = self.model.verify if work == "verify" else self.model.vacuum
        self.tasks.start(run, name="backups.care")

    async def _open_folder(self) -> None:
        folder = self.model.folder
        if folder is None or not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            raise OutsideError(
                tr("The system could not open the folder."), tr("Open {folder} yourself.", folder=str(folder))
            )

    # ---- showing

    def _heard(self, what: str) -> None:
        if what == "list":
            self._show_rows()
        elif what == "work":
            self._show_work()
        self._show_state()

    def _show_state(self) -> None:
        state = self.model.state
        self._state.setText(state_text(state, self.model.now(), self.model.zone))
        self._failure.setText("" if state.failure is None else str(state.failure))
        self._failure.setAccessibleName(self._failure.text())
        self._failure.setVisible(state.failure is not None)
        running = state.part is not None
        self._bar.setVisible(running)
        self._bar.setValue(round((state.part or 0) * 1000))
        self.stop_button.setVisible(running and self.tasks.running("backups.make"))
        self.make.setEnabled(not running)
        self.elsewhere.setEnabled(not running)
        self._said.setText(self.model.said)
        self._said.setVisible(bool(self.model.said) and not running)

    def _show_rows(self) -> None:
        clear_layout(self._rows)
        self.row_buttons = []
        for kept in self.model.rows:
            self._rows.addWidget(line())
            self._rows.addWidget(self._row(kept))
        self._empty.setVisible(not self.model.rows)
        folder = self.model.folder
        self.folder_button.setEnabled(folder is not None and bool(self.model.rows))

    def _row(self, kept: KeptBackup) -> QWidget:
        title, text = row_text(kept, self.model.now(), self.model.zone)
        made, inside, words = QWidget(), row(spacing=12), column(spacing=0)
        words.addWidget(label(title, wrap=True))
        words.addWidget(label(text, "quiet", wrap=True))
        inside.addLayout(words, 1)
        back = button(tr("Go back…"), partial(self._go_back, kept))
        back.setAccessibleName(tr("Go back to the backup: {when}", when=title))
        back.setToolTip(str(kept.path))
        inside.addWidget(back)
        made.setLayout(inside)
        self.row_buttons.append(back)
        return made

    def _show_work(self) -> None:
        model = self.model
        self._care_bar.setVisible(bool(model.work))
        self._care_bar.setValue(round(model.part * 1000))
        for made, word, running in (
            (self.verify, tr("Check the vault"), model.work == "verify"),
            (self.vacuum, tr("Give back room"), model.work == "vacuum"),
        ):
            made.setEnabled(not model.work)
            made.setText(tr("At work…") if running else word)
        if model.work:
            return
        clear_layout(self._found)
        if model.problems is None:
            return
        if not model.problems:
            self._found.addWidget(label(tr("The vault is whole."), "good", wrap=True))
        for problem in model.problems[:MOST_PROBLEMS]:
            text = f"{problem.where}: {problem.what} {problem.how_to_mend}"
            self._found.addWidget(label(text, "danger", wrap=True, selectable=True))


def _bar(name: str) -> QProgressBar:
    made = QProgressBar()
    made.setAccessibleName(name)
    made.setTextVisible(False)
    made.setRange(0, 1000)
    made.hide()
    return made
