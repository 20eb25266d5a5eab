"""The help as a panel that the rail does not list: F1 opens it at the page of the panel one comes from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from familiar_app.domain.text import tr, tr_later
from familiar_app.store.resource import documents
from familiar_app.ui.help.manual import shipped_manual
from familiar_app.ui.help.model import HelpModel
from familiar_app.ui.help.view import HelpView
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.task import Tasks

if TYPE_CHECKING:
    from familiar_app.services import Services


def create_help_panel(_services: Services, context: PanelContext) -> HelpPanel:
    """Make the help for an open vault; it shows our own files alone."""
    return HelpPanel(context)


class HelpPanel:
    """Implements `kit.panel.Panel` and `OffRail`. The files are read in the background, as soon as it is made."""

    id = "help"
    title = tr_later("Help")
    icon = "question"
    off_rail = True

    def __init__(self, context: PanelContext) -> None:
        self._context = context
        model = HelpModel(shipped_manual)
        self.view = HelpView(model, context, documents())
        self.widget = self.view
        self._tasks = Tasks(context.tasks, self.view, self.view.notice.show_error)
        self._tasks.start(model.load, name="help.read")

    def actions(self) -> Sequence[Action]:
        return ()

    def palette_entries(self) -> Sequence[Action]:
        """One entry for each page, found by its headings too."""
        return [
            Action(
                f"help.{page.id}",
                tr("Help: {page}", page=page.title),
                partial(self._context.go_to, self.id, page.id),
                icon=self.icon,
                group=tr(self.title),
                words=" ".join((tr("manual"), *(section.heading for section in page.sections))),
                minor=True,
            )
            for page in self.view.model.manual.contents
        ]

    def activate(self) -> None:
        self.view.show_current()

    def find(self) -> None:
        self.view.begin_search()

    def show_place(self, key: str) -> None:
        self.view.model.show(key)

    async def close(self) -> None:
        await self._tasks.cancel()
