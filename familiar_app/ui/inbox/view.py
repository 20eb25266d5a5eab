"""The inbox of one familiar: filters above, the decisions below them, the table, and the chosen case at the side."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QTimer
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QComboBox, QPushButton, QStackedWidget, QWidget

from familiar_app.domain.projection import RetirementState
from familiar_app.domain.text import tr
from familiar_app.store.fact import Facts
from familiar_app.ui.inbox.model import FILTERS, Deed, InboxModel, Outcome, pair_of
from familiar_app.ui.inbox.rows import CaseRows, CaseTable
from familiar_app.ui.inbox.side import DEEDS, CasePage
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.empty_state import EmptyState
from familiar_app.ui.kit.field import SearchField
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.header import PanelHeader
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.label import column, label, line, surface
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.kit.wait import WaitStack

READ_AFTER_MS = 300
KEY_OF = {"accept": "A", "refuse": "K", "undo": "U", "never": "N"}


class InboxView(QWidget):
    """Shows an InboxModel; every decision is carried out at once and can be taken back by the undo bar."""

    def __init__(self, model: InboxModel, facts: Facts, context: PanelContext, *, at_once: bool) -> None:
        super().__init__()
        self.model, self._context, self._at_once = model, context, at_once
        surface(self, 1)
        self.setAccessibleName(tr("Inbox"))
        self.notice = Notice(context.theme)
        self.tasks = Tasks(context.tasks, self, self.notice.show_error)
        self._shown: QWidget | None = None
        self._total = model.counts.total
        self._build()
        self._read_soon = QTimer(self)
        self._read_soon.setSingleShot(True)
        self._read_soon.setInterval(READ_AFTER_MS)
        self._read_soon.timeout.connect(self._changed)
        self._stop = facts.feed.listen(lambda _facts: self._read_soon.start())
        model.watch(self._heard)

    # ---- building

    def _build(self) -> None:
        theme = self._context.theme
        header = PanelHeader(theme, tr("Inbox"))
        self.filter = QComboBox()
        self.filter.setAccessibleName(tr("How it stands"))
        for _state, words in FILTERS:
            self.filter.addItem(tr(words))
        self.filter.activated.connect(lambda _number: self._refilter())
        header.add(self.filter)
        self.search = SearchField(theme, tr("Search the inbox"))
        self.search.setMinimumWidth(theme.px(200))
        self.search.textChanged.connect(lambda _text: self._refilter())
        self.search.given_up.connect(lambda: self.table.setFocus())
        header.add_end(self.search)
        self.rows = CaseRows(theme, self.model)
        self.rows.wanted.connect(lambda: self.tasks.start(self.model.load_more, name="inbox.more"))
        self.table = CaseTable(theme, tr("Proposals"))
        self.table.setModel(self.rows)
        self.table.deed.connect(self.do)
        self.table.opened.connect(lambda _index: self.show_case(focus=True))
        self.table.clicked.connect(lambda _index: self.show_case())
        self.table.selectionModel().selectionChanged.connect(self._selected)
        follow(theme, self, self._refresh)
        self._empty = EmptyState(theme, "archive", "", "", step=tr("Show all"), run=self._clear)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.table)
        self._pages.addWidget(self._empty)
        self._wait = WaitStack(theme, self._pages)
        layout = column(spacing=0)
        layout.addWidget(header)
        self._deeds = self._build_deeds()
        self._line = line()
        layout.addWidget(self._deeds)
        layout.addWidget(self._line)
        layout.addWidget(self.notice)
        layout.addWidget(self._wait, 1)
        self.setLayout(layout)
        for first, second in pairwise((self.search, *self.buttons.values(), self.table)):
            QWidget.setTabOrder(first, second)
        self._refresh()
        self._show_state()

    def _refresh(self) -> None:
        self.table.size_columns()
        self._chosen.setMinimumHeight(self.buttons["undo"].sizeHint().height())

    def _build_deeds(self) -> QWidget:
        holder = QWidget()
        flow = FlowLayout(holder, spacing=8)
        flow.setContentsMargins(16, 8, 12, 8)
        self.buttons: dict[str, QPushButton] = {}
        for word, title in DEEDS:
            made = button(tr(title), partial(self.do, word), tip=f"{tr(title)} ({KEY_OF[word]})")
            self.buttons[word] = made
            flow.addWidget(made)
        self._chosen = label("", "quiet")
        flow.addWidget(self._chosen)
        return holder

    # ---- reading

    def load(self, *, looking: bool = False) -> None:
        """Read what is shown; with `looking`, the person sees it now."""
        if not self.model.loaded:
            self._wait.begin(tr("Reading the inbox…"))
        self.tasks.start(partial(self._load, looking), name="inbox.load", replace=True)

    async def _load(self, looking: bool) -> None:
        try:
            await self.model.load()
            if looking:
                await self.model.seen()
        finally:
            self._wait.end()

    def set_at_once(self, on: bool) -> None:
        """Tell what new proposals do, as the settings say."""
        self._at_once = on
        self._show_state()

    def stop(self) -> None:
        """Listen no more; the vault is about to be closed."""
        self._read_soon.stop()
        self._stop()
        self.model.unwatch(self._heard)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if not event.spontaneous():
            self.model.leave()

    def _changed(self) -> None:
        if self.isVisible():
            self.load(looking=True)

    def _refilter(self) -> None:
        self.model.state, self.model.query = FILTERS[self.filter.currentIndex()][0], self.search.text()
        self.model.cases = []
        self.load()

    def _clear(self) -> None:
        self.filter.setCurrentIndex(0)
        self.search.clear()
        self._refilter()

    # ---- deciding

    def do(self, deed: Deed) -> None:
        """Decide about what is chosen."""
        cases = self.model.fit_for(deed)
        if cases:
            self.notice.clear()
            self.tasks.start(partial(self._do, deed, cases), name="inbox.do")
        elif self.model.chosen:
            self._context.tell(tr("Nothing chosen is open to that."))

    async def _do(self, deed: Deed, cases) -> None:
        outcome = await self.model.do(deed, cases)
        self.show_case(only_if_open=True)
        if outcome.done:
            self._context.offer_undo(outcome.text, partial(self._take_back, outcome), partial(self._do_again, outcome))
        if outcome.failed is not None:
            raise outcome.failed

    def _take_back(self, outcome: Outcome) -> None:
        async def work() -> None:
            back = await self.model.take_back(outcome)
            self.show_case(only_if_open=True)
            if back.failed is not None:
                raise back.failed

        self.tasks.start(work, name="inbox.take_back")

    def _do_again(self, outcome: Outcome) -> None:
        async def work() -> None:
            again = await self.model.do_again(outcome)
            self.show_case(only_if_open=True)
            if again.failed is not None:
                raise again.failed

        self.tasks.start(work, name="inbox.do_again")

    # ---- showing

    def show_case(self, *, only_if_open: bool = False, focus: bool = False) -> None:
        """Show the current case at the side."""
        row = self.table.currentIndex().row()
        is_open = self._shown is not None and self._context.side_view.is_open()
        if 0 <= row < len(self.model.cases) and (is_open or not only_if_open):
            self.tasks.start(partial(self._show_case, row, focus), name="inbox.case", replace=True)

    async def _show_case(self, row: int, focus: bool) -> None:
        case = self.model.cases[row]
        sources = {fact: await self.model.sources(fact) for fact in pair_of(case)}
        if not self.isVisible():
            return
        page = CasePage(self.model, case, sources, self._context, partial(self._do_one, pair_of(case)))
        self._shown = page
        self._context.side_view.show_widget(tr("Replacement"), page, closed=partial(self._side_closed, page))
        if focus:
            page.setFocus()

    def _side_closed(self, page: QWidget) -> None:
        if self._shown is page:
            self._shown = None

    def _do_one(self, pair, deed: Deed) -> None:
        self.model.choose((pair,))
        self._select_chosen()
        self.do(deed)

    def _heard(self, what: str) -> None:
        if what == "cases":
            self.rows.refresh()
            self._select_chosen()
            self._show_state()
        elif what == "counts" and self.model.counts.total != self._total:
            # Proposals that wait change no fact, so nobody else tells of them.
            self._total = self.model.counts.total
            self._changed()
        self._show_deeds()

    def _selected(self, _new: QItemSelection, _old: QItemSelection) -> None:
        rows = {index.row() for index in self.table.selectionModel().selectedRows()}
        self.model.choose(pair_of(case) for row, case in enumerate(self.model.cases) if row in rows)
        self.show_case(only_if_open=True)

    def _select_chosen(self) -> None:
        """Mark again what was chosen before the table was filled anew; the first time, the newest."""
        cases, selection = self.model.cases, self.table.selectionModel()
        rows = [row for row, case in enumerate(cases) if pair_of(case) in self.model.chosen]
        if not rows and cases:
            rows = [0]
        selection.blockSignals(True)
        selection.clearSelection()
        flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        for row in rows:
            selection.select(self.rows.index(row, 0), flags)
        if rows:
            selection.setCurrentIndex(self.rows.index(rows[0], 0), QItemSelectionModel.SelectionFlag.NoUpdate)
        selection.blockSignals(False)
        self.table.viewport().update()
        self.model.chosen = frozenset(pair_of(cases[row]) for row in rows)

    def _show_deeds(self) -> None:
        for word, made in self.buttons.items():
            made.setEnabled(bool(self.model.fit_for(word)))
        chosen, counts = len(self.model.chosen), self.model.counts
        parts = [tr("{n} chosen", n=chosen)] if chosen > 1 else []
        parts.append(tr("{waiting} waiting, {total} in all", waiting=counts.waiting, total=counts.total))
        self._chosen.setText(" · ".join(parts))

    def _show_state(self) -> None:
        self._show_deeds()
        for part in (self._deeds, self._line):
            part.setVisible(bool(self.model.cases) or self.model.filtered)
        if self.model.cases or not self.model.loaded:
            self._pages.setCurrentWidget(self.table)
            return
        self._empty.button.setVisible(self.model.filtered)
        if self.model.filtered:
            wait = self.model.state is RetirementState.WAITING and not self.model.query.strip()
            heading = tr("Nothing waits for you") if wait else tr("Nothing fits")
            self._empty.set_text(heading, tr("Choose another filter."))
        else:
            what = tr("When a newer fact contradicts an older one, the model proposes to replace it.")
            how = tr("It acts at once and is told here.") if self._at_once else tr("It waits here until you decide.")
            self._empty.set_text(tr("No fact was replaced yet"), f"{what} {how}")
        self._pages.setCurrentWidget(self._empty)
