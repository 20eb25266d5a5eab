"""The Reflections panel's view for one familiar: cards, paging, thinking now, and the side view."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from itertools import count
from typing import Any

from PySide6.QtCore import Qt, QTimer

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import TurnId
from familiar_app.domain.projection import ReflectionId
from familiar_app.domain.text import tr, tr_later
from familiar_app.store.fact_feed import FactFeed
from familiar_app.store.reflection_mark import MarkAct
from familiar_app.store.reflection_page import ReflectionCase, ReflectionFilter
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.fact_detail import describe
from familiar_app.ui.kit.label import clear_layout
from familiar_app.ui.kit.panel import PanelContext, Place
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.reflections.card import CardWays, ReflectionCard
from familiar_app.ui.reflections.model import BACK, ReflectionsModel
from familiar_app.ui.reflections.parts import ReflectionParts
from familiar_app.ui.reflections.side import CitedFactPage, TurnPage
from familiar_app.ui.reflections.word import FILTERED_EMPTY, page_words

AGAIN_AFTER_MS = 400
LOOK_EVERY_MS = 10_000
_EVERYWHERE, _SEVERAL = -1, -2
_DONE: dict[MarkAct, str] = {
    "pin": tr_later("Pinned: always among the thoughts that a prompt shows."),
    "unpin": tr_later("Not pinned any more."),
    "hide": tr_later("Hidden: in no prompt any more."),
    "show": tr_later("Shown again."),
}


class ReflectionsView(ReflectionParts):
    """Shows a ReflectionsModel and passes on what is pressed. `weak` tells that nothing is thought by itself."""

    def __init__(
        self, model: ReflectionsModel, feed: FactFeed, context: PanelContext, *, weak: bool, needed: int
    ) -> None:
        super().__init__(context.theme, model.name, weak=weak, needed=needed)
        self.model, self.context = model, context
        self.tasks = Tasks(context.tasks, self, self.notice.show_error)
        self.cards: list[ReflectionCard] = []
        self._acts = count()
        self._ways = CardWays(
            turn=self._show_turn,
            fact=self._show_fact,
            moment=lambda place: context.go_to("timeline", place),
            mark=self.mark,
            timeline=context.has_panel("timeline"),
        )
        model.watch(lambda _what: self._show_page())
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.timeout.connect(self._load_if_shown)
        # Thoughts come in the background; the page is built anew only where it is another one.
        self._look = QTimer(self)
        self._look.timeout.connect(self._load_if_shown)
        self._look.start(LOOK_EVERY_MS)
        self._unlisten = feed.listen(lambda _facts: self._again.start(AGAIN_AFTER_MS))

    def stop_looking(self) -> None:
        """Look no more for other thoughts, because the vault is about to be closed or the view to go."""
        self._unlisten()
        self._again.stop()
        self._look.stop()

    def do(self, word: str) -> None:
        {
            "filter": self._filter,
            "reflect": self.reflect,
            "show_all": self.show_all,
            "stop": lambda: self.tasks.stop("reflections.think"),
            "choose_model": lambda: self.context.go_to("settings", "models.background"),
        }[word]()

    # ---- loading and acting

    def load(self) -> None:
        """Read the page; the one before stays in sight until it is there."""
        if not self.model.loaded:
            self.wait.begin(tr("Reading the thoughts…"))
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
                    self.context.visit(Place("reflections", str(number), tr("Thought {number}", number=str(number))))

        self.tasks.start(show, name="reflections.show", replace=True)

    def mark(self, case: ReflectionCase, act: MarkAct) -> None:
        """Pin or hide a thought at once, and offer to take it back."""
        number = case.reflection.id

        def do(which: MarkAct) -> object:
            return self._act(lambda: self.model.mark(number, which))

        async def first() -> None:
            await self.model.mark(number, act)
            self.context.offer_undo(tr(_DONE[act]), lambda: do(BACK[act]), lambda: do(act))

        self._act(first)

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
        had_focus = self.think.hasFocus()
        self.thinking.show()
        self.think.setEnabled(False)
        try:
            self.notice.tell(await self.model.reflect())
            await self.model.load()
        finally:
            self.thinking.hide()
            self.think.setEnabled(True)
            if had_focus:
                self.think.setFocus()

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

    # ---- showing

    def _show_page(self) -> None:
        model = self.model
        self._show_filters()
        focused = next(
            (at for at, card in enumerate(self.cards) if card.isAncestorOf(self.focusWidget() or self)), None
        )
        clear_layout(self.cards_column)
        self.cards = [ReflectionCard(self.theme, model, case, self._ways) for case in model.cases]
        if model.has_newer:
            self.cards_column.addWidget(
                button(tr("Newer thoughts"), lambda: self.turn_page(-1)), 0, Qt.AlignmentFlag.AlignLeft
            )
        for card in self.cards:
            self.cards_column.addWidget(card)
        if model.has_older:
            self.cards_column.addWidget(
                button(tr("Older thoughts"), lambda: self.turn_page(1)), 0, Qt.AlignmentFlag.AlignLeft
            )
        self.cards_column.addStretch(1)
        if focused is not None and self.cards:
            self.cards[min(focused, len(self.cards) - 1)].text.setFocus()
        page = self.scroll if model.cases else self.empty if model.is_empty else self.nothing
        self.pages.setCurrentWidget(page)
        self.nothing.set_text(tr("No thought fits"), tr(FILTERED_EMPTY[model.wanted.which]))
        self.counted.setText(page_words(model.first, model.cases, model.total))

    def _show_filters(self) -> None:
        wanted = self.model.wanted
        chosen = _SEVERAL if wanted.anywhere else _EVERYWHERE if wanted.channel is None else wanted.channel
        self.where.clear()
        self.where.addItem(tr("Every channel"), _EVERYWHERE)
        for channel, title in self.model.channels:
            self.where.addItem(title, _SEVERAL if channel is None else channel)
        self.where.setCurrentIndex(max(0, self.where.findData(chosen)))
        self.which.setCurrentIndex(self.which.findData(wanted.which))
        self.filters.setVisible(not self.model.is_empty)

    def _show_turn(self, turn: TurnId) -> None:
        async def show() -> None:
            found = await self.model.surroundings(turn)
            if not found:
                self.context.tell(tr("This message is gone."))
                return
            page = TurnPage(found, turn, self.context.go_to, zone=self.model.zone, name=self.model.name)
            self.context.side_view.show_widget(tr("Message {number}", number=str(turn)), page)

        self.tasks.start(show, name="reflections.side", replace=True)

    def _show_fact(self, fact: FactId) -> None:
        async def show() -> None:
            history = await self.model.history(fact)
            if history is None:
                self.context.tell(tr("This fact is gone."))
                return
            texts = await self.model.texts(history)
            detail = describe(history, lambda number: texts.get(number, ""), self.model.zone, self.model.name)
            page = CitedFactPage(detail, self.context.go_to, self.context.has_panel)
            self.context.side_view.show_widget(tr("Fact {number}", number=str(fact)), page)

        self.tasks.start(show, name="reflections.side", replace=True)
