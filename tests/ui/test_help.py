"""F1 and the help as the person meets them, in the real frame."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from gettext import NullTranslations

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QImage, QKeySequence, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.text import speak
from familiar_app.ui.help.view import HelpView
from familiar_app.ui.kit.empty_state import EmptyState
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.shell.window import MainWindow
from familiar_app.ui.unlock.screen import UnlockScreen
from tests.ui.conftest import OnLoop
from tests.ui.double import World
from tests.ui.help_scene import help_window
from tests.ui.pictures import settle, until
from tests.ui.test_every_screen import cut_off, overlapping, unnamed, unreachable
from tests.ui.test_window import with_window

Test = Callable[[MainWindow, HelpView], Awaitable[None]]
Play = Callable[[Test], None]


@pytest.fixture
def play(world: World, on_loop: OnLoop) -> Play:
    async def run(test: Test) -> None:
        async with help_window(world) as (window, view):
            await test(window, view)

    return lambda test: on_loop(run(test))


def press(window: QWidget, keys: str) -> None:
    combination = QKeySequence(keys)[0]
    QTest.keyClick(window.focusWidget() or window, combination.key(), combination.keyboardModifiers())


def test_f1_opens_the_page_of_the_panel_and_back_leads_back(play: Play) -> None:
    async def test(window: MainWindow, view: HelpView) -> None:
        window.frame.show_panel("settings")
        press(window, "F1")
        await settle()
        assert window.frame._current == "help"
        assert view.model.page.id == "manual/settings"
        assert "Settings" in view.browser.toPlainText().splitlines()[0]
        press(window, "Alt+Left")
        await settle()
        assert window.frame._current == "settings"

    play(test)


def test_a_link_leads_on_and_back_leads_to_the_page_before(play: Play) -> None:
    async def test(window: MainWindow, view: HelpView) -> None:
        window.frame.go_to("help", "manual/index")
        view.follow_link("backups.md")
        view.follow_link("privacy.md")
        assert view.model.page.id == "manual/privacy"
        press(window, "Alt+Left")
        assert view.model.page.id == "manual/backups"
        press(window, "Alt+Right")
        assert view.model.page.id == "manual/privacy"

    play(test)


def test_typed_words_are_found_opened_and_marked(play: Play) -> None:
    async def test(window: MainWindow, view: HelpView) -> None:
        press(window, "F1")
        press(window, "Ctrl+F")
        QTest.keyClicks(window.focusWidget(), "recovery code")
        assert view.list.count() > 1
        press(window, "Return")
        assert "recovery code" in view.browser.toPlainText().casefold()
        marked = {one.cursor.selectedText().casefold() for one in view.browser.extraSelections()}
        assert marked == {"recovery", "code"}
        view.field.setText("xyzzy plugh")
        assert view.list.count() == 0
        assert "Fewer words" in view.said.text()

    play(test)


def test_the_palette_knows_the_pages_by_title_and_heading(play: Play) -> None:
    async def test(window: MainWindow, view: HelpView) -> None:
        window.frame.open_palette()
        window.frame._palette._typed.setText("help backups")
        press(window, "Return")
        await settle()
        assert view.model.page.id == "manual/backups"

    play(test)


def test_an_empty_panel_leads_to_its_page(play: Play, theme: Theme) -> None:
    async def test(window: MainWindow, view: HelpView) -> None:
        empty = EmptyState(theme, "log", "Nothing yet", "It will be here.")
        window.frame.show_panel("log")
        window.frame._stack.currentWidget().layout().addWidget(empty)
        await settle()
        assert empty.help.isVisible()
        empty.help.click()
        assert view.model.page.id == "manual/troubleshooting"

    play(test)


def test_without_a_frame_around_it_an_empty_state_has_no_link(theme: Theme, on_loop: OnLoop) -> None:
    async def test() -> None:
        empty = EmptyState(theme, "log", "Nothing yet", "It will be here.")
        empty.show()
        assert not empty.help.isVisible()
        empty.hide()
        empty.deleteLater()
        await settle(1)

    on_loop(test())


def test_only_pictures_of_the_manual_are_loaded_the_dark_ones_by_night(play: Play, theme: Theme) -> None:
    async def test(_window: MainWindow, view: HelpView) -> None:
        kind = QTextDocument.ResourceType.ImageResource.value
        light = view.browser._picture_file("pictures/chat-light.png")
        theme.set_mode("dark")
        assert light.name == "chat-light.png"
        assert view.browser._picture_file("pictures/chat-light.png").name == "chat-dark.png"
        assert view.browser.loadResource(kind, QUrl("../resources/app/familiar.svg")) is None
        assert view.browser.loadResource(kind, QUrl("https://example.org/pictures/chat-light.png")) is None
        shown = view.browser.loadResource(kind, QUrl("pictures/chat-light.png"))
        assert 200 < shown.width() <= view.browser.viewport().width()

    play(test)


def test_an_address_elsewhere_is_given_to_the_browser_and_only_by_https(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()) or True)

    async def test(_window: MainWindow, view: HelpView) -> None:
        view.follow_link("https://example.org/a")
        view.follow_link("file:///etc/passwd")
        view.follow_link("../../CHANGELOG.md")
        assert opened == ["https://example.org/a"]

    play(test)


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_everything_has_a_name_and_room(play: Play, theme: Theme, zoom: float) -> None:
    async def test(window: MainWindow, view: HelpView) -> None:
        window.frame.go_to("help", "manual/backups")
        theme.set_zoom(zoom)
        window.resize(720, 480)
        await settle()
        for check in (unnamed, unreachable, cut_off, overlapping):
            assert check(view) == [], check.__name__
        assert view.browser.horizontalScrollBar().maximum() == 0
        assert view.browser.focusPolicy() & Qt.FocusPolicy.TabFocus

    play(test)


def test_nothing_on_a_page_is_wider_than_it(play: Play) -> None:
    async def test(window: MainWindow, view: HelpView) -> None:
        image = QImage(str(view.browser._picture_file("pictures/timeline-light.png")))
        assert image.width() > 760
        window.frame.go_to("help", "manual/memory")  # has pictures, tables and long commands
        for width in (1180, 760):
            window.resize(width, 600)
            await settle()
            assert view.browser.document().idealWidth() <= view.browser.viewport().width()
            assert view.browser.horizontalScrollBar().maximum() == 0
            drawn = view.browser.document()
            await settle()
            assert view.browser.document() is drawn, "it is drawn again and again"

    play(test)


def test_before_the_vault_is_open_f1_shows_the_manual_over_the_question(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        question = window._pages.currentWidget()
        assert isinstance(question, UnlockScreen)
        press(window, "F1")
        page = window._pages.currentWidget()
        await until(lambda: page.view.model.page is not None, 30)
        assert page.view.model.page.id == "manual/troubleshooting"
        page.view.follow_link("backups.md#going-back")
        press(window, "Alt+Left")
        assert page.view.model.page.id == "manual/troubleshooting"
        press(window, "Esc")
        assert window._pages.currentWidget() is question
        assert world.gate.calls == []

    on_loop(with_window(world, test, opened=False))


def test_a_covered_window_shows_no_manual(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        window.lock()
        cover = window._pages.currentWidget()
        press(window, "F1")
        await settle()
        assert window._pages.currentWidget() is cover

    on_loop(with_window(world, test))


def test_an_error_that_leaves_nothing_else_leads_to_the_manual(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        window._failed(OutsideError("The disk is full."), None)
        page = window._pages.currentWidget()
        assert isinstance(page, EmptyState)
        await until(page.help.isVisible)
        page.help.click()
        manual = window._pages.currentWidget()
        await until(lambda: manual.view.model.page is not None, 30)
        assert manual.view.model.page.id == "manual/troubleshooting"
        press(window, "Esc")
        assert window._pages.currentWidget() is page

    on_loop(with_window(world, test))


def test_in_another_language_it_says_that_the_manual_is_in_english(world: World, on_loop: OnLoop) -> None:
    async def run(*, there: bool) -> None:
        async with help_window(world) as (_window, view):
            said = [one.text() for one in view.findChildren(QLabel)]
            assert ("The manual is written in English." in said) == there

    speak("de", NullTranslations())
    try:
        on_loop(run(there=True))
    finally:
        speak("en", NullTranslations())
