"""The list of profiles before the vault and in the settings, and starting with the system."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from familiar_app.domain.errors import OutsideError
from familiar_app.ui.kit.profile_sheet import ProfileSheet
from familiar_app.ui.shell.window import MainWindow
from familiar_app.ui.unlock.screen import UnlockScreen
from tests.ui.conftest import OnLoop
from tests.ui.double import World
from tests.ui.pictures import settle, until
from tests.ui.test_every_screen import cut_off, unnamed, unreachable
from tests.ui.test_window import current, texts, with_window

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


async def sheet_of(window: MainWindow) -> ProfileSheet:
    await until(lambda: window.findChild(ProfileSheet) is not None)
    sheet = window.findChild(ProfileSheet)
    await until(lambda: "Shown in this window" in texts(sheet))
    return sheet


def press_named(sheet: ProfileSheet, name: str) -> None:
    found = next(one for one in sheet.findChildren(QPushButton) if one.accessibleName() == name and one.isVisible())
    found.click()


async def open_from_unlock(window: MainWindow) -> ProfileSheet:
    screen = current(window)
    assert isinstance(screen, UnlockScreen)
    screen.profiles.click()
    return await sheet_of(window)


def test_another_profile_opens_in_a_program_of_its_own(world: World, on_loop: OnLoop, tmp_path: Path) -> None:
    world.parts.desktop.profiles.keep(tmp_path / "work")

    async def test(window: MainWindow) -> None:
        sheet = await open_from_unlock(window)
        assert "work" in texts(sheet)
        assert [*unnamed(sheet), *unreachable(sheet), *cut_off(sheet)] == []
        press_named(sheet, "Open: work")
        await until(lambda: world.asked)
        assert world.asked == [("launch", tmp_path / "work")]
        await until(lambda: window.findChild(ProfileSheet) is None)

    on_loop(with_window(world, test, opened=False))


def test_a_new_profile_stands_beside_the_usual_one_and_on_the_list(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        sheet = await open_from_unlock(window)
        sheet.make_button.click()
        await until(lambda: "Give it a name, such as work." in texts(sheet))
        sheet._name.setText("../up")
        QTest.keyClick(sheet._name, Qt.Key.Key_Return)
        await until(lambda: "no name for a profile" in texts(sheet))
        assert world.asked == []
        sheet._name.setText("On stage")
        QTest.keyClick(sheet._name, Qt.Key.Key_Return)
        await until(lambda: world.asked)

    on_loop(with_window(world, test, opened=False))
    profiles = world.parts.desktop.profiles
    made = profiles.usual.with_name(f"{profiles.usual.name}-On stage")
    assert world.asked == [("launch", made)]
    assert profiles.known()[1:] == [made]
    assert not made.exists(), "its folder comes with its vault"


def test_forgetting_takes_it_off_the_list_alone_and_can_be_undone(
    world: World, on_loop: OnLoop, tmp_path: Path
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    profiles = world.parts.desktop.profiles
    profiles.keep(folder)

    async def test(window: MainWindow) -> None:
        sheet = await open_from_unlock(window)
        press_named(sheet, "Forget: work")
        await until(lambda: "work is off the list. Its folder stays as it is." in texts(sheet))
        assert profiles.known() == [profiles.usual]
        assert folder.is_dir()
        press_named(sheet, "Put it back")
        await until(lambda: profiles.known() == [profiles.usual, folder])
        sheet.reject()

    on_loop(with_window(world, test, opened=False))


def test_a_list_that_cannot_be_read_is_told_in_the_sheet(world: World, on_loop: OnLoop) -> None:
    world.parts.desktop.profiles.file.write_text("[]", encoding="utf-8")

    async def test(window: MainWindow) -> None:
        current(window).profiles.click()
        await until(lambda: window.findChild(ProfileSheet) is not None)
        sheet = window.findChild(ProfileSheet)
        await until(lambda: "no list of profiles" in sheet.notice.text)
        sheet.reject()

    on_loop(with_window(world, test, opened=False))


def test_starting_with_the_system_is_switched_and_taken_back(world: World, on_loop: OnLoop) -> None:
    autostart = world.parts.desktop.autostart

    async def test(window: MainWindow) -> None:
        window.frame.show_panel("settings")
        panel = window.frame.panel("settings")
        await settle()
        panel._list.rows["autostart"]._box.click()
        await until(autostart.is_on)
        await until(lambda: window.frame._undo_bar.isVisible())
        assert panel._list.rows["autostart"]._box.text() == "On"
        window.frame.undo()
        await until(lambda: not autostart.is_on())

    on_loop(with_window(world, test))


def test_a_system_that_refuses_leaves_the_switch_as_it_is(world: World, on_loop: OnLoop) -> None:
    def refuse(_on: bool) -> None:
        raise OutsideError("The folder cannot be written.", "Give yourself permission there.")

    world.parts.desktop.autostart.switch = refuse

    async def test(window: MainWindow) -> None:
        window.frame.show_panel("settings")
        panel = window.frame.panel("settings")
        await settle()
        panel._list.rows["autostart"]._box.click()
        await until(lambda: "The folder cannot be written." in panel.notice.text)
        await until(lambda: not panel._list.rows["autostart"]._box.isChecked())

    on_loop(with_window(world, test))


def test_the_first_run_leads_to_other_profiles_too(new_world: World, on_loop: OnLoop, tmp_path: Path) -> None:
    new_world.parts.desktop.profiles.keep(tmp_path / "work")

    async def test(window: MainWindow) -> None:
        current(window).profiles.click()
        sheet = await sheet_of(window)
        press_named(sheet, "Open: work")
        await until(lambda: new_world.asked == [("launch", tmp_path / "work")])

    on_loop(with_window(new_world, test, opened=False))
