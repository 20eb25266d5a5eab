"""What can be done in the Timeline, by its word; the corrections, each with its form or at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from itertools import count
from typing import TYPE_CHECKING

from familiar_app.domain.fact import Fact, FactId, Subject
from familiar_app.domain.ids import PersonKey
from familiar_app.domain.text import ntr, tr
from familiar_app.ui.timeline.about_form import AboutForm
from familiar_app.ui.timeline.correction import Corrections, Wish
from familiar_app.ui.timeline.form import DatesForm, FactForm
from familiar_app.ui.timeline.model import BIG_STEP
from familiar_app.ui.timeline.showing import Showing

if TYPE_CHECKING:
    from familiar_app.store.fact import Facts
    from familiar_app.ui.timeline.view import TimelineView

MOST_AT_ONCE = 1000
Everybody = Callable[[], Awaitable[dict[PersonKey, str]]]
"""Reads who is known, with what they are called today."""


class Deeds(Showing):
    """The deeds of one view. Each returns at once; what takes time runs as a task of the view."""

    def __init__(
        self, view: TimelineView, facts: Facts, corrections: Corrections, familiar_name: str, everybody: Everybody
    ) -> None:
        super().__init__(view, facts, familiar_name)
        self.corrections, self._everybody, model = corrections, everybody, self._model
        self._known: dict[PersonKey, str] = {}
        self._one_at_a_time = asyncio.Lock()
        self._steps = count()
        self._deeds: dict[str, Callable[[], object]] = {
            "step": lambda: model.step(1),
            "step_back": lambda: model.step(-1),
            "step_big": lambda: model.step(1, count=BIG_STEP),
            "step_big_back": lambda: model.step(-1, count=BIG_STEP),
            "first": lambda: model.go_to_end(-1),
            "last": lambda: model.go_to_end(1),
            "clear_filter": view.clear_filter,
            "choose_model": lambda: view.context.go_to("settings", "models.background"),
            "play": lambda: model.play(not model.playing),
            "now": model.go_now,
            "link": lambda: model.link(not model.linked),
            "ever": model.ignore_beliefs,
            "fit": model.fit,
            "zoom_in": lambda: self._zoom(0.5),
            "zoom_out": lambda: self._zoom(2.0),
            "square": lambda: model.show_shape("lanes" if model.shape == "square" else "square"),
            "axis": lambda: view.show_axis("belief" if model.axis == "world" else "world"),
            "mark_a": lambda: self._mark("A"),
            "mark_b": lambda: self._mark("B"),
            "compare": self.compare,
            "compare_copy": self._copy_comparison,
            "compare_export": lambda: self._start(self._export_comparison, "export"),
            "copy": self._copy_chosen,
            "read": self.read_picture,
            "add": lambda: self._start(self._add_form, "add"),
            "edit": lambda: self._with_facts(self._edit),
            "redate": lambda: self._with_facts(self._redate),
            "about": lambda: self._with_facts(self._about),
            "merge": lambda: self._with_facts(self._merge),
            "retire": lambda: self._change(self._retire),
            "restore": lambda: self._with_facts(self._restore),
            "undo": lambda: self._queue(self._undo),
            "redo": lambda: self._queue(self._redo),
        }

    def do(self, word: str) -> None:
        """Do something by its word."""
        self._deeds[word]()

    def _zoom(self, factor: float) -> None:
        start, end = self._model.window
        at = self._model.moment.as_of
        self._model.zoom(factor, at if at is not None and start <= at <= end else (start + end) // 2)

    # ---- correcting

    async def _add_form(self) -> None:
        """Let the owner say something that is true."""
        self._known = await self._everybody()

        def save(wish: Wish) -> None:
            self._change(lambda: self._add(wish))

        form = self._form(None, save, tr("It is believed at once, and comes first where memory contradicts it."))
        self._put_form(tr("Add a fact"), form)
        form.text.setFocus()

    async def _add(self, wish: Wish) -> None:
        fact, created = await self.corrections.add(wish)
        self._done(tr("Fact added.") if created else "", fact.id)
        if not created:
            self._view.context.tell(tr("This was believed already; it rests on your word too now."))

    def _edit(self, facts: Sequence[Fact]) -> None:
        prior = facts[0]

        def save(wish: Wish) -> None:
            async def change() -> None:
                fact = await self.corrections.edit(prior, wish)
                self._done(tr("Fact changed."), fact.id)

            self._change(change)

        form = self._form(prior, save, tr("The old text stays in the history; this one takes its place."))
        self._put_form(tr("Change fact {id}", id=str(prior.id)), form)
        form.text.setFocus()

    def _merge(self, facts: Sequence[Fact]) -> None:
        believed = [one for one in facts if one.superseded_at is None]
        if len(believed) < 2:
            self._view.context.tell(tr("Choose at least two believed facts to merge."))
            return
        whole = " ".join(dict.fromkeys(one.text for one in believed))

        def save(wish: Wish) -> None:
            async def change() -> None:
                fact = await self.corrections.merge(believed, wish)
                self._done(ntr("Fact merged.", "{n} facts merged.", len(believed)), fact.id)

            self._change(change)

        hint = tr("One fact in the place of {n}; it keeps all their sources.", n=len(believed))
        form = self._form(believed[0], save, hint)
        form.text.setPlainText(whole)
        for one in believed[1:]:
            form.about.add(one.subjects)
        self._put_form(tr("Merge facts"), form)
        form.text.setFocus()

    def _redate(self, facts: Sequence[Fact]) -> None:
        believed = [one for one in facts if one.superseded_at is None]

        def save(start: datetime | None, end: datetime | None) -> None:
            async def change() -> None:
                count = await self.corrections.redate(believed, start, end)
                self._done(ntr("Dates of {n} fact changed.", "Dates of {n} facts changed.", count))

            self._change(change)

        model = self._model
        if believed:
            form = DatesForm(model.zone, model.now, len(believed), save=save, cancel=self._close)
            self._put_form(tr("Change dates"), form)

    def _about(self, facts: Sequence[Fact]) -> None:
        believed = [one for one in facts if one.superseded_at is None]

        def save(wrong: PersonKey | None, right: Sequence[Subject]) -> None:
            async def change() -> None:
                count = await self.corrections.reassign(believed, wrong, right)
                self._done(ntr("The fact is about somebody else now.", "{n} facts moved.", count))

            self._change(change)

        if believed:
            form = AboutForm(self._view.theme, self._people(), believed, save=save, cancel=self._close)
            self._put_form(tr("About somebody else"), form)
            form.about.setFocus()

    def _few_enough(self) -> bool:
        """Tell whether so many facts may be changed at once: each change is written to the disk on its own."""
        if len(self._model.chosen) > MOST_AT_ONCE:
            self._view.context.tell(tr("Choose at most {n} facts to change at once.", n=MOST_AT_ONCE))
            return False
        return bool(self._model.chosen)

    async def _retire(self) -> None:
        if self._few_enough():
            count = await self.corrections.retire(self._model.chosen)
            self._done(ntr("Fact retired.", "{n} facts retired.", count))

    def _restore(self, facts: Sequence[Fact]) -> None:
        async def change() -> None:
            count = await self.corrections.restore(facts)
            self._done(ntr("Fact restored.", "{n} facts restored.", count))

        self._change(change)

    def _change(self, make: Callable[[], Awaitable[None]]) -> None:
        """Change something once, however often a button is pressed."""

        async def work() -> None:
            async with self._one_at_a_time:
                await make()

        self._start(work, "correct")

    def _queue(self, make: Callable[[], Awaitable[None]]) -> None:
        """Take a step back or on; of keys pressed quickly none is lost, and they keep their order."""

        async def work() -> None:
            async with self._one_at_a_time:
                await make()

        self._start(work, f"step.{next(self._steps)}")

    async def _undo(self) -> None:
        title = await self.corrections.undo()
        self._view.context.tell(
            tr("Taken back: {title}.", title=title) if title else tr("There is nothing to take back.")
        )
        self._view.show_steps()

    async def _redo(self) -> None:
        title = await self.corrections.redo()
        self._view.context.tell(
            tr("Done again: {title}.", title=title) if title else tr("There is nothing to do again.")
        )
        self._view.show_steps()

    def _done(self, text: str, fact: FactId | None = None) -> None:
        self._close()
        self._model.choose(())
        if fact is not None:
            self._view.choose_soon(fact)
        if text:
            self._view.context.offer_undo(text, lambda: self.do("undo"))
        self._view.show_steps()

    def _with_facts(self, then: Callable[[Sequence[Fact]], object]) -> None:
        chosen = self._model.chosen

        async def read() -> None:
            facts = await self._facts.many(chosen)
            self._known = await self._everybody()
            if facts:
                then(facts)

        if self._few_enough():
            self._start(read, "read")

    def _form(self, prior: Fact | None, save: Callable[[Wish], object], hint: str) -> FactForm:
        model, people = self._model, self._people()
        return FactForm(
            self._view.theme, model.zone, model.now, people, prior=prior, save=save, cancel=self._close, hint=hint
        )

    def _people(self) -> list[tuple[PersonKey, str]]:
        """Return who is known, whether anything is noted about them or not, by name."""
        spans = self._model.spans
        about = {} if spans is None else dict(zip(spans.people, spans.labels, strict=True))
        return sorted({**self._known, **about}.items(), key=lambda one: one[1])
