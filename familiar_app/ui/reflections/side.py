"""What the Reflections panel shows in the side view: a cited message in its surroundings, or a cited fact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import tzinfo

from familiar_app.domain.ids import TurnId
from familiar_app.domain.text import tr
from familiar_app.domain.turn import Turn
from familiar_app.ui.kit.fact_detail import Chip, Detail
from familiar_app.ui.kit.side_page import SidePage
from familiar_app.ui.reflections.word import gist, minute, speaker

Go = Callable[[str, str], object]


class TurnPage(SidePage):
    """A message among its neighbours; the cited one stands out, and leads to the chat."""

    def __init__(self, turns: Sequence[Turn], cited: TurnId, go: Go, *, zone: tzinfo, name: str) -> None:
        super().__init__(tr("Cited message"))
        self.text(tr("What was said around it, the cited message between the lines."), "faint")
        for turn in turns:
            said = f"{speaker(turn, name)} · {minute(turn.at, zone)}"
            if turn.id != cited:
                self.text(said, "faint")
                self.text(gist(turn), "quiet")
                continue
            self.part(said)
            self.text(gist(turn), selectable=True)
            place = f"{turn.channel}:{turn.id}"
            self.buttons([(tr("Go to it in the chat"), lambda place=place: go("chat", place))])
            self.rule()
        self.end()


class CitedFactPage(SidePage):
    """A fact with its dates on both clocks, where it is from and what came before and after it."""

    def __init__(self, detail: Detail, go: Go, offers: Callable[[str], bool]) -> None:
        super().__init__(tr("Cited fact"))
        self._go, self._offers = go, offers
        self.text(detail.fact.text, selectable=True)
        if detail.about:
            self.text(tr("About {name}", name=", ".join(detail.about)), "quiet")
        self.part(tr("When"))
        self.text(tr("True in the world: {when}", when=detail.world))
        for one in detail.beliefs:
            self.text(one, "quiet")
        self._chips(tr("Where from"), detail.sources)
        self._chips(tr("Took the place of"), detail.replaced)
        self._chips(tr("Followed by"), detail.successors)
        if detail.reason:
            self.text(tr("Because: {reason}", reason=detail.reason), "quiet")
        if offers("timeline"):
            self.rule()
            self.buttons([(tr("On the timeline"), lambda: go("timeline", str(detail.fact.id)))])
        self.end()

    def _chips(self, title: str, chips: Sequence[Chip]) -> None:
        if not chips:
            return
        self.part(title)
        for one in chips:
            if self._offers(one.panel):
                self.chip(one.text, lambda one=one: self._go(one.panel, one.key), note=one.note)
            else:
                self.text(one.text, "quiet")
