"""The People panel's view for one familiar: head, table, empty states, and what it shows at the side."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QHeaderView, QStackedWidget, QWidget

from familiar_app.domain.erasure import OfPerson
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import PersonKey
from familiar_app.domain.text import ntr, tr, tr_later
from familiar_app.store.person_count import PersonRow
from familiar_app.ui.kit.empty_state import EmptyState
from familiar_app.ui.kit.erase_flow import erase_from
from familiar_app.ui.kit.field import SearchField
from familiar_app.ui.kit.header import PanelHeader
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.label import column, label, surface
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.panel import PanelContext, Place
from familiar_app.ui.kit.table import Table
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.kit.wait import WaitStack
from familiar_app.ui.people.deed import PeopleDeeds
from familiar_app.ui.people.model import FACTS_AT_ONCE, ORDERS, PeopleModel
from familiar_app.ui.people.side import PersonPage, SeveralPage, Ways
from familiar_app.ui.people.table import COLUMNS, SPARED, PeopleTable
from familiar_app.ui.people.word import order_title

SEARCH_AFTER_MS = 150
_EMPTY = tr_later(
    "Whoever writes where the familiar listens appears here, with their names, and what is known about them."
)


class PeopleView(QWidget):
    """Shows a PeopleModel and passes on what is typed and chosen."""

    def __init__(self, model: PeopleModel, context: PanelContext) -> None:
        super().__init__()
        surface(self, 1)
        self.model, self.context, self.theme = model, context, context.theme
        self.notice = Notice(self.theme)
        self.tasks = Tasks(context.tasks, self, self.notice.show_error)
        self.deeds = PeopleDeeds(model, self._act, context.offer_undo)
        self._ways = Ways(
            go=context.go_to,
            offers=context.has_panel,
            set_privacy=self.deeds.set_privacy,
            part=self.deeds.part,
            merge=self.deeds.merge,
            more_facts=self._more_facts,
            erase=self.erase,
        )
        self._acts = itertools.count()
        self._awaited: PersonKey | None = None
        self._filling = False
        self._make_table()
        self._lay_out(self._make_head())
        model.watch(self._heard)
        follow(self.theme, self, self._size_columns)

    # ---- building

    def _make_table(self) -> None:
        self.table = Table(self.theme, tr("People"))
        self.lines = PeopleTable(self.theme, self.model)
        self.table.setModel(self.lines)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._selected())
        self.table.opened.connect(lambda _index: self._show_side())
        head = self.table.horizontalHeader()
        head.setSectionsClickable(True)
        head.sectionClicked.connect(lambda at: self._sort(COLUMNS[at][0]))
        self._size_columns()

    def _make_head(self) -> PanelHeader:
        head = PanelHeader(self.theme, tr("People"))
        self.count = label("", "faint")
        head.add(self.count)
        self.order = QComboBox()
        self.order.setAccessibleName(tr("Order of the people"))
        for order in ORDERS:
            self.order.addItem(order_title(order), order)
        self.order.activated.connect(lambda _at: self._sort(self.order.currentData()))
        head.add_end(self.order)
        self.search = SearchField(self.theme, tr("Search people"))
        self.search.setMinimumWidth(self.theme.px(120))
        for given in (self.search.given_up, self.search.next_wanted):
            given.connect(self.table.setFocus)
        self._typed = QTimer(self)
        self._typed.setSingleShot(True)
        self._typed.timeout.connect(self._narrow)
        self.search.textChanged.connect(lambda _text: self._typed.start(SEARCH_AFTER_MS))
        head.add_end(self.search)
        return head

    def _lay_out(self, head: PanelHeader) -> None:
        self.empty = EmptyState(
            self.theme,
            "people",
            tr("Nobody yet"),
            tr(_EMPTY),
            step=tr("Go to the chat"),
            run=lambda: self.context.go_to("chat", ""),
        )
        self.nothing = EmptyState(
            self.theme, "search", tr("Nobody fits"), tr("No key and no name, past or present, has this in it."),
            step=tr("Show everybody"), run=self.search.clear,
        )  # fmt: skip
        self.pages = QStackedWidget()
        for page in (self.table, self.empty, self.nothing):
            self.pages.addWidget(page)
        self.wait = WaitStack(self.theme, self.pages, rows=12)
        told = column(spacing=0)
        told.setContentsMargins(16, 8, 16, 0)
        told.addWidget(self.notice)
        layout = column(spacing=0)
        layout.addWidget(head)
        layout.addLayout(told)
        layout.addWidget(self.wait, 1)
        self.setLayout(layout)
        QWidget.setTabOrder(self.order, self.search)
        QWidget.setTabOrder(self.search, self.table)

    def _size_columns(self) -> None:
        """Give each column its width, and names and keys what is left; where room is short, the last things go."""
        theme, room = self.theme, self.width() - self.table.verticalScrollBar().sizeHint().width()
        columns = enumerate(COLUMNS)
        widths = {order: max(theme.px(width), self.table.title_width(at)) for at, (order, width) in columns}
        for spare in SPARED:
            if sum(widths.values()) > room:
                del widths[spare]
        free = max(0, room - sum(widths.values()))
        shares = {"name": 0.6, "key": 0.4} if "key" in widths else {"name": 1.0}
        for at, (order, _width) in enumerate(COLUMNS):
            self.table.setColumnHidden(at, order not in widths)
            self.table.horizontalHeader().setSectionResizeMode(at, QHeaderView.ResizeMode.Interactive)
            self.table.setColumnWidth(at, widths.get(order, 0) + int(free * shares.get(order, 0.0)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._size_columns()

    # ---- loading and acting

    def load(self) -> None:
        """Read the list; it stays in sight until another one is there."""
        if not self.model.loaded:
            self.wait.begin(tr("Reading the people…"))
        self.tasks.start(self._load, name="people.load", replace=True)

    async def _load(self) -> None:
        try:
            await self.model.load()
        except FamiliarError as error:
            self.notice.show_error(error, self.load)
        finally:
            self.wait.end()

    def _act(self, make: Callable[[], Coroutine[Any, Any, None]]) -> None:
        async def act() -> None:
            await make()
            await self.model.load()
            self._show_side()

        self.tasks.start(act, name=f"people.act.{next(self._acts)}")

    def show_person(self, key: PersonKey) -> None:
        """Choose somebody by any of their identities; whoever a search hides brings everybody back."""
        self._awaited = key
        if self.model.query:
            self.search.clear()
            self._narrow()
        elif self.model.loaded:
            self._choose_awaited()

    # ---- showing

    def _heard(self, what: str) -> None:
        if what == "rows":
            self._show_rows()
        elif what == "chosen":
            self._show_side()

    def _show_rows(self) -> None:
        model = self.model
        self._filling = True
        self.lines.refresh()
        self._select_chosen()
        self._filling = False
        page = self.table if model.rows and not model.is_empty else self.nothing if model.query else self.empty
        self.pages.setCurrentWidget(page)
        people = ntr("{n} person", "{n} people", len(model.rows))
        self.count.setText(people if page is self.table else "")
        self.order.setCurrentIndex(self.order.findData(model.order))
        self.context.actions_changed("people")
        self._choose_awaited()

    def _select_chosen(self) -> None:
        chosen, flags = self.table.selectionModel(), QItemSelectionModel.SelectionFlag
        for at, key in enumerate(self.model.chosen):
            index = self.lines.index(self.model.row_of(key), 0)
            if at == 0:
                self.table.setCurrentIndex(index)
            chosen.select(index, flags.Select | flags.Rows)

    def _choose_awaited(self) -> None:
        at = -1 if self._awaited is None else self.model.row_of(self._awaited)
        if at < 0:
            return
        self._awaited = None
        index = self.lines.index(at, 0)
        self.table.clearSelection()
        self.table.setCurrentIndex(index)
        self.table.scrollTo(index)
        self._selected()

    def _selected(self) -> None:
        if self._filling:
            return
        rows: list[QModelIndex] = self.table.selectionModel().selectedRows()
        self.model.choose([self.model.rows[index.row()].key for index in rows if index.row() < len(self.model.rows)])

    def _show_side(self) -> None:
        if self.model.chosen:
            self.tasks.start(self._fill_side, name="people.side", replace=True)

    async def _fill_side(self) -> None:
        model, side = self.model, self.context.side_view
        rows = model.rows_of(model.chosen)
        if len(rows) > 1:
            side.show_widget(tr("People"), SeveralPage(rows, self._ways, zone=model.zone, ego=model.ego))
            return
        sheet = await model.sheet(rows[0].key) if rows else None
        if sheet is not None:
            page = PersonPage(self.theme, sheet, self._ways, zone=model.zone, ego=model.ego)
            side.show_widget(sheet.row.label, page)
            self.context.visit(Place("people", sheet.row.key, sheet.row.label))

    def _more_facts(self) -> None:
        self.model.facts_shown += FACTS_AT_ONCE
        self._show_side()

    def erase(self, row: PersonRow) -> None:
        """Show what would go with somebody, and erase them where the person still wants it."""
        self.tasks.start(lambda: self._erase(row), name="people.erase")

    async def _erase(self, row: PersonRow) -> None:
        if await erase_from(self.window(), self.model.erasure, OfPerson(row.key)) is None:
            return
        self.model.choose([])
        self.context.side_view.close_view()
        await self.model.load()

    def _sort(self, order: str) -> None:
        self.model.sort(next(one for one in ORDERS if one == order))

    def _narrow(self) -> None:
        self._typed.stop()
        if self.search.text().strip() != self.model.query:
            self.model.query = self.search.text().strip()
            self.load()
