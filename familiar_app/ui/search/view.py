"""The search of one familiar: the field, the filters, the results, and what is said where there are none."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedWidget, QWidget

from familiar_app.domain.errors import UserError
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.empty_state import EmptyState
from familiar_app.ui.kit.label import column, label, row, surface
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.panel import PanelContext, Place
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.kit.wait import WaitStack
from familiar_app.ui.search.bar import SearchBar
from familiar_app.ui.search.listing import Row, rows_of
from familiar_app.ui.search.model import SearchModel
from familiar_app.ui.search.result_list import ResultList
from familiar_app.ui.search.wanted import EVERYTHING, Wanted

PANELS = ("chat", "timeline", "people", "reflections", "memories", "lorebook", "prompts")
WHAT = tr_later(
    "Messages, facts, people, reflections, saved memories, lorebook entries and prompts, of every channel and day. "
    "Every word has to be there; a part of it is enough."
)


class SearchView(QWidget):
    """Shows a SearchModel. `tasks` belong to it."""

    def __init__(self, model: SearchModel, context: PanelContext) -> None:
        super().__init__()
        self.model, self.context = model, context
        surface(self, 1)
        self.setAccessibleName(tr("Search everything"))
        self.notice = Notice(context.theme)
        self.tasks = Tasks(context.tasks, self, self.notice.show_error)
        self.bar = SearchBar(context.theme, model.zone)
        self.results = ResultList(context.theme)
        self.status = label("", "quiet", wrap=True)
        self.further = label("", "quiet", wrap=True)
        self.stop = button(tr("Stop"), self._stop, role="link")
        self._shown: Wanted | None = None
        self._build()
        self.bar.changed.connect(self.search)
        self.bar.field.down.connect(self._go_down)
        self.bar.field.next_wanted.connect(self.results.open_chosen)
        self.bar.field.given_up.connect(self._leave)
        self.results.opened.connect(self._open)
        self.results.left_above.connect(self.begin)
        model.watch(self._heard)
        self._show_found()
        self._show_state()

    def load(self) -> None:
        """Read what one can filter by, and follow the index until it is whole."""
        self.tasks.start(self.model.load, name="search.names")
        self.tasks.start(self._follow_index, name="search.index")

    def begin(self) -> None:
        """Let the person type."""
        self.bar.field.setFocus()
        self.bar.field.selectAll()

    def look_for(self, text: str) -> None:
        """Search for a text."""
        self.bar.put(text)
        self.search()

    def search(self) -> None:
        """Look for what the fields say; what is being looked for at the moment is given up."""
        self.model.wanted = self.bar.wanted()
        if self.model.enough:
            self._wait.begin(tr("Searching…"), self._stop)
        self.tasks.start(self._search, name="search.search", replace=True)

    def _stop(self) -> None:
        self.tasks.stop("search.search")

    async def _search(self) -> None:
        await self.model.search()

    async def _follow_index(self) -> None:
        if await self.model.wait_for_index() and self.model.enough:
            self.search()

    def _build(self) -> None:
        theme = self.context.theme
        clear = self.bar.clear_filters
        self._nothing = EmptyState(theme, "search", "", "", step=tr("Clear filters"), run=clear)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.results)
        self._pages.addWidget(self._nothing)
        self._wait = WaitStack(theme, self._pages)
        layout = column(spacing=0)
        layout.addWidget(self.bar)
        layout.addWidget(self.notice)
        below = column(spacing=0)
        below.setContentsMargins(20, 8, 20, 0)
        below.addWidget(self.status)
        layout.addLayout(below)
        layout.addWidget(self._wait, 1)
        layout.addWidget(self._make_foot())
        self.setLayout(layout)

    def _make_foot(self) -> QWidget:
        """Make the line on how far the search is: below the results, so that nothing read moves for it."""
        self._foot = QWidget()
        foot = row(spacing=8)
        foot.setContentsMargins(20, 4, 12, 4)
        foot.addWidget(self.further, 1)
        foot.addWidget(self.stop)
        self._foot.setLayout(foot)
        return self._foot

    def _heard(self, what: str) -> None:
        if what == "names":
            self.bar.fill(self.model.reading.names.channels, self.model.reading.names.people)
        elif what == "found":
            self._show_found()
        self._show_state()

    def _show_found(self) -> None:
        model = self.model
        self._wait.end()
        same, self._shown = self._shown == model.searched, model.searched
        self.results.fill(rows_of(model.groups, model.now(), model.zone), keep=same)
        if model.troubles:
            self.notice.tell(
                "\n".join(one.text for one in model.troubles), "danger", step=tr("Try again"), run=self.search
            )
        else:
            self.notice.clear()
        self._pages.setCurrentWidget(self.results if model.groups else self._nothing)

    def _show_state(self) -> None:
        model = self.model
        if not model.searching:
            self._wait.end()
        heading, text = self._empty_words()
        self._nothing.set_text(heading, text)
        parts = [model.index_words(), tr("A date can't be read.") if self.bar.wrong else ""] if model.enough else []
        said = " ".join(part for part in parts if part)
        self.status.setText(said)
        self.status.setVisible(bool(said))
        further = model.prompt_words() or (tr("Looking further…") if model.searching and model.groups else "")
        self.further.setText(further)
        self.stop.setVisible(model.searching)
        self._foot.setVisible(bool(further))
        self._nothing.button.setVisible(self._filtered())

    def _filtered(self) -> bool:
        """Whether nothing was found because of the filters, perhaps."""
        model, searched = self.model, self.model.searched
        if searched is None or not model.enough or model.searching:
            return False
        return not model.groups and (searched.narrowed or searched.kind != EVERYTHING)

    def _empty_words(self) -> tuple[str, str]:
        model = self.model
        if not model.enough:
            return tr("Search everything"), tr("One letter is too few.") if model.wanted.text.strip() else tr(WHAT)
        if model.searching or model.searched is None:
            return tr("Searching…"), ""
        if model.troubles:
            return tr("Nothing found"), tr("Not everything could be searched.")
        if self._filtered():
            return tr("Nothing found"), tr("Nothing with all these words passes the filters.")
        return tr("Nothing found"), tr("Nothing that is kept has all these words. Fewer words find more.")

    def _go_down(self) -> None:
        if self.results.chosen is not None:
            self.results.setFocus()

    def _leave(self) -> None:
        """Esc in an empty field: back to where one was."""
        self.context.go_back()

    def _open(self, row: Row) -> None:
        if row.sort == "more":
            self.bar.show_kind(row.kind)
            return
        self.tasks.start(lambda: self._go(row), name="search.open", replace=True)

    async def _go(self, row: Row) -> None:
        there = {one for one in PANELS if self.context.has_panel(one)}
        way = None if row.found is None else await self.model.way(row.found, there)
        if way is None:
            raise UserError(tr("This can't be shown any more."), tr("It was removed meanwhile; search again."))
        # Back leads to these results again.
        self.context.visit(Place("search", self.model.wanted.text.strip(), tr("Search")))
        self.context.go_to(*way)
