"""One retirement beside the table: both facts, why, when by both clocks, where from, what follows, what can be done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import Qt

from familiar_app.domain.clock import format_time
from familiar_app.domain.fact import Fact, FactId
from familiar_app.domain.projection import RetirementState
from familiar_app.domain.text import tr, tr_later
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
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.side_page import SidePage

DEEDS: tuple[tuple[Deed, str], ...] = (
    ("accept", tr_later("Accept")),
    ("refuse", tr_later("Keep the older")),
    ("undo", tr_later("Undo")),
    ("never", tr_later("Never for these two")),
)


class CasePage(SidePage):
    """A column in the order of every side view."""

    def __init__(
        self,
        model: InboxModel,
        case: RetirementCase,
        sources: Mapping[FactId, Sequence[Source]],
        context: PanelContext,
        do: Callable[[Deed], object],
    ) -> None:
        super().__init__(tr("Details of the proposal"))
        self._model, self._context, self._sources = model, context, sources
        one, about = case.retirement, names(case, model.familiar, model.name)
        believed = one.state is RetirementState.ACTED
        self.text(state_text(case, new=False), "strong")
        if about:
            self.text(tr("About {name}", name=", ".join(about)), "quiet")
        self.text(tr("Why"), "strong")
        self.text(one.reason or tr("No reason was given."), selectable=True)
        self.text(decision_text(one, model.zone), "faint")
        self.buttons((tr(title), partial(do, word)) for word, title in DEEDS if can(word, case))
        # At that moment the one was believed for the last time.
        moment = f"{one.prior.id}@{format_time(one.decided_at or one.proposed_at)}"
        older = tr("Believed before") if believed else tr("The older fact")
        newer = tr("Believed now in its place") if believed else tr("The newer fact")
        self._fact(older, one.prior, moment)
        self._fact(newer, one.successor, str(one.successor.id))
        self.part(tr("What follows"))
        for text in consequences(case, about):
            self.text(text)
        self.end()

    def _fact(self, title: str, fact: Fact, place: str) -> None:
        self.part(title)
        self.text(fact.text, selectable=True)
        for text in (world_text(fact, self._model.zone), *belief_texts(fact, self._model.zone)):
            self.text(text, "quiet")
        sources = self._sources.get(fact.id, ())
        for source in sources:
            self.chip(source.text, partial(self._context.go_to, "chat", source.key), note=source.when)
        if not sources:
            self.text(tr("It rests on nothing that was said."), "faint")
        if self._context.has_panel("timeline"):
            words = tr("Show in the timeline")
            show = button(words, partial(self._context.go_to, "timeline", place), role="link")
            show.setAccessibleName(f"{words}: {title}")
            self.column.addWidget(show, 0, Qt.AlignmentFlag.AlignLeft)
