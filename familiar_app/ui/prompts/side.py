"""The right of the panel: why, memory, lorebook, the trial and the questions, each on a page of its own."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.label import column
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.prompts.fact_line import fact_lines
from familiar_app.ui.prompts.lore_view import LoreView
from familiar_app.ui.prompts.memory_view import MemoryView
from familiar_app.ui.prompts.model import PromptsModel
from familiar_app.ui.prompts.pages import Pages
from familiar_app.ui.prompts.question_view import QuestionView
from familiar_app.ui.prompts.reason_view import ReasonView
from familiar_app.ui.prompts.source import Source
from familiar_app.ui.prompts.trial_view import TrialView


class Side(QWidget):
    """Holds the pages and follows the model. What takes time is started by whoever shows them."""

    def __init__(
        self, theme: Theme, model: PromptsModel, go: Callable[[Source], object], can_go: Callable[[Source], bool]
    ) -> None:
        super().__init__()
        self._model = model
        self.reason = ReasonView(theme, go, can_go)
        self.memory = MemoryView(theme, lambda: model.trial)
        self.lore = LoreView(theme, lambda: model.trial)
        self.trial = TrialView(theme)
        self.questions = QuestionView(theme)
        self.pages = Pages(theme, tr("About this prompt"))
        for name, title, page in (
            ("reason", tr("Why"), self.reason),
            ("memory", tr("Memory"), self.memory),
            ("lore", tr("Lorebook"), self.lore),
            ("trial", tr("What if"), self.trial),
            ("questions", tr("Ask"), self.questions),
        ):
            self.pages.add(name, title, page)
        self.memory.weight_moved.connect(model.set_weight)
        self.memory.reset_wanted.connect(model.reset_weights)
        self.memory.item_toggled.connect(lambda one: model.toggle_item(one.key))
        self.lore.item_toggled.connect(lambda one: model.toggle_item(one.key))
        self.memory.opened.connect(lambda one: go(Source(one.kind, one.id, one.name)))
        self.lore.opened.connect(lambda one: go(Source(*one.key, one.entry)))
        self.trial.switched.connect(model.switch_layer)
        self.trial.moved.connect(model.move_layer)
        self.trial.item_back.connect(model.toggle_item)
        self.trial.reset_wanted.connect(model.reset_trial)
        layout = column(spacing=0)
        layout.addWidget(self.pages)
        self.setLayout(layout)

    def turn(self, page: str) -> None:
        """Show a page and put the focus where one works on it."""
        self.pages.turn(page)
        places = {
            "reason": self.reason,
            "memory": self.memory.table,
            "lore": self.lore.table,
            "trial": self.trial.layers,
            "questions": self.questions.why_not.search,
        }
        places[page].setFocus()

    def heard(self, what: str) -> None:
        """Follow a change of the model."""
        model = self._model
        if what == "opened" and model.trace is not None:
            place = model.list.title(model.trace.channel)
            self.reason.show_facts(fact_lines(model.trace, place, model.zone))
            self.lore.show_report(model.lore)
        if what in ("opened", "layer", "line"):
            self.reason.show_layer(model.chosen_row)
            self.reason.show_sources(model.sources())
        if what in ("opened", "weights"):
            self.memory.show_weighing(model.weighing)
        if what in ("opened", "trial", "weights"):
            self.trial.show_trial(model.trial, model.trial_title, possible=model.can_ask)
        if what == "trial":
            self.memory.refresh()
            self.lore.refresh()
        if what in ("opened", "why_not"):
            self.questions.why_not.show_question(model.why_not, model.zone, possible=model.can_ask)
        if what == "list":
            self.questions.audience.show_channels(model.channels)
        if what == "audience":
            self.questions.audience.show_question(model.audience)
