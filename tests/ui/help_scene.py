"""The help in the real frame; `python -m tests.ui.help_scene FOLDER` makes its pictures."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

os.environ["QT_API"] = "pyside6"

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from familiar_app.bootstrap.loop import run
from familiar_app.ui.help.panel import create_help_panel
from familiar_app.ui.help.view import HelpView
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.shell.window import MainWindow
from tests.ui.double import World, make_world
from tests.ui.pictures import CARDS, SIZE, settle, until

LOOKS = (("light", 1.0), ("dark", 1.0), ("contrast", 1.0), ("light", 1.5))


@asynccontextmanager
async def help_window(world: World) -> AsyncIterator[tuple[MainWindow, HelpView]]:
    """Open a window that has the help beside the other panels."""
    world.gate.open_now()
    world.parts = replace(world.parts, panels=(*world.parts.panels, create_help_panel))
    window = MainWindow(world.parts)
    window.start()
    window.resize(*SIZE)
    window.activateWindow()
    await until(lambda: window.frame is not None and window.isActiveWindow(), 30)
    view = window.frame.panel("help").view
    await until(lambda: view.model.page is not None, 30)
    try:
        yield window, view
    finally:
        await window.prepare_close()
        await world.tasks.cancel()
        window.close()
        window.deleteLater()
        await settle(2)
    assert world.errors == []


async def take_all(folder: Path) -> None:
    """Write a picture of the contents, of a page with a table and a picture, and of a search, in each look."""
    theme = Theme(QGuiApplication.instance())
    for mode, zoom in LOOKS:
        with tempfile.TemporaryDirectory() as root:
            world = make_world(Path(root) / "profile", theme, cards=CARDS)
            world.gate.profile.save_settings({"theme": mode, "zoom": zoom})
            async with help_window(world) as (window, view):
                for name, key, words in (
                    ("contents", "manual/index", ""),
                    ("page", "manual/memory", ""),
                    ("table", "manual/troubleshooting", ""),
                    ("found", "manual/backups", "recovery code"),
                ):
                    view.field.setText(words)
                    window.frame.go_to("help", key)
                    await settle()
                    window.grab().save(str(folder / f"help_{name}-{mode}-{round(zoom * 100)}.png"))


if __name__ == "__main__":
    app = QApplication([])
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    run(take_all(target), app=app)
