"""The Timeline as a panel of the main window: one view per familiar, made when it is first shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from familiar_app.domain.clock import parse_time
from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import FamiliarId, PersonKey
from familiar_app.domain.text import tr, tr_later
from familiar_app.store.moment import to_micros
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.familiar_views import FamiliarViews
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.zone import system_zone
from familiar_app.ui.timeline.model import TimelineModel
from familiar_app.ui.timeline.span_index import Moment
from familiar_app.ui.timeline.view import TimelineView

if TYPE_CHECKING:
    from familiar_app.services import Services

PERSON = "person:"
MOST_OFFERED = 300
KEYS: Mapping[str, Sequence[tuple[str, str]]] = {
    tr_later("In the timeline"): (
        (tr_later("Next change, change before"), "→ ←"),
        (tr_later("Ten changes on, back"), tr_later("Shift+→ Shift+←")),
        (tr_later("Play, stop"), tr_later("Space")),
        (tr_later("First change, last change"), tr_later("Home End")),
        (tr_later("Less time, more time, all of it"), "+ − 0"),
        (tr_later("Link both instants"), "L"),
        (tr_later("Lane up, down; open or close it"), tr_later("↑ ↓ Return")),
        (tr_later("On the axis: which instant the arrows move"), "↑ ↓"),
        (tr_later("In the square: earlier, later belief"), "↓ ↑"),
    ),
    tr_later("In the list of beliefs"): (
        (tr_later("Change"), "F2"),
        (tr_later("Retire"), tr_later("Del")),
        (tr_later("Copy"), tr_later("Ctrl+C")),
    ),
}


def create_timeline_panel(services: Services, context: PanelContext) -> TimelinePanel:
    """Make the Timeline panel for an open vault."""
    return TimelinePanel(services, context)


class TimelinePanel:
    """Implements `kit.panel.Panel`. A place is the id of a fact, or a person."""

    id = "timeline"
    title = tr_later("Timeline")
    icon = "timeline"

    def __init__(self, services: Services, context: PanelContext) -> None:
        self._services, self._context = services, context
        self.widget = FamiliarViews(services, context, self._make_view, begin=lambda _view: None)
        context.familiar_reloaded.connect(self._reloaded)
        context.familiar_changed.connect(lambda _familiar: context.actions_changed(self.id))

    @property
    def view(self) -> TimelineView:
        """The view of the familiar that is shown; made when it is first asked for, since it takes a few frames."""
        return self.widget.view

    def _make_view(self, familiar: FamiliarId) -> TimelineView:
        services, hosted = self._services, self._services.familiars[familiar]
        zone = hosted.config.display.zone() or system_zone()
        model = TimelineModel(lambda: to_micros(services.clock.now()), zone)
        weak = hosted.background.info.weak
        return TimelineView(model, services.vault, familiar, hosted.name, self._context, weak=weak)

    def _reloaded(self, familiar: str) -> None:
        """The zone or the model may be others now: build the view anew."""
        renewed = self.widget.renew(familiar, lambda old: old.stop_listening())
        if renewed and self._context.familiar == familiar and self.widget.isVisible():
            self.activate()

    def actions(self) -> Sequence[Action]:
        def deed(name: str, title: str, shortcut: str = "", icon: str = "", words: str = "") -> Action:
            return Action(
                f"timeline.{name}",
                title,
                lambda: self.view.do(name),
                shortcut=shortcut,
                icon=icon,
                group=tr("Timeline"),
                words=words,
            )

        return (
            deed("add", tr("Add a fact…"), "Ctrl+N", "plus", tr("new belief")),
            deed("edit", tr("Change the chosen fact…"), icon="edit"),
            deed("redate", tr("Change dates of the chosen facts…"), icon="calendar"),
            deed(
                "about",
                tr("Say that the chosen facts are about somebody else…"),
                words=tr("split subject person wrong move"),
            ),
            deed("merge", tr("Merge the chosen facts…")),
            deed("retire", tr("Retire the chosen facts"), icon="trash", words=tr("delete forget")),
            deed("restore", tr("Restore the chosen facts"), icon="undo"),
            deed("undo", tr("Undo in the timeline"), icon="undo"),
            deed("redo", tr("Redo in the timeline"), icon="redo"),
            deed("square", tr("Square view: true across, believed up"), "Ctrl+T", "square", tr("both clocks")),
            deed("axis", tr("Bars along the other clock"), words=tr("world belief time axis")),
            deed("now", tr("Look at the present"), words=tr("today")),
            deed("ever", tr("Look at all that was ever believed about this time"), words=tr("audit")),
            deed("mark_a", tr("Set A at this moment"), words=tr("compare")),
            deed("mark_b", tr("Set B at this moment"), words=tr("compare")),
            deed("compare", tr("Compare A and B"), words=tr("difference")),
            deed("read", tr("Read the picture in words"), icon="file", words=tr("screen reader accessible")),
        )

    def keys(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return the keys that only parts of this panel know."""
        return {tr(title): tuple((tr(what), tr(key)) for what, key in keys) for title, keys in KEYS.items()}

    def palette_entries(self) -> Sequence[Action]:
        """Offer the people that facts are about, those with most facts first."""
        lanes = None if self.widget.current is None else self.view.model.lanes
        pairs = () if lanes is None else list(zip(lanes.people, lanes.labels, strict=True))[:MOST_OFFERED]
        return tuple(
            Action(
                f"timeline.person.{key}",
                tr("Facts about {name}", name=name),
                lambda key=key: self._context.go_to(self.id, f"{PERSON}{key}"),
                icon="timeline",
                group=tr("Timeline"),
                words=str(key),
            )
            for key, name in pairs
            if key
        )

    def activate(self) -> None:
        view = self.view
        if not view.model.loaded:
            view.load()
        else:
            view.refresh()
        if view.pages.currentWidget() is view.across:
            (view.square if view.model.shape == "square" else view.canvas).setFocus()

    def find(self) -> None:
        self.view.search.setFocus()
        self.view.search.selectAll()

    def show_place(self, key: str) -> None:
        """Show a fact (`42`), one at a moment (`42@2024-05-01T12:00:00Z`), or the facts about `person:discord:1`."""
        fact, _, at = key.partition("@")
        if fact.isdigit():
            self.view.show_fact(FactId(int(fact)))
            if at:
                moment = to_micros(parse_time(at))
                self.view.model.go(Moment(moment, moment))
        elif key.startswith(PERSON):
            self.view.show_person(PersonKey(key.removeprefix(PERSON)))

    async def close(self) -> None:
        for view in self.widget:
            view.model.play(False)
            view.stop_listening()
            await view.tasks.cancel()
