"""What tests of the lorebook panel share: a panel over a real profile folder, and a loop to play stories on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget

from familiar_app.bootstrap.loop import run
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.lorebook.entry import EntryKey
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.turn import Role
from familiar_app.store.profile import Profile
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.status import StatusModel
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.lorebook.panel import LorebookPanel, create_lorebook_panel
from familiar_app.ui.shell.side_view import SideView
from tests.doubles.waiting import until
from tests.ui.double import MemoryTable
from tests.ui.scene_window import put_away
from tests.unit.ui.lorebook.stage import TEXT, CountingModel

MIRA = FamiliarId("mira")


START = datetime(2024, 5, 1, 12, tzinfo=UTC)


class DoubleTurns:
    """The turns of one channel."""

    def __init__(self) -> None:
        self.said = ["Is the lighthouse still dark?", "It is. Only the keeper goes up there."]

    async def page(self, channel: int, *, limit: int) -> list[SimpleNamespace]:
        roles = (Role.USER, Role.ASSISTANT)
        author = SimpleNamespace(name="Jo")
        turns = [
            SimpleNamespace(role=roles[n % 2], content=text, author=None if n % 2 else author, at=START)
            for n, text in enumerate(self.said if channel == 1 else ["The bell rang."])
        ]
        return turns[-limit:]


class DoubleChannels:
    """Two channels of every familiar."""

    async def list(self, _familiar: str) -> list[SimpleNamespace]:
        return [
            SimpleNamespace(channel=SimpleNamespace(id=number, key=f"local:{name}", title=name.title()))
            for number, name in enumerate(("main", "kitchen"), 1)
        ]


class DoubleUses:
    """How often the entries stood in a prompt."""

    def __init__(self) -> None:
        self.found: dict[EntryKey, SimpleNamespace] = {}
        self.renamed: list[tuple[str, str]] = []

    async def of_familiar(self, _familiar: str) -> dict[EntryKey, SimpleNamespace]:
        return dict(self.found)

    async def rename_book(self, _familiar: str, old: str, new: str) -> None:
        self.renamed.append((old, new))


class Scene:
    """A lorebook panel over a real profile folder."""

    def __init__(self, folder: Path, theme: Theme, text: str | None = TEXT) -> None:
        self.profile = Profile(folder)
        self.profile.add_familiar(MIRA, CharacterCard(name="Mira"), {}, "00000000-0000-4000-8000-000000000000")
        self.path = self.profile.lorebook(MIRA)
        if text is not None:
            self.path.write_text(text, encoding="utf-8")
        self.errors: list[BaseException] = []
        self.tasks = TaskRegistry(lambda _name, error: self.errors.append(error))
        hosted = SimpleNamespace(prose=CountingModel(), config=self.profile.config(MIRA))
        self.state = MemoryTable()
        self.state.values["chat.last_channel.mira"] = 1
        self.turns = DoubleTurns()
        self.uses = DoubleUses()
        services = SimpleNamespace(
            profile=self.profile,
            familiars={MIRA: hosted},
            tasks=self.tasks,
            vault=SimpleNamespace(state=self.state, turns=self.turns, lore_uses=self.uses, channels=DoubleChannels()),
        )
        self.side = SideView(theme)
        self.undos: list[tuple[str, Callable[[], object]]] = []
        self.told: list[str] = []
        self.context = PanelContext(
            theme=theme, tasks=self.tasks, status=StatusModel(), side_view=self.side, familiar=MIRA
        )
        self.context.offer_undo = lambda text, undo: self.undos.append((text, undo))
        self.context.tell = self.told.append
        self.panel: LorebookPanel = create_lorebook_panel(services, self.context)
        self.window = QWidget()
        layout = QHBoxLayout(self.window)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.panel.widget, 1)
        layout.addWidget(self.side)
        self.window.resize(1280, 800)
        self.window.show()

    @property
    def view(self):
        return self.panel.view

    @property
    def model(self):
        return self.panel.view.model

    async def until(self, ready: Callable[[], object]) -> None:
        await until(ready)

    async def ready(self) -> None:
        await self.until(lambda: self.model.loaded)
        self.window.activateWindow()
        await asyncio.sleep(0.05)

    async def test(self, text: str) -> None:
        """Type into the tester and wait for the answer to it."""
        before = self.view.tester.trial
        self.view.view.text.setPlainText(text)
        await self.until(lambda: self.view.tester.trial is not before)

    async def close(self) -> None:
        await self.panel.close()
        await self.tasks.cancel()
        put_away(self.window)
        assert self.errors == []


@pytest.fixture(name="live")
def live_panel(tmp_path: Path, theme: Theme) -> Callable[[Callable[[Scene], Awaitable[None]]], None]:
    def play(story: Callable[[Scene], Awaitable[None]], text: str | None = TEXT) -> None:
        async def main() -> None:
            scene = Scene(tmp_path / "profile", theme, text)
            try:
                await scene.ready()
                await story(scene)
            finally:
                await scene.close()

        run(main(), app=QApplication.instance())

    return play


def shown(scene: Scene, column: int) -> list[str]:
    rows = scene.view.table.rows
    return [rows.data(rows.index(row, column)) for row in range(rows.rowCount())]


def press(widget: QWidget, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    widget.setFocus()
    QTest.keyClick(widget, key, modifiers)


NAME, KEYS, TEST = 2, 3, 9
CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
