"""Shows one lorebook: table and tester on the left, the form on the right, the budget over the table."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.text import ntr, tr
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.empty_state import EmptyState
from familiar_app.ui.kit.label import column, row, surface
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.pane import Panes
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.kit.wait import WaitStack
from familiar_app.ui.lorebook.books import Books
from familiar_app.ui.lorebook.budget_bar import BudgetBar
from familiar_app.ui.lorebook.choosing import Choosing
from familiar_app.ui.lorebook.deed import Deeds, TakeTurns
from familiar_app.ui.lorebook.exchange import Exchange
from familiar_app.ui.lorebook.form import Form
from familiar_app.ui.lorebook.head import Head
from familiar_app.ui.lorebook.inspection import Inspection, TakeUses
from familiar_app.ui.lorebook.library_deeds import LibraryDeeds, TakeChannels
from familiar_app.ui.lorebook.model import LorebookModel
from familiar_app.ui.lorebook.only_box import OnlyBox
from familiar_app.ui.lorebook.outcome import Outcome
from familiar_app.ui.lorebook.replacer import Replacer
from familiar_app.ui.lorebook.room import Room
from familiar_app.ui.lorebook.table import EntryTable
from familiar_app.ui.lorebook.tester import TrialModel
from familiar_app.ui.lorebook.tester_view import TesterView
from familiar_app.ui.lorebook.trash_view import Trash
from familiar_app.ui.lorebook.work import BookWork


class LorebookView(QWidget):
    """Shows a `LorebookModel` and a `TrialModel`; `take_turns` gives the lines of the chat that is open."""

    def __init__(
        self,
        model: LorebookModel,
        tester: TrialModel,
        context: PanelContext,
        panes: Panes,
        take_turns: TakeTurns,
        take_uses: TakeUses,
        books: Books,
        take_channels: TakeChannels,
    ) -> None:
        super().__init__()
        surface(self, 1)
        self.model, self.tester, self.context, self.panes = model, tester, context, panes
        self.theme = context.theme
        self.notice = Notice(self.theme)
        self.tasks = Tasks(context.tasks, self, self._show_error)
        inspection = Inspection(model, tester, take_uses)
        self.work = BookWork(self, model, tester, inspection, self.tasks, self._show_save_error)
        self.work.find = self._find_elsewhere
        self.exchange = Exchange(self, model, context, self.tasks)
        self.replacer = Replacer(model, context, self.tasks)
        self.library = LibraryDeeds(books, model, context, self.tasks, take_channels)
        self.trash = Trash(model, books, context, self.tasks)
        self.do = Deeds(self, take_turns).do
        self._make_parts()
        self._lay_out()
        self._listen()

    # ---- making

    def _listen(self) -> None:
        self.model.tokens = lambda entry: self.tester.tokens_of(entry.content)
        self.model.watch(self._heard)
        self.tester.watch(self._heard_tester)
        self.form.show_selection()
        self.view.show_trial()

    def _make_parts(self) -> None:
        theme = self.theme
        self.table = EntryTable(theme, self.model, self.tester)
        self.table.deed.connect(self.do)
        self.table.opened.connect(lambda _index: self.edit())
        self.form = Form(theme, self.model, self.do)
        self.bar = BudgetBar(theme)
        self.outcome = Outcome(self.model, self.tester, self.bar, self.form)
        self.view = TesterView(theme, self.tester, lambda: self.do("turns"), lambda: self.do("case"))
        self.view.typed.connect(self.work.test_soon)
        self.only = OnlyBox(self.model)
        self.head = Head(theme, self.model, self.library.books, self.do)
        self.search, self.buttons, self.count = self.head.search, self.head.buttons, self.head.count
        self.choosing = Choosing(self.model, self.search)
        self.bar.chosen.connect(self.choosing.entry)
        self.view.chosen.connect(self.choosing.entry)
        self.search.textChanged.connect(self._search)
        self.search.next_wanted.connect(self.table.setFocus)
        self.search.given_up.connect(self.table.setFocus)

    def _lay_out(self) -> None:
        self.empty = self._empty_state()
        self.down = QSplitter(Qt.Orientation.Vertical)
        self.down.setChildrenCollapsible(False)
        self.down.setHandleWidth(1)
        self.down.addWidget(self._table_pane())
        self.down.addWidget(self.view)
        self.down.setFocusProxy(self.table)
        self.across = Room(self.theme, self.down, self.form)
        self.panes.keep("across", self.across, (800, 420))
        self.panes.keep("down", self.down, (440, 240))
        self.panes.keep("tester", self.view.split, (370, 430))
        self.pages = QStackedWidget()
        self.pages.addWidget(self.across)
        self.pages.addWidget(self.empty)
        self.wait = WaitStack(self.theme, self.pages, rows=12)
        told = column(spacing=0)
        told.setContentsMargins(16, 8, 16, 0)
        told.addWidget(self.notice)
        layout = column(spacing=0)
        layout.addWidget(self.head)
        layout.addLayout(told)
        layout.addWidget(self.wait, 1)
        self.setLayout(layout)

    def _empty_state(self) -> EmptyState:
        made = EmptyState(
            self.theme,
            "lorebook",
            tr("No entries yet"),
            tr(
                "An entry is a piece of knowledge that joins the prompt when one of its keys is said. "
                "A lorebook of another program can be imported."
            ),
            step=tr("Add an entry"),
            run=lambda: self.do("add"),
        )
        other = button(tr("Import a lorebook…"), lambda: self.do("import"), role="link")
        layout = made.layout()
        layout.insertWidget(layout.indexOf(made.button) + 1, other, 0, Qt.AlignmentFlag.AlignHCenter)
        return made

    def _table_pane(self) -> QWidget:
        made = QWidget()
        over = row(spacing=8)
        over.setContentsMargins(16, 8, 16, 4)
        over.addWidget(self.only)
        over.addWidget(self.bar, 1)
        over.addWidget(self.outcome.used)
        layout = column(spacing=0)
        layout.addLayout(over)
        layout.addWidget(self.table, 1)
        made.setLayout(layout)
        return made

    def edit(self) -> None:
        """Go to the form."""
        self.across.open_form()
        self.form.focus_name()

    # ---- loading

    def load(self) -> None:
        """Read the file; called once, and again after a failure."""
        self.wait.begin(tr("Reading the lorebook…"))
        self.tasks.start(self._load, name="lorebook.load")

    async def _load(self) -> None:
        try:
            await self.work.load()
        finally:
            self.wait.end()
        self.tasks.start(self.panes.restore, name="lorebook.panes")
        self.choosing.read()

    async def close_book(self) -> None:
        """Store what is not stored yet, and end what runs for this view."""
        try:
            await self.model.save()
            await self.panes.write()
        except FamiliarError as error:
            self.notice.show_error(error)
        await self.work.close()

    # ---- showing

    def _search(self, text: str) -> None:
        self.model.show_only(text)
        self.work.find_soon.start()

    async def _find_elsewhere(self) -> None:
        self.head.show_elsewhere(await self.library.search(self.search.text()))

    def _heard(self, what: str) -> None:
        if what in ("book", "rows"):
            self.table.show_rows()
        if what == "entry":
            self.table.rows.refresh_cells()
        if what in ("book", "entry"):
            self.work.edited()
        if what == "selection":
            self.table.show_selection()
            self.bar.show_current(self.model.current)
            self.view.show_current(self.model.current)
            self.work.test_soon()
        if what in ("warnings", "uses"):
            self.table.rows.refresh_cells()
        if what in ("book", "rows", "warnings"):
            self.only.refresh()
        if what == "book":
            self.library.show_folders()
        if what in ("book", "entry", "selection", "state", "warnings"):
            self.form.show_selection()
            self.outcome.show_of_entry()
        self._show_state()

    def _heard_tester(self, what: str) -> None:
        if what == "text":
            self.view.show_text()
            self.work.test_soon()
        elif what == "moment":
            self.view.show_moment()
        elif what == "step":
            self.view.show_trial()
        elif what == "tokens":
            self.work.inspect_anew()
            self.table.rows.refresh_cells()
            self.outcome.show_of_entry()
            self.work.test_soon()
        elif what == "test":
            self.view.show_trial()
            self.outcome.show()
            self.table.rows.refresh_cells()

    def _show_state(self) -> None:
        model = self.model
        self.head.show_state()
        whole, told = len(model.book.entries), self.head.state
        conflicts = len(model.conflicts)
        if conflicts and told.property("told") != conflicts:
            one = next(iter(model.conflicts))
            text = ntr(
                "{n} entry was changed here and in the file.",
                "{n} entries were changed here and in the file.",
                conflicts,
            )
            self.notice.tell(text, "warning", step=tr("Show"), run=lambda: self.choosing.entry(one))
        elif not conflicts and told.property("told"):
            self.notice.clear()
        told.setProperty("told", conflicts)
        empty = model.loaded and not whole
        self.pages.setCurrentWidget(self.empty if empty else self.across)
        if not self.outcome.used.text():
            self.outcome.show_used()

    def _show_error(self, error: FamiliarError, again: Callable[[], object] | None) -> None:
        if not self.model.loaded:
            self.notice.show_error(error, step=tr("Read it again"), run=self.load)
        else:
            self.notice.show_error(error, again)

    def _show_save_error(self, error: FamiliarError, _again: Callable[[], object] | None) -> None:
        self.notice.show_error(error, step=tr("Try again"), run=self.work.save)

    # ---- keys

    def event(self, event: QEvent) -> bool:
        # Ctrl+Z belongs to this panel while the focus is in it; a field that has typing to take back comes first.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _undo_word(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        word = _undo_word(event)
        if word:
            self.do(word)
        elif event.key() == Qt.Key.Key_Escape and self.across.close_form():
            event.accept()
        else:
            super().keyPressEvent(event)


def _undo_word(event: QKeyEvent) -> str:
    if event.matches(QKeySequence.StandardKey.Undo):
        return "undo"
    return "redo" if event.matches(QKeySequence.StandardKey.Redo) else ""
