"""The Timeline as a panel of the main window: one view per familiar, made when it is first shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from familiar_app.domain.clock import parse_time
from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import FamiliarId, PersonKey
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
    "In the timeline": (
        ("Next change, change before", "→ ←"),
        ("Ten changes on, back", "Shift+→ Shift+←"),
        ("Play, stop", "Space"),
        ("First change, last change", "Home End"),
        ("Less time, more time, all of it", "+ − 0"),
        ("Link both instants", "L"),
        ("Lane up, down; open or close it", "↑ ↓ Return"),
        ("On the axis: which instant the arrows move", "↑ ↓"),
        ("In the square: earlier, later belief", "↓ ↑"),
    ),
    "In the list of beliefs": (("Change", "F2"), ("Retire", "Del"), ("Copy", "Ctrl+C")),
}


def create_timeline_panel(services: Services, context: PanelContext) -> TimelinePanel:
    """Make the Timeline panel for an open vault."""
    return TimelinePanel(services, context)


class TimelinePanel:
    """Implements `kit.panel.Panel`. A place is the id of a fact, or a person."""

    id = "timeline"
    title = "Timeline"
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
                group="Timeline",
                words=words,
            )

        return (
            deed("add", "Add a fact…", "Ctrl+N", "plus", "new belief"),
            deed("edit", "Change the chosen fact…", icon="edit"),
            deed("redate", "Change dates of the chosen facts…", icon="calendar"),
            deed(
                "about", "Say that the chosen facts are about somebody else…", words="split subject person wrong move"
            ),
            deed("merge", "Merge the chosen facts…"),
            deed("retire", "Retire the chosen facts", icon="trash", words="delete forget"),
            deed("restore", "Restore the chosen facts", icon="undo"),
            deed("undo", "Undo in the timeline", icon="undo"),
            deed("redo", "Redo in the timeline", icon="redo"),
            deed("square", "Square view: true across, believed up", "Ctrl+T", "square", "both clocks"),
            deed("axis", "Bars along the other clock", words="world belief time axis"),
            deed("now", "Look at the present", words="today"),
            deed("ever", "Look at all that was ever believed about this time", words="audit"),
            deed("mark_a", "Set A at this moment", words="compare"),
            deed("mark_b", "Set B at this moment", words="compare"),
            deed("compare", "Compare A and B", words="difference"),
            deed("read", "Read the picture in words", icon="file", words="screen reader accessible"),
        )

    def keys(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return the keys that only parts of this panel know."""
        return KEYS

    def palette_entries(self) -> Sequence[Action]:
        """Offer the people that facts are about, those with most facts first."""
        lanes = None if self.widget.current is None else self.view.model.lanes
        pairs = () if lanes is None else list(zip(lanes.people, lanes.labels, strict=True))[:MOST_OFFERED]
        return tuple(
            Action(
                f"timeline.person.{key}",
                f"Facts about {name}",
                lambda key=key: self._context.go_to(self.id, f"{PERSON}{key}"),
                icon="timeline",
                group="Timeline",
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
