"""Pictures of the inbox, the upkeep and memory's settings: `python -m tests.ui.memory_pictures FOLDER [NAME …]`."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

os.environ["QT_API"] = "pyside6"

from PySide6.QtGui import QGuiApplication

from familiar_app.bootstrap.loop import run
from familiar_app.ui.kit.theme import Theme
from tests.ui.memory_scene import MemoryScene, tell_retirements, with_scene
from tests.ui.pictures import settle, until
from tests.ui.test_upkeep import CAT, OSLO, talk
from tests.unit.projectors.scene import ToldModel, lost

LOOKS = (("light", 1.0), ("dark", 1.0), ("light", 1.5))
Show = Callable[[MemoryScene], Awaitable[None]]


async def inbox(scene: MemoryScene) -> None:
    """One case at the side."""
    view = scene.panel("inbox").view
    await until(lambda: view.model.loaded)
    if view.model.cases:
        view.table.selectRow(len(view.model.cases) - 1)
        view.show_case()


async def upkeep(scene: MemoryScene) -> None:
    """As it opens."""
    view = scene.panel("upkeep").view
    await until(lambda: view.cards and view.model.health)


async def worked(scene: MemoryScene) -> None:
    """After a run of which one part failed, with a list at the side."""
    await upkeep(scene)
    view = scene.panel("upkeep").view
    scene.model.tell("rich_note", [OSLO, CAT, {"text": ""}])
    scene.model.tell("people_dossier", lost(), lost(), lost(), lost(), lost(), lost())
    view.do("run", "rich_note")
    await until(lambda: view.model.busy)
    await until(lambda: not view.model.busy)
    view.do("run", "people_dossier")
    await until(lambda: view.model.busy)
    await until(lambda: not view.model.busy, 20)
    await until(lambda: view.health.values["facts"].text() == "2")
    view.show_list("never_recalled")


async def health(scene: MemoryScene) -> None:
    """The lower end."""
    await upkeep(scene)
    bar = scene.panel("upkeep").view.scroll.verticalScrollBar()
    await settle()
    bar.setValue(bar.maximum())


SCENES: dict[str, tuple[Any, bool, Show]] = {
    "inbox": (tell_retirements, False, inbox),
    "inbox-many": (partial(tell_retirements, more=40), False, inbox),
    "inbox-empty": (None, False, inbox),
    "upkeep": (talk, False, upkeep),
    "upkeep-weak": (talk, True, upkeep),
    "upkeep-worked": (talk, False, worked),
    "upkeep-health": (talk, False, health),
}


async def _take(scene: MemoryScene, show: Show, file: Path) -> None:
    await show(scene)
    await settle(20)
    scene.window.grab().save(str(file))


async def take_all(folder: Path, names: list[str]) -> None:
    theme = Theme(QGuiApplication.instance())
    for name in names or SCENES:
        fill, weak, show = SCENES[name]
        for look in LOOKS:
            file = folder / f"{name}-{look[0]}-{round(look[1] * 100)}.png"
            with tempfile.TemporaryDirectory() as root:
                test = partial(_take, show=show, file=file)
                await with_scene(Path(root), theme, test, fill=fill, weak=weak, look=look, model=ToldModel())


def main(arguments: list[str]) -> None:
    """Write the pictures of all scenes, or of those named."""
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    run(take_all(folder, arguments[1:]))


if __name__ == "__main__":
    main(sys.argv[1:])
