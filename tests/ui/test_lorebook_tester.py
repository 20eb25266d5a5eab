"""The tester of the lorebook panel: passes, moments of the chat, reasons, and cases that can be run elsewhere."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from tests.ui.lorebook_stage import Scene, live_panel, press  # noqa: F401

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_the_chat_can_be_gone_back_through(live) -> None:
    async def story(scene: Scene) -> None:
        view = scene.view.view
        assert not view.slider.isVisible()
        scene.view.do("turns")
        await scene.until(lambda: view.slider.isVisible())
        assert view.slider.value() == view.slider.maximum() == 1
        assert view.moment.accessibleName().endswith(", newest")
        press(view.slider, Qt.Key.Key_Left)
        assert view.text.toPlainText() == "Jo: Is the lighthouse still dark?"
        assert view.moment.accessibleName().endswith(", 1 back")
        assert [view.channels.itemText(n) for n in range(2)] == ["Main", "Kitchen"]
        press(view.channels, Qt.Key.Key_Down)
        await scene.until(lambda: view.text.toPlainText() == "Jo: The bell rang.")
        assert view.channels.currentText() == "Kitchen"
        view.text.setPlainText("Typed.")
        assert not view.slider.isVisible()

    live(story)


def test_matched_words_are_marked_and_every_entry_can_be_listed(live) -> None:
    async def story(scene: Scene) -> None:
        await scene.test("🦊 The lighthouse, and some bells.")
        view = scene.view.view
        marked = [one.cursor.selectedText() for one in view.text.extraSelections()]
        assert marked == ["lighthouse"]
        assert view.model.rowCount() == 2
        press(view.every, Qt.Key.Key_Space)
        assert view.model.rowCount() == 3
        assert view.model.data(view.model.index(2)) == "Keeper Anselm — None of its keys is in the text."

    live(story)


def test_passes_are_stepped_through_by_keys(live) -> None:
    async def story(scene: Scene) -> None:
        scene.model.change_book("Recursion", recursive=True)
        await scene.test("Ask the keeper about the lighthouse.")
        await scene.until(lambda: len(scene.view.tester.trial.passes) == 2)
        view = scene.view.view
        assert not view.before.isEnabled()
        press(view.after, Qt.Key.Key_Space)
        assert view.summary.accessibleName() == "Pass 1 of 2, over the messages: 3 entries came in."
        press(view.after, Qt.Key.Key_Space)
        assert view.summary.accessibleName() == "Pass 2 of 2, over entries that are in: nothing came in."
        assert not view.after.isEnabled()
        assert not view.every.isEnabled()

    live(story)


@pytest.mark.slow
def test_a_saved_case_is_run_by_the_program_with_the_same_result(live, tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        await scene.test("Ask the keeper about the lighthouse.")
        path = tmp_path / "case.json"
        await scene.view.exchange.write_case(path, scene.view.tester.trial.run)
        assert scene.told[-1] == "Saved as case.json."
        command = [sys.executable, "-m", "familiar_app", "lore", "test", "--case", str(path), "--json"]
        program = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        out, _ = await program.communicate()
        found = json.loads(out)
        assert program.returncode == 0
        assert found["activated"] == ["The lighthouse", "Keeper Anselm", "The tide bell"]
        trial = scene.view.tester.trial
        assert sorted(one.name for one in trial.fired) == sorted(found["activated"])
        assert (found["passes"], found["overflowed"]) == (len(trial.passes), trial.overflowed)

    live(story)
