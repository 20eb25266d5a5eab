"""Opening a locked vault: by passphrase, by recovery code, and when it does not open."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from familiar_app.domain.errors import LockedError, OutsideError
from familiar_app.ui.shell.window import MainWindow
from familiar_app.ui.unlock.screen import UnlockScreen
from tests.ui.conftest import OnLoop
from tests.ui.double import PASSPHRASE, World
from tests.ui.pictures import until
from tests.ui.test_window import current, press, texts, with_window

CODE = "7K3M-9XQ2-HB4T-0RWE-5PNV-JD8C-6GYS"


def test_the_passphrase_opens(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        QTest.keyClicks(window.focusWidget(), PASSPHRASE)
        press(window, "Return")
        await until(lambda: window.frame is not None)
        assert world.gate.calls == [("unlock", (PASSPHRASE, None, False))]

    on_loop(with_window(world, test, opened=False))


def test_a_wrong_one_is_said_in_its_place_and_ready_to_be_typed_over(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        screen: UnlockScreen = current(window)
        QTest.keyClicks(window.focusWidget(), "wrong")
        press(window, "Return")
        await until(lambda: "does not open" in texts(screen))
        assert window.focusWidget() is screen._passphrase
        assert screen._passphrase.selectedText() != ""
        assert not screen._passphrase.isReadOnly()
        QTest.keyClicks(window.focusWidget(), PASSPHRASE)
        assert "does not open" not in texts(screen)
        press(window, "Return")
        await until(lambda: window.frame is not None)

    on_loop(with_window(world, test, opened=False))


def test_an_empty_one_is_not_tried(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        press(window, "Return")
        assert "Type the passphrase." in texts(current(window))
        assert world.gate.calls == []

    on_loop(with_window(world, test, opened=False))


def test_two_presses_try_once(world: World, on_loop: OnLoop) -> None:
    world.gate.delay_s = 0.1

    async def test(window: MainWindow) -> None:
        QTest.keyClicks(window.focusWidget(), PASSPHRASE)
        press(window, "Return")
        press(window, "Return")
        assert current(window)._go.text() == "Opening…"
        await until(lambda: window.frame is not None)
        assert len(world.gate.calls) == 1

    on_loop(with_window(world, test, opened=False))


def test_it_goes_on_saying_that_it_opens_until_the_window_is_there(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        screen: UnlockScreen = current(window)
        said: list[tuple[str, bool]] = []
        screen.opened.connect(lambda: said.append((screen._go.text(), screen._go.isEnabled())))
        QTest.keyClicks(window.focusWidget(), PASSPHRASE)
        press(window, "Return")
        await until(lambda: window.frame is not None)
        assert said == [("Opening…", False)]

    on_loop(with_window(world, test, opened=False))


def test_the_code_opens_and_asks_for_a_new_passphrase(world: World, on_loop: OnLoop) -> None:
    world.gate.vault.recovery_code = CODE

    async def test(window: MainWindow) -> None:
        screen: UnlockScreen = current(window)
        screen._show(1)
        QTest.keyClicks(window.focusWidget(), CODE[:-1])
        press(window, "Return")
        await until(lambda: "does not open" in texts(screen))
        QTest.keyClicks(window.focusWidget(), CODE[-1])  # what was read is mended, not typed anew
        press(window, "Return")
        await until(lambda: screen._stack.currentIndex() == 2)
        assert window.frame is None
        QTest.keyClicks(window.focusWidget(), "brand new words here")
        press(window, "Return")
        QTest.keyClicks(window.focusWidget(), "brand new words here")
        press(window, "Return")
        await until(lambda: window.frame is not None)
        assert world.gate.vault.passphrase == "brand new words here"

    on_loop(with_window(world, test, opened=False))


def test_other_faults_are_told_with_their_next_step(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        screen: UnlockScreen = current(window)
        world.gate.fails["unlock"] = OutsideError("The vault is damaged.", "Restore a backup.")
        QTest.keyClicks(window.focusWidget(), PASSPHRASE)
        press(window, "Return")
        await until(lambda: screen.notice.isVisible())
        assert screen.notice.text == "The vault is damaged. Restore a backup."

    on_loop(with_window(world, test, opened=False))


def test_a_vault_in_use_elsewhere_is_said(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        world.gate.fails["unlock"] = LockedError("The vault is in use by another Familiar.", "Close the other one.")
        QTest.keyClicks(window.focusWidget(), PASSPHRASE)
        press(window, "Return")
        await until(lambda: "in use by another" in texts(current(window)))

    on_loop(with_window(world, test, opened=False))


def test_the_passphrase_can_be_shown_and_caps_lock_is_noticed(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        screen: UnlockScreen = current(window)
        QTest.keyClicks(screen._passphrase, "s")
        assert screen._caps.isHidden()
        QTest.keyClick(screen._passphrase, "S", Qt.KeyboardModifier.ShiftModifier)
        assert screen._caps.isHidden()
        QTest.keyClick(screen._passphrase, "S")
        assert screen._caps.isVisible()
        screen._passphrase.toggle()
        assert screen._passphrase.shown

    on_loop(with_window(world, test, opened=False))
