"""Pictures of Models and Network in the whole window: `python -m tests.ui.shelf_pictures FOLDER [NAME …]`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["QT_API"] = "pyside6"

from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.shell.window import MainWindow
from tests.ui.double import make_world
from tests.ui.picture_window import main, panel_window, picture_name
from tests.ui.pictures import SIZE, model, settle, until, wizard_of
from tests.ui.shelf_scene import begin_model, put_model, shelf_world, some_contacts

SCENES = {
    "models-empty": ("models", True),
    "models": ("models", True),
    "models-local-only": ("models", True),
    "models-in-the-first-run": ("", True),
    "network-local-only": ("network", True),
    "network": ("network", False),
}
LOOKS = (("light", 1.0), ("dark", 1.0), ("light", 1.5))


async def take_first_run(name: str, theme: Theme, folder: Path, root: Path) -> None:
    """Write the pictures of the page that asks for the first model, with the list opened."""
    for look in LOOKS:
        world = make_world(root / f"{look[0]}{look[1]}", theme)
        world.gate.profile.save_settings({"theme": look[0], "zoom": look[1]})
        window = MainWindow(world.parts)
        window.start()
        window.resize(*SIZE)
        await settle()
        await model(window, world)
        chooser = wizard_of(window)._pages["model"]._chooser
        chooser._radios["gguf"].setChecked(True)
        chooser._toggle_shelf()
        await settle(25)
        window.grab().save(str(folder / picture_name(name, look)))
        await window.prepare_close()
        await world.tasks.cancel()
        window.close()
        window.deleteLater()
        await settle(2)


async def take(name: str, theme: Theme, folder: Path, root: Path) -> None:
    """Write the pictures of one scene."""
    panel, local_only = SCENES[name]
    root.mkdir()
    if not panel:
        await take_first_run(name, theme, folder, root)
        return
    for look in LOOKS:
        async with shelf_world(root / f"{look[0]}{look[1]}", theme, local_only=local_only) as shelf:
            shelf.world.gate.profile.save_settings({"theme": look[0], "zoom": look[1]})
            some_contacts(shelf.network)
            if name == "models":
                put_model(shelf.library, "own-7b.Q4_K_M.gguf")
                begin_model(shelf.library, shelf.host)
            async with panel_window(shelf.world, panel, lambda view: view.model.loaded) as (window, view):
                if name == "models":
                    shelf.host.stall_after = 60_000
                    view.model.fetch(view.model.row("model.gguf"))
                    await until(lambda view=view: "160 kB" in view.model.row("model.gguf").step, 30)
                if name == "models-local-only":
                    view._fetch(view.model.row("Qwen3-8B-Q4_K_M.gguf"))
                await settle(25)
                window.grab().save(str(folder / picture_name(name, look)))
                shelf.library.stop("model.gguf")


if __name__ == "__main__":
    main(sys.argv[1:], list(SCENES), take)
