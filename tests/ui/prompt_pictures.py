"""Makes pictures of the prompts panel: `python -m tests.ui.prompt_pictures FOLDER [LOOK …]`, a look is `dark-150`."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

os.environ["QT_API"] = "pyside6"

from PySide6.QtWidgets import QApplication

from familiar_app.bootstrap.loop import run
from familiar_app.ui.kit.theme import Theme
from tests.ui.pictures import settle
from tests.ui.test_prompts import Scene
from tests.unit.ui.prompts.stage import START, long_trace, make_stage

LOOKS = ("light-100", "dark-100", "contrast-100", "light-150", "dark-150")
OPEN = 3
Act = Callable[[Scene], Awaitable[None]]


async def empty(_scene: Scene) -> None:
    """Before the first answer."""


async def reasons(scene: Scene) -> None:
    scene.model.choose_layer("recent_history")


async def layers(scene: Scene) -> None:
    trace = await scene.stage.vault.traces.put(long_trace(START))
    await scene.open(int(trace))
    scene.model.choose_layer("people_dossiers")


async def folded(scene: Scene) -> None:
    scene.model.toggle_fold("recent_history")


async def memory(scene: Scene) -> None:
    memory = scene.view.side.memory
    scene.view.do("memory")
    memory.table.setCurrentIndex(memory.table.rows.index(2, 0))
    memory.weights.sliders["importance"].setValue(0)


async def lorebook(scene: Scene) -> None:
    scene.view.do("lore")
    scene.panel.find()
    scene.view.middle.finder.field.setText("lamp")


async def trial(scene: Scene) -> None:
    scene.view.do("trial")
    scene.model.move_layer("retrieved_context", -1)
    scene.model.switch_layer("lorebook", False)
    scene.model.toggle_item(("fact", 8))


async def pair(scene: Scene) -> None:
    await trial(scene)
    scene.view.do("try")
    await scene.until(lambda: scene.model.pair is not None)
    scene.view.do("ask_both")


async def questions(scene: Scene) -> None:
    scene.view.do("why_not")


async def background(scene: Scene) -> None:
    await scene.open(OPEN + 1)


SCENES: tuple[Act, ...] = (empty, reasons, layers, folded, memory, lorebook, trial, pair, questions, background)


async def take(act: Act, theme: Theme, folder: Path, look: str) -> None:
    """Show one scene in one look and write its picture."""
    mode, _, zoom = look.partition("-")
    theme.set_mode(mode)
    theme.set_zoom(int(zoom) / 100)
    with tempfile.TemporaryDirectory() as root:
        stage = await make_stage(Path(root))
        if act is not empty:
            await stage.fill(OPEN)
        scene = await Scene(stage, theme).ready()
        if act is not empty:
            await scene.open(OPEN)
        await act(scene)
        await settle()
        scene.window.grab().save(str(folder / f"prompts-{act.__name__}-{look}.png"))
        await scene.close()


async def take_all(folder: Path, looks: list[str]) -> None:
    theme = Theme(QApplication.instance())
    for look in looks:
        for act in SCENES:
            await take(act, theme, folder, look)
            await asyncio.sleep(0)


def main(arguments: list[str]) -> None:
    """Write the pictures in all looks, or in those named."""
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    run(take_all(folder, arguments[1:] or list(LOOKS)))


if __name__ == "__main__":
    main(sys.argv[1:])
