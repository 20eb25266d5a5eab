"""Keys and hints that hold wherever the focus or the mouse is in the chat."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QLabel, QToolTip

from familiar_app.domain.errors import UserError
from familiar_app.ui.chat.panel import KEYS
from familiar_app.ui.chat.row import turn_key
from familiar_app.ui.shell.key_list import KeyList
from tests.ui.pictures import settle
from tests.ui.test_chat import Scene, play, press
from tests.unit.ui.chat.stage import MIRA, Stage

__all__ = ["play"]
# The offscreen screen says this of every window.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.mark.parametrize("where", ["transcript", "channels"])
def test_escape_stops_the_reply_from_everywhere_in_the_chat(play: Any, where: str) -> None:
    async def act(scene: Scene) -> None:
        scene.stage.talk.gate.clear()
        scene.view.composer.setPlainText("Hello")
        press(scene.view.composer, Qt.Key.Key_Return)
        await scene.until(lambda: scene.model.replying)
        press(getattr(scene.view, where), Qt.Key.Key_Escape)
        await scene.until(lambda: not scene.model.replying)

    play(act)


def test_asking_for_an_answer_again_leaves_the_focus_where_one_writes(play: Any) -> None:
    async def act(scene: Scene) -> None:
        await scene.say("Hello")
        scene.window.activateWindow()
        bar = scene.view.transcript.embed(scene.view.transcript.rows[-1].key)
        bar.again.setFocus()
        assert bar.again.hasFocus()
        scene.stage.talk.gate.clear()
        bar.again.click()
        await scene.until(lambda: scene.model.replying)
        await scene.until(scene.view.composer.hasFocus)
        scene.stage.talk.gate.set()
        await scene.until(lambda: not scene.model.replying)

    play(act)


def test_the_time_is_told_beside_a_message_and_not_over_its_text(play: Any) -> None:
    async def act(scene: Scene) -> None:
        await scene.say("Hello")
        transcript = scene.view.transcript
        told: list[str] = []
        shown = QToolTip.showText
        QToolTip.showText = lambda _place, text, *_: told.append(text)
        try:
            number, top, _height = transcript.stack.shown[-1]
            layout = transcript.layout_of(number)
            left, _width = transcript.look.column(transcript.viewport().width())
            for x, y in ((left + 20, top + layout.text_top + 6), (left + 20, top + layout.text_top - 6)):
                place = QPoint(int(x), int(y))
                transcript._pointer.tool_tip(QHelpEvent(QEvent.Type.ToolTip, place, place))
        finally:
            QToolTip.showText = shown
        assert told[0] == ""
        assert "20" in told[1]

    play(act)


def test_the_key_list_names_the_keys_of_the_field_too(play: Any) -> None:
    async def act(scene: Scene) -> None:
        assert list(scene.panel.keys()) == list(KEYS)
        shown = KeyList([], scene.panel.keys())
        said = [one.text() for one in shown.widget().findChildren(QLabel)]
        assert said[:3] == ["While you write", "Send", "Return"]
        assert said[said.index("Rename") + 1] == "F2"
        shown.deleteLater()

    play(act)


def test_f2_renames_the_open_channel(play: Any) -> None:
    async def act(scene: Scene) -> None:
        press(scene.view.channels, Qt.Key.Key_F2)
        await scene.until(QApplication.activeModalWidget)
        assert QApplication.activeModalWidget().windowTitle() == "Rename the channel"
        QApplication.activeModalWidget().reject()

    play(act)


def test_the_tools_of_a_message_go_with_the_mouse(play: Any) -> None:
    async def act(scene: Scene) -> None:
        await scene.say("Hello")
        transcript = scene.view.transcript
        _number, top, height = transcript.stack.shown[-1]
        place = QPointF(transcript.viewport().width() / 2, top + height / 2)
        none = Qt.MouseButton.NoButton
        move = QMouseEvent(QEvent.Type.MouseMove, place, place, none, none, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(transcript.viewport(), move)
        assert scene.view.tools.isVisible()
        QApplication.sendEvent(transcript.viewport(), QEvent(QEvent.Type.Leave))
        assert not scene.view.tools.isVisible()

    play(act)


def test_the_tools_of_a_message_go_with_the_focus(play: Any) -> None:
    async def act(scene: Scene) -> None:
        await scene.say("Hello")
        await settle()
        transcript = scene.view.transcript
        scene.window.activateWindow()
        transcript.setFocus()
        transcript.set_current(transcript.rows[-1].key)
        await settle()
        assert scene.view.tools.isVisible()
        scene.view.composer.setFocus()
        assert not scene.view.tools.isVisible()

    play(act)


def test_another_panel_leads_to_a_turn_of_any_channel(play: Any) -> None:
    seen: dict[str, Any] = {}

    async def before(stage: Stage) -> None:
        seen["long"] = await stage.channel("local:long", "Long")
        seen["turns"] = await stage.fill(seen["long"], 240)
        await stage.channel()

    async def act(scene: Scene) -> None:
        channel, wanted = seen["long"], seen["turns"][40]
        scene.panel.show_place(str((await scene.stage.channel()).id))
        await scene.until(lambda: scene.model.open.channel.key == "local:main")
        for turn in (wanted, seen["turns"][41]):
            scene.panel.show_place(f"{channel.id}:{turn.id}")
            await scene.until(lambda turn=turn: scene.model.target == turn_key(turn))
            assert scene.model.open.channel.id == channel.id
            await scene.until(lambda turn=turn: turn.content in scene.shown)
            await scene.until(lambda turn=turn: scene.view.transcript.current == turn_key(turn))
            assert scene.view.transcript.hasFocus()

    play(act, before)


def test_the_meter_over_the_field_follows_what_is_written(play: Any) -> None:
    async def act(scene: Scene) -> None:
        meter = scene.view.meter
        scene.view.composer.setPlainText("one two three")
        await scene.until(lambda: meter.isVisible())
        assert meter.text.text() == "≈ 1.0k / 8.2k"
        assert meter.accessibleName() == (
            "Context: With this message the prompt takes about 1,003 of 8,192 tokens (12 %)."
        )
        assert "draft 3" in meter.bar.accessibleName()
        scene.view.composer.setPlainText("")
        await scene.until(lambda: "With this message" not in meter.accessibleName())
        scene.view.composer.setPlainText("word " * 7000)
        await scene.until(lambda: "older turns will be left out" in meter.accessibleName())
        scene.stage.services.familiars[MIRA].inspector.error = UserError("No room.", "Choose another model.")
        scene.view.composer.setPlainText("one")
        await asyncio.sleep(0.5)
        assert scene.view.notice.isHidden()

    play(act)
