"""Erasing in the window: what goes is told first, the name has to be typed, and nobody is left in the list."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from familiar_app.bootstrap.loop import run
from familiar_app.domain.clock import FixedClock
from familiar_app.ui.kit.dialog import Dialog
from familiar_app.ui.kit.erase_flow import EraseQuestion, EraseReceipt
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.people.panel import create_people_panel
from tests.ui.panel_scene import BEN, PanelScene, tell_people
from tests.ui.test_people import choose
from tests.ui.test_people import shown as listed
from tests.ui.timeline_scene import NOW, new_vault, tell_story

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
Story = Callable[[PanelScene], Awaitable[None]]


@pytest.fixture
def play(tmp_path: Path, theme: Theme) -> Callable[[Story], None]:
    def begin(story: Story) -> None:
        async def main() -> None:
            clock = FixedClock(NOW)
            vault = await new_vault(tmp_path, clock)
            await tell_people(vault, await tell_story(vault, clock))
            scene = PanelScene(vault, clock, theme, create_people_panel)
            try:
                await scene.ready()
                await story(scene)
            finally:
                await scene.close()

        run(main(), app=QApplication.instance())

    return begin


def open_dialog(kind: type[Dialog]) -> Dialog | None:
    return next((one for one in QApplication.topLevelWidgets() if isinstance(one, kind) and one.isVisible()), None)


def words(dialog: Dialog | None) -> str:
    return "\n".join(one.text() for one in dialog.findChildren(QLabel)) if dialog is not None else ""


def press(dialog: Dialog | None, text: str) -> None:
    assert dialog is not None
    next(one for one in dialog.findChildren(QPushButton) if one.text() == text).click()


def test_somebody_is_erased_once_the_name_is_typed(play: Callable[[Story], None]) -> None:
    async def story(scene: PanelScene) -> None:
        choose(scene, "Ben")
        await scene.until_side("Erase")
        scene.press("Erase Ben…", scene.side)
        await scene.until(lambda: open_dialog(EraseQuestion))
        question = open_dialog(EraseQuestion)
        assert isinstance(question, EraseQuestion)
        assert "Erase Ben?" in words(question)
        assert "Removed" in words(question)
        assert not question.ok.isEnabled()
        QTest.keyClicks(question.typed, "Be")
        QTest.keyClick(question.typed, Qt.Key.Key_Return)
        assert question.isVisible()
        QTest.keyClicks(question.typed, "n")
        assert question.ok.isEnabled()
        QTest.keyClick(question.typed, Qt.Key.Key_Return)
        assert question.isVisible()
        assert question.focusWidget() is question.ok
        press(question, "Erase for good")
        await scene.until(lambda: open_dialog(EraseReceipt))
        assert "Ben was erased" in words(open_dialog(EraseReceipt))
        press(open_dialog(EraseReceipt), "Close")
        await scene.until(lambda: listed(scene) == ["Ann", "Mira"])
        assert await scene.vault.people.get(BEN) is None
        assert len(await scene.vault.erasure.receipts()) == 1

    play(story)


def test_nothing_happens_to_whoever_is_not_confirmed(play: Callable[[Story], None]) -> None:
    async def story(scene: PanelScene) -> None:
        choose(scene, "Ben")
        await scene.until_side("Erase")
        scene.press("Erase Ben…", scene.side)
        await scene.until(lambda: open_dialog(EraseQuestion))
        press(open_dialog(EraseQuestion), "Cancel")
        await scene.until(lambda: open_dialog(EraseQuestion) is None)
        assert listed(scene) == ["Ann", "Ben", "Mira"]
        assert await scene.vault.erasure.receipts() == []

    play(story)
