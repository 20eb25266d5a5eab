"""A message and a channel are erased for good from the chat, after what goes was shown."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtTest import QTest

from familiar_app.ui.kit.erase_flow import EraseQuestion, EraseReceipt
from tests.ui.test_chat import Scene, play
from tests.ui.test_erase import open_dialog, press

__all__ = ["play"]
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

TEXT = "My number is four eight fifteen."


async def confirm(scene: Scene, word: str) -> None:
    await scene.until(lambda: open_dialog(EraseQuestion))
    question = open_dialog(EraseQuestion)
    assert isinstance(question, EraseQuestion)
    QTest.keyClicks(question.typed, word)
    press(question, "Erase for good")
    await scene.until(lambda: open_dialog(EraseReceipt))
    press(open_dialog(EraseReceipt), "Close")


def test_a_message_is_erased_for_good(play: Any) -> None:
    async def act(scene: Scene) -> None:
        await scene.say(TEXT)
        await scene.until(lambda: TEXT in scene.shown)
        row = next(one for one in scene.view.transcript.rows if one.text == TEXT)
        assert row.turn is not None
        scene.view.deeds.row_do("erase", row.key)
        await confirm(scene, str(row.turn.id))
        await scene.until(lambda: TEXT not in scene.shown)

    play(act)


def test_a_channel_is_erased_for_good(play: Any) -> None:
    async def act(scene: Scene) -> None:
        await scene.say(TEXT)
        await scene.until(lambda: TEXT in scene.shown)
        opened = scene.view.model.open
        assert opened is not None
        scene.view.deeds.do("erase_channel")
        await confirm(scene, opened.channel.title)
        await scene.until(lambda: TEXT not in scene.shown)

    play(act)
