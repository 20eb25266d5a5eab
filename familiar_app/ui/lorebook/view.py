"""Shows one lorebook: table and tester on the left, the form on the right, the budget over the table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.lorebook.verdict import Reason
from familiar_app.ui.kit.empty_state import EmptyState
from familiar_app.ui.kit.label import column, label, row, surface
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.kit.wait import WaitStack
from familiar_app.ui.lorebook.books import Books
from familiar_app.ui.lorebook.budget_bar import BudgetBar
from familiar_app.ui.lorebook.exchange import Exchange
from familiar_app.ui.lorebook.form import Form
from familiar_app.ui.lorebook.head import Head
from familiar_app.ui.lorebook.inspection import Inspection, TakeUses
from familiar_app.ui.lorebook.library_deeds import LibraryDeeds, TakeChannels
from familiar_app.ui.lorebook.merge import Uid
from familiar_app.ui.lorebook.model import LorebookModel
from familiar_app.ui.lorebook.only_box import OnlyBox
from familiar_app.ui.lorebook.pane import Panes
from familiar_app.ui.lorebook.replacer import Replacer
from familiar_app.ui.lorebook.table import EntryTable
from familiar_app.ui.lorebook.tester import Moment, TrialModel
from familiar_app.ui.lorebook.tester_view import TesterView

SAVE_AFTER_MS = 300
TEST_AFTER_MS = 60
TEST_AFTER_EDIT_MS = 250
COUNT_AFTER_MS = 400
LINT_AFTER_MS = 300
FIND_AFTER_MS = 300
LOOK_EVERY_MS = 1500
FORM_NEEDS = 640
TakeTurns = Callable[[], Awaitable[tuple[Sequence[Moment], int]]]
"""Gives the turns of the chat that is open, and how many of them are looked at."""


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
        self._take_turns = take_turns
        self.theme = context.theme
        self.notice = Notice(self.theme)
        self.tasks = Tasks(context.tasks, self, self._show_error)
        self.inspection = Inspection(model, tester, take_uses)
        self.exchange = Exchange(self, model, context, self.tasks)
        self.replacer = Replacer(model, context, self.tasks)
        self.deeds = LibraryDeeds(books, model, context, self.tasks, take_channels)
        self.renamed: Callable[[str, str], Awaitable[None]] | None = None
        self._named = ""
        self._wanted: int | None = None
        self._make_parts()
        self._lay_out()
        self._timers: list[QTimer] = []
        self._save_soon = self._timer(SAVE_AFTER_MS, self.save)
        self._test_soon = self._timer(TEST_AFTER_MS, self.test)
        self._count_soon = self._timer(COUNT_AFTER_MS, self.count_tokens)
        self._find_soon = self._timer(FIND_AFTER_MS, self.find_elsewhere)
        self._lint_soon = self._timer(LINT_AFTER_MS, self.inspect)
        self._look = self._timer(LOOK_EVERY_MS, self.look_at_file, repeat=True)
        model.tokens = lambda entry: tester.tokens_of(entry.content)
        model.wants_save = self._save_soon.start
        model.watch(self._heard)
        tester.watch(self._heard_tester)
        self.form.show_selection()
        self.view.show_trial()

    # ---- making

    def _make_parts(self) -> None:
        theme = self.theme
        self.table = EntryTable(theme, self.model, self.tester)
        self.table.deed.connect(self.do)
        self.table.opened.connect(lambda _index: self._edit())
        self.form = Form(theme, self.model, self.do)
        self.bar = BudgetBar(theme)
        self.bar.chosen.connect(self.choose)
        self.used = label("", "faint")
        self.view = TesterView(theme, self.tester, lambda: self.do("turns"), lambda: self.do("case"))
        self.view.typed.connect(self.test_soon)
        self.view.chosen.connect(self.choose)
        self.only = OnlyBox(self.model)
        self.head = Head(theme, self.model, self.deeds.books, self.do)
        self.search, self.buttons, self.count = self.head.search, self.head.buttons, self.head.count
        self.search.textChanged.connect(self._search)
        self.search.next_wanted.connect(self.table.setFocus)
        self.search.given_up.connect(self.table.setFocus)

    def _lay_out(self) -> None:
        theme = self.theme
        self.empty = EmptyState(
            theme,
            "lorebook",
            "No entries yet",
            "An entry is a piece of knowledge that joins the prompt when one of its keys is said. "
            "A lorebook of another program can be imported.",
            step="Add an entry",
            run=lambda: self.do("add"),
        )
        self.across = QSplitter(Qt.Orientation.Horizontal)
        self.down = QSplitter(Qt.Orientation.Vertical)
        for splitter in (self.across, self.down):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(1)
        self.down.addWidget(self._table_pane())
        self.down.addWidget(self.view)
        self.across.addWidget(self.down)
        self.across.addWidget(self.form)
        self.form.setMinimumWidth(theme.px(300))
        self.panes.keep("across", self.across, (800, 420))
        self.panes.keep("down", self.down, (440, 240))
        self.panes.keep("tester", self.view.split, (320, 480))
        self.pages = QStackedWidget()
        self.pages.addWidget(self.across)
        self.pages.addWidget(self.empty)
        self.wait = WaitStack(theme, self.pages, rows=12)
        told = column(spacing=0)
        told.setContentsMargins(16, 8, 16, 0)
        told.addWidget(self.notice)
        layout = column(spacing=0)
        layout.addWidget(self.head)
        layout.addLayout(told)
        layout.addWidget(self.wait, 1)
        self.setLayout(layout)

    def _table_pane(self) -> QWidget:
        made = QWidget()
        over = row(spacing=8)
        over.setContentsMargins(16, 8, 16, 4)
        over.addWidget(self.only)
        over.addWidget(self.bar, 1)
        over.addWidget(self.used)
        layout = column(spacing=0)
        layout.addLayout(over)
        layout.addWidget(self.table, 1)
        made.setLayout(layout)
        return made

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # Beside a side view there may be no room for the form; half of it would be of no use.
        self.form.setVisible(event.size().width() >= self.theme.px(FORM_NEEDS))

    def _edit(self) -> None:
        """Go to the form; where it had no room, the side view makes some."""
        if self.form.isHidden():
            self.context.side_view.close_view()
            QTimer.singleShot(0, self.form.focus_name)
        else:
            self.form.focus_name()

    def _timer(self, after_ms: int, run: Callable[[], object], *, repeat: bool = False) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(not repeat)
        timer.setInterval(after_ms)
        timer.timeout.connect(run)
        self._timers.append(timer)
        return timer

    # ---- loading, saving, testing

    def load(self) -> None:
        """Read the file; called once, and again after a failure."""
        self.wait.begin("Reading the lorebook…")
        self.tasks.start(self._load, name="lorebook.load")

    async def _load(self) -> None:
        try:
            await self.model.load()
        finally:
            self.wait.end()
        self.tasks.start(self.panes.restore, name="lorebook.panes")
        self._look.start()
        self.count_tokens()
        self.test_soon()
        self.inspect()
        self.count_uses()
        self._named = self.model.base.name
        if self._wanted is not None:
            self.choose_place(self._wanted)
        if self.model.current is None and self.model.rows():
            self.model.select([self.model.rows()[0].uid])

    def save(self) -> None:
        """Bring the file up to date now."""
        self.tasks.start(self._save, name="lorebook.save", show_error=self._show_save_error)

    async def _save(self) -> None:
        await self.model.save()
        name = self.model.base.name
        if name != self._named and not self.model.unsaved:
            old, self._named = self._named, name
            if self.renamed is not None:
                await self.renamed(old, name)
            await self.deeds.books.read()

    def look_at_file(self) -> None:
        """Look whether somebody else changed the file; only while the panel is seen."""
        if self.isVisible() and self.model.loaded:
            self.tasks.start(self.model.check_file, name="lorebook.look")

    def test_soon(self) -> None:
        """Test once typing pauses."""
        self._test_soon.start(TEST_AFTER_MS)

    def test(self) -> None:
        """Test now."""
        if self.model.loaded:
            self.tasks.start(self._test, name="lorebook.test", replace=True)

    async def _test(self) -> None:
        await self.tester.run(self.model.book, self.model.entry(self.model.current))

    def count_tokens(self) -> None:
        """Have the model count what it has not counted yet."""
        self.tasks.start(lambda: self.tester.count(self.model.book.entries), name="lorebook.count", replace=True)

    def inspect(self) -> None:
        """Look for what is odd about the entries."""
        if self.model.loaded:
            self.tasks.start(self.inspection.look, name="lorebook.lint", replace=True)

    def count_uses(self) -> None:
        """Read how often the entries stood in a prompt."""
        if self.model.loaded:
            self.tasks.start(self.inspection.count_uses, name="lorebook.uses", replace=True)

    # ---- deeds

    def do(self, deed: str) -> None:
        """Do something by its word."""
        model, chosen = self.model, self.model.selected
        if not model.loaded:
            return
        if deed == "add":
            self.show_all()
            model.add()
            self._edit()
        elif deed in ("undo", "redo"):
            what = model.undo() if deed == "undo" else model.redo()
            self.context.tell(
                f"{'Undone' if deed == 'undo' else 'Done again'}: {what}." if what else "Nothing to undo."
            )
        elif deed in ("import", "export", "turns", "case", "about", "make"):
            makers = {
                "import": self.exchange.choose,
                "export": self.exchange.show_formats,
                "turns": self._fill,
                "case": self._save_case,
                "about": self.deeds.about,
                "make": self._make_book,
            }
            self.tasks.start(makers[deed], name=f"lorebook.{deed}")
        elif deed == "replace":
            self.replacer.show()
        elif deed == "elsewhere":
            self.deeds.show_found(self.search.text())
        elif chosen:
            self._do_to(deed, chosen)

    def _do_to(self, deed: str, chosen: Sequence[Uid]) -> None:
        model = self.model
        if deed == "delete":
            step = model.delete(chosen)
            if step is not None:
                self.context.offer_undo(f"{step.title}.", lambda: model.revert(step))
        elif deed in ("up", "down"):
            if model.in_file_order:
                model.move_by(chosen, -1 if deed == "up" else 1)
            else:
                self.context.tell("Entries can be moved while all are shown by their place (#).")
        elif deed == "duplicate":
            model.duplicate(chosen)
        elif deed == "toggle":
            model.toggle(chosen)
        else:
            model.set_enabled(chosen, deed == "enable")

    def choose(self, uid: Uid) -> None:
        """Show an entry; where the filter hides it, the filter goes."""
        if self.model.entry(uid) is None:
            return
        if all(one.uid != uid for one in self.model.rows()):
            self.show_all()
        self.model.select([uid], uid)

    def choose_place(self, number: int) -> None:
        """Show an entry by its place in the file, from 0; once the file was read."""
        self._wanted = number
        entries = self.model.book.entries
        if self.model.loaded:
            self._wanted = None
            if number < len(entries):
                self.choose(entries[number].uid)

    def let_go(self) -> None:
        """End what runs for this view; its file is not there any more."""
        self._stop_timers()
        self.tasks.cancel_soon()

    async def close_book(self) -> None:
        """Store what is not stored yet, and end what runs for this view."""
        try:
            await self.model.save()
            await self.panes.write()
        except FamiliarError as error:
            self.notice.show_error(error)
        self._stop_timers()
        await self.tasks.cancel()
        self._stop_timers()

    def _stop_timers(self) -> None:
        for timer in self._timers:
            timer.stop()

    def _search(self, text: str) -> None:
        self.model.show_only(text)
        self._find_soon.start()

    def find_elsewhere(self) -> None:
        """Look for what is searched in the other lorebooks too."""
        self.tasks.start(self._find_elsewhere, name="lorebook.elsewhere", replace=True)

    async def _find_elsewhere(self) -> None:
        self.head.show_elsewhere(await self.deeds.search(self.search.text()))

    async def _make_book(self) -> None:
        await self.deeds.make()

    def show_all(self) -> None:
        """Take back what narrows the table down."""
        self.search.clear()
        self.model.narrow("all")

    async def _fill(self) -> None:
        moments, window = await self._take_turns()
        if moments:
            self.tester.fill(moments, window)
        else:
            self.context.tell("The chat has no turns yet.")

    async def _save_case(self) -> None:
        if self.tester.trial.run is not None:
            await self.exchange.save_case(self.tester.trial.run)

    # ---- showing

    def _heard(self, what: str) -> None:
        if what in ("book", "rows"):
            self.table.show_rows()
        if what == "entry":
            self.table.rows.refresh_cells()
        if what in ("book", "entry"):
            self._count_soon.start()
            self._lint_soon.start()
            self._test_soon.start(TEST_AFTER_EDIT_MS)
        if what == "selection":
            self.table.show_selection()
            self.bar.show_current(self.model.current)
            self.view.show_current(self.model.current)
            self.test_soon()
        if what in ("warnings", "uses"):
            self.table.rows.refresh_cells()
        if what in ("book", "rows", "warnings"):
            self.only.refresh()
        if what == "book":
            self.deeds.show_folders()
        if what in ("book", "entry", "selection", "state", "warnings"):
            self.form.show_selection()
            self._show_form_extras()
        self._show_state()

    def _heard_tester(self, what: str) -> None:
        if what == "text":
            self.view.show_text()
            self.test_soon()
        elif what == "moment":
            self.view.show_moment()
        elif what == "step":
            self.view.show_trial()
        elif what == "tokens":
            self.inspection.forget()
            self._lint_soon.start()
            self.table.rows.refresh_cells()
            self._show_form_extras()
            self.test_soon()
        elif what == "test":
            trial = self.tester.trial
            fired = {one.uid: number for number, one in enumerate(trial.fired)}
            self.model.ranks = {one.uid: 100_000 for one in trial.nearly} | fired
            self.bar.show_trial(trial, trial.budget_tokens or self.tester.terms().room_tokens)
            self.view.show_trial()
            self.model.sort_again("test")
            self.table.rows.refresh_cells()
            self._show_form_extras()
            self._show_used()

    def _show_form_extras(self) -> None:
        entry = self.model.entry(self.model.current)
        if entry is None:
            return
        count, exact = self.tester.tokens_of(entry.content), self.tester.is_counted(entry.content)
        self.form.show_tokens(count, exact=exact)
        trial = self.tester.trial
        verdict = trial.by_uid.get(entry.uid)
        if verdict is None:
            self.form.show_verdict("", "faint", trial.matching)
            return
        word = "Fires" if verdict.fires else ("Nearly fires" if verdict.near else "Does not fire")
        role = "good" if verdict.fires else ("warning" if verdict.near else "faint")
        # That it has no keys is among the warnings above it already.
        why = "" if verdict.reason is Reason.NO_KEYS else f" {verdict.why}"
        self.form.show_verdict(f"{word} on the tester's text.{why}", role, trial.matching)

    def _show_used(self) -> None:
        trial, limit = self.tester.trial, self.tester.terms().room_tokens
        used = sum(one.tokens for one in trial.fired)
        self.used.setText(f"{used:,} of {limit:,} tokens")

    def _show_state(self) -> None:
        model = self.model
        self.head.show_state()
        whole, told = len(model.book.entries), self.head.state
        conflicts = len(model.conflicts)
        if conflicts and told.property("told") != conflicts:
            one = next(iter(model.conflicts))
            text = f"{conflicts:,} {'entry was' if conflicts == 1 else 'entries were'} changed here and in the file."
            self.notice.tell(text, "warning", step="Show", run=lambda: self.choose(one))
        elif not conflicts and told.property("told"):
            self.notice.clear()
        told.setProperty("told", conflicts)
        empty = model.loaded and not whole
        self.pages.setCurrentWidget(self.empty if empty else self.across)
        if not self.used.text():
            self._show_used()

    def _show_error(self, error: FamiliarError, again: Callable[[], object] | None) -> None:
        if not self.model.loaded:
            self.notice.show_error(error, step="Read it again", run=self.load)
        else:
            self.notice.show_error(error, again)

    def _show_save_error(self, error: FamiliarError, _again: Callable[[], object] | None) -> None:
        self.notice.show_error(error, step="Try again", run=self.save)

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
        else:
            super().keyPressEvent(event)


def _undo_word(event: QKeyEvent) -> str:
    if event.matches(QKeySequence.StandardKey.Undo):
        return "undo"
    return "redo" if event.matches(QKeySequence.StandardKey.Redo) else ""
