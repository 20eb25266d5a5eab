"""The page about the program: facts, libraries with their licences beside them, diagnostics on the clipboard."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPlainTextEdit

from familiar_app import __version__
from familiar_app.ui.about.panel import create_about_panel
from familiar_app.ui.shell.window import MainWindow
from tests.ui.conftest import OnLoop
from tests.ui.double import World
from tests.ui.pictures import settle, until
from tests.ui.test_every_screen import cut_off, unnamed, unreachable
from tests.ui.test_window import press, texts, with_window

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def with_about(world: World) -> World:
    """Give the window its page about the program, over a vault that can be counted."""

    async def count() -> int:
        return 3

    world.gate.vault.turns.count = count
    world.gate.vault.index = SimpleNamespace(status=SimpleNamespace(state="ready", indexed=3, total=3))
    world.parts = replace(world.parts, panels=(*world.parts.panels, create_about_panel))
    services = world.gate.open_now()
    for hosted in services.familiars.values():
        hosted.background = hosted.prose
    return world


def test_facts_libraries_and_a_licence_beside_them(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        window.frame.go_to("about", "")
        panel = window.frame.panel("about")
        await until(lambda: panel.table.model().rowCount() == 3)
        assert f"{__version__}, run from its sources" in texts(panel.widget)
        folder = str(world.gate.profile.log_dir)  # shortened in the picture where it is long
        assert any(folder in (one.text(), one.toolTip()) for one in panel.widget.findChildren(QLabel))
        assert [*unnamed(panel.widget), *unreachable(panel.widget), *cut_off(panel.widget)] == []
        panel.table.opened.emit(panel.table.model().index(1, 0))
        await until(window.frame.side_view.is_open)
        text = window.frame.side_view.findChild(QPlainTextEdit)
        assert "Permission is hereby granted" in text.toPlainText()
        assert text.isReadOnly()
        press(window, "Ctrl+F")
        panel._search.setText("lgpl")
        assert panel.table.model().rowCount() == 1
        panel._search.setText("nothing like it")
        assert "No library fits" in texts(panel.widget)

    with_about(world)
    on_loop(with_window(world, test, opened=False))


def test_diagnostics_go_to_the_clipboard_without_names(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        window.frame.go_to("about", "")
        QGuiApplication.clipboard().clear()
        await settle(2)
        press(window, "Ctrl+Shift+C")
        await until(lambda: "Familiar" in QGuiApplication.clipboard().text())
        copied = QGuiApplication.clipboard().text()
        assert "3 turns" in copied
        assert "Mira" not in copied
        assert str(world.gate.profile.root) not in copied

    with_about(world)
    on_loop(with_window(world, test, opened=False))
