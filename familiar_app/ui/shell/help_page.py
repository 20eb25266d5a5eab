"""The manual over a screen that has no panels: before the vault is open, and while a familiar is being made."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.text import tr
from familiar_app.store.resource import documents
from familiar_app.ui.help.manual import shipped_manual
from familiar_app.ui.help.model import HelpModel
from familiar_app.ui.help.view import HelpView
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.label import column, surface
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.parts import WindowParts
from familiar_app.ui.kit.status import StatusModel
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.shell.history import History
from familiar_app.ui.shell.side_view import SideView


class HelpPage(QWidget):
    """Begins at a spot of the manual. `closed` tells that the person goes back from there."""

    closed = Signal()

    def __init__(self, parts: WindowParts, key: str) -> None:
        super().__init__()
        surface(self, 1)
        self.setAccessibleName(tr("Help"))
        self._history = History()
        self._side = SideView(parts.theme)
        context = PanelContext(
            theme=parts.theme,
            tasks=parts.tasks,
            status=StatusModel(),
            side_view=self._side,
            familiar=FamiliarId(""),
        )
        context.visit, context.go_back = self._history.visit, self.go_back
        self.view = HelpView(HelpModel(shipped_manual), context, documents())
        context.tell = self.view.notice.tell
        layout = column(spacing=0)
        layout.addWidget(self.view)
        layout.addWidget(self._side)
        self.setLayout(layout)
        self._tasks = Tasks(parts.tasks, self, self.view.notice.show_error)
        self._tasks.start(self.view.model.load, name="help.read")
        self.view.open(key)

    def actions(self) -> list[Action]:
        """Return what can be done here by a key."""
        group = tr("Help")
        return [
            Action("help.back", tr("Back"), self.go_back, "Alt+Left", "chevron_left", group),
            Action("help.close", tr("Close the manual"), self.closed.emit, "Esc", "close", group),
            Action("help.find", tr("Search the manual"), self.view.begin_search, "Ctrl+F", "search", group),
        ]

    def go_back(self) -> None:
        """Go to the page before, or leave where there is none."""
        place = self._history.back()
        if place is None:
            self.closed.emit()
        else:
            self.view.model.show(place.key)
