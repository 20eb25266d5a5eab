"""Changing many entries at once in the lorebook panel: search and replace, bulk edits, folders, filters."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from familiar_app.domain.lorebook.entry import CharacterFilter
from tests.ui.lorebook_stage import ALT, CTRL, NAME, Scene, live_panel, press, shown  # noqa: F401

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_what_would_be_replaced_is_listed_first_and_done_in_one_step(live) -> None:
    async def story(scene: Scene) -> None:
        scene.view.do("replace")
        view = scene.side._widget
        assert view.told.text() == "What would change is listed here before anything is changed."
        QTest.keyClicks(view.find, "lighthouse")
        QTest.keyClicks(view.put, "beacon")
        await scene.until(lambda: view.told.text() == "4 places in 2 entries.")
        assert view.list.item(0).text() == "The lighthouse · name\nThe lighthouse\n→ The beacon"
        assert scene.model.entry(0).keys == ("lighthouse", "lamp room")
        view.do.click()
        assert shown(scene, NAME)[0] == "The beacon"
        assert scene.model.entry(1).secondary_keys == ("beacon",)
        assert scene.undos[-1][0] == "Replaced in 2 entries."
        await scene.until(lambda: view.told.text() == "Nothing would change.")
        scene.undos[-1][1]()
        assert shown(scene, NAME)[0] == "The lighthouse"

    live(story)


def test_what_was_changed_meanwhile_is_not_replaced(live) -> None:
    async def story(scene: Scene) -> None:
        scene.view.do("replace")
        view = scene.side._widget
        view.find.setText("lighthouse")
        await scene.until(lambda: view.do.isEnabled())
        scene.model.change(0, content="Mine, by the lighthouse.")
        view.do.click()
        assert scene.model.entry(0).content == "Mine, by the lighthouse."
        assert scene.model.entry(1).secondary_keys == ()

    live(story)


def test_chosen_entries_are_changed_together(live) -> None:
    async def story(scene: Scene) -> None:
        press(scene.view.table, Qt.Key.Key_A, CTRL)
        several = scene.view.form.several
        several.order.setValue(5)
        press(several.set_order, Qt.Key.Key_Space)
        assert [one.order for one in scene.model.book.entries] == [5, 5, 5]
        press(several.raise_order, Qt.Key.Key_Return)
        assert [one.order for one in scene.model.book.entries] == [15, 15, 15]
        several.folder.setFocus()
        QTest.keyClicks(several.folder, "Harbour")
        QTest.keyClick(several.folder, Qt.Key.Key_Return)
        assert {one.folder for one in scene.model.book.entries} == {scene.model.book.folders[0].id}
        assert len(scene.model.selected) == 3
        assert scene.view.only.itemText(scene.view.only.count() - 1) == "Folder: Harbour"
        for _ in range(3):
            scene.view.do("undo")
        assert [one.order for one in scene.model.book.entries] == [200, 150, 100]

    live(story)


def test_an_entry_has_a_folder_further_texts_and_characters(live) -> None:
    async def story(scene: Scene) -> None:
        form = scene.view.form
        form.more_button.click()
        form.folder.setFocus()
        QTest.keyClicks(form.folder, "Harbour")
        QTest.keyClick(form.folder, Qt.Key.Key_Return)
        assert scene.model.entry(0).folder == "folder-1"
        sources = form.controls["sources"].widget
        press(sources.boxes["scenario"], Qt.Key.Key_Space)
        assert scene.model.entry(0).sources == ("scenario",)
        characters = form.controls["character_filter"].widget
        characters.names.setFocus()
        QTest.keyClicks(characters.names, "Mira, Tom")
        press(characters.way, Qt.Key.Key_Down)
        assert scene.model.entry(0).character_filter == CharacterFilter(True, ("Mira", "Tom"))
        scene.model.select([1])
        assert characters.names.text() == ""
        scene.model.select([0])
        assert characters.names.text() == "Mira, Tom"
        characters.names.selectAll()
        QTest.keyClick(characters.names, Qt.Key.Key_Delete)
        assert scene.model.entry(0).character_filter is None
        priority = form.controls["priority"].widget
        assert priority.text() == "None"
        priority.setValue(7)
        assert scene.model.entry(0).priority == 7

    live(story)
