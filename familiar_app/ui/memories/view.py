"""The memories of one familiar: about whom at the left, the table, what can be done above it, details at the side."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QItemSelectionModel, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QSplitter, QStackedWidget, QWidget

from familiar_app.domain.saved_memory.memory import MemoryId, SavedMemory
from familiar_app.domain.text import ptr, tr, tr_later
from familiar_app.ui.kit.button import button, icon_button
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
from familiar_app.ui.memories.act import can
from familiar_app.ui.memories.deed import MemoryDeeds
from familiar_app.ui.memories.model import ALL, RETIRED, MemoriesModel
from familiar_app.ui.memories.rows import MemoryRows, MemoryTable
from familiar_app.ui.memories.shelf_list import ShelfList
from familiar_app.ui.memories.side import DEEDS, MemoryPage

READ_AFTER_MS = 150
NARROW_PX = 600
_ADD = tr_later("Write one down…")


class MemoriesView(QWidget):
    """Shows a MemoriesModel; every act is done at once and can be taken back by the undo bar."""

    def __init__(self, model: MemoriesModel, context: PanelContext) -> None:
        super().__init__()
        self.model, self.context, self.theme = model, context, context.theme
        surface(self, 1)
        self.setAccessibleName(tr("Memories"))
        self.notice = Notice(self.theme)
        self.tasks = Tasks(context.tasks, self, self.notice.show_error)
        self.deeds = MemoryDeeds(self)
        self._shown: QWidget | None = None
        self._awaited: MemoryId | None = None
        self._build()
        self._read_soon = QTimer(self)
        self._read_soon.setSingleShot(True)
        self._read_soon.setInterval(READ_AFTER_MS)
        self._read_soon.timeout.connect(self.load)
        self._stop = model.listen(self._written)
        model.watch(self._heard)

    # ---- building

    def _build(self) -> None:
        header = PanelHeader(self.theme, tr("Memories"))
        self.add = button(tr(_ADD), lambda: self.deeds.do("add"), theme=self.theme, icon="plus", tip="Ctrl+N")
        header.add(self.add)
        self.shelves = ShelfList(self.theme)
        self.shelves.chosen.connect(lambda key: self.model.narrow(shelf=key))
        header.add(self.shelves.box)
        self.search = SearchField(self.theme, tr("Search memories"))
        self.search.setMinimumWidth(self.theme.px(110))
        self.search.textChanged.connect(lambda text: self.model.narrow(query=text))
        self.search.given_up.connect(lambda: self.table.setFocus())
        header.add_end(self.search)
        files = (("import", "folder", tr("Import memories…")), ("export", "save", tr("Export memories…")))
        for word, icon, name in files:
            header.add_end(icon_button(self.theme, icon, name, partial(self.deeds.do, word)))
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self.shelves)
        self._split.addWidget(self._build_middle())
        self._split.setStretchFactor(1, 1)
        self._split.setSizes([self.theme.px(212), 900])
        self._wait = WaitStack(self.theme, self._split)
        layout = column(spacing=0)
        layout.addWidget(header)
        layout.addWidget(self.notice)
        layout.addWidget(self._wait, 1)
        self.setLayout(layout)
        self._restyle()
        self._show_state()

    def _build_middle(self) -> QWidget:
        self.rows = MemoryRows(self.theme, self.model)
        self.table = MemoryTable(self.theme)
        self.table.setModel(self.rows)
        self.table.deed.connect(self.deeds.do)
        self.table.opened.connect(lambda _index: self.show_memory(focus=True))
        self.table.clicked.connect(lambda _index: self.show_memory())
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._selected())
        follow(self.theme, self, self._restyle)
        self.empty = EmptyState(self.theme, "memories", "", "", step=tr(_ADD), run=self._empty_step)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.table)
        self.pages.addWidget(self.empty)
        middle = QWidget()
        laid = column(spacing=0)
        self._bar = self._build_deeds()
        self._line = line()
        laid.addWidget(self._bar)
        laid.addWidget(self._line)
        laid.addWidget(self.pages, 1)
        middle.setLayout(laid)
        return middle

    def _build_deeds(self) -> QWidget:
        holder = QWidget()
        flow = FlowLayout(holder, spacing=8)
        flow.setContentsMargins(16, 8, 12, 8)
        self.buttons: dict[str, QPushButton] = {}
        for word, title, key in DEEDS:
            made = button(tr(title), partial(self.deeds.do, word), tip=f"{tr(title)} ({key})")
            self.buttons[word] = made
            flow.addWidget(made)
        self._count = label("", "quiet")
        flow.addWidget(self._count)
        return holder

    # ---- reading

    def load(self) -> None:
        """Read everything anew."""
        if not self.model.loaded:
            self._wait.begin(tr("Reading the memories…"))
        self.tasks.start(self._load, name="memories.load", replace=True)

    async def _load(self) -> None:
        try:
            await self.model.load()
        finally:
            self._wait.end()
        if self._awaited is not None:
            number, self._awaited = self._awaited, None
            self.reveal(number)
        self.show_memory(only_if_open=True)

    def _written(self) -> None:
        if self.isVisible():
            self._read_soon.start()

    def reveal(self, number: MemoryId) -> None:
        """Show a memory, on whatever shelf it stands."""
        if not self.model.loaded:
            self._awaited = number
            return
        self.search.blockSignals(True)
        self.search.clear()
        self.search.blockSignals(False)
        if not self.model.reveal(number):
            self.context.tell(tr("This memory is not there any more."))
            return
        self._show_shelves()
        self.show_memory()

    def stop(self) -> None:
        """Listen no more; the vault is about to be closed."""
        self._read_soon.stop()
        self._stop()

    # ---- choosing

    def _selected(self) -> None:
        rows = {index.row() for index in self.table.selectionModel().selectedRows()}
        self.model.choose(one.id for row, one in enumerate(self.model.rows) if row in rows)
        self.show_memory(only_if_open=True)

    def fit_for(self, deed: str) -> list[SavedMemory]:
        """Return the chosen memories to which a deed can be done."""
        return [one for one in self.model.chosen_rows() if allowed(deed, one)]

    def show_memory(self, *, only_if_open: bool = False, focus: bool = False) -> None:
        """Show the current memory at the side."""
        row = self.table.currentIndex().row()
        is_open = self._shown is not None and self.context.side_view.is_open()
        if 0 <= row < len(self.model.rows) and (is_open or not only_if_open):
            number = self.model.rows[row].id
            self.tasks.start(partial(self._show_memory, number, focus), name="memories.show", replace=True)

    async def _show_memory(self, number: MemoryId, focus: bool) -> None:
        history = await self.model.history(number)
        if history is None or not self.isVisible():
            return
        page = MemoryPage(self.model, history, self.context, partial(self._do_one, number), allowed)
        self._shown = page
        self.context.side_view.show_widget(
            ptr("one saved memory", "Memory"), page, closed=partial(self._side_closed, page)
        )
        if focus:
            page.setFocus()

    def _side_closed(self, page: QWidget) -> None:
        if self._shown is page:
            self._shown = None

    def _do_one(self, number: MemoryId, deed: str) -> None:
        self.model.choose((number,))
        self._select_chosen()
        self.deeds.do(deed)

    # ---- showing

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_width()

    def _restyle(self) -> None:
        self.table.size_columns()
        self._count.setMinimumHeight(self.buttons["retire"].sizeHint().height())
        self._fit_width()

    def _fit_width(self) -> None:
        """Where room is short, the list at the left becomes a box in the head."""
        narrow = self.width() < self.theme.px(NARROW_PX)
        self.shelves.set_narrow(narrow)
        self.add.setText("" if narrow else tr(_ADD))

    def _heard(self, what: str) -> None:
        if what == "shelves":
            self._show_shelves()
        elif what == "rows":
            self.rows.refresh()
            if self.table.retired != (self.model.shelf == RETIRED):
                self.table.retired = not self.table.retired
                self.table.size_columns()
            self._select_chosen()
            self._show_state()
        self._show_deeds()

    def _show_shelves(self) -> None:
        self.shelves.show_shelves(self.model.shelves, self.model.shelf)

    def _select_chosen(self) -> None:
        """Mark again what was chosen before the table was filled anew; the first time, the newest."""
        shown, selection = self.model.rows, self.table.selectionModel()
        rows = [row for row, one in enumerate(shown) if one.id in self.model.chosen] or ([0] if shown else [])
        selection.blockSignals(True)
        selection.clearSelection()
        flags = QItemSelectionModel.SelectionFlag
        for row in rows:
            selection.select(self.rows.index(row, 0), flags.Select | flags.Rows)
        if rows:
            selection.setCurrentIndex(self.rows.index(rows[0], 0), flags.NoUpdate)
        selection.blockSignals(False)
        self.table.viewport().update()
        self.model.chosen = frozenset(shown[row].id for row in rows)

    def _show_deeds(self) -> None:
        gone = self.model.shelf == RETIRED
        for word, made in self.buttons.items():
            fits = bool(self.fit_for(word))
            made.setEnabled(fits and (word != "edit" or len(self.model.chosen) == 1))
            made.setVisible(fits if word == "unprotect" else gone is (word == "restore"))
        chosen, shown = len(self.model.chosen), len(self.model.rows)
        several = tr("{chosen} of {shown} chosen", chosen=chosen, shown=shown)
        self._count.setText(several if chosen > 1 else tr("{n} shown", n=shown))

    def _show_state(self) -> None:
        model = self.model
        for part in (self._bar, self._line):
            part.setVisible(bool(model.rows) or model.filtered)
        if model.rows or not model.loaded:
            self.pages.setCurrentWidget(self.table)
            return
        name = model.hosted.name
        if model.query.strip():
            self.empty.set_text(tr("Nothing fits"), tr("No memory here has this in its text or its tags."))
        elif model.shelf == RETIRED:
            text = tr("Whatever is retired or makes room comes here, to be restored.")
            self.empty.set_text(tr("Nothing was retired"), text)
        else:
            text = tr("What {name} decides to remember is kept here, and what you write down.", name=name)
            self.empty.set_text(tr("Nothing is kept yet"), text)
        self.empty.button.setText(tr("Show all") if model.filtered else tr(_ADD))
        self.empty.button.setAccessibleName(self.empty.button.text())
        self.pages.setCurrentWidget(self.empty)

    def _empty_step(self) -> None:
        if not self.model.filtered:
            self.deeds.do("add")
            return
        self.search.clear()
        self.model.narrow(shelf=ALL, query="")
        self._show_shelves()


def allowed(deed: str, memory: SavedMemory) -> bool:
    """Tell whether a deed of the buttons can be done to a memory."""
    return memory.active if deed in ("edit", "tag", "move") else can(deed, memory)
