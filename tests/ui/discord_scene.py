"""The Discord panel beside a side view, over a real vault and the real client library on the make-believe Discord."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QCheckBox, QHBoxLayout, QLabel, QPushButton, QWidget

from familiar_app.context.assembler import Assembler
from familiar_app.conversation.exchange import Conversation
from familiar_app.discord_link.client import Addresses
from familiar_app.discord_link.company import Company
from familiar_app.discord_link.hub import Hub
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.clock import SystemClock
from familiar_app.store.profile import Profile
from familiar_app.ui.discord.panel import create_discord_panel
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.status import StatusModel
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.shell.side_view import SideView
from tests.doubles.discord.world import PUBLIC_THREAD
from tests.doubles.talk import MIRA
from tests.e2e.discord.stage import QUICK, Stage, stage

PATIENCE_S = 60.0


class Gate:
    """Reads a familiar's files again, as the real one does."""

    def __init__(self, scene: DiscordScene) -> None:
        self._scene = scene
        self.profile = scene.profile
        self.local_only: list[bool] = []

    async def reload_familiar(self, _familiar: str) -> Any:
        self._scene.host()
        self._scene.hub.renew(MIRA)

    async def set_local_only(self, on: bool) -> None:
        self.local_only.append(on)
        self._scene.on.network.local_only = on
        await self._scene.hub.try_failed()


@dataclass(eq=False)
class DiscordScene:
    """A window with the panel; what the panel asks of the shell is remembered."""

    on: Stage
    theme: Theme
    folder: Path

    def __post_init__(self) -> None:
        self.profile = Profile(self.folder / "profile")
        self.profile.add_familiar(MIRA, CharacterCard(name="Mira"), {}, "0b5c2d4e-1f7a-4c3b-9d8e-6a5f4e3d2c1b")
        self.hosted = SimpleNamespace(name="Mira")
        self.host()
        self.hub = Hub(self.on.vault, self.on.tasks, lambda: {MIRA: self.hosted.conversation}, self._open)
        self.clock = SystemClock()
        self.services = SimpleNamespace(
            vault=self.on.vault, clock=self.clock, familiars={MIRA: self.hosted}, tasks=self.on.tasks,
            network=self.on.network, profile=self.profile, discord=self.hub,
        )  # fmt: skip
        self.gate = Gate(self)
        self.side, self.status = SideView(self.theme), StatusModel()
        self.undos: list[tuple[str, Callable[[], object]]] = []
        self.told: list[str] = []
        self.went: list[tuple[str, str]] = []
        self.context = PanelContext(
            theme=self.theme,
            tasks=self.on.tasks,
            status=self.status,
            side_view=self.side,
            familiar=MIRA,
            gate=self.gate,
        )
        self.context.offer_undo = lambda text, undo, _redo=None: self.undos.append((text, undo))
        self.context.tell = self.told.append
        self.context.go_to = lambda panel, key: self.went.append((panel, key))

    def host(self) -> None:
        """Take in the familiar's files as they are now."""
        config, vault = self.profile.config(MIRA), self.on.vault
        card, model, clock = CharacterCard(name="Mira"), self.on.model, SystemClock()
        assembler = Assembler(MIRA, lambda: card, config, vault, model, clock, "Owner")
        self.hosted.config = config
        self.hosted.conversation = Conversation(MIRA, "Mira", config, vault, model, assembler, clock)

    async def _open(self, hub: Hub) -> Company:
        return Company(
            vault=self.on.vault,
            network=self.on.network,
            clock=SystemClock(),
            tasks=self.on.tasks,
            locks=self.folder / "locks",
            addresses=Addresses(self.on.discord.address, self.on.discord.gateway.url),
            patience=QUICK,
            report=hub.report,
            on_surroundings=hub.look_soon,
            journals=hub.journals,
        )

    def show(self, width: int = 1180, height: int = 760) -> None:
        """Put the panel on the screen."""
        self.panel = create_discord_panel(self.services, self.context)
        self.window = QWidget()
        layout = QHBoxLayout(self.window)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.panel.widget, 1)
        layout.addWidget(self.side)
        self.window.resize(width, height)
        self.window.show()
        self.panel.activate()

    @property
    def view(self) -> Any:
        return self.panel.view

    @property
    def rows(self) -> list[Any]:
        return self.view.place_rows.rows

    def cells(self, column: int = 0) -> list[str]:
        rows = self.view.place_rows
        return [rows.data(rows.index(at, column)) for at in range(rows.rowCount())]

    def noticed(self, column: int) -> list[str]:
        rows = self.view.noticed_rows
        return [rows.data(rows.index(at, column)) for at in range(rows.rowCount())]

    def choose(self, title: str) -> None:
        """Make a server or channel the current row."""
        at = next(at for at, text in enumerate(self.cells()) if text.strip() == title)
        self.view.places.setCurrentIndex(self.view.place_rows.index(at, 0))

    async def until(self, ready: Callable[[], object], what: str = "") -> None:
        await self.on.scene.until(lambda: bool(ready()), what)

    async def connect(self) -> None:
        """Connect by the field of the guide."""
        self.view.guide.field.setText(self.on.discord.gateway.token)
        await self.press("Connect", self.view.guide)
        await self.until(lambda: self.hub.of(MIRA).servers and self.rows, "for the servers")

    async def undo(self) -> None:
        """Take back what was done last."""
        await self.until(lambda: self.undos, "for something to undo")
        self.undos.pop()[1]()

    def side_text(self) -> str:
        """Return everything that stands in the side view, part by part."""
        shown = [one for one in self.side.findChildren(QWidget) if one.isVisible()]
        return "\n".join(one.text() for one in shown if isinstance(one, QLabel | QCheckBox) and one.text())

    async def press(self, name: str, among: QWidget | None = None) -> None:
        """Press a button by its name, once it is there."""

        def found() -> list[QPushButton]:
            buttons = (among or self.window).findChildren(QPushButton)
            return [one for one in buttons if one.accessibleName() == name and one.isVisible() and one.isEnabled()]

        await self.until(found, f"for the button {name}")
        found()[0].click()

    async def close(self) -> None:
        await self.panel.close()
        await self.hub.close()
        await self.on.tasks.cancel()
        self.window.hide()
        self.window.deleteLater()
        QApplication.sendPostedEvents(self.window, QEvent.Type.DeferredDelete)
        assert not self.on.failed


@asynccontextmanager
async def discord_scene(folder: Path, theme: Theme) -> AsyncIterator[DiscordScene]:
    """Set up a server with channels, and the panel of a familiar that has no bot yet."""
    async with stage(folder, subscribed=False) as on:
        on.scene.open_channel("harbour")
        on.discord.world.add_channel("the old ship", kind=PUBLIC_THREAD, parent=on.scene.channels["general"])
        scene = DiscordScene(on, theme, folder)
        scene.show()
        try:
            await scene.until(lambda: scene.view.model.loaded, "for the panel")
            yield scene
            await asyncio.sleep(0)
        finally:
            await scene.close()
