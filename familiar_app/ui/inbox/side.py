"""One retirement beside the table: both facts, why, when by both clocks, where from, what follows, what can be done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from familiar_app.domain.fact import Fact, FactId
from familiar_app.domain.projection import RetirementState
from familiar_app.store.retirement_inbox import RetirementCase
from familiar_app.ui.inbox.model import Deed, InboxModel, can
from familiar_app.ui.inbox.word import (
    Source,
    belief_texts,
    consequences,
    decision_text,
    names,
    state_text,
    world_text,
)
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.chip import ChipButton
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.label import column, label, line, surface
from familiar_app.ui.kit.panel import PanelContext

DEEDS: tuple[tuple[Deed, str], ...] = (
    ("accept", "Accept"),
    ("refuse", "Keep the older"),
    ("undo", "Undo"),
    ("never", "Never for these two"),
)


class CasePage(QScrollArea):
    """A column in the order of every side view."""

    def __init__(
        self,
        model: InboxModel,
        case: RetirementCase,
        sources: Mapping[FactId, Sequence[Source]],
        context: PanelContext,
        do: Callable[[Deed], object],
    ) -> None:
        super().__init__()
        self._model, self._context, self._sources = model, context, sources
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Details of the proposal")
        inside = surface(QWidget(), 2)
        self._column: QVBoxLayout = column(margins=16, spacing=8)
        inside.setLayout(self._column)
        self.setWidget(inside)
        self._fill(case, do)

    def _fill(self, case: RetirementCase, do: Callable[[Deed], object]) -> None:
        one, add = case.retirement, self._column.addWidget
        about = names(case, self._model.familiar, self._model.name)
        add(label(state_text(case, new=False), "strong", wrap=True))
        if about:
            add(label("About " + ", ".join(about), "quiet", wrap=True))
        add(label("Why", "strong"))
        add(label(one.reason or "No reason was given.", wrap=True, selectable=True))
        add(label(decision_text(one, self._model.zone), "faint", wrap=True))
        self._actions(case, do)
        add(line())
        believed = one.state is RetirementState.ACTED
        self._fact("Believed before" if believed else "The older fact", one.prior)
        add(line())
        self._fact("Believed now in its place" if believed else "The newer fact", one.successor)
        add(line())
        add(label("What follows", "strong"))
        for text in consequences(case, about):
            add(label(text, wrap=True))
        self._column.addStretch(1)

    def _actions(self, case: RetirementCase, do: Callable[[Deed], object]) -> None:
        holder = QWidget()
        flow = FlowLayout(holder, spacing=8)
        for word, title in DEEDS:
            if can(word, case):
                role = "primary" if word == "accept" else "plain"
                flow.addWidget(button(title, lambda word=word: do(word), role=role))
        self._column.addWidget(holder)

    def _fact(self, title: str, fact: Fact) -> None:
        add, zone = self._column.addWidget, self._model.zone
        add(label(title, "strong"))
        add(label(fact.text, wrap=True, selectable=True))
        for text in (world_text(fact, zone), *belief_texts(fact, zone)):
            add(label(text, "quiet", wrap=True))
        for source in self._sources.get(fact.id, ()):
            add(label(source.when, "faint"))
            add(ChipButton(source.text, lambda key=source.key: self._context.go_to("chat", key)))
        if not self._sources.get(fact.id):
            add(label("It rests on nothing that was said.", "faint", wrap=True))
        if self._context.has_panel("timeline"):
            show = button("Show in the timeline", lambda: self._context.go_to("timeline", str(fact.id)), role="link")
            show.setAccessibleName(f"Show in the timeline: {title}")
            add(show, 0, Qt.AlignmentFlag.AlignLeft)
