"""The upkeep of memory as a panel without a place in the rail: the status bar and the palette lead to it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.familiar_views import FamiliarViews
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.kit.zone import system_zone
from familiar_app.ui.upkeep.model import ALL, UpkeepModel
from familiar_app.ui.upkeep.view import UpkeepView

if TYPE_CHECKING:
    from familiar_app.domain.errors import FamiliarError
    from familiar_app.services import Services

LOOK_EVERY_MS = 10_000


def create_upkeep_panel(services: Services, context: PanelContext) -> UpkeepPanel:
    """Make the panel for an open vault; a PanelFactory."""
    return UpkeepPanel(services, context)


class UpkeepPanel:
    """Implements `kit.panel.Panel`. It keeps the word about memory in the status bar, whether it is shown or not."""

    id = "upkeep"
    title = tr_later("Memory upkeep")
    icon = "memories"
    off_rail = True

    def __init__(self, services: Services, context: PanelContext) -> None:
        self._services, self._context = services, context
        self._models: dict[FamiliarId, UpkeepModel] = {}
        self.widget = FamiliarViews(services, context, self._make_view, begin=lambda view: view.load())
        self._tasks = Tasks(context.tasks, self.widget, self._failed)
        context.familiar_changed.connect(lambda _familiar: self.look())
        context.familiar_reloaded.connect(self._reloaded)
        self._timer = QTimer(self.widget)
        self._timer.setInterval(LOOK_EVERY_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()
        self.look()

    @property
    def view(self) -> UpkeepView:
        """The view of the familiar that is shown; made when it is first asked for."""
        if self.widget.current is None or self.widget.current.model is not self._model(self._context.familiar):
            self.widget.show_familiar(self._context.familiar)
        return self.widget.current

    def look(self) -> None:
        """See how memory stands, for the status bar."""
        if self._context.familiar in self._services.familiars:
            self._tasks.start(self._model(self._context.familiar).look, name="upkeep.pulse", replace=True)

    def actions(self) -> Sequence[Action]:
        again = tr("Read how memory stands again")
        return (Action("upkeep.refresh", again, self.activate, "F5", "refresh", tr("Memory")),)

    def palette_entries(self) -> Sequence[Action]:
        def deed(name: str, title: str, run, icon: str, words: str) -> Action:
            return Action(f"upkeep.{name}", title, run, icon=icon, group=tr("Memory"), words=words)

        return (
            deed("show", tr("Memory upkeep"), partial(self._context.go_to, self.id, ""), self.icon,
                 tr("projectors lag health index status")),
            deed("run", tr("Bring memory up to date now"), partial(self._go_and, "run"), "play",
                 tr("run project draw")),
            deed("rebuild", tr("Rebuild memory from kept answers"), partial(self._go_and, "rebuild"), "refresh",
                 tr("replay ledger")),
        )  # fmt: skip

    def activate(self) -> None:
        view = self.view
        view.load()
        (view.cancel if view.model.busy else view.run_all).setFocus()

    def find(self) -> None:
        """Nothing to search here."""

    def show_place(self, key: str) -> None:
        """Show a projector by its name."""
        card = self.view.cards.get(key)
        if card is not None:
            self.view.scroll.ensureWidgetVisible(card)

    async def close(self) -> None:
        self._timer.stop()
        for view in self.widget:
            view.stop()
            await view.tasks.cancel()
        await self._tasks.cancel()

    def _go_and(self, word: str) -> None:
        self._context.go_to(self.id, "")
        self.view.do(word, ALL)

    def _model(self, familiar: FamiliarId) -> UpkeepModel:
        if familiar not in self._models:
            hosted = self._services.familiars[familiar]
            zone = hosted.config.display.zone() or system_zone()
            made = self._models[familiar] = UpkeepModel(hosted, self._services.vault, zone)
            made.watch(lambda _what, familiar=familiar: self._tell(familiar))
        return self._models[familiar]

    def _make_view(self, familiar: FamiliarId) -> UpkeepView:
        return UpkeepView(self._model(familiar), self._services.vault.facts, self._context)

    def _reloaded(self, familiar: str) -> None:
        """Its projectors are new: what ran by hand with the old ones ends, and the view is built anew."""
        known = FamiliarId(familiar)
        self._models.pop(known, None)
        old = self.widget.drop(familiar)
        if old is not None:
            old.stop()
            old.tasks.cancel_soon()
            old.deleteLater()
        if self._context.familiar == known and old is not None:
            self.widget.show_familiar(familiar)
        self.look()

    def _tell(self, familiar: FamiliarId) -> None:
        model = self._models.get(familiar)
        if familiar == self._context.familiar and model is not None and model.loaded:
            pulse = model.pulse
            self._context.status.update(memory=pulse.text, memory_tip=pulse.tip, memory_tone=pulse.tone)

    def _failed(self, error: FamiliarError, _again: object) -> None:
        self._context.status.update(memory=tr("memory: unknown"), memory_tip=str(error), memory_tone="danger")
