"""The upkeep of one familiar's memory as a page: what it says of the model, the projectors, the index, the health."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from familiar_app.domain.text import ntr, tr, tr_later
from familiar_app.projectors.registry import known_projectors
from familiar_app.store.fact import Facts
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.dialog import ask
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.header import PanelHeader
from familiar_app.ui.kit.label import clear_layout, column, label, set_role, surface
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.page_scroll import PageScroll
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.projector_name import projector_name
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.kit.wait import WaitStack
from familiar_app.ui.upkeep.card import Card, IndexCard, ProjectorCard
from familiar_app.ui.upkeep.focus import FocusKeeper
from familiar_app.ui.upkeep.health import FactList, HealthCard
from familiar_app.ui.upkeep.model import ALL, MOST_LISTED, UpkeepModel
from familiar_app.ui.upkeep.word import cost_text

WIDTH = 760
READ_AFTER_MS = 1_000
INDEX_EVERY_MS = 400
WEAK = tr_later(
    "The model for background work is small and makes things up, so memory is not drawn by itself with it. You can "
    "have it drawn by hand, and look at what comes of it, or choose a better model."
)


class UpkeepView(QWidget):
    """Shows an UpkeepModel; presses become tasks of this widget."""

    def __init__(self, model: UpkeepModel, facts: Facts, context: PanelContext) -> None:
        super().__init__()
        self.model, self._context = model, context
        surface(self, 1)
        self.setAccessibleName(tr("Memory upkeep"))
        self.notice = Notice(context.theme)
        self.tasks = Tasks(context.tasks, self, self.notice.show_error)
        self.cards: dict[str, ProjectorCard] = {}
        self._focus = FocusKeeper()
        self._build()
        self._read_soon = QTimer(self)
        self._read_soon.setSingleShot(True)
        self._read_soon.setInterval(READ_AFTER_MS)
        self._read_soon.timeout.connect(lambda: self.load() if self.isVisible() else None)
        self._index_soon = QTimer(self)
        self._index_soon.setSingleShot(True)
        self._index_soon.setInterval(INDEX_EVERY_MS)
        self._index_soon.timeout.connect(self._show_index)
        self._stop = facts.feed.listen(lambda _facts: self._read_soon.start())
        model.watch(self._heard)
        if model.loaded:
            self._show_rows()

    # ---- building

    def _build(self) -> None:
        theme = self._context.theme
        header = PanelHeader(theme, tr("Memory upkeep"))
        self.run_all = button(tr("Run all now"), partial(self.do, "run", ALL), theme=theme, icon="play")
        self.rebuild_all = button(tr("Rebuild all"), partial(self.do, "rebuild", ALL))
        self.rebuild_all.setToolTip(tr("Empties all of it and brings it back from kept answers. No model is asked."))
        self.cancel = button(tr("Cancel"), partial(self.do, "cancel", ALL))
        for made in (self.run_all, self.rebuild_all, self.cancel):
            header.add_end(made)
        page = column(spacing=12)
        page.setContentsMargins(24, 16, 24, 24)
        page.addWidget(self.notice)
        page.addWidget(self._build_weak())
        self._projectors = column(spacing=12)
        page.addLayout(self._projectors)
        self._off = label("", "faint", wrap=True)
        page.addWidget(self._off)
        self.index = IndexCard(lambda: self.tasks.start(self.model.build_index, name="upkeep.index"))
        self.health = HealthCard(theme, self.show_list)
        page.addWidget(self.index)
        page.addWidget(self._build_meaning())
        page.addWidget(self.health)
        page.addStretch(1)
        self.scroll = PageScroll()
        self.scroll.show_page(theme, page, WIDTH)
        self._wait = WaitStack(theme, self.scroll)
        layout = column(spacing=0)
        layout.addWidget(header)
        layout.addWidget(self._wait, 1)
        self.setLayout(layout)
        self._show_work()

    def _build_weak(self) -> QFrame:
        self._weak = QFrame()
        set_role(self._weak, "notice")
        inside = column(spacing=8)
        inside.setContentsMargins(16, 12, 16, 12)
        inside.addWidget(label(tr(WEAK), wrap=True))
        holder = QWidget()
        flow = FlowLayout(holder, spacing=8)
        flow.addWidget(button(tr("Draw it by hand now"), partial(self.do, "run", ALL)))
        flow.addWidget(button(tr("Choose a better model…"), partial(self.do, "model", ALL), role="primary"))
        inside.addWidget(holder)
        self._weak.setLayout(inside)
        return self._weak

    def _build_meaning(self) -> Card:
        self.meaning = Card(
            tr("Search by meaning"), tr("Finds what was said in other words, with a small model of its own.")
        )
        show = button(tr("Change…"), partial(self._context.go_to, "settings", "providers.embedding"))
        show.setAccessibleName(tr("Search by meaning: change in the settings"))
        holder = QWidget()
        FlowLayout(holder, spacing=8).addWidget(show)
        self.meaning.column.addWidget(holder)
        return self.meaning

    # ---- reading

    def load(self) -> None:
        """Read everything anew."""
        if not self.model.loaded:
            self._wait.begin(tr("Reading how memory stands…"))
        self.tasks.start(self._load, name="upkeep.load", replace=True)

    async def _load(self) -> None:
        try:
            await self.model.load()
        finally:
            self._wait.end()

    def stop(self) -> None:
        """Listen no more."""
        self._read_soon.stop()
        self._index_soon.stop()
        self._stop()
        self.model.unwatch(self._heard)

    # ---- doing

    def do(self, word: str, name: str) -> None:
        """Do something with a projector, or with all of them."""
        work = f"upkeep.work.{name}"
        self.notice.clear()
        match word:
            case "run":
                self.tasks.start(partial(self._run, name), name=work)
            case "rebuild":
                self.tasks.start(partial(self.model.rebuild, name, fresh=False), name=work)
            case "fresh":
                self.tasks.start(partial(self._ask_anew, name), name="upkeep.ask")
            case "pause" | "resume":
                self._pause(name, word == "pause")
            case "cancel":
                self._cancel(name)
            case "model":
                self._context.go_to("settings", "models.background")

    async def _run(self, name: str) -> None:
        came = await self.model.run(name)
        if name == ALL:
            self.notice.tell(came)
        else:
            # Its card may stand far below the notice.
            self._context.tell(came)

    def _pause(self, name: str, on: bool) -> None:
        async def work(on: bool) -> None:
            await self.model.pause(name, on)

        def turn(on: bool) -> None:
            self.tasks.start(partial(work, on), name=f"upkeep.pause.{name}", replace=True)

        turn(on)
        part = projector_name(name)
        text = tr("{part}: paused.", part=part) if on else tr("{part}: goes on.", part=part)
        self._context.offer_undo(text, partial(turn, not on), partial(turn, on))

    def _cancel(self, name: str) -> None:
        for one in (ALL, name) if name != ALL else (ALL, *self.cards):
            if self.tasks.running(f"upkeep.work.{one}"):
                self.tasks.stop(f"upkeep.work.{one}")
        self._context.tell(tr("Cancelled. What is missing comes back with the next run."))

    async def _ask_anew(self, name: str) -> None:
        cost = cost_text(self.model.figures_of(name))
        text = tr(
            "Everything under “{part}” is emptied, the answers kept so far are not used any more, and the model reads "
            "the whole log again. {cost} What you decided by hand stays.",
            part=projector_name(name),
            cost=cost,
        )
        choices = (("", tr("Cancel"), "plain"), ("fresh", tr("Ask again"), "danger"))
        if await ask(self, tr("Ask the model again?"), text, choices) == "fresh":
            self.tasks.start(partial(self.model.rebuild, name, fresh=True), name=f"upkeep.work.{name}")

    def show_list(self, name: str) -> None:
        """Show the facts behind a figure at the side."""
        self.tasks.start(partial(self._show_list, name), name="upkeep.list", replace=True)

    async def _show_list(self, name: str) -> None:
        if name == "duplicates":
            title, groups = tr("Said twice"), await self.model.duplicates()
            text = tr("These say the same about the same people. In the timeline they can be merged into one.")
        else:
            title, groups = tr("Never brought back"), [await self.model.never_recalled()]
            text = tr("These hold now and never stood in a prompt; the newest {n} at most.", n=MOST_LISTED)
        if self.isVisible():
            self._context.side_view.show_widget(title, FactList(text, groups, self._context))

    # ---- showing

    def _heard(self, what: str) -> None:
        if what == "work":
            self._show_work()
            self.tasks.start(self.model.look, name="upkeep.look")
        elif what == "rows":
            self._show_rows()
        elif what == "health" and self.model.health is not None:
            self.health.show_health(self.model.health, self.model.failures)

    def _show_rows(self) -> None:
        rows = self.model.rows
        if list(self.cards) != [one.name for one in rows]:
            clear_layout(self._projectors)
            self.cards = {one.name: ProjectorCard(one, self.do) for one in rows}
            for card in self.cards.values():
                self._projectors.addWidget(card)
            self._order_tabs()
            if not rows:
                self._projectors.addWidget(
                    label(tr("No projector is switched on: nothing is drawn."), "quiet", wrap=True)
                )
        for one in rows:
            self.cards[one.name].show_row(one)
        self._weak.setVisible(self.model.weak)
        off = [projector_name(name) for name in known_projectors() if name not in self.cards]
        self._off.setText(tr("Not switched on: {names}.", names=", ".join(off)) if off else "")
        self._off.setVisible(bool(off))
        vectors = self.model.vectors
        on = ntr("On: {n} fact with a vector.", "On: {n} facts with a vector.", vectors or 0)
        self.meaning.state.setText(tr("Off.") if vectors is None else on)
        self._show_index()
        self._show_work()

    def _order_tabs(self) -> None:
        """The cards came last, and stand in the middle."""
        order: list[QWidget] = [self.run_all, self.rebuild_all, self.cancel, *self._weak.findChildren(QPushButton)]
        for card in self.cards.values():
            order += [card.paused, *card.buttons.values()]
        order += [self.index.build, *self.meaning.findChildren(QPushButton), *self.health.buttons.values()]
        for first, second in pairwise(order):
            QWidget.setTabOrder(first, second)

    def _show_index(self) -> None:
        status = self.model.index
        self.index.show_status(status)
        if status.state == "building" and self.isVisible():
            self._index_soon.start()

    def _show_work(self) -> None:
        busy = self.model.busy
        for made in (self.run_all, self.rebuild_all):
            made.setEnabled(bool(self.model.rows))
        self._focus.show({self.run_all: not busy, self.rebuild_all: not busy, self.cancel: busy})
