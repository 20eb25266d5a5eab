"""Erasing a familiar or everything from the window: told first, confirmed by typing, and the window goes on after."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox

from familiar_app.bootstrap.application import Application
from familiar_app.bootstrap.loop import run
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.ids import MAIN_CHANNEL, OWNER, FamiliarId
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.turn import Author, NewTurn, Role
from familiar_app.services import NewFamiliar
from familiar_app.store import vault_file
from familiar_app.store.backup_keeper import BackupKeeper
from familiar_app.store.erasure import Erasure
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.profile import Profile
from familiar_app.ui.first_run.wizard import Wizard
from familiar_app.ui.kit.erase_flow import EraseQuestion, EraseReceipt
from familiar_app.ui.kit.erase_whole import WholeQuestion, WholeReceiptDialog
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.shell.window import MainWindow
from tests.ui.double import NOON, make_world
from tests.ui.pictures import settle, until
from tests.ui.test_erase import open_dialog, press, words

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
MIRA, NIA = FamiliarId("mira"), FamiliarId("nia")
PLANTED = "the heron stands in the reeds"
Story = Callable[[MainWindow, Application], Awaitable[None]]


@pytest.fixture
def play(tmp_path: Path, theme: Theme) -> Callable[..., None]:
    """Runs a story in a window over a real vault, with one familiar or two."""

    def begin(story: Story, *, familiars: tuple[FamiliarId, ...] = (MIRA, NIA)) -> None:
        async def main() -> None:
            script = tmp_path / "answers.jsonl"
            script.write_text('{"slot": "prose", "reply": "Hello."}\n')
            world = make_world(tmp_path / "doubles", theme)
            errors: list[BaseException] = []
            tasks = TaskRegistry(lambda _name, error: errors.append(error))
            application = Application(Profile(tmp_path / "profile"), clock=FixedClock(NOON), tasks=tasks)
            await fill(application, script, familiars)
            window = MainWindow(replace(world.parts, gate=application, tasks=tasks))
            window.start()
            await until(lambda: window.frame is not None)
            await settle()
            try:
                await story(window, application)
            finally:
                await window.prepare_close()
                await application.close()
                await tasks.cancel()
                window.deleteLater()
                await settle(2)
            assert errors == []

        run(main(), app=QApplication.instance())

    return begin


async def fill(application: Application, script: Path, familiars: tuple[FamiliarId, ...]) -> None:
    for familiar in familiars:
        card = CharacterCard(name=familiar.title(), description=PLANTED)
        made = NewFamiliar(card, familiar, f"scripted:{script}")
        if familiar == MIRA:
            await application.create("three herons", made, recovery_code=new_recovery_code(), remember=False)
        else:
            await application.add_familiar(made)
        vault = application.services.vault
        channel = await vault.channels.ensure(MAIN_CHANNEL, familiar=familiar)
        await vault.turns.append(NewTurn(channel.id, Role.USER, PLANTED, NOON, Author(OWNER, "Ann")))


async def question(window: MainWindow, familiar: str) -> EraseQuestion:
    window.frame.context.erase(familiar)
    await until(lambda: open_dialog(EraseQuestion))
    found = open_dialog(EraseQuestion)
    assert isinstance(found, EraseQuestion)
    return found


def test_another_familiar_is_shown_after_one_was_erased(play: Callable[..., None]) -> None:
    async def story(window: MainWindow, application: Application) -> None:
        asked = await question(window, "mira")
        assert "1 message" in words(asked)
        assert "Backups made before still have it" in words(asked)
        QTest.keyClicks(asked.typed, "mira")
        assert not asked.ok.isEnabled()
        asked.typed.clear()
        QTest.keyClicks(asked.typed, "Mira")
        asked.ok.click()
        await until(lambda: open_dialog(EraseReceipt))
        assert "Mira was erased" in words(open_dialog(EraseReceipt))
        press(open_dialog(EraseReceipt), "Close")
        await until(lambda: open_dialog(EraseReceipt) is None)
        assert window.frame.context.familiar == NIA
        assert application.profile.familiars() == [NIA]
        assert await application.services.backups.listed() == []

    play(story)


def test_a_backup_is_made_first_where_that_is_wanted(play: Callable[..., None]) -> None:
    async def story(window: MainWindow, application: Application) -> None:
        asked = await question(window, "nia")
        box = asked.findChild(QCheckBox)
        assert not box.isChecked()
        box.setChecked(True)
        QTest.keyClicks(asked.typed, "Nia")
        asked.ok.click()
        await until(lambda: open_dialog(EraseReceipt))
        press(open_dialog(EraseReceipt), "Close")
        await until(lambda: open_dialog(EraseReceipt) is None)
        [kept] = await application.services.backups.listed()
        assert kept.mark.cause == "asked"
        assert window.frame.context.familiar == MIRA

    play(story)


def test_the_wizard_comes_after_the_last_one(play: Callable[..., None]) -> None:
    async def story(window: MainWindow, application: Application) -> None:
        asked = await question(window, "mira")
        QTest.keyClicks(asked.typed, "Mira")
        asked.ok.click()
        await until(lambda: open_dialog(EraseReceipt))
        press(open_dialog(EraseReceipt), "Close")
        await until(lambda: isinstance(window._pages.currentWidget(), Wizard))
        assert application.profile.familiars() == []
        assert application.state == "open"

    play(story, familiars=(MIRA,))


@pytest.mark.parametrize("failing", [(BackupKeeper, "make"), (Erasure, "erase")], ids=["backup", "erasure"])
def test_where_it_fails_the_vault_is_shown_again(
    play: Callable[..., None], monkeypatch: pytest.MonkeyPatch, failing: tuple[type, str]
) -> None:
    async def fail(*_args: object, **_more: object) -> None:
        raise OutsideError("The disk is full.")

    async def story(window: MainWindow, application: Application) -> None:
        asked = await question(window, "nia")
        asked.findChild(QCheckBox).setChecked(failing[1] == "make")
        QTest.keyClicks(asked.typed, "Nia")
        with monkeypatch.context() as patch:
            patch.setattr(*failing, fail)
            asked.ok.click()
            await until(lambda: window.frame is not None and window.frame.notice.isVisible())
        assert "The disk is full." in window.frame.notice.text
        assert await application.services.vault.turns.count() == 2

    play(story)


def test_nothing_of_a_profile_is_left_when_everything_was_erased(
    play: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "profile"

    async def story(window: MainWindow, application: Application) -> None:
        await application.services.backups.make("asked")
        window.frame.context.erase("")
        await until(lambda: open_dialog(WholeQuestion))
        asked = open_dialog(WholeQuestion)
        assert isinstance(asked, WholeQuestion)
        for told in ("The vault and its keys", "1 backup", "2 familiars with their files", "2 messages and 0 facts"):
            assert told in words(asked)
        assert asked.models.parent() is None
        QTest.keyClicks(asked.typed, "erase everythin")
        assert not asked.ok.isEnabled()
        QTest.keyClicks(asked.typed, "g")
        asked.ok.click()
        await until(lambda: open_dialog(WholeReceiptDialog))
        assert "Everything was erased" in words(open_dialog(WholeReceiptDialog))
        press(open_dialog(WholeReceiptDialog), "Close")
        await until(lambda: open_dialog(WholeReceiptDialog) is None)
        assert isinstance(window._pages.currentWidget(), Wizard)
        assert application.state == "new"
        assert [path.name for path in root.rglob("*") if path.is_file()] == ["vault.lock"]
        assert vault_file.keys_path(root / "vault.db").exists() is False

    play(story)


def test_nothing_happens_where_the_word_is_not_typed(play: Callable[..., None]) -> None:
    async def story(window: MainWindow, application: Application) -> None:
        for familiar, kind in (("", WholeQuestion), ("mira", EraseQuestion)):
            window.frame.context.erase(familiar)
            await until(lambda kind=kind: open_dialog(kind))
            press(open_dialog(kind), "Cancel")
            await until(lambda: not window._tasks.running("window.erase"))
            assert open_dialog(kind) is None
        assert window.frame is not None
        assert await application.services.vault.turns.count() == 2
        assert application.profile.familiars() == [MIRA, NIA]

    play(story)
