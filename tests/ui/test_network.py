"""The page of the network: everybody is named, with what for and when; the switch; forgetting."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QPushButton

from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.network.panel import NetworkPanel
from familiar_app.ui.shell.local_only import LocalOnlySheet
from familiar_app.ui.shell.window import MainWindow
from tests.ui.conftest import OnLoop
from tests.ui.pictures import settle, until
from tests.ui.shelf_scene import Shelf, shelf_world, some_contacts
from tests.ui.test_every_screen import cut_off, overlapping, unnamed, unreachable
from tests.ui.test_window import texts, with_window

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
Story = Callable[[MainWindow, Any, Shelf], Awaitable[None]]


@pytest.fixture
def play(tmp_path: Path, theme: Theme, on_loop: OnLoop) -> Callable[..., None]:
    def begin(story: Story, *, local_only: bool = True, zoom: float = 1.0, met: bool = True) -> None:
        async def run() -> None:
            async with shelf_world(tmp_path / "profile", theme, local_only=local_only) as shelf:
                shelf.world.gate.profile.save_settings({"zoom": zoom})
                if met:
                    some_contacts(shelf.network)

                async def test(window: MainWindow) -> None:
                    window.frame.show_panel("network")
                    panel = window.frame.panel("network")
                    assert isinstance(panel, NetworkPanel)
                    await until(lambda: panel.model.loaded)
                    await settle()
                    await story(window, panel, shelf)

                await with_window(shelf.world, test)

        on_loop(run())

    return begin


def test_everybody_is_named_with_what_for_and_when(play: Callable[..., None]) -> None:
    async def story(_window: MainWindow, panel: NetworkPanel, _shelf: Shelf) -> None:
        told = texts(panel.view)
        assert "Local only is on" in told
        assert "models.example.org" in told
        assert "41 connections or requests, the last 1 May 2024" in told
        assert "Local only refused it once." in told
        assert told.count("refused") >= 3

    play(story)


def test_the_switch_stands_here_too(play: Callable[..., None]) -> None:
    async def story(window: MainWindow, panel: NetworkPanel, shelf: Shelf) -> None:
        panel.view.switch_button.click()
        await until(lambda: "Local only is off" in texts(panel.view))
        assert shelf.network.local_only is False
        assert "allowed" in texts(panel.view)
        panel.view.switch_button.click()
        await until(lambda: "Local only is on" in texts(panel.view))
        assert window.frame._services.network.local_only is True

    play(story)


def test_the_history_is_forgotten_and_the_expected_stay(play: Callable[..., None]) -> None:
    async def story(_window: MainWindow, panel: NetworkPanel, shelf: Shelf) -> None:
        panel.view.forget.click()
        await until(lambda: "models.example.org" not in texts(panel.view))
        assert "huggingface.co" in texts(panel.view)
        assert "Never spoken to." in texts(panel.view)
        assert not panel.view.forget.isEnabled()
        assert shelf.network.contacts.newest_first() == []

    play(story)


def test_the_settings_lead_to_both_pages(play: Callable[..., None]) -> None:
    async def story(window: MainWindow, _panel: NetworkPanel, _shelf: Shelf) -> None:
        for key, panel in (("network", "network"), ("model_files", "models")):
            window.frame.show_panel("settings")
            settings = window.frame.panel("settings")
            setting = settings._list.rows[key].setting
            settings._button(setting)[1]()
            await until(lambda panel=panel: window.frame.panel(panel).widget.isVisible())

    play(story)


def test_the_shield_leads_here(play: Callable[..., None]) -> None:
    async def story(window: MainWindow, panel: NetworkPanel, _shelf: Shelf) -> None:
        window.frame.show_panel("chat")
        window.frame._bar.shield.click()
        [sheet] = [one for one in window.findChildren(LocalOnlySheet) if one.isVisible()]
        assert [unnamed(sheet), unreachable(sheet), cut_off(sheet), overlapping(sheet)] == [[], [], [], []]
        [link] = [one for one in sheet.findChildren(QPushButton) if one.text() == "Every host…"]
        link.click()
        await until(panel.widget.isVisible)

    play(story)


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_everything_is_named_reachable_and_whole(play: Callable[..., None], zoom: float) -> None:
    async def story(_window: MainWindow, panel: NetworkPanel, _shelf: Shelf) -> None:
        found = [unnamed(panel.widget), unreachable(panel.widget), cut_off(panel.widget), overlapping(panel.widget)]
        assert found == [[], [], [], []]

    play(story, zoom=zoom, local_only=False)
