"""Shows one familiar's timeline: the picture with its axis, controls below, the beliefs of the moment at the right."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtGui import QKeyEvent, QResizeEvent

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import PersonKey
from familiar_app.domain.text import ntr, number, tr
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.timeline.correction import Corrections
from familiar_app.ui.timeline.deed import Deeds
from familiar_app.ui.timeline.key import key_word, undo_word
from familiar_app.ui.timeline.lane import Axis, Lanes
from familiar_app.ui.timeline.model import TimelineModel
from familiar_app.ui.timeline.parts import EVERYBODY, TimelineParts
from familiar_app.ui.timeline.prepare import Filter, Prepared, passing, prepare
from familiar_app.ui.timeline.word import capitalized, moment_text, picture_text

if TYPE_CHECKING:
    from familiar_app.domain.ids import FamiliarId
    from familiar_app.store.fact_span import FactSpans
    from familiar_app.store.vault import Vault

FILTER_AFTER_MS = 180
READ_AFTER_MS = 200
PLAY_EVERY_MS = 140
NARROW_PX, TIGHT_PX = 520, 390
DESCRIBE_AFTER_MS = 400


class TimelineView(TimelineParts):
    """Shows a `TimelineModel` over the facts of a vault. `weak` tells that memory is not drawn by itself."""

    def __init__(
        self, model: TimelineModel, vault: Vault, familiar: FamiliarId, name: str, context: PanelContext, *, weak: bool
    ) -> None:
        super().__init__(context.theme, model, weak=weak)
        self.context = context
        self._facts, self._familiar, self._name = vault.facts, familiar, name
        self._awaited: FactId | None = None
        self.tasks = Tasks(context.tasks, self, self._show_error)
        self.deeds = Deeds(self, vault.facts, Corrections(vault.facts, familiar), name, vault.people.called)
        self._filter_soon = self._timer(FILTER_AFTER_MS, self._start_filter)
        self._read_soon = self._timer(READ_AFTER_MS, self.load)
        self._describe_soon = self._timer(DESCRIBE_AFTER_MS, self._describe)
        self._play = self._timer(PLAY_EVERY_MS, model.play_step, repeat=True)
        self.stale = False
        self._connect()
        self.show_steps()
        self.stop_listening = vault.facts.feed.listen(lambda _facts: self._facts_changed())

    def _connect(self) -> None:
        self.search.textChanged.connect(lambda _text: self._filter_soon.start())
        self.people.activated.connect(lambda _number: self._start_filter())
        self.beliefs.opened.connect(lambda _index: self.deeds.show_chosen())
        self.model.watch(self._heard)

    def _timer(self, after_ms: int, run: Callable[[], object], *, repeat: bool = False) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(not repeat)
        timer.setInterval(after_ms)
        timer.timeout.connect(run)
        return timer

    # ---- reading

    def load(self) -> None:
        """Read all facts; called once, and again after each change of them."""
        self.stale = False
        if not self.model.loaded:
            self.wait.begin(tr("Reading the facts…"))
        self.tasks.start(self._load, name="timeline.load", replace=True)

    async def _load(self) -> None:
        model = self.model
        try:
            spans = self._named(await self._facts.spans(self._familiar))
            texts: tuple[str, ...] = ()
            wording = None
            if model.filter.on:
                wording = await self._facts.wording(self._familiar)
                texts = wording.texts
            model.take(await asyncio.to_thread(prepare, spans, texts, model.filter, model.axis))
        finally:
            self.wait.end()
        model.take_wording(wording or await self._facts.wording(self._familiar))
        if self._awaited is not None and model.row_of(self._awaited) >= 0:
            model.choose((self._awaited,))
            self.canvas.show_fact(self._awaited)
            self._awaited = None

    def _named(self, spans: FactSpans) -> FactSpans:
        """Call the familiar itself by its name."""
        own = f"ego:{self._familiar}"
        pairs = zip(spans.people, spans.labels, strict=True)
        return replace(spans, labels=tuple(self._name if key == own else name for key, name in pairs))

    def _facts_changed(self) -> None:
        self.stale = True
        if self.isVisible():
            self._read_soon.start()

    def refresh(self) -> None:
        """Take in what changed while the panel was not seen; time has gone on, too."""
        model = self.model
        if self.stale and model.loaded:
            self.load()
        elif model.at_now and model.loaded:
            model.go_now()
            self.canvas.repaint_all()

    def _start_filter(self) -> None:
        key = self.people.currentData() or ""
        wanted = Filter(self.search.text(), frozenset({PersonKey(key)} if key else ()))
        if wanted != self.model.filter and self.model.index is not None:
            self.tasks.start(lambda: self._filter(wanted), name="timeline.filter", replace=True)

    async def _filter(self, wanted: Filter) -> None:
        model = self.model
        index, texts, axis = model.index, model.texts, model.axis

        def work() -> Prepared:
            among = passing(index.spans, texts, wanted)
            return Prepared(index, Lanes(index.spans, axis, among), among)

        model.show_filter(wanted, await asyncio.to_thread(work))

    def clear_filter(self) -> None:
        """Show all facts."""
        self.search.clear()
        self.people.setCurrentIndex(0)
        self._start_filter()

    def show_person(self, person: PersonKey) -> None:
        """Show the facts about somebody alone."""
        self.people.setCurrentIndex(max(0, self.people.findData(str(person))))
        self._start_filter()

    def show_axis(self, axis: Axis) -> None:
        """Draw the bars along the other clock."""

        async def work() -> None:
            index = self.model.index
            if index is not None:
                self.model.show_axis(axis, await asyncio.to_thread(Lanes, index.spans, axis, self.model.among))

        self.tasks.start(work, name="timeline.axis", replace=True)

    # ---- doing

    def do(self, word: str) -> None:
        """Do something by its word."""
        self.deeds.do(word)

    def show_fact(self, fact: FactId) -> None:
        """Choose a fact, wherever the person is now; one that the filter hides brings all facts back."""
        model, row = self.model, self.model.row_of(fact)
        if row < 0:
            self._awaited = fact
            return
        if model.among is not None and not model.among[row]:
            self.clear_filter()
        model.choose((fact,))
        self.canvas.show_fact(fact)

    def choose_soon(self, fact: FactId) -> None:
        """Choose a fact that was stored a moment ago, as soon as it has been read."""
        self._awaited = fact

    # ---- showing

    def _heard(self, what: str) -> None:
        getattr(self, f"_on_{what}", self._repaint)()

    def _on_facts(self) -> None:
        model = self.model
        self.count.setText(ntr("{n} fact", "{n} facts", model.size))
        self._show_people()
        self.overview.count()
        self.beliefs.viewport().update()
        self._show_page()
        self._describe_soon.start()
        self.canvas.repaint_all()
        self._repaint()

    def _on_lanes(self) -> None:
        self._show_page()
        self.canvas.lay_out()
        self.controls.show_model()
        self._repaint()

    def _on_moment(self) -> None:
        model, changes = self.model, self.model.delta()
        self.beliefs.show_rows()
        self.controls.show_model()
        self.axis.show_moment()
        self.asked.setText(capitalized(moment_text(model.moment, model.zone)))
        signs = ((changes.gained, "+"), (changes.lost, "−"), (changes.after, "↻"))
        told = "  ".join(f"{sign} {number(len(rows))}" for rows, sign in signs if len(rows))
        held = int(model.state().sum()) if model.index is not None else 0
        self.counts.setText("   ".join(one for one in (tr("{n} held", n=held), told) if one))
        self._describe_soon.start()
        self._repaint()

    def _on_window(self) -> None:
        self.canvas.repaint_all()
        self._repaint()

    def _on_chosen(self) -> None:
        self.beliefs.show_chosen()
        self.deeds.show_chosen()
        self._repaint()

    def _on_playing(self) -> None:
        self.controls.show_playing()
        if self.model.playing:
            self._play.start()
        else:
            self._play.stop()

    def _on_view(self) -> None:
        square = self.model.shape == "square"
        had = self.shapes.currentWidget().isAncestorOf(self.focusWidget() or self) or self.square.hasFocus()
        self.shapes.setCurrentWidget(self.square if square else self.lanes_page)
        if had:
            (self.square if square else self.canvas).setFocus()
        self.controls.show_model()

    def _on_marks(self) -> None:
        self.controls.show_model()

    def _repaint(self) -> None:
        for part in (self.canvas.viewport(), self.square, self.axis, self.overview):
            part.update()

    def _show_page(self) -> None:
        model = self.model
        page = self.across
        if model.loaded and not model.size:
            page = self.empty
        elif model.loaded and model.filter.on and model.lanes is not None and not len(model.lanes):
            page = self.nothing
        self.pages.setCurrentWidget(page)

    def _show_people(self) -> None:
        spans = self.model.spans
        pairs = [] if spans is None else sorted(zip(spans.labels, spans.people, strict=True))
        known = [(self.people.itemText(n), self.people.itemData(n)) for n in range(1, self.people.count())]
        if [(name, str(key)) for name, key in pairs] == known:
            return
        chosen = self.people.currentData()
        self.people.clear()
        self.people.addItem(tr(EVERYBODY), "")
        for name, key in pairs:
            self.people.addItem(name, str(key))
        self.people.setCurrentIndex(max(0, self.people.findData(chosen)))

    def show_steps(self) -> None:
        """Show whether there is something to take back or to do again."""
        self.buttons["undo"].setEnabled(bool(self.deeds.corrections.done))
        self.buttons["redo"].setEnabled(bool(self.deeds.corrections.undone))

    def _describe(self) -> None:
        text = picture_text(self.model)
        for part in (self.canvas, self.square):
            part.setAccessibleDescription(text)

    def _show_error(self, error: FamiliarError, again: Callable[[], object] | None) -> None:
        if not self.model.loaded:
            self.notice.show_error(error, step=tr("Read it again"), run=self.load)
        else:
            self.notice.show_error(error, again)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # Beside an open side view in large text there is no room for both; the picture stays.
        self.listed.setVisible(self.width() >= self.theme.px(NARROW_PX))
        self.count.setVisible(self.width() >= self.theme.px(NARROW_PX))
        # The search comes first; what has a key or stands in the palette makes room for it.
        for word in ("undo", "redo", "read"):
            self.buttons[word].setVisible(self.width() >= self.theme.px(TIGHT_PX))

    # ---- keys

    def event(self, event: QEvent) -> bool:
        # Ctrl+Z belongs to this panel while the focus is in it; a field that has typing to take back comes first.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and undo_word(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        word = undo_word(event) or key_word(event)
        if word:
            self.do(word)
        else:
            super().keyPressEvent(event)
