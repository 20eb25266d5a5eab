"""Pictures of the backups page and of the locked window: `python -m tests.ui.backups_pictures FOLDER`."""

from __future__ import annotations

import os
import sys
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

os.environ["QT_API"] = "pyside6"

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from familiar_app.bootstrap.loop import run
from familiar_app.store.vault import Vault
from familiar_app.ui.kit.dialog import Dialog
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.shell.window import MainWindow
from tests.ui.double import make_world
from tests.ui.pictures import CARDS, SIZE, settle, until
from tests.ui.test_backups import with_vault

LOOKS = (("light", 1.0), ("dark", 1.0), ("light", 1.5))


async def take(theme: Theme, root: Path, target: Path, look: tuple[str, float]) -> None:
    """Make a few backups and show the page, the question and the cover in one look."""
    name = look[0] if look[1] == 1.0 else f"{look[0]}-150"

    async def story(window: MainWindow, panel: Any, _vault: Vault) -> None:
        window.resize(*SIZE)
        clock = window.frame._services.clock
        for _day in range(4):
            await panel.model.make()
            clock.instant += timedelta(days=1, hours=3)
        await panel.model.make()
        await panel.model.verify()
        await panel.model.load()
        await settle()
        window.grab().save(str(target / f"backups-{name}.png"))
        panel.view.row_buttons[1].click()
        await until(lambda: any(isinstance(one, Dialog) and one.isVisible() for one in QApplication.topLevelWidgets()))
        await settle()
        [dialog] = [one for one in QApplication.topLevelWidgets() if isinstance(one, Dialog) and one.isVisible()]
        dialog.grab().save(str(target / f"backups-question-{name}.png"))
        window.lock()
        await settle()
        window.grab().save(str(target / f"locked-{name}.png"))

    world = make_world(root / name, theme, cards=CARDS)
    world.gate.profile.save_settings({"theme": look[0]})
    await with_vault(world, story, zoom=look[1])


async def take_all(theme: Theme, target: Path) -> None:
    """Take every look."""
    with tempfile.TemporaryDirectory() as folder:
        for look in LOOKS:
            await take(theme, Path(folder), target, look)


def main() -> None:
    """Run the command."""
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    app = QApplication(sys.argv[:1])
    QGuiApplication.setQuitOnLastWindowClosed(False)
    run(take_all(Theme(app), target), app=app)


if __name__ == "__main__":
    main()
