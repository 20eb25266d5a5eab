"""Makes pictures of every screen: `python -m tests.ui.pictures FOLDER [NAME …]`, in three themes and three sizes.

Needs a screen (a virtual one will do). A picture is named after screen, theme and zoom.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

os.environ["QT_API"] = "pyside6"

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from familiar_app.bootstrap.loop import run
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.errors import BugError, OutsideError
from familiar_app.ui.first_run.wizard import Wizard
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.shell.crash import CrashDialog
from familiar_app.ui.shell.window import MainWindow
from tests.ui.double import PASSPHRASE, DoubleServer, World, make_world
from tests.ui.lorebook_pictures import LOREBOOK, with_lorebook

SIZE = (1180, 780)
LOOKS = [(theme, zoom) for theme in ("light", "dark", "contrast") for zoom in (1.0, 1.25, 1.5)]
CARDS = (
    CharacterCard(name="Mira", description="A keeper of small lights."),
    CharacterCard(name="Old Tom & Sons, Clockmakers", description="Patient."),
)
SERVERS = [DoubleServer("Ollama", "http://127.0.0.1:11434/v1", ("llama3.1:8b", "qwen2.5:14b", "gemma2:9b"))]

Scene = Callable[[MainWindow, World], Awaitable[QWidget | None]]


async def settle(rounds: int = 6) -> None:
    """Let tasks and repaints happen."""
    for _ in range(rounds):
        await asyncio.sleep(0.02)
        QApplication.processEvents()


async def until(true: Callable[[], object], patience_s: float = 8.0) -> None:
    """Wait until `true` is, on a machine that may be busy."""
    end = asyncio.get_running_loop().time() + patience_s
    while not true():
        if asyncio.get_running_loop().time() > end:
            raise TimeoutError("what was awaited did not happen")
        await settle(1)


def wizard_of(window: MainWindow) -> Wizard:
    return window.findChild(Wizard)


async def welcome(_window: MainWindow, _world: World) -> None:
    """The first page as it opens."""


async def character(window: MainWindow, _world: World) -> None:
    wizard_of(window).go_on()


async def character_missing(window: MainWindow, world: World) -> None:
    await character(window, world)
    wizard_of(window).go_on()


async def passphrase(window: MainWindow, world: World) -> None:
    wizard = wizard_of(window)
    wizard.state.name = "Mira"
    wizard.go_on()
    wizard.go_on()
    await settle()
    fields = wizard._pages["passphrase"]._fields
    fields._first.setText(PASSPHRASE)
    fields._second.setText("seven quiet")
    wizard.go_on()


async def recovery(window: MainWindow, world: World) -> None:
    await passphrase(window, world)
    wizard = wizard_of(window)
    wizard._pages["passphrase"]._fields._second.setText(PASSPHRASE)
    wizard.state.recovery_code = "7K3M-9XQ2-HB4T-0RWE-5PNV-JD8C-6GYS"
    wizard.go_on()


async def model(window: MainWindow, world: World) -> None:
    await recovery(window, world)
    wizard = wizard_of(window)
    view = wizard._pages["recovery"]._view
    view._answer.setText(view._check.groups[view._check.group])
    wizard.go_on()


async def model_endpoint(window: MainWindow, world: World) -> None:
    await model(window, world)
    chooser = wizard_of(window)._pages["model"]._chooser
    chooser._radios["openai"].setChecked(True)
    await settle()
    chooser._url.setText("https://models.example.org/v1")
    chooser._model.setText("a-large-model")
    chooser._test_button.click()


async def model_failed(window: MainWindow, world: World) -> None:
    await model(window, world)
    chooser = wizard_of(window)._pages["model"]._chooser
    world.gate.fails["test_model"] = OutsideError(
        "The endpoint refused the key.", "Check the key, or make a new one at the provider.", retryable=True
    )
    chooser._test_button.click()


async def making(window: MainWindow, world: World) -> None:
    await model(window, world)
    wizard_of(window)._whole.setCurrentIndex(1)


async def unlock(_window: MainWindow, _world: World) -> None:
    """As it opens."""


async def unlock_wrong(window: MainWindow, _world: World) -> None:
    screen = window._pages.currentWidget()
    screen._passphrase.setText("not this one")
    screen._unlock()


async def unlock_code(window: MainWindow, _world: World) -> None:
    window._pages.currentWidget()._show(1)


async def unlock_new(window: MainWindow, _world: World) -> None:
    window._pages.currentWidget()._show(2)


async def unlock_damaged(window: MainWindow, world: World) -> None:
    world.gate.fails["unlock"] = OutsideError(
        "The vault vault.db is damaged: part of it is not what was written. Nothing was changed.",
        "Copy the folder somewhere safe and restore a backup.",
    )
    await unlock_wrong(window, world)


async def frame(window: MainWindow, _world: World) -> None:
    window.frame.status.update(tokens_per_s=42.3)
    window.frame.context.badge("character", 3)


async def undo(window: MainWindow, _world: World) -> None:
    window.frame.context.offer_undo("Message removed.", lambda: None)
    window.frame.context.tell("Copied.")


async def keys(window: MainWindow, _world: World) -> None:
    window.frame.show_keys()


async def palette(window: MainWindow, _world: World) -> None:
    window.frame.open_palette()


async def palette_typed(window: MainWindow, world: World) -> None:
    await palette(window, world)
    window.frame._palette._typed.setText("text")


async def local_only(window: MainWindow, _world: World) -> QWidget:
    window.frame._bar.shield.click()
    await settle()
    return QApplication.activePopupWidget()


async def log(window: MainWindow, _world: World) -> None:
    window.frame.show_panel("log")
    panel = window.frame._panels["log"]
    panel._table.selectRow(4)
    panel._show_line(panel._table.currentIndex())


async def log_empty(window: MainWindow, _world: World) -> None:
    window.frame.show_panel("log")
    window.frame._panels["log"]._search.setText("nothing like this")


async def settings(window: MainWindow, _world: World) -> None:
    window.frame.show_panel("settings")


async def settings_end(window: MainWindow, world: World) -> None:
    await settings(window, world)
    await settle()
    window.frame.go_to("settings", "profile_folder")


async def settings_memory(window: MainWindow, world: World) -> None:
    await settings(window, world)
    await settle()
    window.frame.go_to("settings", "providers.embedding")


async def settings_model(window: MainWindow, world: World) -> QWidget:
    await settings(window, world)
    await settle()
    panel = window.frame._panels["settings"]
    setting = panel._list.rows["models.prose"].setting
    panel._start(panel._choose_model, setting)
    await settle()
    return QApplication.activeModalWidget()


async def settings_code(window: MainWindow, world: World) -> QWidget:
    await settings(window, world)
    await settle()
    panel = window.frame._panels["settings"]
    panel._start(panel._acts.new_code, panel._list.rows["recovery_code"].setting)
    await settle()
    return QApplication.activeModalWidget()


async def settings_passphrase(window: MainWindow, world: World) -> QWidget:
    await settings(window, world)
    await settle()
    panel = window.frame._panels["settings"]
    panel._start(panel._acts.new_passphrase, panel._list.rows["passphrase"].setting)
    await settle()
    return QApplication.activeModalWidget()


async def crash(window: MainWindow, world: World) -> QWidget:
    dialog = CrashDialog(world.parts.theme, lambda: window)
    try:
        raise BugError("a promise was broken.")
    except BugError as error:
        dialog.report("chat.load", error)
    await settle()
    return QApplication.activeModalWidget()


FIRST = (welcome, character, character_missing, passphrase, recovery, model, model_endpoint, model_failed, making)
LOCKED = (unlock, unlock_wrong, unlock_code, unlock_new, unlock_damaged)
OPEN = (
    frame,
    undo,
    keys,
    palette,
    palette_typed,
    local_only,
    log,
    log_empty,
    settings,
    settings_end,
    settings_memory,
    settings_model,
    settings_code,
    settings_passphrase,
    crash,
    *LOREBOOK,
)


def open_world(scene: Scene, world: World) -> None:
    """Open the vault of a world for a scene, with what the scene shows."""
    world.gate.open_now()
    if scene in LOREBOOK:
        with_lorebook(world)


async def take(scene: Scene, theme: Theme, folder: Path, look: tuple[str, float], root: Path) -> None:
    """Show one scene in one look and write its picture."""
    world = make_world(root, theme, cards=() if scene in FIRST else CARDS, servers=SERVERS)
    world.gate.profile.save_settings({"theme": look[0], "zoom": look[1]})
    if scene in OPEN:
        open_world(scene, world)
    window = MainWindow(world.parts)
    window.start()
    window.resize(*SIZE)
    window.activateWindow()
    await settle()
    shown = await scene(window, world)
    await settle()
    pictured = shown or window
    pictured.grab().save(str(folder / f"{scene.__name__}-{look[0]}-{round(look[1] * 100)}.png"))
    if shown is not None:
        shown.close()
        await settle(2)
    await window.prepare_close()
    await world.tasks.cancel()
    window.close()
    window.deleteLater()
    await settle(2)
    for name, error in world.errors:
        print(scene.__name__, name, repr(error), file=sys.stderr)  # noqa: T201


async def take_all(folder: Path, names: list[str], looks: list[tuple[str, float]]) -> None:
    theme = Theme(QGuiApplication.instance())
    for scene in (*FIRST, *LOCKED, *OPEN):
        if names and scene.__name__ not in names:
            continue
        for look in looks:
            with tempfile.TemporaryDirectory() as root:
                await take(scene, theme, folder, look, Path(root) / "Familiar")


def main(arguments: list[str]) -> None:
    """Write the pictures of all scenes, or of those named; `--look light-100` keeps to one look."""
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [name.removeprefix("--look=") for name in arguments[1:] if name.startswith("--look=")]
    looks = [look for look in LOOKS if not wanted or f"{look[0]}-{round(look[1] * 100)}" in wanted]
    names = [name for name in arguments[1:] if not name.startswith("--")]
    run(take_all(folder, names, looks))


if __name__ == "__main__":
    main(sys.argv[1:])
