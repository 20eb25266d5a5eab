"""The window as a whole: which screen, what keys do, locking, leaving, and what is remembered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QPlainTextEdit, QWidget

from familiar_app.domain.errors import BadInputError, OutsideError
from familiar_app.ui.first_run.wizard import Wizard
from familiar_app.ui.kit.empty_state import EmptyState
from familiar_app.ui.shell.key_list import KeyList
from familiar_app.ui.shell.window import MainWindow
from familiar_app.ui.unlock.screen import UnlockScreen
from tests.ui.conftest import OnLoop
from tests.ui.double import PASSPHRASE, DoublePanel, World
from tests.ui.pictures import settle, until

Test = Callable[[MainWindow], Awaitable[None]]


def press(window: QWidget, keys: str) -> None:
    """Press a key where the focus is, as a person would."""
    combination = QKeySequence(keys)[0]
    QTest.keyClick(window.focusWidget() or window, combination.key(), combination.keyboardModifiers())


async def with_window(world: World, test: Test, *, opened: bool = True) -> None:
    """Run a test on a shown window and put everything away behind it."""
    if opened:
        world.gate.open_now()
    window = MainWindow(world.parts)
    window.start()
    await settle()
    window.activateWindow()
    await until(window.isActiveWindow)
    if opened:
        await until(lambda: window.frame is not None)
    try:
        await test(window)
    finally:
        for popup in window.findChildren(QMenu):
            popup.close()
        await window.prepare_close()
        await world.tasks.cancel()
        window.close()
        window.deleteLater()
        await settle(2)
    assert world.errors == []


def texts(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisibleTo(widget))


def current(window: MainWindow) -> QWidget:
    return window._pages.currentWidget()


class TestWhichScreen:
    def test_a_fresh_profile_meets_the_first_run(self, new_world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            assert isinstance(current(window), Wizard)

        on_loop(with_window(new_world, test, opened=False))

    def test_a_locked_vault_asks_for_the_passphrase(self, world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            assert isinstance(current(window), UnlockScreen)
            assert world.gate.calls == []

        on_loop(with_window(world, test, opened=False))

    def test_a_remembered_key_is_tried_first(self, world: World, on_loop: OnLoop) -> None:
        world.gate.profile.save_settings({"remember_key": True})
        world.gate.vault.passphrase = None  # type: ignore[assignment]

        async def test(window: MainWindow) -> None:
            assert world.gate.calls == [("unlock", (None, None, True))]
            assert window.frame is not None

        on_loop(with_window(world, test, opened=False))

    def test_without_a_key_in_the_keyring_it_asks(self, world: World, on_loop: OnLoop) -> None:
        world.gate.profile.save_settings({"remember_key": True})

        async def test(window: MainWindow) -> None:
            screen = current(window)
            assert isinstance(screen, UnlockScreen)
            assert screen.notice.isVisible()

        on_loop(with_window(world, test, opened=False))

    def test_a_broken_settings_file_is_told_with_a_way_on(self, world: World, on_loop: OnLoop) -> None:
        file = world.gate.profile.root / "settings.toml"
        file.write_text("zoom = 'large'\n")

        async def test(window: MainWindow) -> None:
            page = current(window)
            assert isinstance(page, EmptyState)
            assert "settings.toml" in texts(page)
            file.write_text("")
            page.button.click()
            await settle()
            assert isinstance(current(window), UnlockScreen)

        on_loop(with_window(world, test, opened=False))

    def test_the_last_familiar_is_shown(self, world: World, on_loop: OnLoop) -> None:
        world.gate.profile.save_settings({"last_familiar": "tom"})

        async def test(window: MainWindow) -> None:
            assert window.frame.context.familiar == "tom"
            assert window.windowTitle() == "Tom – Familiar"

        on_loop(with_window(world, test))

    def test_where_no_familiar_could_be_loaded_it_says_why(self, world: World, on_loop: OnLoop) -> None:
        services = world.gate.open_now()
        services.familiars.clear()
        services.broken["mira"] = BadInputError("unknown key.", source="character.toml")

        async def test(window: MainWindow) -> None:
            assert "character.toml: unknown key." in texts(current(window))
            current(window).button.click()
            await settle()
            assert window.frame is not None

        async def without_opening() -> None:
            await with_window(world, test, opened=False)

        on_loop(without_opening())


class TestKeys:
    def test_alt_and_a_number_shows_a_panel(self, world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            press(window, "Alt+3")
            assert window.frame._current == "log"
            press(window, "Alt+1")
            assert window.frame._current == "chat"

        on_loop(with_window(world, test))

    def test_back_and_forward_lead_over_panels_and_places(self, world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            frame = window.frame
            frame.go_to("chat", "garden")
            press(window, "Alt+4")
            press(window, "Alt+Left")
            assert frame._current == "chat"
            assert frame._panels["chat"].asked[-1] == "show garden"
            press(window, "Alt+Left")
            assert not frame.can_go_back()
            press(window, "Alt+Right")
            press(window, "Alt+Right")
            assert frame._current == "settings"

        on_loop(with_window(world, test))

    def test_keys_of_a_panel_are_in_force_only_there(self, world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            await settle(2)
            press(window, "Ctrl+N")
            assert window.frame._panels["chat"].asked.count("new") == 1
            press(window, "Alt+2")
            await settle(2)
            press(window, "Ctrl+N")
            assert window.frame._panels["chat"].asked.count("new") == 1
            assert window.frame._panels["character"].asked.count("new") == 1
            press(window, "Ctrl+F")
            assert window.frame._panels["character"].asked[-1] == "find"

        on_loop(with_window(world, test))

    def test_no_two_actions_share_a_key(self, world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            for panel in window.frame._panels:
                window.frame.show_panel(panel)
                window.frame.open_palette()
                assert window.frame.actions_registry.clashes() == {}

        on_loop(with_window(world, test))

    def test_escape_closes_the_side_view_and_gives_the_focus_back(self, world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            press(window, "Shift+F1")
            side = window.frame.side_view
            assert side.is_open()
            assert isinstance(side._widget, KeyList)
            assert "Command palette" in texts(side)
            press(window, "Esc")
            assert not side.is_open()
            assert window.focusWidget() is window.frame._panels["chat"].text

        on_loop(with_window(world, test))

    def test_the_side_view_tells_whoever_filled_it(self, world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            closed: list[str] = []
            side = window.frame.context.side_view
            side.show_widget("One", QWidget(), closed=lambda: closed.append("one"))
            side.show_widget("Two", QWidget(), closed=lambda: closed.append("two"))
            assert closed == ["one"]
            window.frame.show_panel("log")
            assert closed == ["one", "two"]

        on_loop(with_window(world, test))

    def test_zoom_is_kept(self, world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            press(window, "Ctrl++")
            press(window, "Ctrl+=")
            await until(lambda: world.gate.profile.settings().zoom == 1.25)
            press(window, "Ctrl+0")
            await until(lambda: world.gate.profile.settings().zoom == 1.0)

        on_loop(with_window(world, test))

    def test_undo_takes_back_what_was_offered_last_once(self, world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            undone: list[str] = []
            window.frame.show_panel("log")
            window.frame.context.offer_undo("One removed.", lambda: undone.append("one"))
            window.frame.context.offer_undo("Two removed.", lambda: undone.append("two"))
            press(window, "Ctrl+Z")
            press(window, "Ctrl+Z")
            assert undone == ["two"]
            assert window.frame._undo_bar.isHidden()

        on_loop(with_window(world, test))

    def test_what_was_taken_back_is_done_again(self, world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            deeds: list[str] = []
            window.frame.show_panel("log")
            offer = window.frame.context.offer_undo
            offer("Renamed.", lambda: deeds.append("old name"), lambda: deeds.append("new name"))
            window.frame._undo_bar.clear()
            press(window, "Ctrl+Z")
            press(window, "Ctrl+Z")
            press(window, "Ctrl+Shift+Z")
            assert deeds == ["old name", "new name"]
            press(window, "Ctrl+K")
            QTest.keyClicks(window.focusWidget(), "undo: renamed")
            press(window, "Return")
            assert deeds == ["old name", "new name", "old name"]

        on_loop(with_window(world, test))

    def test_from_a_field_one_takes_back_typing_first_and_then_the_last_act(
        self, world: World, on_loop: OnLoop
    ) -> None:
        async def test(window: MainWindow) -> None:
            deeds: list[str] = []
            window.frame.show_panel("chat")
            field = window.focusWidget()
            assert isinstance(field, QPlainTextEdit)
            window.frame.context.offer_undo("Renamed.", lambda: deeds.append("back"), lambda: deeds.append("again"))
            QTest.keyClicks(field, "word")
            press(window, "Ctrl+Z")
            assert (field.toPlainText(), deeds) == ("", [])
            press(window, "Ctrl+Z")
            assert deeds == ["back"]
            press(window, "Ctrl+Shift+Z")
            assert (field.toPlainText(), deeds) == ("word", ["back"])
            press(window, "Ctrl+Y")
            press(window, "Ctrl+Shift+Z")
            assert deeds == ["back", "again"]

        on_loop(with_window(world, test))

    def test_the_search_has_a_key_and_no_place_in_the_rail(self, world: World, on_loop: OnLoop) -> None:
        class OffRailPanel(DoublePanel):
            off_rail = True

        make = lambda _services, context: OffRailPanel("search", "Search", "search", context)  # noqa: E731
        world.parts = replace(world.parts, panels=(*world.parts.panels, make))

        async def test(window: MainWindow) -> None:
            assert "search" not in window.frame._rail._buttons
            assert window.frame.actions_registry.find("panel.search") is None
            press(window, "Ctrl+Shift+F")
            assert window.frame._current == "search"
            press(window, "Alt+Left")
            assert window.frame._current == "chat"

        on_loop(with_window(world, test))


class TestPalette:
    def test_typing_and_return_run_an_action(self, world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            press(window, "Ctrl+K")
            assert window.focusWidget() is window.frame._palette._typed
            QTest.keyClicks(window.focusWidget(), "go to log")
            press(window, "Return")
            assert window.frame._current == "log"
            assert window.frame._palette.isHidden()

        on_loop(with_window(world, test))

    def test_channels_are_found_through_the_panels(self, world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            press(window, "Ctrl+K")
            QTest.keyClicks(window.focusWidget(), "kitch")
            press(window, "Return")
            assert window.frame._panels["chat"].asked[-1] == "show kitchen"

        on_loop(with_window(world, test))

    def test_escape_gives_the_focus_back(self, world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            before = window.focusWidget()
            press(window, "Ctrl+K")
            press(window, "Down")
            press(window, "Esc")
            assert window.focusWidget() is before

        on_loop(with_window(world, test))

    def test_what_fits_nothing_is_said_to(self, world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            press(window, "Ctrl+K")
            QTest.keyClicks(window.focusWidget(), "zzzz")
            assert "Nothing fits." in texts(window.frame._palette)
            press(window, "Return")
            assert window.frame._palette.isVisible()

        on_loop(with_window(world, test))


class TestFamiliars:
    def test_switching_tells_the_panels_and_is_kept(self, world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            heard: list[str] = []
            window.frame.context.familiar_changed.connect(heard.append)
            menu = window.frame._switch.menu()
            named = ["Mira", "Tom", "Add a familiar…", "Erase Mira…"]
            assert [action.text() for action in menu.actions() if action.text()] == named
            menu.actions()[1].trigger()
            await until(lambda: world.gate.profile.settings().last_familiar == "tom")
            assert heard == ["tom"]
            assert window.windowTitle() == "Tom – Familiar"
            menu.deleteLater()

        on_loop(with_window(world, test))

    def test_adding_one_and_giving_up(self, world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            frame = window.frame
            frame.add_familiar()
            await settle()
            wizard = current(window)
            assert isinstance(wizard, Wizard)
            wizard.go_back()
            await settle()
            assert current(window) is frame

        on_loop(with_window(world, test))

    def test_adding_one_shows_it(self, world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            window.frame.add_familiar()
            await settle()
            QTest.keyClicks(window.focusWidget(), "Nia")
            press(window, "Return")
            await settle()
            current(window).go_on()
            await until(lambda: window.frame.context.familiar == "nia")
            assert current(window) is window.frame

        on_loop(with_window(world, test))


class TestLocalOnly:
    def test_the_sheet_explains_and_switches(self, world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            heard: list[bool] = []
            window.frame.context.local_only_changed.connect(heard.append)
            assert "Local only" in window.frame._bar.shield.accessibleName()
            window.frame._bar.shield.click()
            await settle(2)
            sheet: Any = QApplication.activePopupWidget()
            assert "connects to nothing but this computer" in texts(sheet)
            sheet.switch_button.click()
            await until(lambda: heard)
            assert heard == [False]
            assert not world.gate.profile.settings().local_only
            assert window.frame._bar.shield.accessibleName() == "Network allowed"

        on_loop(with_window(world, test))

    def test_an_error_stands_in_the_frame(self, world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            world.gate.fails["set_local_only"] = OutsideError("The disk is full.", "Free some space.", retryable=True)
            window.frame.toggle_local_only()
            await settle()
            assert window.frame.notice.text == "The disk is full. Free some space."
            window.frame.notice._button.click()
            await until(lambda: not world.gate.profile.settings().local_only)
            assert not world.gate.profile.settings().local_only

        on_loop(with_window(world, test))


class TestLockingAndLeaving:
    def test_zoom_and_quit_work_before_anything_is_open(self, world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            press(window, "Ctrl++")
            assert world.parts.theme.zoom == 1.1
            press(window, "Ctrl+Q")
            assert world.asked == [("quit", None)]

        on_loop(with_window(world, test, opened=False))

    def test_closing_the_vault_closes_panels_then_the_vault(self, world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            panel = window.frame._panels["chat"]
            press(window, "Ctrl+Shift+L")
            await settle()
            assert panel.asked[-1] == "close"
            assert world.gate.calls[-1] == ("close", None)
            assert window.frame is None
            assert isinstance(current(window), UnlockScreen)
            assert window.windowTitle() == "Familiar"
            QTest.keyClicks(window.focusWidget(), PASSPHRASE)
            press(window, "Return")
            await until(lambda: window.frame is not None)
            assert "Mira" in window.windowTitle()

        on_loop(with_window(world, test))

    def test_closing_the_window_asks_to_leave_and_stays(self, world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            window.close()
            assert world.asked == [("quit", None)]
            assert window.isVisible()

        on_loop(with_window(world, test))

    def test_place_and_side_width_are_remembered(self, world: World, on_loop: OnLoop) -> None:
        async def first(window: MainWindow) -> None:
            window.resize(760, 540)
            window.frame.set_side_width(264)
            window.frame.show_keys()
            await settle(2)

        async def second(window: MainWindow) -> None:
            assert (window.width(), window.height()) == (760, 540)
            window.frame.show_keys()
            await settle(2)
            assert abs(window.frame.side_width - 264) <= 8

        on_loop(with_window(world, first))
        on_loop(with_window(world, second))

    def test_nothing_is_left_of_a_closed_vault_in_the_window(self, world: World, on_loop: OnLoop) -> None:
        async def test(window: MainWindow) -> None:
            gone: list[str] = []
            window.frame._panels["chat"].text.destroyed.connect(lambda: gone.append("the draft"))
            press(window, "Ctrl+Shift+L")
            await until(lambda: gone)

        on_loop(with_window(world, test))


def test_focus_is_seen(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        seen = set()
        for _ in range(12):
            QTest.keyClick(window.focusWidget() or window, Qt.Key.Key_Backtab)
            seen.add(window.focusWidget())
        assert len(seen) > 5

    on_loop(with_window(world, test))
