"""The few keys on a page of the window that has no frame around it, and the manual shown over such a page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QStackedLayout, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.first_run.wizard import Wizard
from familiar_app.ui.kit.action import Action, ActionRegistry
from familiar_app.ui.kit.empty_state import EmptyState
from familiar_app.ui.kit.parts import WindowParts
from familiar_app.ui.shell.binding import KeyBinding
from familiar_app.ui.shell.help_page import HelpPage
from familiar_app.ui.unlock.screen import UnlockScreen


class PageKeys:
    """Binds text size, quitting and help to a page. `covered` tells whether the window is locked at the moment."""

    def __init__(self, parts: WindowParts, pages: QStackedLayout, *, covered: Callable[[], bool]) -> None:
        self._parts, self._pages, self._covered = parts, pages, covered

    def bind(self, page: QWidget) -> None:
        """Give a page its keys; the manual has further ones of its own in the place of F1."""
        registry = ActionRegistry()
        registry.offer("window", self._everywhere())
        if isinstance(page, HelpPage):
            registry.offer("help", page.actions())
        else:
            registry.offer("help", [Action("window.help", tr("Help"), self.show_help, "F1", enabled=self.can_help)])
        KeyBinding(registry, page)

    def can_help(self) -> bool:
        """Whether the manual can be shown over the page; a covered window shows nothing but the question."""
        return isinstance(self._pages.currentWidget(), UnlockScreen | Wizard | EmptyState) and not self._covered()

    def show_help(self) -> None:
        """Show the manual over a page that is no frame, at what it is about."""
        behind = self._pages.currentWidget()
        if behind is None or not self.can_help():
            return
        about = "manual/first-steps" if isinstance(behind, Wizard) else "manual/troubleshooting"
        page = HelpPage(self._parts, about)
        page.closed.connect(partial(self._leave_help, page, behind))
        self._pages.addWidget(page)
        self.bind(page)
        self._pages.setCurrentWidget(page)
        page.view.show_current()

    def _leave_help(self, page: HelpPage, behind: QWidget) -> None:
        self._pages.setCurrentWidget(behind)
        self._pages.removeWidget(page)
        page.deleteLater()
        behind.setFocus()

    def _everywhere(self) -> list[Action]:
        theme = self._parts.theme
        return [
            Action("window.larger", tr("Larger text"), lambda: theme.step_zoom(1), "Ctrl++"),
            Action("window.smaller", tr("Smaller text"), lambda: theme.step_zoom(-1), "Ctrl+-"),
            Action("window.ordinary", tr("Ordinary text size"), lambda: theme.step_zoom(0), "Ctrl+0"),
            Action("window.quit", tr("Quit"), self._parts.request_quit, "Ctrl+Q"),
        ]
