"""The Memories panel as the person meets it, over a real vault: what it shows, acts on one and on many, undo."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QComboBox, QDialog, QPushButton

from familiar_app.bootstrap.loop import run
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.ids import OWNER
from familiar_app.domain.saved_memory.memory import MemoryId
from familiar_app.ui.kit.chip import ChipButton
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.memories.form import MemoryForm
from tests.ui.memories_scene import create_panel, tell_memories
from tests.ui.panel_scene import PanelScene
from tests.ui.test_every_screen import cut_off, overlapping, unnamed, unreachable
from tests.ui.timeline_scene import NOW, new_vault

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
Story = Callable[[PanelScene], Awaitable[None]]
Play = Callable[..., None]
ALL = [
    "This channel is for the diary",
    "Jo wants short answers in the morning",
    "Ann has a sister in Lisbon",
    "Jo is learning Portuguese, and asks Mira for words now and then",
    "Everybody meets at the harbour on Fridays",
    "Ann drinks tea with two spoons of honey",
]


@pytest.fixture
def play(tmp_path: Path, theme: Theme) -> Play:
    def begin(story: Story, *, empty: bool = False) -> None:
        async def main() -> None:
            clock = FixedClock(NOW)
            vault = await new_vault(tmp_path, clock)
            if not empty:
                await tell_memories(vault, clock)
            scene = PanelScene(vault, clock, theme, create_panel)
            try:
                await scene.ready()
                await story(scene)
            finally:
                assert scene.errors == []
                await scene.close()

        run(main(), app=QApplication.instance())

    return begin


def cells(scene: PanelScene, column: int = 0) -> list[str]:
    rows = scene.view.rows
    return [rows.data(rows.index(row, column)) for row in range(rows.rowCount())]


def shelves(scene: PanelScene) -> list[str]:
    shown = scene.view.shelves.list
    return [shown.item(row).text() for row in range(shown.count())]


def choose(scene: PanelScene, *texts: str) -> None:
    table, flags = scene.view.table, scene.view.table.selectionModel().SelectionFlag
    table.clearSelection()
    for text in texts:
        index = scene.view.rows.index(cells(scene).index(text), 0)
        table.selectionModel().setCurrentIndex(index, flags.NoUpdate)
        table.selectionModel().select(index, flags.Select | flags.Rows)


def dialog_of(scene: PanelScene) -> Any:
    return next((one for one in scene.view.findChildren(QDialog) if one.isVisible()), None)


def press(dialog: QDialog, name: str) -> None:
    next(one for one in dialog.findChildren(QPushButton) if one.accessibleName() == name).click()


async def undo(scene: PanelScene) -> None:
    await scene.until(lambda: scene.undos)
    scene.undos.pop()[1]()


def test_memories_stand_by_whom_they_are_about(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        QAbstractItemModelTester(scene.view.rows, QAbstractItemModelTester.FailureReportingMode.Fatal)
        assert cells(scene) == ALL
        assert shelves(scene) == [
            "All memories  ·  6",
            "Channel Main  ·  1 of 100",
            "Server 100  ·  1 of 100",
            "Ann  ·  2 of 100",
            "Jo  ·  2 of 100",
            "Every familiar  ·  1",
            "Retired  ·  1",
        ]
        assert cells(scene, 3)[1:4] == ["Protected", "Protected", "In every prompt"]
        scene.view.shelves.list.setCurrentRow(3)
        assert cells(scene) == ["Ann has a sister in Lisbon", "Ann drinks tea with two spoons of honey"]
        assert cells(scene, 2) == ["#harbour, family", ""]
        scene.view.shelves.list.setCurrentRow(5)
        assert cells(scene) == ["Jo wants short answers in the morning"]

    play(story)


def test_a_memory_tells_where_it_comes_from_and_what_becomes_of_it(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        choose(scene, ALL[-1])
        QTest.keyClick(scene.view.table, Qt.Key.Key_Return)
        await scene.until_side("Taught by Ann")
        told = scene.side_text()
        assert "It stays as it is: memories do not fade." in told
        assert "saved by the familiar" in told
        (chip,) = scene.side.findChildren(ChipButton)
        chip.click()
        memory = await scene.vault.saved_memories.get(MemoryId(1))
        assert scene.went == [("chat", f"{memory.learned_in}:{memory.source_turn}")]

    play(story)


def test_one_is_written_down_found_and_taken_back(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        scene.view.shelves.list.setCurrentRow(3)
        scene.view.deeds.do("add")
        await scene.until(lambda: dialog_of(scene))
        form: MemoryForm = dialog_of(scene)
        assert form.place.currentText() == "Ann"
        assert not form.save.isEnabled()
        form.text.setPlainText("y" * 1001)
        assert not form.save.isEnabled()
        assert "1,001 characters; 1,000 are allowed." in form.text.accessibleDescription()
        form.text.setPlainText("{user} sings")
        form.tags.setText("#harbour, choir")
        QTest.keyClick(form.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        await scene.until(lambda: scene.undos)
        assert "Ann sings" in cells(scene)
        made = (await scene.vault.saved_memories.get(MemoryId(8))) or pytest.fail("nothing was stored")
        assert (made.content, made.tags, made.manually_written) == ("{user} sings", ("#discord:10", "choir"), True)
        await undo(scene)
        await scene.until(lambda: "Ann sings" not in cells(scene))

    play(story)


def test_a_change_protects_and_undo_brings_back_both(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        choose(scene, ALL[-1])
        QTest.keyClick(scene.view.table, Qt.Key.Key_F2)
        await scene.until(lambda: dialog_of(scene))
        form = dialog_of(scene)
        assert form.text.toPlainText() == "{user} drinks tea with two spoons of honey"
        form.text.setPlainText("{user} drinks tea with milk")
        press(form, "Save")
        await scene.until(lambda: "Ann drinks tea with milk" in cells(scene))
        assert cells(scene, 3)[-1] == "Protected"
        await undo(scene)
        await scene.until(lambda: cells(scene) == ALL)
        await scene.until(lambda: cells(scene, 3)[-1] == "In every prompt")

    play(story)


def test_many_are_retired_by_a_key_and_come_back_together(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        choose(scene, ALL[4], ALL[5])
        QTest.keyClick(scene.view.table, Qt.Key.Key_Delete)
        await scene.until(lambda: cells(scene) == ALL[:4])
        await scene.until(lambda: scene.undos)
        assert scene.undos[-1][0] == "2 memories retired."
        scene.view.shelves.list.setCurrentRow(scene.view.shelves.list.count() - 1)
        assert cells(scene, 3) == ["Deleted by the familiar", "Retired", "Retired"]
        assert [word for word, made in scene.view.buttons.items() if not made.isHidden()] == ["restore"]
        await undo(scene)
        await scene.until(lambda: cells(scene) == ["Ann owes Ben 5"])
        scene.redos[-1]()
        await scene.until(lambda: len(cells(scene)) == 3)
        await scene.vault.saved_memories.restore(scene.view.model.keeper, MemoryId(1), by=OWNER)
        await scene.vault.saved_memories.restore(scene.view.model.keeper, MemoryId(2), by=OWNER)
        await scene.until(lambda: cells(scene) == ["Ann owes Ben 5"])
        QTest.keyClick(scene.view.table, Qt.Key.Key_R)
        await scene.until(lambda: cells(scene) == [])
        assert "Ann  ·  3 of 100" in shelves(scene)

    play(story)


def test_protecting_tagging_and_moving(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        choose(scene, ALL[4], ALL[5])
        QTest.keyClick(scene.view.table, Qt.Key.Key_P)
        await scene.until(lambda: cells(scene, 3)[4:] == ["Protected", "Protected"])
        await undo(scene)
        await scene.until(lambda: cells(scene, 3)[4:] == ["In every prompt", "In every prompt"])
        choose(scene, ALL[5])
        QTest.keyClick(scene.view.table, Qt.Key.Key_M)
        await scene.until(lambda: dialog_of(scene))
        box = dialog_of(scene).findChild(QComboBox)
        box.setCurrentIndex(box.findText("Ann (every familiar)"))
        press(dialog_of(scene), "Move")
        await scene.until(lambda: cells(scene, 1)[5] == "Ann (every familiar)")
        await undo(scene)
        await scene.until(lambda: cells(scene, 1)[5] == "Ann")
        scene.view.deeds.do("tag")
        await scene.until(lambda: dialog_of(scene))
        QTest.keyClicks(dialog_of(scene).focusWidget(), "tea, #harbour")
        press(dialog_of(scene), "Add")
        await scene.until(lambda: cells(scene, 2)[5] == "tea, #harbour")

    play(story)


def test_searching_and_showing_all_again(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        scene.panel.find()
        scene.view.search.setText("ann honey")
        assert cells(scene) == ALL[-1:]
        scene.view.search.setText("zebra")
        assert scene.view.pages.currentWidget() is scene.view.empty
        scene.view.empty.button.click()
        assert cells(scene) == ALL
        scene.panel.show_place("4")
        await scene.until_side("Deleted by the familiar")
        assert cells(scene) == ["Ann owes Ben 5"]

    play(story)


def test_files_go_out_and_come_in_with_a_report(play: Play, tmp_path: Path) -> None:
    async def story(scene: PanelScene) -> None:
        path = tmp_path / "out.json"
        assert await scene.view.deeds.acts.write_out(path) == 6
        value = json.loads(path.read_text(encoding="utf-8"))
        value["memories"] = [
            value["memories"][0],
            {"scope": "personal", "owner": "discord:2", "lineage": "own", "content": "{user} rows", "tags": []},
        ]
        path.write_text(json.dumps(value), encoding="utf-8")
        scene.view.tasks.start(lambda: scene.view.deeds.import_file(path), name="import")
        await scene.until(lambda: dialog_of(scene))
        press(dialog_of(scene), "Merge")
        await scene.until(lambda: scene.undos)
        assert scene.undos[-1][0] == "1 memory taken, 1 there already, 0 retired."
        assert "Ben rows" in cells(scene)
        await undo(scene)
        await scene.until(lambda: cells(scene) == ALL)

    play(story)


def test_a_file_that_says_not_whose_it_is_asks_for_a_choice(play: Play, tmp_path: Path) -> None:
    async def story(scene: PanelScene) -> None:
        path = tmp_path / "foreign.json"
        path.write_text('{"12": ["likes rain"]}', encoding="utf-8")
        scene.view.tasks.start(lambda: scene.view.deeds.import_file(path), name="import")
        await scene.until(lambda: scene.view.notice.isVisible())
        scene.view.shelves.list.setCurrentRow(3)
        scene.view.tasks.start(lambda: scene.view.deeds.import_file(path), name="import")
        await scene.until(lambda: dialog_of(scene))
        press(dialog_of(scene), "Merge")
        await scene.until(lambda: "likes rain" in cells(scene))

    play(story)


def test_what_the_familiar_saves_meanwhile_appears(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        keeper = scene.view.model.keeper
        await scene.vault.saved_memories.retire(keeper, MemoryId(1), by="discord:1")
        await scene.until(lambda: cells(scene) == ALL[:-1])

    play(story)


def test_nothing_yet_says_what_will_be_here(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        assert scene.view.pages.currentWidget() is scene.view.empty
        assert scene.view.empty.button.text() == "Write one down…"
        scene.view.empty.button.click()
        await scene.until(lambda: dialog_of(scene))
        dialog_of(scene).reject()

    play(story, empty=True)


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_names_keys_and_room(play: Play, theme: Theme, zoom: float) -> None:
    async def story(scene: PanelScene) -> None:
        theme.set_zoom(zoom)
        choose(scene, ALL[-1])
        scene.view.show_memory()
        await scene.until_side("Taught by Ann")
        for check in (unnamed, unreachable, cut_off, overlapping):
            assert check(scene.window) == [], check.__name__
        scene.view.deeds.do("add")
        await scene.until(lambda: dialog_of(scene))
        for check in (unnamed, unreachable, cut_off):
            assert check(dialog_of(scene)) == [], check.__name__
        dialog_of(scene).reject()

    play(story)
