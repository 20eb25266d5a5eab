"""The chat panel as the person meets it: keys, the mouse, what is shown where."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QGuiApplication, QInputMethodEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QApplication, QHBoxLayout, QPlainTextEdit, QWidget

from familiar_app.bootstrap.loop import run
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.ids import ChannelKey
from familiar_app.ui.chat.exporting import file_name
from familiar_app.ui.chat.panel import ChatPanel, create_chat_panel
from familiar_app.ui.chat.row_widget import GreetingBar, MemoryBar, MessageBar, ReplyBar, TurnEditor
from familiar_app.ui.chat.side_content import RevisionsView, WhyView
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.status import StatusModel
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.shell.side_view import SideView
from tests.doubles.waiting import until
from tests.ui.scene_window import press, put_away
from tests.unit.ui.chat.stage import MIRA, Stage, make_stage

# The offscreen screen says this of every window.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


class Scene:
    """A chat panel over a stage, with the side view beside it and the undo offers written down."""

    def __init__(self, stage: Stage, theme: Theme) -> None:
        self.stage = stage
        self.side = SideView(theme)
        self.undos: list[tuple[str, Callable[[], object]]] = []
        self.status = StatusModel()
        self.context = PanelContext(
            theme=theme, tasks=stage.tasks, status=self.status, side_view=self.side, familiar=MIRA
        )
        self.context.offer_undo = lambda text, undo, *_redo: self.undos.append((text, undo))
        self.panel: ChatPanel = create_chat_panel(stage.services, self.context)
        self.window = QWidget()
        layout = QHBoxLayout(self.window)
        layout.addWidget(self.panel.widget, 1)
        layout.addWidget(self.side)
        self.window.resize(1100, 720)
        self.window.show()

    @property
    def view(self):
        return self.panel.view

    @property
    def model(self):
        return self.view.model

    @property
    def shown(self) -> list[str]:
        return [row.text for row in self.view.transcript.rows if row.kind in ("turn", "live")]

    async def until(self, ready: Callable[[], object]) -> None:
        await until(ready)

    async def opened(self) -> Scene:
        await self.until(lambda: self.model.open is not None and self.view.transcript.rows)
        await self.until(lambda: not self.view.tasks.running("chat.start"))
        return self

    async def say(self, text: str) -> None:
        self.view.composer.setPlainText(text)
        press(self.view.composer, Qt.Key.Key_Return)
        await self.until(lambda: text in self.shown and not self.model.replying)
        await asyncio.sleep(0.05)

    async def close(self) -> None:
        await self.panel.close()
        await self.stage.tasks.cancel()
        put_away(self.window)
        await self.stage.vault.close()
        assert self.stage.errors == []


@pytest.fixture
def play(tmp_path: Path, theme: Theme, qapp: QApplication) -> Callable[..., None]:
    """Run a coroutine function that gets an open scene; `before` fills the stage."""

    def go(act: Callable[[Scene], Awaitable[None]], before: Callable[[Stage], Awaitable[Any]] | None = None) -> None:
        async def main() -> None:
            stage = await make_stage(tmp_path)
            if before is not None:
                await before(stage)
            scene = await Scene(stage, theme).opened()
            try:
                await act(scene)
            finally:
                await scene.close()

        run(main(), app=qapp)

    return go


async def some(stage: Stage) -> None:
    channel = await stage.channel()
    turns = await stage.fill(channel, 40)
    await stage.vault.channels.mark_read(channel.id, turns[-1].id)


def test_return_sends_and_shift_return_begins_a_line(play) -> None:
    async def act(scene: Scene) -> None:
        scene.view.composer.setPlainText("one")
        scene.view.composer.moveCursor(scene.view.composer.textCursor().MoveOperation.End)
        press(scene.view.composer, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        assert scene.view.composer.toPlainText() == "one\n"
        await scene.say("Hello")
        assert scene.shown == ["Hello", "Hello there."]
        assert scene.view.composer.toPlainText() == ""
        assert scene.status.now.model_state == "idle"
        assert scene.status.now.tokens_per_s == 45.0
        assert scene.view.meter.accessibleName() == "Context: The last prompt took 1,240 of 8,192 tokens (15 %)."

    play(act)


def test_return_never_sends_while_a_word_is_composed(play) -> None:
    async def act(scene: Scene) -> None:
        composer = scene.view.composer
        composer.setPlainText("ni")
        QApplication.sendEvent(composer, QInputMethodEvent("hao", []))
        assert composer.composing
        press(composer, Qt.Key.Key_Return)
        await asyncio.sleep(0.05)
        assert await scene.stage.vault.turns.count() == 0
        done = QInputMethodEvent("", [])
        done.setCommitString("好")
        QApplication.sendEvent(composer, done)
        assert not composer.composing
        press(composer, Qt.Key.Key_Return)
        await scene.until(lambda: len(scene.shown) == 2 and not scene.model.replying)

    play(act)


def test_keys_on_an_empty_composer_edit_swipe_and_answer_again(play) -> None:
    async def act(scene: Scene) -> None:
        await scene.say("Hello")
        scene.stage.talk.pieces = ["Another."]
        press(scene.view.composer, Qt.Key.Key_Right)
        await scene.until(lambda: scene.shown == ["Hello", "Another."] and not scene.model.replying)
        press(scene.view.composer, Qt.Key.Key_Left)
        await scene.until(lambda: scene.shown == ["Hello", "Hello there."])
        bar = scene.view.transcript.embed(scene.view.transcript.rows[-1].key)
        assert isinstance(bar, ReplyBar)
        assert bar.counter.text() == "1/2"
        assert not bar.back.isEnabled()
        scene.stage.talk.pieces = ["Third."]
        press(scene.view.composer, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        await scene.until(lambda: scene.shown == ["Hello", "Third."] and not scene.model.replying)
        press(scene.view.composer, Qt.Key.Key_Up)
        key = scene.model.edits.key
        editor = scene.view.transcript.embed(key)
        assert isinstance(editor, TurnEditor)
        editor.edit.setPlainText("Hello again")
        press(editor.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        await scene.until(lambda: scene.shown[0] == "Hello again")
        assert scene.undos[-1][0] == "Message changed."
        scene.undos[-1][1]()
        await scene.until(lambda: scene.shown[0] == "Hello")

    play(act)


def test_escape_stops_the_reply_and_then_closes_the_side_view(play) -> None:
    async def act(scene: Scene) -> None:
        scene.stage.talk.pieces, scene.stage.talk.pause_s = ["word "] * 1000, 0.01
        scene.view.composer.setPlainText("Go on")
        press(scene.view.composer, Qt.Key.Key_Return)
        await scene.until(lambda: len(scene.shown) == 2 and scene.shown[1])
        assert scene.view.send.accessibleName() == "Stop"
        press(scene.view.composer, Qt.Key.Key_Escape)
        await scene.until(lambda: not scene.model.replying)
        assert 0 < scene.shown[1].count("word") < 1000
        assert scene.view.send.accessibleName() == "Send"
        scene.view.deeds.do("why")
        await scene.until(scene.side.is_open)
        press(scene.view.composer, Qt.Key.Key_Escape)
        assert not scene.side.is_open()

    play(act)


def test_why_shows_layers_and_messages(play) -> None:
    async def act(scene: Scene) -> None:
        await scene.say("Hello")
        bar = scene.view.transcript.embed(scene.view.transcript.rows[-1].key)
        bar.why.click()
        await scene.until(scene.side.is_open)
        shown = scene.side.findChild(WhyView)
        names = [one.accessibleName() for one in shown.findChildren(QAbstractButton)]
        assert any(name.startswith("character card, 400 of 3,000 tokens") for name in names)
        for one in shown.findChildren(QAbstractButton):
            if one.isCheckable():
                one.setChecked(True)
        texts = [one.toPlainText() for one in shown.findChildren(QPlainTextEdit)]
        assert "You are Mira, keeper of a lighthouse." in texts
        gone: list[tuple[str, str]] = []
        scene.context.go_to = lambda panel, key: gone.append((panel, key))
        shown.inspect.click()
        trace = await scene.stage.vault.traces.for_turn(scene.view.transcript.rows[-1].turn.id)
        assert gone == [("prompts", str(trace.id))]

    play(act)


def test_a_failure_stands_in_place_with_its_next_step(play) -> None:
    async def act(scene: Scene) -> None:
        scene.stage.talk.error = OutsideError("The model is out of reach.", "Start the server.", retryable=True)
        scene.view.composer.setPlainText("Hello")
        press(scene.view.composer, Qt.Key.Key_Return)
        await scene.until(lambda: scene.view.transcript.rows and scene.view.transcript.rows[-1].kind == "failure")
        bar = scene.view.transcript.embed(scene.view.transcript.rows[-1].key)
        assert isinstance(bar, MessageBar)
        assert scene.status.now.model_state == "failed"
        scene.stage.talk.error = None
        bar.step.click()
        await scene.until(lambda: scene.shown == ["Hello", "Hello there."] and not scene.model.replying)

    play(act)


def test_a_saved_memory_is_a_line_with_undo(play) -> None:
    async def act(scene: Scene) -> None:
        scene.stage.talk.keeps = "{user} likes tea"
        gone: list[tuple[str, str]] = []
        scene.context.has_panel = lambda panel: panel == "memories"
        scene.context.go_to = lambda panel, key: gone.append((panel, key))
        scene.view.composer.setPlainText("I like tea")
        press(scene.view.composer, Qt.Key.Key_Return)
        await scene.until(lambda: scene.shown == ["I like tea", "Hello there."] and not scene.model.replying)
        key = scene.view.transcript.rows[-2].key
        bar = scene.view.transcript.embed(key)
        assert isinstance(bar, MemoryBar)
        assert bar.text.text() == "Memory saved. About Jo: Jo likes tea"
        assert bar.undo.accessibleName() == "Undo: Memory saved."
        bar.look.click()
        assert gone == [("memories", "1")]
        bar.undo.click()
        await scene.until(lambda: scene.undos)
        after = scene.view.transcript.embed(key)
        assert isinstance(after, MemoryBar)
        assert after.text.text() == "Memory saved, and taken back."
        assert not after.undo.isVisible()
        assert isinstance(scene.view.transcript.embed(scene.view.transcript.rows[-1].key), ReplyBar)

    play(act)


def test_reading_further_up_is_not_moved_by_a_reply(play) -> None:
    async def act(scene: Scene) -> None:
        transcript = scene.view.transcript
        assert transcript.stack.following
        scene.stage.talk.pieces, scene.stage.talk.pause_s = ["word "] * 60, 0.01
        scene.view.composer.setPlainText("Go on")
        press(scene.view.composer, Qt.Key.Key_Return)
        await scene.until(lambda: scene.model.replying and scene.shown[-1].startswith("word"))
        transcript.scroll_by(-600)
        await asyncio.sleep(0.05)
        before = [(transcript.stack.keys[number], top) for number, top, _ in transcript.stack.shown]
        await scene.until(lambda: not scene.model.replying)
        await asyncio.sleep(0.1)
        assert [(transcript.stack.keys[number], top) for number, top, _ in transcript.stack.shown] == before
        assert scene.view.whereabouts.newer.isVisible()
        scene.view.whereabouts.newer.click()
        await scene.until(transcript.stack.at_bottom)

    play(act, some)


def test_text_is_marked_with_the_mouse_and_copied(play) -> None:
    async def act(scene: Scene) -> None:
        transcript = scene.view.transcript
        port = transcript.viewport()
        number, top, _ = transcript.stack.shown[-1]
        layout = transcript.layout_of(number)
        left, _ = transcript.look.column(port.width())
        start = QPointF(left + 1, top + layout.text_top + 8)
        end = QPointF(left + 400, top + layout.text_top + 8)

        def mouse(kind: QEvent.Type, at: QPointF, button: Qt.MouseButton, held: Qt.MouseButton) -> None:
            event = QMouseEvent(kind, at, port.mapToGlobal(at.toPoint()), button, held, Qt.KeyboardModifier.NoModifier)
            QApplication.sendEvent(port, event)

        buttons = Qt.MouseButton
        mouse(QEvent.Type.MouseButtonPress, start, buttons.LeftButton, buttons.LeftButton)
        mouse(QEvent.Type.MouseMove, end, buttons.NoButton, buttons.LeftButton)
        mouse(QEvent.Type.MouseButtonRelease, end, buttons.LeftButton, buttons.NoButton)
        assert transcript.selected_text() == "message 39"
        press(transcript, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        assert QGuiApplication.clipboard().text() == "message 39"
        above = QPointF(left + 1, transcript.stack.shown[-2][1] + transcript.layout_of(number - 1).text_top + 8)
        mouse(QEvent.Type.MouseButtonPress, above, buttons.LeftButton, buttons.LeftButton)
        mouse(QEvent.Type.MouseMove, end, buttons.NoButton, buttons.LeftButton)
        mouse(QEvent.Type.MouseButtonRelease, end, buttons.LeftButton, buttons.NoButton)
        assert transcript.selected_text() == "message 38\n\nmessage 39"

    play(act, some)


def test_links_and_code_are_found_under_the_mouse(play) -> None:
    async def act(scene: Scene) -> None:
        scene.stage.talk.pieces = ["See https://example.org/a\n\n```python\nx = 1\n\ny = 2\n```\n"]
        await scene.say("Show me")
        transcript = scene.view.transcript
        number, _, height = transcript.stack.shown[-1]
        layout = transcript.layout_of(number)
        left, _ = transcript.look.column(transcript.viewport().width())
        assert layout.link_at(left + 60, layout.text_top + 8) == "https://example.org/a"
        found = next(code for y in range(int(height)) if (code := layout.code_at(left + 20, float(y))) is not None)
        assert found[1] == "x = 1\n\ny = 2"

    play(act)


def test_a_message_is_removed_and_brought_back_by_keys(play) -> None:
    async def act(scene: Scene) -> None:
        transcript = scene.view.transcript
        transcript.setFocus()
        transcript.set_current(transcript.rows[-2].key)
        assert "message 38" in transcript.accessibleDescription()
        press(transcript, Qt.Key.Key_Delete)
        await scene.until(lambda: "message 38" not in scene.shown)
        scene.undos[-1][1]()
        await scene.until(lambda: "message 38" in scene.shown)
        press(transcript, Qt.Key.Key_Up)
        assert transcript.current is not None

    play(act, some)


def test_search_marks_hits_and_goes_through_them(play) -> None:
    async def act(scene: Scene) -> None:
        scene.panel.find()
        assert scene.view.finder.isVisible()
        scene.view.finder.field.setText("message 1")
        await scene.until(lambda: scene.view.finder.counter.text() == "11 of 11")
        assert scene.view.transcript.hits == "message 1"
        press(scene.view.finder.field, Qt.Key.Key_Return)
        await scene.until(lambda: scene.view.finder.counter.text() == "10 of 11")
        press(scene.view.finder.field, Qt.Key.Key_Escape)
        press(scene.view.finder.field, Qt.Key.Key_Escape)
        assert not scene.view.finder.isVisible()
        assert scene.view.transcript.hits == ""

    play(act, some)


def test_an_empty_channel_offers_a_greeting(play) -> None:
    async def act(scene: Scene) -> None:
        bar = scene.view.transcript.embed(("greeting", 0))
        assert isinstance(bar, GreetingBar)
        scene.view.deeds.do("greeting_on")
        assert bar.counter.text() == "2/3"
        scene.view.deeds.do("greet")
        await scene.until(lambda: scene.view.transcript.rows[-1].turn is not None)
        assert scene.shown == ["Oh. You again."]

    play(act)


def test_drafts_come_back_with_their_channel(play) -> None:
    async def act(scene: Scene) -> None:
        main = scene.model.open.channel.id
        other = await scene.model.channels.new("Plans")
        scene.view.composer.setPlainText("half a thought")
        scene.view.deeds.open_channel(other.id)
        await scene.until(lambda: scene.model.open.channel.id == other.id)
        assert scene.view.composer.toPlainText() == ""
        scene.view.deeds.open_channel(main)
        await scene.until(lambda: scene.model.open.channel.id == main)
        assert scene.view.composer.toPlainText() == "half a thought"

    play(act)


def test_a_channel_of_discord_is_read_and_not_written(play) -> None:
    async def before(stage: Stage) -> None:
        vault = stage.vault
        channel = await vault.channels.ensure(ChannelKey("discord:7"), familiar=MIRA, title="hall", guild="discord:g")
        await vault.channels.subscribe(channel.id, MIRA)
        await stage.fill(channel, 3)

    async def act(scene: Scene) -> None:
        channel = await scene.stage.vault.channels.find(ChannelKey("discord:7"))
        scene.view.deeds.open_channel(channel.id)
        await scene.until(lambda: scene.model.open.channel.id == channel.id and scene.shown)
        assert scene.view.composer.isReadOnly()
        assert scene.view.composer.placeholderText() == "This channel lives on Discord. Write to Mira there."
        assert not scene.view.send.isEnabled()
        scene.view.composer.setPlainText("Does anybody hear me?")
        scene.view.deeds.send()
        scene.view.deeds.do("regenerate")
        await asyncio.sleep(0.1)
        assert len(await scene.stage.vault.turns.page(channel.id)) == 3
        main = await scene.stage.channel()
        scene.view.deeds.open_channel(main.id)
        await scene.until(lambda: scene.model.open.channel.id == main.id)
        assert not scene.view.composer.isReadOnly()
        assert scene.view.send.isEnabled()

    play(act, before)


def test_a_text_that_is_too_long_is_told_and_kept(play) -> None:
    async def act(scene: Scene) -> None:
        scene.view.composer.setPlainText("x" * 70_000)
        assert scene.view.limit.isVisible()
        assert "70,000 characters" in scene.view.limit.text()
        assert "send it in parts" in scene.view.limit.text()
        press(scene.view.composer, Qt.Key.Key_Return)
        await asyncio.sleep(0.05)
        assert not scene.view.notice.isVisible()  # it is told once, and only while it is so
        assert len(scene.view.composer.toPlainText()) == 70_000
        assert await scene.stage.vault.turns.count() == 0
        scene.view.composer.setPlainText("short")
        assert not scene.view.limit.isVisible()

    play(act)


def test_versions_of_a_message_can_be_read(play) -> None:
    async def act(scene: Scene) -> None:
        await scene.say("Helo")
        scene.model.edits.begin_last_own()
        scene.view.deeds.save_edit("Hello")
        await scene.until(lambda: scene.shown[0] == "Hello")
        scene.view.deeds.row_do("revisions", scene.view.transcript.rows[1].key)
        await scene.until(scene.side.is_open)
        texts = [one.toPlainText() for one in scene.side.findChild(RevisionsView).findChildren(QPlainTextEdit)]
        assert texts == ["Hello", "Helo"]

    play(act)


def test_every_control_has_a_name_and_the_conversation_can_be_read_as_text(play) -> None:
    async def act(scene: Scene) -> None:
        await scene.say("Hello")
        for one in scene.panel.widget.findChildren(QWidget):
            interactive = isinstance(one, (QAbstractButton, QPlainTextEdit)) or (
                isinstance(one, QAbstractScrollArea) and one.focusPolicy() != Qt.FocusPolicy.NoFocus
            )
            if interactive and one.isVisible() and not one.objectName().startswith("qt_"):
                interface = QAccessible.queryAccessibleInterface(one)
                assert interface.text(QAccessible.Text.Name), f"{type(one).__name__} has no name"
        scene.view.deeds.do("read_as_text")
        text = scene.side.findChild(QPlainTextEdit).toPlainText()
        assert "Jo, 30 November 2026, 18:00:00: Hello" in text
        assert "Mira, 30 November 2026, 18:00:00: Hello there." in text

    play(act)


def test_a_drag_of_the_overview_goes_to_the_beginning(play) -> None:
    async def before(stage: Stage) -> None:
        await stage.fill_quickly(await stage.channel(), 2500)

    async def act(scene: Scene) -> None:
        await scene.until(lambda: scene.model.open.calendar.turns == 2500)
        QTest.mouseClick(scene.view.whereabouts.overview, Qt.MouseButton.LeftButton, pos=QPoint(7, 2))
        await scene.until(lambda: scene.model.open.window.turns[0].content.startswith("message 0 "))
        await scene.until(lambda: not scene.view.transcript.stack.following)

    play(act, before)


def test_closing_in_the_middle_of_a_reply_keeps_what_was_said(play) -> None:
    async def act(scene: Scene) -> None:
        scene.stage.talk.pieces, scene.stage.talk.pause_s = ["word "] * 2000, 0.01
        scene.view.composer.setPlainText("Go on")
        press(scene.view.composer, Qt.Key.Key_Return)
        await scene.until(lambda: len(scene.shown) == 2 and scene.shown[1])
        scene.view.composer.setPlainText("not yet sent")
        channel = scene.model.open.channel.id
        await scene.panel.close()
        stored = await scene.stage.vault.turns.page(channel)
        assert stored[-1].content.startswith("word ")
        assert await scene.stage.vault.state.get(f"chat.draft.{channel}") == "not yet sent"

    play(act)


def test_the_messages_of_a_channel_are_exported(play, tmp_path: Path) -> None:
    async def act(scene: Scene) -> None:
        told: list[str] = []
        scene.context.tell = told.append
        await scene.model.edits.remove([scene.model.open.window.turns[0]])
        entry = next(one for one in scene.panel.palette_entries() if one.id == "chat.export_channel")
        assert entry.title == "Export the messages of this channel…"
        channel = scene.model.open.channel
        await scene.view.deeds.export_channel(channel, tmp_path / file_name(channel))
        lines = [json.loads(line) for line in (tmp_path / "Main.jsonl").read_text().splitlines()]
        assert len(lines) == 39
        assert lines[0]["channel"] == "local:main"
        assert told[-1] == "39 messages exported to Main.jsonl; 1 removed or replaced left out."

    play(act, some)


def test_an_answer_that_was_cut_off_says_so_and_is_continued(play) -> None:
    async def act(scene: Scene) -> None:
        scene.stage.talk.finish = "length"
        await scene.say("Tell me of the lamp.")
        bar = scene.view.findChild(ReplyBar)
        await scene.until(bar.go_on.isVisible)
        layout = scene.view.transcript.layout_of(len(scene.view.transcript.rows) - 1)
        assert layout.embed_px >= bar.cut.sizeHint().height() + bar.again.sizeHint().height()
        scene.stage.talk.finish, scene.stage.talk.pieces = "stop", [" It turns all night."]
        bar.go_on.click()
        await scene.until(lambda: scene.shown[-1:] == ["Hello there. It turns all night."])
        await scene.until(lambda: not scene.model.replying and bar.isVisible())
        assert not bar.cut.isVisible()
        assert bar.counter.text() == "2/2"

    play(act)


def test_the_request_to_wait_goes_once_the_answer_has_ended(play) -> None:
    async def act(scene: Scene) -> None:
        scene.stage.talk.gate.clear()
        scene.view.composer.setPlainText("Tell me of the lamp.")
        press(scene.view.composer, Qt.Key.Key_Return)
        # Before the message is stored there is nothing that could be answered again.
        await scene.until(lambda: scene.model.replying and "Tell me of the lamp." in scene.shown)
        scene.view.deeds.do("regenerate")
        await scene.until(lambda: "still answering" in scene.view.notice.text and not scene.view.notice.isHidden())
        scene.stage.talk.gate.set()
        await scene.until(lambda: not scene.model.replying)
        await scene.until(scene.view.notice.isHidden)

    play(act)


def test_whom_one_writes_to_is_painted_anew(play) -> None:
    class Paints(QObject):
        seen = 0

        def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
            self.seen += event.type() == QEvent.Type.Paint
            return False

    async def act(scene: Scene) -> None:
        paints, writing = Paints(), scene.view.writing
        writing.show_channel("Mira", writable=False)
        scene.view.transcript.setFocus()
        await asyncio.sleep(0)
        QApplication.processEvents()
        writing.composer.viewport().installEventFilter(paints)
        writing.show_channel("Mira", writable=True)
        await scene.until(lambda: paints.seen)

    play(act)
