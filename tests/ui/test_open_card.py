"""A card that the program was started with, or that a second start hands over, becomes a familiar."""

from __future__ import annotations

from pathlib import Path

from familiar_app.ui.first_run.wizard import Wizard
from familiar_app.ui.shell.window import MainWindow
from familiar_app.ui.unlock.screen import UnlockScreen
from tests.ui.conftest import OnLoop
from tests.ui.double import PASSPHRASE, World
from tests.ui.pictures import settle, until
from tests.ui.test_window import current, with_window

CARD = Path("orla.png")


def shows_card(window: MainWindow) -> bool:
    page = current(window)
    return isinstance(page, Wizard) and page.state.imported_from == CARD


def test_it_is_offered_once_the_vault_is_open(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        window.open_card(CARD)
        await settle()
        screen = current(window)
        assert isinstance(screen, UnlockScreen)
        screen._passphrase.setText(PASSPHRASE)
        screen._go.click()
        await until(lambda: shows_card(window))
        assert current(window).state.name == "Orla"

    on_loop(with_window(world, test, opened=False))


def test_the_open_window_shows_it_at_once_and_lets_it_be(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        window.open_card(CARD)
        await until(lambda: shows_card(window))
        current(window).go_back()
        await until(lambda: current(window) is window.frame)
        window.lock()
        await settle()
        window.open_card(CARD)
        await settle()
        assert not shows_card(window)

    on_loop(with_window(world, test))


def test_a_first_run_takes_it(new_world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        window.open_card(CARD)
        await until(lambda: shows_card(window))
        assert current(window).state.step == "welcome"

    on_loop(with_window(new_world, test, opened=False))


def test_one_of_a_familiar_that_is_there_can_be_used_for_it(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        window.open_card(Path("tom.png"))
        await until(lambda: isinstance(current(window), Wizard) and current(window).state.imported is not None)
        page = current(window)._pages["character"]
        assert page._same.text() == "There is a familiar called Tom already. This adds another one of that name."
        page._name.setText("Tom the Second")
        assert not page._namesake.isVisible()
        page._name.setText("tom")
        assert page._namesake.isVisible()
        page._instead.click()
        await until(lambda: current(window) is window.frame)
        assert window.frame.context.familiar == "tom"
        assert window.frame._panels["character"].asked[-1] == "show import:tom.png"

    on_loop(with_window(world, test))
