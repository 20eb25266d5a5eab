"""Locking the window, which goes on behind it, and closing the vault, which does not: by hand and by itself."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog

from familiar_app.domain.erasure import ErasurePlan
from familiar_app.domain.errors import OutsideError
from familiar_app.ui.first_run.wizard import Wizard
from familiar_app.ui.kit.curtain import curtain
from familiar_app.ui.kit.dialog import Dialog, ask
from familiar_app.ui.kit.empty_state import EmptyState
from familiar_app.ui.kit.erase_flow import EraseProgress
from familiar_app.ui.kit.secret_clipboard import secret_clipboard
from familiar_app.ui.shell.idle import IdleClock
from familiar_app.ui.shell.window import MainWindow
from familiar_app.ui.unlock.cover import CoverScreen
from familiar_app.ui.unlock.screen import UnlockScreen
from tests.ui.conftest import OnLoop
from tests.ui.double import PASSPHRASE, World
from tests.ui.pictures import settle, until
from tests.ui.test_every_screen import cut_off, overlapping, unnamed, unreachable
from tests.ui.test_window import current, press, texts, with_window


async def unlock(window: MainWindow) -> None:
    cover = current(window)
    assert isinstance(cover, CoverScreen)
    cover.passphrase.setText(PASSPHRASE)
    cover._try()
    await until(lambda: not window.locked)


def test_a_locked_window_shows_nothing_and_the_vault_stays_open(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        frame = window.frame
        assert frame is not None
        frame._panels["chat"].text.setPlainText("half a sentence")
        press(window, "Ctrl+L")
        await settle()
        cover = current(window)
        assert isinstance(cover, CoverScreen)
        assert not frame.isVisible()
        assert window.windowTitle() == "Familiar"
        assert ("close", None) not in world.gate.calls
        assert "close" not in frame._panels["chat"].asked
        press(window, "Alt+2")
        press(window, "Ctrl+K")
        assert current(window) is cover, "no key of the frame works through the cover"
        QTest.keyClicks(cover.passphrase, "wrong")
        press(window, "Return")
        await until(lambda: "The passphrase is wrong." in texts(cover))
        assert window.locked
        QTest.keyClicks(cover.passphrase, PASSPHRASE)
        press(window, "Return")
        await until(lambda: current(window) is frame)
        assert frame._panels["chat"].text.toPlainText() == "half a sentence"
        assert "Mira" in window.windowTitle()
        assert not window.locked

    on_loop(with_window(world, test))


def test_the_recovery_code_unlocks_too(world: World, on_loop: OnLoop) -> None:
    world.gate.vault.recovery_code = "7K3M-9XQ2-HB4T-0RWE-5PNV-JD8C-6GYS"

    async def test(window: MainWindow) -> None:
        window.lock()
        await settle()
        QTest.keyClicks(current(window).passphrase, world.gate.vault.recovery_code)
        press(window, "Return")
        await until(lambda: not window.locked)

    on_loop(with_window(world, test))


def test_the_vault_can_be_closed_from_behind_the_cover(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        window.lock()
        await settle()
        current(window)._close.click()
        await until(lambda: isinstance(current(window), UnlockScreen))
        assert world.gate.calls[-1] == ("close", None)
        assert not window.locked

    on_loop(with_window(world, test))


def test_dialogs_are_given_up_when_the_window_locks(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        dialog = Dialog(window, "Erase everything?")
        dialog.open()
        await settle()
        window.lock()
        await settle()
        assert not dialog.isVisible()
        assert dialog.chosen == ""
        dialog.deleteLater()

    on_loop(with_window(world, test))


def test_what_cannot_be_given_up_waits_behind_the_cover(world: World, on_loop: OnLoop) -> None:
    plan = ErasurePlan("person", "Bobadil", ("discord:1",), {}, {}, (), ())

    async def test(window: MainWindow) -> None:
        working = EraseProgress(window, plan)
        curtain().open(working)
        await until(working.isVisible)
        window.lock()
        await settle()
        assert not working.isVisible(), "its title has a name"
        asking = asyncio.ensure_future(ask(window, "Did Bobadil say that?", "", [("yes", "Yes", "primary")]))
        await settle()
        assert [one for one in QApplication.topLevelWidgets() if isinstance(one, QDialog) and one.isVisible()] == []
        working.end()
        await unlock(window)
        await until(lambda: any(isinstance(one, Dialog) and one.isVisible() for one in window.findChildren(Dialog)))
        [question] = [one for one in window.findChildren(Dialog) if one.isVisible()]
        assert question.windowTitle() == "Did Bobadil say that?"
        question.choose("yes")
        assert await asking == "yes"

    on_loop(with_window(world, test))


def test_a_familiar_that_is_made_meanwhile_does_not_unlock_the_window(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        window.frame.add_wanted.emit()
        wizard = current(window)
        assert isinstance(wizard, Wizard)
        window.lock()
        await settle()
        cover = current(window)
        wizard.done.emit("mira")
        await settle()
        assert current(window) is cover
        assert window.locked
        await unlock(window)
        assert current(window) is window.frame

    on_loop(with_window(world, test))


def test_an_error_does_not_unlock_the_window(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        window.lock()
        await settle()
        cover = current(window)
        window._failed(OutsideError("The disk is full."), None)
        await settle()
        assert current(window) is cover
        await unlock(window)
        page = current(window)
        assert "disk is full" in texts(page)
        # Whoever left it like that is locked out of it, too.
        window.locking.by_itself()
        await settle()
        assert window.locked
        await unlock(window)
        assert current(window) is page
        window.lock()
        await settle()
        current(window)._close.click()
        await until(lambda: isinstance(current(window), UnlockScreen))
        assert world.gate.calls[-1] == ("close", None)

    on_loop(with_window(world, test))


def test_the_vault_is_closed_also_where_a_draft_cannot_be_stored(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        frame = window.frame

        async def full() -> None:
            raise OutsideError("The disk is full.")

        frame.close_panels = full
        window.close_vault()
        await until(lambda: ("close", None) in world.gate.calls)
        await until(lambda: isinstance(current(window), EmptyState))
        current(window).button.click()
        await until(lambda: isinstance(current(window), UnlockScreen))

    on_loop(with_window(world, test))


def test_the_cover_is_whole_at_every_size(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        window.lock()
        for zoom in (1.0, 1.5):
            world.parts.theme.set_zoom(zoom)
            await settle()
            assert unnamed(window) == []
            assert cut_off(window) == []
            assert overlapping(window) == []
            assert unreachable(window) == []

    on_loop(with_window(world, test))


def test_time_locks_and_somebody_at_the_keys_puts_it_off() -> None:
    clock = IdleClock(0.0)
    assert not clock.is_due(10_000.0), "0 minutes is never"
    clock.minutes = 5
    assert not clock.is_due(299.0)
    assert clock.is_due(300.0)
    clock.touch(200.0)
    assert not clock.is_due(499.0)
    assert clock.is_due(500.0)


def test_an_idle_window_locks_by_itself(world: World, on_loop: OnLoop) -> None:
    world.gate.profile.save_settings({"lock.idle_minutes": 5})
    now = [0.0]

    async def test(window: MainWindow) -> None:
        idle = window.locking.idle
        idle._now = lambda: now[0]
        idle.clock.touch(0.0)
        assert idle._timer.isActive()
        now[0] = 290.0
        QTest.keyClick(window.windowHandle(), Qt.Key.Key_Shift)
        now[0] = 310.0
        idle.look()
        assert not window.locked, "a key was pressed in between"
        now[0] = 590.0
        idle.look()
        assert window.locked

    on_loop(with_window(world, test))


def test_locking_by_itself_can_close_the_vault(world: World, on_loop: OnLoop) -> None:
    world.gate.profile.save_settings({"lock.close_vault": True})

    async def test(window: MainWindow) -> None:
        window.locking.session.begins(True)
        await until(lambda: isinstance(current(window), UnlockScreen))
        assert world.gate.calls[-1] == ("close", None)

    on_loop(with_window(world, test))


def test_the_system_s_lock_is_followed_only_where_it_is_wanted(world: World, on_loop: OnLoop) -> None:
    world.gate.profile.save_settings({"lock.with_screen": False})

    async def test(window: MainWindow) -> None:
        window.locking.session.lock()
        assert not window.locked
        world.gate.profile.save_settings({"lock.with_screen": True})
        window._apply(world.gate.profile.settings())
        window.locking.session.begins(False)
        assert not window.locked, "that was the end of a screen lock"
        window.locking.session.begins(True)
        assert window.locked

    on_loop(with_window(world, test))


def test_a_secret_leaves_the_clipboard_with_the_program(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        secret_clipboard().copy("7K3M-9XQ2")
        assert QGuiApplication.clipboard().text() == "7K3M-9XQ2"
        await window.prepare_close()
        assert QGuiApplication.clipboard().text() == ""

    on_loop(with_window(world, test))


@pytest.mark.skipif(shutil.which("dbus-run-session") is None, reason="needs dbus-run-session")
def test_a_screen_lock_is_heard_on_the_bus_of_the_desktop() -> None:
    done = subprocess.run(
        ["dbus-run-session", "--", sys.executable, "-m", "tests.ui.session_child"],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert done.stdout.splitlines() == ["hears", "locked"], done.stderr
