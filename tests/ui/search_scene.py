"""The search over a real vault, beside a side view; `python -m tests.ui.search_scene FOLDER` makes its pictures."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

os.environ["QT_API"] = "pyside6"

from PySide6.QtCore import QEvent
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from familiar_app.bootstrap.loop import run
from familiar_app.ui.kit.panel import PanelContext, Place
from familiar_app.ui.kit.status import StatusModel
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.search.listing import Row
from familiar_app.ui.search.panel import create_search_panel
from familiar_app.ui.search.view import SearchView
from familiar_app.ui.shell.side_view import SideView
from tests.doubles.waiting import until
from tests.unit.ui.search.archive import MIRA, Archive, close, make_archive

LOOKS = (("light", 1.0), ("dark", 1.0), ("contrast", 1.0), ("light", 1.5))


class SearchScene:
    """A panel over an archive. `went` and `visited` have where it led."""

    def __init__(self, archive: Archive, theme: Theme) -> None:
        self.archive = archive
        self.went: list[tuple[str, str]] = []
        self.visited: list[Place] = []
        self.backs: list[bool] = []
        context = PanelContext(
            theme=theme, tasks=archive.tasks, status=StatusModel(), side_view=SideView(theme), familiar=MIRA
        )
        context.go_to = lambda panel, key: self.went.append((panel, key))
        context.visit = self.visited.append
        context.go_back = lambda: self.backs.append(True)
        context.has_panel = {"chat", "timeline", "lorebook", "prompts"}.__contains__
        self.context = context
        self.panel = create_search_panel(archive.services, context)
        self.window = self.panel.widget
        self.window.resize(1080, 760)
        self.window.show()
        self.panel.activate()

    @property
    def view(self) -> SearchView:
        return self.panel.view

    def rows(self) -> list[Row]:
        return list(self.view.results.model_rows.rows)

    async def until(self, ready: Callable[[], object]) -> None:
        await until(ready)

    async def ready(self, *, indexed: bool = True) -> None:
        if indexed:
            self.archive.vault.index.start(self.archive.tasks)
            await self.archive.vault.index.ready()
        self.window.activateWindow()
        await self.until(lambda: not self.view.tasks.running("search.names"))

    async def look_for(self, text: str) -> None:
        """Type a text and wait until everything was looked through."""
        self.view.bar.field.setText(text)
        model = self.view.model
        await self.until(lambda: model.searched is not None and model.searched.text == text and not model.searching)
        await asyncio.sleep(0.02)

    async def close(self) -> None:
        await self.panel.close()
        QGuiApplication.setQuitOnLastWindowClosed(False)
        self.context.side_view.deleteLater()
        self.window.hide()
        self.window.deleteLater()
        for widget in (self.window, self.context.side_view):
            QApplication.sendPostedEvents(widget, QEvent.Type.DeferredDelete)
        await close(self.archive)


async def take_all(folder: Path) -> None:
    """Write a picture of the beginning, of results, of one kind and of nothing found, in each look."""
    theme = Theme(QGuiApplication.instance())
    for mode, zoom in LOOKS:
        theme.set_mode(mode)
        theme.set_zoom(zoom)
        with tempfile.TemporaryDirectory() as root:
            scene = SearchScene(await make_archive(Path(root)), theme)
            for name, text, kind in (
                ("begin", "", ""),
                ("without_index", "lighthouse", ""),
                ("found", "lighthouse", ""),
                ("messages", "the lighthouse", "turn"),
                ("nothing", "teapots", "turn"),
            ):
                if name == "found":
                    await scene.ready()
                    scene.view.search()
                scene.view.bar.show_kind(kind)
                scene.view.bar.field.setText("")
                if text:
                    await scene.look_for(text)
                await asyncio.sleep(0.1)
                scene.window.grab().save(str(folder / f"search_{name}-{mode}-{round(zoom * 100)}.png"))
            await scene.close()


if __name__ == "__main__":
    app = QApplication([])
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    run(take_all(target), app=app)
