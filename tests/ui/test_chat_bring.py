"""Bringing in a chat from the window: the look, the choices, the progress that can be stopped, and the report."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from familiar_app.domain.ids import OWNER
from familiar_app.ui.chat.bring_view import KEEP, NEW, BringQuestion, BringReport, Busy
from tests.ui.scene_window import press
from tests.ui.test_chat import Scene, play
from tests.unit.ui.chat.stage import MIRA
from tests.unit.ui.chat.test_bringing import lines, tavern, turn

__all__ = ["play"]
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
W = TypeVar("W", bound=QWidget)


def open_dialog(kind: type[W], title: str = "") -> W | None:
    shown = (one for one in QApplication.topLevelWidgets() if isinstance(one, kind) and one.isVisible())
    return next((one for one in shown if title in one.windowTitle()), None)


async def dialog(scene: Scene, kind: type[W], title: str = "") -> W:
    await scene.until(lambda: open_dialog(kind, title) is not None)
    found = open_dialog(kind, title)
    assert found is not None
    return found


def said(widget: QWidget) -> list[str]:
    return [one.text() for one in widget.findChildren(QLabel) if one.isVisibleTo(widget)]


def bring(scene: Scene, path: Path) -> None:
    scene.view.tasks.start(lambda: scene.view.deeds.bring_in(path), name="chat.bring_in")


def test_a_chat_is_looked_at_and_brought_into_a_new_channel(play, tmp_path: Path) -> None:
    async def act(scene: Scene) -> None:
        assert scene.view.side.bring.isVisible()
        bring(scene, tavern(tmp_path))
        question = await dialog(scene, BringQuestion)
        assert await scene.stage.vault.turns.count() == 0
        assert {"SillyTavern", "Jo, Mira", "4"} <= set(said(question))
        assert question.familiar.currentText() == "Mira (2 messages)"
        assert question.owner.currentText() == "Jo (2 messages)"
        assert question.place == KEEP
        question.target.setCurrentIndex(question.target.findData(NEW))
        question.name.setText("  ")
        assert not question.ok.isEnabled()
        question.name.setText("Old days")
        assert question.ok.text() == "Bring in 4 messages"
        question.ok.click()
        report = await dialog(scene, BringReport)
        assert "4 messages were brought in." in said(report)
        report.choose("show")
        await scene.until(lambda: len(scene.shown) == 4)
        assert scene.model.open.channel.title == "Old days"
        assert scene.view.header.title.text() == "Old days"
        await scene.until(lambda: not scene.view.side.hint.isVisible())
        assert {one.author.key for one in scene.model.open.window.turns} == {OWNER, "ego:mira"}

    play(act)


def test_one_speaker_is_not_taken_for_both(play, tmp_path: Path) -> None:
    async def act(scene: Scene) -> None:
        bring(scene, tavern(tmp_path))
        question = await dialog(scene, BringQuestion)
        question.owner.setCurrentIndex(question.owner.findData(question.familiar.currentData()))
        assert not question.ok.isEnabled()
        assert question.note.text() == "One speaker cannot be both of you."
        question.owner.setCurrentIndex(0)
        assert question.ok.isEnabled()
        press(question, Qt.Key.Key_Escape)
        await scene.until(lambda: not scene.view.tasks.running("chat.bring_in"))
        assert await scene.stage.vault.turns.count() == 0

    play(act)


def test_a_file_that_is_no_chat_is_told_where_one_writes(play, tmp_path: Path) -> None:
    async def act(scene: Scene) -> None:
        path = tmp_path / "notes.txt"
        path.write_text("dear diary", encoding="utf-8")
        bring(scene, path)
        await scene.until(scene.view.notice.isVisible)
        assert "no format that can be imported" in scene.view.notice.text
        assert open_dialog(Busy) is None

    play(act)


def test_it_can_be_stopped_and_gone_on_with(play, tmp_path: Path) -> None:
    many: list[dict[str, Any]] = [turn("user", f"line {one}", message_id=str(one)) for one in range(12_000)]
    path = lines(tmp_path, *many)

    async def through(scene: Scene, act: Callable[[Busy], Awaitable[object]] | None) -> list[str]:
        bring(scene, path)
        (await dialog(scene, BringQuestion)).ok.click()
        if act is not None:
            await act(await dialog(scene, Busy, "Bringing in"))
        report = await dialog(scene, BringReport)
        told = said(report)
        report.choose("")
        await scene.until(lambda: not scene.view.tasks.running("chat.bring_in"))
        return told

    async def act(scene: Scene) -> None:
        async def stop(busy: Busy) -> None:
            await scene.until(lambda: "stored" in " ".join(said(busy)))
            press(busy, Qt.Key.Key_Escape)

        told = await through(scene, stop)
        kept = await scene.stage.vault.turns.count()
        assert 0 < kept < len(many)
        assert any(line.startswith("Stopped: ") for line in told)
        told = await through(scene, None)
        assert f"{len(many) - kept:,} messages were brought in." in told
        assert await scene.stage.vault.turns.count() == len(many)

    play(act)


def test_a_file_that_changed_since_the_look_is_refused_and_leaves_no_channel(play, tmp_path: Path) -> None:
    async def act(scene: Scene) -> None:
        path = tavern(tmp_path)
        bring(scene, path)
        question = await dialog(scene, BringQuestion)
        question.target.setCurrentIndex(question.target.findData(NEW))
        path.write_text(path.read_text(encoding="utf-8") + "\n{}", encoding="utf-8")
        question.ok.click()
        await scene.until(scene.view.notice.isVisible)
        assert "changed while it was read" in scene.view.notice.text
        assert len(await scene.stage.vault.channels.list(MIRA)) == 1
        assert open_dialog(Busy) is None

    play(act)


def test_the_palette_and_the_menu_lead_there(play) -> None:
    async def act(scene: Scene) -> None:
        (entry,) = [one for one in scene.panel.palette_entries() if one.id == "chat.bring_in"]
        assert entry.title == "Bring in a chat…"
        assert all(word in entry.words for word in ("import", "sillytavern", "discord", "jsonl", "moving in"))

    play(act)
