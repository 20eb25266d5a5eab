"""Pictures of Memories in the whole window: `python -m tests.ui.memories_pictures FOLDER [NAME …]`."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

os.environ["QT_API"] = "pyside6"

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog

from familiar_app.bootstrap.loop import run
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.saved_memory.memory import MemoryId
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.memories.model import RETIRED
from familiar_app.ui.shell.window import MainWindow
from tests.ui.double import make_world
from tests.ui.memories_scene import create_panel, tell_memories
from tests.ui.panel_scene import config
from tests.ui.pictures import CARDS, SIZE, settle, until
from tests.ui.timeline_scene import NOW, new_vault

Show = Callable[[Any], Awaitable[None]]


async def as_it_opens(_view: Any) -> None:
    """Nothing is chosen."""


async def one(view: Any) -> None:
    view.reveal(MemoryId(1))


async def retired(view: Any) -> None:
    view.model.narrow(shelf=RETIRED)
    view._show_shelves()
    view.show_memory()


async def several(view: Any) -> None:
    view.table.selectAll()


async def writing(view: Any) -> None:
    view.deeds.do("add")


async def moving(view: Any) -> None:
    view.deeds.do("move")


async def nothing(view: Any) -> None:
    view.search.setText("zebra")


SCENES: dict[str, tuple[bool, Show]] = {
    "memories-empty": (False, as_it_opens),
    "memories": (True, one),
    "memories-retired": (True, retired),
    "memories-several": (True, several),
    "memories-writing": (True, writing),
    "memories-moving": (True, moving),
    "memories-nothing": (True, nothing),
}
LOOKS = (("light", 1.0), ("dark", 1.0), ("light", 1.5))


async def take(name: str, theme: Theme, folder: Path, root: Path) -> None:
    """Write the pictures of one scene."""
    filled, show = SCENES[name]
    clock = FixedClock(NOW)
    root.mkdir()
    vault = await new_vault(root, clock)
    if filled:
        await tell_memories(vault, clock)
    for look, zoom in LOOKS:
        world = make_world(root / f"{look}{zoom}", theme, cards=CARDS)
        world.gate.profile.save_settings({"theme": look, "zoom": zoom})
        services = world.gate.open_now()
        services.clock, services.vault = clock, vault
        for hosted in services.familiars.values():
            hosted.background = SimpleNamespace(info=SimpleNamespace(weak=False))
            hosted.config = config()
        world.parts = replace(world.parts, panels=(world.parts.panels[0], create_panel, *world.parts.panels[1:]))
        window = MainWindow(world.parts)
        window.start()
        window.resize(*SIZE)
        window.activateWindow()
        await settle()
        window.frame.show_panel("memories")
        view = window.frame.panel("memories").view
        await until(lambda view=view: view.model.loaded)
        await settle()
        await show(view)
        await settle(25)
        window.grab().save(str(folder / f"{name}-{look}-{round(zoom * 100)}.png"))
        for dialog in [one for one in window.findChildren(QDialog) if one.isVisible()]:
            dialog.grab().save(str(folder / f"{name}-dialog-{look}-{round(zoom * 100)}.png"))
            dialog.reject()
        await settle()
        await window.prepare_close()
        await world.tasks.cancel()
        window.close()
        window.deleteLater()
        await settle(2)
        for part, error in world.errors:
            print(name, part, repr(error), file=sys.stderr)  # noqa: T201
    await vault.close()


async def take_all(folder: Path, names: list[str]) -> None:
    theme = Theme(QGuiApplication.instance())
    for name in names or SCENES:
        with tempfile.TemporaryDirectory() as root:
            await take(name, theme, folder, Path(root) / "profile")


def main(arguments: list[str]) -> None:
    """Write the pictures of all scenes, or of those named."""
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    run(take_all(folder, arguments[1:]))


if __name__ == "__main__":
    main(sys.argv[1:])
