"""Notifications: only while nobody sees the window, by the settings, and a click leads to the place."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from familiar_app.domain.ids import FamiliarId
from familiar_app.ui.shell.happening import Happening
from familiar_app.ui.shell.window import MainWindow
from tests.ui.conftest import OnLoop
from tests.ui.double import World
from tests.ui.pictures import settle, until
from tests.ui.test_window import with_window

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", "systemTrayWindowChanged")
REPLY = Happening("reply", "chat", "garden", FamiliarId("tom"), "Tom", "The tide is out.")


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What the system was asked to show, on a desktop with a tray."""
    asked: list[tuple[str, str]] = []
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    monkeypatch.setattr(QSystemTrayIcon, "showMessage", lambda _self, head, text, *_more: asked.append((head, text)))
    return asked


def icon_of(window: MainWindow) -> QSystemTrayIcon:
    return window.findChild(QSystemTrayIcon)


async def hide(window: MainWindow) -> None:
    window.hide()
    await settle()


def save(window: MainWindow, world: World, **settings: object) -> None:
    world.gate.profile.save_settings({f"notify.{key}": value for key, value in settings.items()})
    window._apply(world.gate.profile.settings())


def test_only_a_window_that_nobody_sees_makes_itself_heard(
    world: World, on_loop: OnLoop, shown: list[tuple[str, str]]
) -> None:
    async def test(window: MainWindow) -> None:
        window.notifier.tell(REPLY)
        assert shown == []
        await hide(window)
        window.notifier.tell(REPLY)
        assert shown == [("Familiar", "There is a reply.")]

    on_loop(with_window(world, test))


def test_do_not_disturb_and_words_are_the_owners_choice(
    world: World, on_loop: OnLoop, shown: list[tuple[str, str]]
) -> None:
    async def test(window: MainWindow) -> None:
        await hide(window)
        save(window, world, do_not_disturb=True)
        window.notifier.tell(REPLY)
        assert shown == []
        save(window, world, do_not_disturb=False, words=True)
        window.notifier.tell(REPLY)
        assert shown == [("Tom", "The tide is out.")]
        window.lock()
        window.notifier.tell(REPLY)
        assert shown[1:] == [("Familiar", "There is a reply.")], "a locked window tells no words"

    on_loop(with_window(world, test))


def test_a_click_leads_to_the_familiar_and_the_channel(
    world: World, on_loop: OnLoop, shown: list[tuple[str, str]]
) -> None:
    async def test(window: MainWindow) -> None:
        window.frame.show_panel("log")
        await hide(window)
        window.notifier.tell(REPLY)
        icon_of(window).messageClicked.emit()
        await until(window.isVisible)
        assert window.frame.context.familiar == "tom"
        assert window.frame._panels["chat"].asked[-1] == "show garden"

    on_loop(with_window(world, test))


def test_a_click_shows_nothing_of_a_locked_window(world: World, on_loop: OnLoop, shown: list[tuple[str, str]]) -> None:
    async def test(window: MainWindow) -> None:
        window.lock()
        await hide(window)
        window.notifier.tell(REPLY)
        icon_of(window).messageClicked.emit()
        await until(window.isVisible)
        assert window.locked
        assert "show garden" not in window.frame._panels["chat"].asked

    on_loop(with_window(world, test))


def test_the_icon_is_there_for_a_notification_and_closing_still_ends_the_program(
    world: World, on_loop: OnLoop, shown: list[tuple[str, str]]
) -> None:
    async def test(window: MainWindow) -> None:
        assert not icon_of(window).isVisible()
        await hide(window)
        window.notifier.tell(REPLY)
        assert icon_of(window).isVisible()
        window._tray._over.stop()
        window._tray._over.timeout.emit()
        assert not icon_of(window).isVisible()
        window.show()
        window.notifier.tell(REPLY)
        window.close()
        assert ("quit", None) in world.asked

    on_loop(with_window(world, test))


async def started_hidden(world: World, test: Callable[[MainWindow], object]) -> None:
    window = MainWindow(world.parts)
    window.start(hidden=True)
    await settle(12)
    try:
        test(window)
    finally:
        await window.prepare_close()
        await world.tasks.cancel()
        window.close()
        window.deleteLater()
        await settle(2)
    assert world.errors == []


def test_a_hidden_start_stays_in_the_tray_until_it_is_wanted(
    world: World, on_loop: OnLoop, shown: list[tuple[str, str]]
) -> None:
    def test(window: MainWindow) -> None:
        assert not window.isVisible()
        assert icon_of(window).isVisible()
        assert shown == [("Familiar is locked", "It waits for the passphrase.")]
        window._tray._over.stop()
        window.bring_to_front()
        QApplication.processEvents()
        assert window.isVisible()
        assert not icon_of(window).isVisible(), "the setting of the tray is off"

    on_loop(started_hidden(world, test))


def test_without_a_tray_a_hidden_start_is_minimised(world: World, on_loop: OnLoop) -> None:
    def test(window: MainWindow) -> None:
        assert window.isMinimized()

    on_loop(started_hidden(world, test))
