"""Pictures of Memories in the whole window: `python -m tests.ui.memories_pictures FOLDER [NAME …]`."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

os.environ["QT_API"] = "pyside6"

from PySide6.QtWidgets import QDialog

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.saved_memory.memory import MemoryId
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.memories.model import RETIRED
from tests.ui.memories_scene import create_panel, tell_memories
from tests.ui.panel_scene import config
from tests.ui.picture_window import main, open_world, panel_window, picture_name
from tests.ui.pictures import settle
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
    for look in LOOKS:
        world = open_world(root, theme, clock, look, (create_panel,), weak=False)
        services = world.gate.services
        services.vault = vault
        for hosted in services.familiars.values():
            hosted.config = config()
        async with panel_window(world, "memories", lambda view: view.model.loaded) as (window, view):
            await show(view)
            await settle(25)
            window.grab().save(str(folder / picture_name(name, look)))
            for dialog in [one for one in window.findChildren(QDialog) if one.isVisible()]:
                dialog.grab().save(str(folder / picture_name(f"{name}-dialog", look)))
                dialog.reject()
            await settle()
    await vault.close()


if __name__ == "__main__":
    main(sys.argv[1:], list(SCENES), take)
