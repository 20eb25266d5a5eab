"""What the Timeline puts into the side view: chosen facts, a comparison of two moments, the picture in words."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QScrollArea, QWidget

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.fact import FactId
from familiar_app.domain.text import ntr, tr
from familiar_app.store.written_file import write_atomically
from familiar_app.ui.kit.dialog import choose_file
from familiar_app.ui.kit.fact_detail import describe
from familiar_app.ui.kit.panel import Place
from familiar_app.ui.timeline.side import ComparePage, FactPage, ManyPage
from familiar_app.ui.timeline.word import as_json, as_text, differences, moment_text, picture_text

if TYPE_CHECKING:
    from familiar_app.store.fact import Facts
    from familiar_app.ui.timeline.view import TimelineView

MOST_LISTED = 30


class Showing:
    """The part of the deeds that shows. What takes time runs as a task of the view."""

    do: Callable[[str], None]
    """Does something by its word; the class that is built on this one has it."""

    def __init__(self, view: TimelineView, facts: Facts, familiar_name: str) -> None:
        self._view, self._model, self._facts, self._name = view, view.model, facts, familiar_name
        self._shown: tuple[FactId, ...] = ()

    def _start(self, make, name: str) -> None:
        self._view.tasks.start(make, name=f"timeline.{name}")

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
            self._show_many(chosen)
            return
        history = await self._facts.history(chosen[0])
        if history is None:
            return
        model = self._model
        detail = describe(history, lambda one: model.text(max(0, model.row_of(one))), model.zone, self._name)
        title = tr("Fact {id}", id=str(chosen[0]))
        self._put(title, FactPage(detail, self._go, self.do, offers=self._offers), chosen)
        self._view.context.visit(Place("timeline", str(chosen[0]), title))

    def _show_many(self, chosen: tuple[FactId, ...]) -> None:
        model = self._model
        retired = len(chosen) - model.believed_now(chosen)
        texts = [model.text(model.row_of(one)) for one in chosen[:MOST_LISTED] if model.row_of(one) >= 0]
        page = ManyPage(texts, len(chosen), retired=retired, do=self.do)
        self._put(ntr("{n} fact", "{n} facts", len(chosen)), page, chosen)

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

    # ---- comparing, copying, reading

    def _mark(self, name: str) -> None:
        self._model.set_mark(name)
        if {"A", "B"} <= set(self._model.marks):
            self.compare()
        else:
            other = "B" if name == "A" else "A"
            self._view.context.tell(tr("{name} is set. Go to another moment and set {other}.", name=name, other=other))

    def compare(self) -> None:
        """Show what moment B has against moment A."""
        marks, model = self._model.marks, self._model
        if not {"A", "B"} <= set(marks):
            self._view.context.tell(tr("Set A and B at two moments first."))
            return
        found = differences(model, marks["A"], marks["B"])
        texts = [moment_text(marks[name], model.zone) for name in ("A", "B")]
        page = ComparePage(*texts, found, choose=self._view.show_fact, do=self.do)
        self._put(tr("A and B compared"), page)
        page.list.setFocus()

    def _comparison(self) -> str:
        marks, model = self._model.marks, self._model
        return as_text(differences(model, marks["A"], marks["B"]), marks["A"], marks["B"], model.zone)

    def _copy_comparison(self) -> None:
        QGuiApplication.clipboard().setText(self._comparison())
        self._view.context.tell(tr("Copied."))

    async def _export_comparison(self) -> None:
        filters = (tr("Text (*.txt)"), "JSON (*.json)")
        path = await choose_file(
            self._view, tr("Export the comparison"), filters=filters, mode="save", suggest="compare.txt"
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
            raise OutsideError(tr("The comparison could not be written."), tr("Choose another folder.")) from error
        self._view.context.tell(tr("Written to {file}.", file=path.name))

    def _copy_chosen(self) -> None:
        model = self._model
        texts = [model.text(row) for row in map(model.row_of, model.chosen) if row >= 0]
        if texts:
            QGuiApplication.clipboard().setText("\n".join(texts))
            self._view.context.tell(tr("Copied."))

    def read_picture(self) -> None:
        """Show in words what the picture shows."""
        field = QPlainTextEdit(picture_text(self._model))
        field.setReadOnly(True)
        field.setAccessibleName(tr("The picture in words"))
        field.setTabChangesFocus(True)
        self._put(tr("The picture in words"), field)
        field.setFocus()
