"""The Reflections panel's view for one familiar: head, cards, paging, thinking now, and the side view."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QComboBox, QProgressBar, QStackedWidget, QWidget

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import TurnId
from familiar_app.domain.projection import ReflectionId
from familiar_app.store.fact_feed import FactFeed
from familiar_app.store.reflection_mark import MarkAct
from familiar_app.store.reflection_page import ReflectionCase, ReflectionFilter
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.empty_state import EmptyState
from familiar_app.ui.kit.fact_detail import describe
from familiar_app.ui.kit.header import PanelHeader
from familiar_app.ui.kit.label import clear_layout, column, label, row, surface
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.page_scroll import PageScroll
from familiar_app.ui.kit.panel import PanelContext, Place
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.kit.wait import WaitStack
from familiar_app.ui.reflections.card import CardWays, ReflectionCard
from familiar_app.ui.reflections.model import BACK, ReflectionsModel
from familiar_app.ui.reflections.side import CitedFactPage, TurnPage
from familiar_app.ui.reflections.word import FILTERED_EMPTY, FILTERS, page_words

WIDTH = 760
AGAIN_AFTER_MS = 400
_EVERYWHERE = -1
_SEVERAL = -2
_DONE: dict[MarkAct, str] = {
    "pin": "Pinned: it always stands among the thoughts that a prompt shows.",
    "unpin": "Not pinned any more.",
    "hide": "Hidden: it stands in no prompt any more.",
    "show": "Shown again.",
}
_EMPTY = "Now and then the familiar looks back at what was said, and keeps a few thoughts with what they rest on. "
_BY_ITSELF = "It does so by itself after {needed} messages."
_WEAK = (
    "The small model that comes along does not think by itself, because it would make things up. A better model does."
)


class ReflectionsView(QWidget):
    """Shows a ReflectionsModel and passes on what is pressed. `weak` tells that nothing is thought by itself."""

    def __init__(
        self, model: ReflectionsModel, feed: FactFeed, context: PanelContext, *, weak: bool, needed: int
    ) -> None:
        super().__init__()
        surface(self, 1)
        self.model, self.context, self.theme = model, context, context.theme
        self.notice = Notice(self.theme)
        self.tasks = Tasks(context.tasks, self, self.notice.show_error)
        self.cards: list[ReflectionCard] = []
        self._acts = itertools.count()
        self._ways = CardWays(
            turn=self._show_turn,
            fact=self._show_fact,
            moment=lambda place: context.go_to("timeline", place),
            mark=self.mark,
            timeline=context.has_panel("timeline"),
        )
        head = self._make_head()
        self._make_pages(_EMPTY + (_WEAK if weak else _BY_ITSELF.format(needed=needed)), weak=weak)
        self._make_thinking()
        self._lay_out(head)
        model.watch(lambda _what: self._show_page())
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.timeout.connect(self._load_if_shown)
        self.stop_listening = feed.listen(lambda _facts: self._again.start(AGAIN_AFTER_MS))

    # ---- building

    def _make_head(self) -> PanelHeader:
        head = PanelHeader(self.theme, "Reflections")
        self.count = label("", "faint")
        head.add(self.count)
        self.which, self.where = QComboBox(), QComboBox()
        self.which.setAccessibleName("Which thoughts are shown")
        for which, title in FILTERS:
            self.which.addItem(title, which)
        self.where.setAccessibleName("Channel of the thoughts")
        self.where.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for box in (self.which, self.where):
            box.activated.connect(lambda _at: self._filter())
        self.think = button("Reflect now", self.reflect, theme=self.theme, icon="reflections")
        for widget in (self.where, self.which, self.think):
            head.add_end(widget)
        return head

    def _make_pages(self, text: str, *, weak: bool) -> None:
        step, run = ("Choose a model", self._choose_model) if weak else ("Reflect now", self.reflect)
        self.empty = EmptyState(self.theme, "reflections", "No thoughts yet", text, step=step, run=run)
        self.nothing = EmptyState(
            self.theme, "search", "No thought fits", "", step="Show all thoughts", run=self.show_all
        )
        inside, across = surface(QWidget(), 1), row()
        self._column = column(spacing=12)
        across.setContentsMargins(16, 16, 16, 16)
        self._held = QWidget()
        self._held.setMaximumWidth(self.theme.px(WIDTH))
        self._held.setLayout(self._column)
        across.addWidget(self._held, 1)
        inside.setLayout(across)
        self.scroll = PageScroll()
        self.scroll.setAccessibleName("Thoughts")
        self.scroll.setWidget(inside)

    def _make_thinking(self) -> None:
        self.thinking = QWidget()
        bar = QProgressBar()
        bar.setAccessibleName("The familiar is thinking")
        bar.setRange(0, 0)
        bar.setTextVisible(False)
        across = row(spacing=12)
        across.setContentsMargins(16, 8, 16, 0)
        across.addWidget(label(f"{self.model.name} is thinking…", "quiet"))
        across.addWidget(bar, 1)
        across.addWidget(button("Cancel", lambda: self.tasks.stop("reflections.think")))
        self.thinking.setLayout(across)
        self.thinking.hide()

    def _lay_out(self, head: PanelHeader) -> None:
        self.pages = QStackedWidget()
        for page in (self.scroll, self.empty, self.nothing):
            self.pages.addWidget(page)
        self.wait = WaitStack(self.theme, self.pages, rows=12)
        told = column(spacing=0)
        told.setContentsMargins(16, 8, 16, 0)
        told.addWidget(self.notice)
        layout = column(spacing=0)
        layout.addWidget(head)
        layout.addLayout(told)
        layout.addWidget(self.thinking)
        layout.addWidget(self.wait, 1)
        self.setLayout(layout)

    # ---- loading and acting

    def load(self) -> None:
        """Read the page; the one before stays in sight until it is there."""
        if not self.model.loaded:
            self.wait.begin("Reading the thoughts…")
        self.tasks.start(self._load, name="reflections.load", replace=True)

    async def _load(self) -> None:
        try:
            await self.model.load()
        except FamiliarError as error:
            self.notice.show_error(error, self.load)
        finally:
            self.wait.end()

    def _load_if_shown(self) -> None:
        if self.isVisible():
            self.load()

    def show_thought(self, number: ReflectionId) -> None:
        """Turn to a thought and put the focus on it."""

        async def show() -> None:
            if await self.model.reveal(number):
                found = next((one for one in self.cards if one.case.reflection.id == number), None)
                if found is not None:
                    found.text.setFocus()
                    self.scroll.ensureWidgetVisible(found)
                    self.context.visit(Place("reflections", str(number), f"Thought {number}"))

        self.tasks.start(show, name="reflections.show", replace=True)

    def mark(self, case: ReflectionCase, act: MarkAct) -> None:
        """Pin or hide a thought at once, and offer to take it back."""
        number = case.reflection.id
        self._act(lambda: self.model.mark(number, act))
        self.context.offer_undo(_DONE[act], lambda: self._act(lambda: self.model.mark(number, BACK[act])))

    def _act(self, make: Callable[[], Coroutine[Any, Any, None]]) -> None:
        async def act() -> None:
            await make()
            await self.model.load()

        self.tasks.start(act, name=f"reflections.act.{next(self._acts)}")

    def reflect(self) -> None:
        """Let the familiar think now."""
        self.tasks.start(self._reflect, name="reflections.think")

    async def _reflect(self) -> None:
        self.notice.clear()
        self.thinking.show()
        self.think.setEnabled(False)
        try:
            self.notice.tell(await self.model.reflect())
            await self.model.load()
        finally:
            self.thinking.hide()
            self.think.setEnabled(True)

    def show_all(self) -> None:
        """Take every filter away."""
        self.which.setCurrentIndex(0)
        self.where.setCurrentIndex(0)
        self._filter()

    def turn_page(self, step: int) -> None:
        """Go on to older (1) or back to newer (-1) thoughts."""
        (self.model.older if step > 0 else self.model.newer)()
        self.scroll.verticalScrollBar().setValue(0)
        self.load()

    def _filter(self) -> None:
        channel = self.where.currentData()
        self.model.filter(
            ReflectionFilter(
                self.which.currentData(), channel if channel is not None and channel >= 0 else None, channel == _SEVERAL
            )
        )
        self.load()

    def _choose_model(self) -> None:
        self.context.go_to("settings", "models.background")

    # ---- showing

    def _show_page(self) -> None:
        model = self.model
        self._show_filters()
        focused = next(
            (at for at, card in enumerate(self.cards) if card.isAncestorOf(self.focusWidget() or self)), None
        )
        clear_layout(self._column)
        self.cards = [ReflectionCard(self.theme, model, case, self._ways) for case in model.cases]
        if model.has_newer:
            self._column.addWidget(button("Newer thoughts", lambda: self.turn_page(-1)), 0, Qt.AlignmentFlag.AlignLeft)
        for card in self.cards:
            self._column.addWidget(card)
        if model.has_older:
            self._column.addWidget(button("Older thoughts", lambda: self.turn_page(1)), 0, Qt.AlignmentFlag.AlignLeft)
        self._column.addStretch(1)
        if focused is not None and self.cards:
            self.cards[min(focused, len(self.cards) - 1)].text.setFocus()
        page = self.scroll if model.cases else self.empty if model.is_empty else self.nothing
        self.pages.setCurrentWidget(page)
        self.nothing.set_text("No thought fits", FILTERED_EMPTY[model.wanted.which])
        self.count.setText(page_words(model.first, model.cases, model.total))

    def _show_filters(self) -> None:
        wanted = self.model.wanted
        chosen = _SEVERAL if wanted.anywhere else _EVERYWHERE if wanted.channel is None else wanted.channel
        self.where.clear()
        self.where.addItem("Every channel", _EVERYWHERE)
        for channel, title in self.model.channels:
            self.where.addItem(title, _SEVERAL if channel is None else channel)
        self.where.setCurrentIndex(max(0, self.where.findData(chosen)))
        self.which.setCurrentIndex(self.which.findData(wanted.which))
        for box in (self.where, self.which):
            box.setVisible(not self.model.is_empty)

    def _show_turn(self, turn: TurnId) -> None:
        async def show() -> None:
            found = await self.model.surroundings(turn)
            if not found:
                self.context.tell("This message is gone.")
                return
            page = TurnPage(found, turn, self.context.go_to, zone=self.model.zone, name=self.model.name)
            self.context.side_view.show_widget(f"Message {turn}", page)

        self.tasks.start(show, name="reflections.side", replace=True)

    def _show_fact(self, fact: FactId) -> None:
        async def show() -> None:
            history = await self.model.history(fact)
            if history is None:
                self.context.tell("This fact is gone.")
                return
            texts = await self.model.texts(history)
            detail = describe(history, lambda number: texts.get(number, ""), self.model.zone, self.model.name)
            page = CitedFactPage(detail, self.context.go_to, self.context.has_panel)
            self.context.side_view.show_widget(f"Fact {fact}", page)

        self.tasks.start(show, name="reflections.side", replace=True)
