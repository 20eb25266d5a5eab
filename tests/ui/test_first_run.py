"""The first run, by keyboard alone, and what happens when something is missing or goes wrong."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from familiar_app.domain.errors import BadInputError, OutsideError
from familiar_app.ui.first_run.wizard import Wizard
from familiar_app.ui.kit.recovery_code import RecoveryCodeView
from familiar_app.ui.kit.secret_clipboard import secret_clipboard
from familiar_app.ui.shell.window import MainWindow
from tests.ui.conftest import OnLoop
from tests.ui.double import PASSPHRASE, DoubleServer, World, make_world
from tests.ui.pictures import settle, until, wizard_of
from tests.ui.test_window import current, press, texts, with_window


def first_run(world: World, test: Callable[[MainWindow, Wizard], Awaitable[None]]) -> Any:
    async def on_window(window: MainWindow) -> None:
        await test(window, wizard_of(window))

    return with_window(world, on_window, opened=False)


def type_text(window: MainWindow, text: str) -> None:
    QTest.keyClicks(window.focusWidget(), text)


def tab(window: MainWindow, times: int = 1) -> None:
    for _ in range(times):
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_Tab)


async def to_model(window: MainWindow, wizard: Wizard) -> None:
    """Go through all pages but the last, typing."""
    press(window, "Return")
    type_text(window, "Mira")
    press(window, "Return")
    type_text(window, PASSPHRASE)
    press(window, "Return")
    type_text(window, PASSPHRASE)
    press(window, "Return")
    await settle(2)
    view = wizard.findChild(RecoveryCodeView)
    view._answer.setFocus()
    type_text(window, view._check.groups[view._check.group].lower())
    press(window, "Return")


def test_by_keyboard_from_welcome_to_the_open_window(new_world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow, wizard: Wizard) -> None:
        assert str(new_world.gate.profile.root) in texts(wizard)
        await to_model(window, wizard)
        assert wizard.state.step == "model"
        press(window, "Return")
        await until(lambda: window.frame is not None)
        (name, (passphrase, familiar, code, remember)) = new_world.gate.calls[0]
        assert (name, passphrase, remember) == ("create", PASSPHRASE, False)
        assert (familiar.card.name, familiar.model, familiar.api_key) == ("Mira", "smollm2", None)
        assert code == wizard.state.recovery_code
        assert window.windowTitle() == "Mira – Familiar"

    on_loop(first_run(new_world, test))


def test_the_owners_name_is_asked_for_and_kept(new_world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow, wizard: Wizard) -> None:
        press(window, "Return")
        field = wizard._pages["character"]._owner
        assert field.isVisible()
        field.setText("x" * 81)
        wizard._pages["character"]._name.setText("Mira")
        wizard.go_on()
        assert "at most 80" in texts(wizard)
        field.setText(" Jo ")
        wizard.go_on()
        wizard.go_back()
        assert field.text() == " Jo "
        await wizard._make()
        assert new_world.gate.profile.settings().owner_name == "Jo"

    on_loop(first_run(new_world, test))


def test_missing_things_are_marked_and_hold_the_step(new_world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow, wizard: Wizard) -> None:
        press(window, "Return")
        press(window, "Return")
        assert wizard.state.step == "character"
        assert "Give your familiar a name." in texts(wizard)
        type_text(window, "Mira")
        assert "Give your familiar a name." not in texts(wizard)
        press(window, "Return")
        type_text(window, PASSPHRASE)
        press(window, "Return")
        type_text(window, "another")
        press(window, "Return")
        assert wizard.state.step == "passphrase"
        assert "This is not the same passphrase." in texts(wizard)

    on_loop(first_run(new_world, test))


def test_the_code_must_have_been_kept(new_world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow, wizard: Wizard) -> None:
        await to_model(window, wizard)
        wizard.go_back()
        view = wizard.findChild(RecoveryCodeView)
        assert view.confirmed
        view._answer.setText("AAAA")
        wizard.go_on()
        assert wizard.state.step == "recovery"
        assert "This is not that group." in texts(wizard)

    on_loop(first_run(new_world, test))


def test_the_code_is_covered_while_it_is_asked_for(new_world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow, wizard: Wizard) -> None:
        await to_model(window, wizard)
        wizard.go_back()
        view = wizard.findChild(RecoveryCodeView)
        first_group = wizard.state.recovery_code.split("-")[0]
        view.focus()
        assert first_group in texts(view)
        view._answer.setFocus()
        assert first_group not in texts(view)

    on_loop(first_run(new_world, test))


def test_a_copied_code_leaves_the_clipboard(new_world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow, wizard: Wizard) -> None:
        await to_model(window, wizard)
        wizard.go_back()
        view = wizard.findChild(RecoveryCodeView)
        view._copy_button.click()
        clipboard = QGuiApplication.clipboard()
        assert clipboard.text() == wizard.state.recovery_code
        guard = secret_clipboard()
        assert guard._timer.isActive()
        guard.forget()
        assert clipboard.text() == ""
        assert "The clipboard was cleared." in texts(view)
        view._copy_button.click()
        clipboard.setText("something newer")
        guard.forget()
        assert clipboard.text() == "something newer"

    on_loop(first_run(new_world, test))


def test_going_back_loses_nothing(new_world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow, wizard: Wizard) -> None:
        await to_model(window, wizard)
        code = wizard.state.recovery_code
        for _ in range(4):
            wizard.go_back()
        assert wizard.state.step == "welcome"
        for _ in range(4):
            wizard.go_on()
        assert wizard.state.step == "model"
        assert (wizard.state.name, wizard.state.recovery_code) == ("Mira", code)

    on_loop(first_run(new_world, test))


def test_an_error_while_making_the_vault_stands_there_and_can_be_tried_again(new_world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow, wizard: Wizard) -> None:
        await to_model(window, wizard)
        new_world.gate.fails["create"] = OutsideError("No room on the disk.", "Free some space.", retryable=True)
        wizard.go_on()
        await until(lambda: wizard.notice.isVisible())
        assert wizard.notice.text == "No room on the disk. Free some space."
        wizard.notice._button.click()
        await until(lambda: window.frame is not None)

    on_loop(first_run(new_world, test))


def test_a_card_fills_the_page_and_can_be_removed(new_world: World, tmp_path: Path, on_loop: OnLoop) -> None:
    async def test(window: MainWindow, wizard: Wizard) -> None:
        wizard.go_on()
        page = wizard._pages["character"]
        object.__setattr__(new_world.parts, "card_kept", lambda _card: b"PK")
        await page._read(tmp_path / "orla.png")
        assert wizard.state.card_kept == b"PK"
        assert page._name.text() == "Orla"
        assert "With first message, lorebook." in page._source.text()
        page._drop.click()
        assert page._name.text() == ""
        assert wizard.state.imported is None
        assert wizard.state.lorebook_toml is None
        assert wizard.state.card_kept is None

    on_loop(first_run(new_world, test))


def test_a_bad_card_is_told_on_its_page(new_world: World, on_loop: OnLoop) -> None:
    def refuse(path: Path) -> Any:
        raise BadInputError("this is not a character card.", source=path.name)

    object.__setattr__(new_world.parts, "read_card", refuse)

    async def test(window: MainWindow, wizard: Wizard) -> None:
        wizard.go_on()
        page = wizard._pages["character"]
        page._tasks.start(lambda: page._read(Path("holiday.png")), name="first_run.card")
        await until(lambda: page.notice.isVisible())
        assert page.notice.text == "Holiday.png: this is not a character card."

    on_loop(first_run(new_world, test))


def test_the_keyring_is_offered_only_where_there_is_one(new_world: World, on_loop: OnLoop) -> None:
    object.__setattr__(new_world.parts, "keyring_available", lambda: False)

    async def test(window: MainWindow, wizard: Wizard) -> None:
        wizard.state.name = "Mira"
        wizard.go_on()
        wizard.go_on()
        await settle()
        assert not wizard._pages["passphrase"]._remember.isVisible()

    on_loop(first_run(new_world, test))


def test_an_endpoint_elsewhere_is_named_as_such_and_needs_the_network(
    tmp_path: Path, theme: Any, on_loop: OnLoop
) -> None:
    server = DoubleServer("Ollama", "http://127.0.0.1:11434/v1", ("llama3.1:8b",))
    world = make_world(tmp_path / "profile", theme, servers=[server])

    async def test(window: MainWindow, wizard: Wizard) -> None:
        await to_model(window, wizard)
        chooser = wizard._pages["model"]._chooser
        chooser._radios["openai"].setChecked(True)
        await until(lambda: chooser._found.count())
        chooser._found.itemAt(0).widget().click()
        assert wizard.state.choice.spec() == "openai:http://127.0.0.1:11434/v1#llama3.1:8b"
        assert not chooser._leaves.isVisible()
        chooser._url.setText("https://models.example.org/v1")
        assert "another computer" in chooser._leaves.text()
        assert chooser._leaves.isVisible()
        chooser._key.setText("sk-1")
        chooser._test_button.click()
        await until(lambda: "It answers" in chooser._outcome.text())
        assert world.asked == [("test_model", ("openai:https://models.example.org/v1#llama3.1:8b", "sk-1", False))]
        wizard.go_on()
        await until(QApplication.activeModalWidget)
        assert not world.gate.calls
        QApplication.activeModalWidget().reject()
        await until(lambda: not wizard._tasks.running("first_run.finish"))
        assert not world.gate.calls  # nobody allowed it
        assert wizard.isVisible()
        wizard.go_on()
        await until(QApplication.activeModalWidget)
        QApplication.activeModalWidget().choose("allow")
        await until(lambda: window.frame is not None)
        assert world.gate.calls[0][1][1].api_key == "sk-1"
        assert not world.gate.profile.settings().local_only

    on_loop(first_run(world, test))


def test_an_endpoint_without_an_address_holds_the_step(new_world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow, wizard: Wizard) -> None:
        await to_model(window, wizard)
        chooser = wizard._pages["model"]._chooser
        chooser._radios["openai"].setChecked(True)
        wizard.go_on()
        assert isinstance(current(window), Wizard)
        assert "Type the address of the endpoint." in texts(wizard)
        assert isinstance(window.focusWidget(), QLineEdit)
        assert new_world.gate.calls == []

    on_loop(first_run(new_world, test))


def test_a_failed_test_of_the_model_can_be_repeated(new_world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow, wizard: Wizard) -> None:
        await to_model(window, wizard)
        chooser = wizard._pages["model"]._chooser
        new_world.gate.fails["test_model"] = OutsideError("The file is damaged.", "Take another.", retryable=True)
        chooser._test_button.click()
        await until(lambda: chooser.notice.isVisible())
        assert chooser.notice.text == "The file is damaged. Take another."
        chooser.notice._button.click()
        await until(lambda: "It answers" in chooser._outcome.text())
        assert not chooser.notice.isVisible()

    on_loop(first_run(new_world, test))
