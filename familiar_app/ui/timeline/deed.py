"""What can be done in the Timeline, by its word: moving, looking at facts, correcting them, comparing two moments."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QScrollArea, QWidget

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.fact import Fact, FactId
from familiar_app.store.written_file import write_atomically
from familiar_app.ui.kit.dialog import choose_file
from familiar_app.ui.kit.panel import Place
from familiar_app.ui.timeline.correction import Corrections, Wish
from familiar_app.ui.timeline.detail import describe
from familiar_app.ui.timeline.form import DatesForm, FactForm
from familiar_app.ui.timeline.model import BIG_STEP
from familiar_app.ui.timeline.side import ComparePage, FactPage, ManyPage
from familiar_app.ui.timeline.word import as_json, as_text, differences, moment_text, picture_text

if TYPE_CHECKING:
    from familiar_app.store.fact import Facts
    from familiar_app.ui.timeline.view import TimelineView

MOST_LISTED = 30


class Deeds:
    """The deeds of one view. Each returns at once; what takes time runs as a task of the view."""

    def __init__(self, view: TimelineView, facts: Facts, corrections: Corrections, familiar_name: str) -> None:
        self._view, self._model, self._facts = view, view.model, facts
        self.corrections, self._name = corrections, familiar_name
        self._shown: tuple[FactId, ...] = ()
        model = self._model
        self._deeds: dict[str, Callable[[], object]] = {
            "step": lambda: model.step(1),
            "step_back": lambda: model.step(-1),
            "step_big": lambda: model.step(1, count=BIG_STEP),
            "step_big_back": lambda: model.step(-1, count=BIG_STEP),
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
            "add": self.add,
            "edit": lambda: self._with_facts(self._edit),
            "redate": lambda: self._with_facts(self._redate),
            "merge": lambda: self._with_facts(self._merge),
            "retire": lambda: self._start(self._retire, "correct"),
            "restore": lambda: self._with_facts(self._restore),
            "undo": lambda: self._start(self._undo, "correct"),
            "redo": lambda: self._start(self._redo, "correct"),
        }

    def do(self, word: str) -> None:
        """Do something by its word."""
        self._deeds[word]()

    def _start(self, make, name: str) -> None:
        self._view.tasks.start(make, name=f"timeline.{name}")

    def _zoom(self, factor: float) -> None:
        start, end = self._model.window
        at = self._model.moment.as_of
        self._model.zoom(factor, at if at is not None and start <= at <= end else (start + end) // 2)

    # ---- the side view

    def show_chosen(self) -> None:
        """Show what is chosen at the side."""
        chosen = self._model.chosen
        if not chosen:
            if self._shown:
                self._view.context.side_view.close_view()
            return
        self._view.tasks.start(lambda: self._show(chosen), name="timeline.detail", replace=True)

    async def _show(self, chosen: tuple[FactId, ...]) -> None:
        if len(chosen) > 1:
            await self._show_many(chosen)
            return
        history = await self._facts.history(chosen[0])
        if history is None:
            return
        model = self._model
        detail = describe(history, lambda one: model.text(max(0, model.row_of(one))), model.zone, self._name)
        self._put(f"Fact {chosen[0]}", FactPage(detail, self._go, self.do, offers=self._offers), chosen)
        self._view.context.visit(Place("timeline", str(chosen[0]), f"Fact {chosen[0]}"))

    async def _show_many(self, chosen: tuple[FactId, ...]) -> None:
        model = self._model
        facts = await self._facts.many(chosen)
        retired = sum(1 for one in facts if one.superseded_at is not None)
        texts = [model.text(model.row_of(one)) for one in chosen[:MOST_LISTED] if model.row_of(one) >= 0]
        page = ManyPage(texts, len(facts), retired=retired, do=self.do)
        self._put(f"{len(facts):,} facts", page, chosen)

    def _put(self, title: str, widget: QWidget, chosen: tuple[FactId, ...] = ()) -> None:
        self._shown = ()
        self._view.context.side_view.show_widget(title, widget, closed=self._closed)
        self._shown = chosen

    def _closed(self) -> None:
        if self._shown:
            self._shown = ()
            self._model.choose(())

    def _close(self) -> None:
        self._view.context.side_view.close_view()

    def _go(self, panel: str, key: str) -> None:
        if panel == "timeline":
            self._view.show_fact(FactId(int(key)))
        else:
            self._view.context.go_to(panel, key)

    def _offers(self, panel: str) -> bool:
        """Tell whether the window has a panel; where nobody can know, it is taken to be there."""
        find = getattr(self._view.context.window, "panel", None)
        return find is None or find(panel) is not None

    def _put_form(self, title: str, form: QWidget) -> None:
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setAccessibleName(title)
        area.setWidget(form)
        self._put(title, area)

    # ---- correcting

    def add(self) -> None:
        """Let the owner say something that is true."""

        def save(wish: Wish) -> None:
            self._start(lambda: self._add(wish), "correct")

        form = self._form(None, save, "It is believed at once, and comes first where memory contradicts it.")
        self._put_form("Add a fact", form)
        form.text.setFocus()

    async def _add(self, wish: Wish) -> None:
        fact, created = await self.corrections.add(wish)
        self._done("Fact added." if created else "", fact.id)
        if not created:
            self._view.context.tell("This was believed already; it rests on your word too now.")

    def _edit(self, facts: Sequence[Fact]) -> None:
        prior = facts[0]

        def save(wish: Wish) -> None:
            async def change() -> None:
                fact = await self.corrections.edit(prior, wish)
                self._done("Fact changed.", fact.id)

            self._start(change, "correct")

        form = self._form(prior, save, "The old text stays in the history; this one takes its place.")
        self._put_form(f"Change fact {prior.id}", form)
        form.text.setFocus()

    def _merge(self, facts: Sequence[Fact]) -> None:
        believed = [one for one in facts if one.superseded_at is None]
        if len(believed) < 2:
            self._view.context.tell("Choose at least two believed facts to merge.")
            return
        whole = " ".join(dict.fromkeys(one.text for one in believed))

        def save(wish: Wish) -> None:
            async def change() -> None:
                fact = await self.corrections.merge(believed, wish)
                self._done(f"{len(believed):,} facts merged.", fact.id)

            self._start(change, "correct")

        form = self._form(believed[0], save, f"One fact in the place of {len(believed):,}; it keeps all their sources.")
        form.text.setPlainText(whole)
        for one in believed[1:]:
            form.about.add(one.subjects)
        self._put_form("Merge facts", form)
        form.text.setFocus()

    def _redate(self, facts: Sequence[Fact]) -> None:
        believed = [one for one in facts if one.superseded_at is None]

        def save(start: datetime | None, end: datetime | None) -> None:
            async def change() -> None:
                count = await self.corrections.redate(believed, start, end)
                self._done(f"Dates of {count:,} {'fact' if count == 1 else 'facts'} changed.")

            self._start(change, "correct")

        model = self._model
        if believed:
            form = DatesForm(model.zone, model.now, len(believed), save=save, cancel=self._close)
            self._put_form("Change dates", form)

    async def _retire(self) -> None:
        if self._model.chosen:
            count = await self.corrections.retire(self._model.chosen)
            self._done("Fact retired." if count == 1 else f"{count:,} facts retired.")

    def _restore(self, facts: Sequence[Fact]) -> None:
        async def change() -> None:
            count = await self.corrections.restore(facts)
            self._done("Fact restored." if count == 1 else f"{count:,} facts restored.")

        self._start(change, "correct")

    async def _undo(self) -> None:
        title = await self.corrections.undo()
        self._view.context.tell(f"Taken back: {title}." if title else "There is nothing to take back.")
        self._view.show_steps()

    async def _redo(self) -> None:
        title = await self.corrections.redo()
        self._view.context.tell(f"Done again: {title}." if title else "There is nothing to do again.")
        self._view.show_steps()

    def _done(self, text: str, fact: FactId | None = None) -> None:
        self._close()
        if fact is not None:
            self._view.choose_soon(fact)
        if text:
            self._view.context.offer_undo(text, lambda: self.do("undo"))
        self._view.show_steps()

    def _with_facts(self, then: Callable[[Sequence[Fact]], object]) -> None:
        chosen = self._model.chosen

        async def read() -> None:
            facts = await self._facts.many(chosen)
            if facts:
                then(facts)

        if chosen:
            self._start(read, "read")

    def _form(self, prior: Fact | None, save: Callable[[Wish], object], hint: str) -> FactForm:
        model, spans = self._model, self._model.spans
        people = [] if spans is None else sorted(zip(spans.people, spans.labels, strict=True), key=lambda one: one[1])
        return FactForm(
            self._view.theme, model.zone, model.now, people, prior=prior, save=save, cancel=self._close, hint=hint
        )

    # ---- comparing, copying, reading

    def _mark(self, name: str) -> None:
        self._model.set_mark(name)
        if {"A", "B"} <= set(self._model.marks):
            self.compare()
        else:
            other = "B" if name == "A" else "A"
            self._view.context.tell(f"{name} is set. Go to another moment and set {other}.")

    def compare(self) -> None:
        """Show what moment B has against moment A."""
        marks, model = self._model.marks, self._model
        if not {"A", "B"} <= set(marks):
            self._view.context.tell("Set A and B at two moments first.")
            return
        found = differences(model, marks["A"], marks["B"])
        texts = [moment_text(marks[name], model.zone) for name in ("A", "B")]
        page = ComparePage(*texts, found, choose=self._view.show_fact, do=self.do)
        self._put("A and B compared", page)
        page.list.setFocus()

    def _comparison(self) -> str:
        marks, model = self._model.marks, self._model
        return as_text(differences(model, marks["A"], marks["B"]), marks["A"], marks["B"], model.zone)

    def _copy_comparison(self) -> None:
        QGuiApplication.clipboard().setText(self._comparison())
        self._view.context.tell("Copied.")

    async def _export_comparison(self) -> None:
        filters = ("Text (*.txt)", "JSON (*.json)")
        path = await choose_file(
            self._view, "Export the comparison", filters=filters, mode="save", suggest="compare.txt"
        )
        if path is None:
            return
        marks, model = self._model.marks, self._model
        found = differences(model, marks["A"], marks["B"])
        as_data = path.suffix.casefold() == ".json"
        text = as_json(found, marks["A"], marks["B"]) if as_data else self._comparison()
        try:
            await asyncio.to_thread(write_atomically, path, text.encode())
        except OSError as error:
            raise OutsideError("The comparison could not be written.", "Choose another folder.") from error
        self._view.context.tell(f"Written to {path.name}.")

    def _copy_chosen(self) -> None:
        model = self._model
        texts = [model.text(row) for row in map(model.row_of, model.chosen) if row >= 0]
        if texts:
            QGuiApplication.clipboard().setText("\n".join(texts))
            self._view.context.tell("Copied.")

    def read_picture(self) -> None:
        """Show in words what the picture shows."""
        field = QPlainTextEdit(picture_text(self._model))
        field.setReadOnly(True)
        field.setAccessibleName("The picture in words")
        field.setTabChangesFocus(True)
        self._put("The picture in words", field)
        field.setFocus()
