"""Parts that are built while the window is open stay inside: one shown too early is a window, and takes the focus."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from familiar_app.ui.kit.empty_state import EmptyState
from familiar_app.ui.kit.field import LabelledField
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.kit.wait import WaitStack
from familiar_app.ui.shell.window import MainWindow
from familiar_app.ui.upkeep.card import IndexCard, ProjectorCard
from familiar_app.ui.upkeep.health import HealthCard
from familiar_app.ui.upkeep.word import Row
from tests.ui.conftest import OnLoop
from tests.ui.double import World
from tests.ui.test_window import with_window

ROW = Row("rich_note", "Facts", "Notes facts.", "Failed", "danger", "No answer.", (), False, 3, True)
BUILT: dict[str, Callable[[Theme], QWidget]] = {
    "notice": Notice,
    "notice that stays": lambda theme: Notice(theme, closable=False),
    "field": lambda _theme: LabelledField("Name", QLineEdit(), hint="As it is called."),
    "field without hint": lambda _theme: LabelledField("Name", QLineEdit()),
    "empty": lambda theme: EmptyState(theme, "archive", "Nothing", "Yet.", step="Fill", run=lambda: None),
    "wait": lambda theme: WaitStack(theme, QWidget()),
    "projector": lambda _theme: ProjectorCard(ROW, lambda _word, _name: None),
    "index": lambda _theme: IndexCard(lambda: None),
    "health": lambda theme: HealthCard(theme, lambda _name: None),
}


class Windows(QObject):
    """Notes every window that is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.shown.append(type(watched).__name__)
        return False


@pytest.mark.parametrize("name", BUILT)
def test_building_a_part_opens_no_window(name: str, theme: Theme, qapp: QApplication) -> None:
    windows = Windows()
    qapp.installEventFilter(windows)
    try:
        made = BUILT[name](theme)
        assert windows.shown == []
    finally:
        qapp.removeEventFilter(windows)
    made.deleteLater()
    QApplication.sendPostedEvents(made, QEvent.Type.DeferredDelete)


def test_building_every_panel_opens_no_window(world: World, on_loop: OnLoop, qapp: QApplication) -> None:
    windows = Windows()

    async def test(window: MainWindow) -> None:
        assert "settings" in window.frame._panels
        assert windows.shown == ["MainWindow"]

    qapp.installEventFilter(windows)
    try:
        on_loop(with_window(world, test))
    finally:
        qapp.removeEventFilter(windows)
