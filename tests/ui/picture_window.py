"""What the pictures of one panel share: a window over a filled vault, shown once in each look, and the command."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from PySide6.QtGui import QGuiApplication

from familiar_app.bootstrap.loop import run
from familiar_app.domain.clock import Clock
from familiar_app.ui.kit.panel import PanelFactory
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.shell.window import MainWindow
from tests.ui.double import World, make_world
from tests.ui.pictures import CARDS, SIZE, settle, until

Take = Callable[[str, Theme, Path, Path], Awaitable[None]]


def open_world(
    root: Path, theme: Theme, clock: Clock, look: tuple[str, float], panels: Sequence[PanelFactory], *, weak: bool
) -> World:
    """Return an open world in one look, whose window has more panels; `weak` is the model in the background."""
    world = make_world(root / f"{look[0]}{look[1]}", theme, cards=CARDS)
    world.gate.profile.save_settings({"theme": look[0], "zoom": look[1]})
    services = world.gate.open_now()
    services.clock = clock
    for hosted in services.familiars.values():
        hosted.background = SimpleNamespace(info=SimpleNamespace(weak=weak))
    known = world.parts.panels
    world.parts = replace(world.parts, panels=(known[0], *panels, *known[1:]))
    return world


@asynccontextmanager
async def panel_window(
    world: World, panel: str, ready: Callable[[Any], object]
) -> AsyncIterator[tuple[MainWindow, Any]]:
    """Show a panel in a window, wait for its view, and put everything away behind it."""
    window = MainWindow(world.parts)
    window.start()
    window.resize(*SIZE)
    window.activateWindow()
    await settle()
    window.frame.show_panel(panel)
    view = window.frame.panel(panel).view
    await until(lambda: ready(view))
    await settle()
    yield window, view
    await window.prepare_close()
    await world.tasks.cancel()
    window.close()
    window.deleteLater()
    await settle(2)
    for part, error in world.errors:
        print(panel, part, repr(error), file=sys.stderr)  # noqa: T201


def picture_name(name: str, look: tuple[str, float]) -> str:
    """Return what the file of a scene in one look is called."""
    return f"{name}-{look[0]}-{round(look[1] * 100)}.png"


def main(arguments: list[str], scenes: Sequence[str], take: Take) -> None:
    """Write the pictures of all scenes, or of those named; each scene has a folder of its own for its vault."""

    async def take_all(folder: Path) -> None:
        theme = Theme(QGuiApplication.instance())
        for name in arguments[1:] or scenes:
            with tempfile.TemporaryDirectory() as root:
                await take(name, theme, folder, Path(root) / "profile")

    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    run(take_all(folder))
