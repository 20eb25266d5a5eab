"""The inbox as a panel of the main window: one view per familiar, and a badge for what waits or is new."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.inbox.model import InboxModel
from familiar_app.ui.inbox.side import DEEDS
from familiar_app.ui.inbox.view import KEY_OF, InboxView
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.familiar_views import FamiliarViews
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.kit.zone import system_zone

if TYPE_CHECKING:
    from familiar_app.domain.errors import FamiliarError
    from familiar_app.services import Services

log = logging.getLogger(__name__)

COUNT_EVERY_MS = 20_000
COUNT_AFTER_MS = 500


def create_inbox_panel(services: Services, context: PanelContext) -> InboxPanel:
    """Make the inbox of an open vault; a PanelFactory."""
    return InboxPanel(services, context)


class InboxPanel:
    """Implements `kit.panel.Panel`. It has one place only."""

    id = "inbox"
    title = tr_later("Inbox")
    icon = "archive"

    def __init__(self, services: Services, context: PanelContext) -> None:
        self._services, self._context = services, context
        self._models: dict[FamiliarId, InboxModel] = {}
        self.widget = FamiliarViews(services, context, self._make_view, begin=lambda _view: None)
        self._tasks = Tasks(context.tasks, self.widget, self._failed)
        self._timer = QTimer(self.widget)
        self._timer.setInterval(COUNT_EVERY_MS)
        self._timer.timeout.connect(self.count)
        self._timer.start()
        self._soon = QTimer(self.widget)
        self._soon.setSingleShot(True)
        self._soon.setInterval(COUNT_AFTER_MS)
        self._soon.timeout.connect(self.count)
        self._stop = services.vault.facts.feed.listen(lambda _facts: self._soon.start())
        context.familiar_changed.connect(lambda _familiar: self.count())
        context.familiar_reloaded.connect(self._reloaded)
        self.count()

    @property
    def view(self) -> InboxView:
        """The view of the familiar that is shown; made when it is first asked for, since it takes a few frames."""
        if self.widget.current is None or self.widget.current.model.familiar != self._context.familiar:
            self.widget.show_familiar(self._context.familiar)
        return self.widget.current

    def count(self) -> None:
        """Read how many wait, for the badge."""
        if self._context.familiar in self._services.familiars:
            self._tasks.start(self._model(self._context.familiar).count, name="inbox.count")

    def _model(self, familiar: FamiliarId) -> InboxModel:
        if familiar not in self._models:
            services, hosted = self._services, self._services.familiars[familiar]
            vault, zone = services.vault, hosted.config.display.zone() or system_zone()
            made = InboxModel(familiar, hosted.name, vault.retirements, vault.facts, services.clock, zone)
            made.watch(lambda what: self._heard(made, what))
            self._models[familiar] = made
        return self._models[familiar]

    def _heard(self, model: InboxModel, what: str) -> None:
        if what == "counts" and model.familiar == self._context.familiar:
            self._context.badge(self.id, model.badge)

    def _failed(self, error: FamiliarError, _again: object) -> None:
        log.warning("the inbox could not be counted", exc_info=error)

    def _make_view(self, familiar: FamiliarId) -> InboxView:
        at_once = self._services.familiars[familiar].config.memory.fact_supersede.retire_at_once
        return InboxView(self._model(familiar), self._services.vault.facts, self._context, at_once=at_once)

    def _reloaded(self, familiar: str) -> None:
        known = FamiliarId(familiar)
        model, view, hosted = self._models.get(known), self.widget.of(familiar), self._services.familiars.get(known)
        if model is not None and hosted is not None:
            model.zone, model.name = hosted.config.display.zone() or system_zone(), hosted.name
            if view is not None:
                view.set_at_once(hosted.config.memory.fact_supersede.retire_at_once)

    def actions(self) -> Sequence[Action]:
        return tuple(
            Action(f"inbox.{word}", tr("{deed}: the chosen proposals", deed=tr(title)),
                   lambda word=word: self.view.do(word), icon="archive", group=tr("Inbox"),
                   words=tr("retirement fact replace"))
            for word, title in DEEDS
        )  # fmt: skip

    def keys(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return the keys that only the table knows."""
        deeds = tuple((tr(title), KEY_OF[word]) for word, title in DEEDS)
        return {tr("In the inbox"): (*deeds, (tr("Details"), "Return"), (tr("Choose all"), "Ctrl+A"))}

    def palette_entries(self) -> Sequence[Action]:
        setting = partial(self._context.go_to, "settings", "memory.fact_supersede.retire_at_once")
        title = tr("Replace facts at once, or wait for me")
        return (Action("inbox.setting", title, setting, icon="settings", group=tr("Inbox")),)

    def activate(self) -> None:
        self.view.load(looking=True)
        self.view.table.setFocus()

    def find(self) -> None:
        self.view.search.setFocus()
        self.view.search.selectAll()

    def show_place(self, key: str) -> None:
        """The inbox has one place only."""

    async def close(self) -> None:
        self._timer.stop()
        self._soon.stop()
        self._stop()
        await self._tasks.cancel()
        for view in self.widget:
            view.stop()
            await view.tasks.cancel()
