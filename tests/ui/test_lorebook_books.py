"""Several lorebooks in one panel: the familiar's own, those of channels, those of everybody."""

from __future__ import annotations

import asyncio

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.ui.lorebook_stage import MIRA, NAME, Scene, live_panel, press, shown  # noqa: F401

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
WORLD = """\
name = "The world"

[[entries]]
name = "The sea"
keys = ["sea"]
content = "Grey, mostly, and under every lighthouse."

[[entries]]
name = "The moon"
keys = ["moon"]
content = "It pulls."
"""


def titles(scene: Scene) -> list[str]:
    box = scene.view.head.box
    return [box.itemText(number) for number in range(box.count()) if box.itemText(number)]


async def with_world(scene: Scene) -> None:
    folder = scene.profile.root / "lorebooks"
    folder.mkdir()
    (folder / "world.toml").write_text(WORLD, encoding="utf-8")
    scene.panel.activate()
    await scene.until(lambda: len(titles(scene)) == 3)


def test_books_are_chosen_in_the_head_and_keep_their_own_undo(live) -> None:
    async def story(scene: Scene) -> None:
        await with_world(scene)
        assert titles(scene) == ["Salt Harbour (own)", "The world (everywhere)", "Make a new one…"]
        scene.model.change(0, comment="The tower")
        press(scene.view.head.box, Qt.Key.Key_Down)
        await scene.until(lambda: scene.model.loaded and shown(scene, NAME) == ["The sea", "The moon"])
        assert scene.view.head.box.currentText() == "The world (everywhere)"
        assert not scene.view.buttons["undo"].isEnabled()
        press(scene.view.head.box, Qt.Key.Key_Up)
        assert shown(scene, NAME)[0] == "The tower"
        scene.view.do("undo")
        assert shown(scene, NAME)[0] == "The lighthouse"

    live(story)


def test_a_search_looks_into_the_other_books_too(live) -> None:
    async def story(scene: Scene) -> None:
        await with_world(scene)
        QTest.keyClicks(scene.view.search, "lighthouse")
        await scene.until(lambda: scene.view.head.elsewhere.isVisible())
        assert scene.view.head.elsewhere.text() == "1 in other lorebooks"
        press(scene.view.head.elsewhere, Qt.Key.Key_Return)
        found = scene.side._widget.list
        assert found.item(0).text() == "The sea\nThe world"
        found.setCurrentRow(0)
        QTest.keyClick(found, Qt.Key.Key_Return)
        await scene.until(lambda: scene.model.loaded and scene.model.current is not None)
        assert scene.model.entry(scene.model.current).name == "The sea"

    live(story)


def test_a_new_book_is_named_and_given_to_channels(live) -> None:
    async def story(scene: Scene) -> None:
        scene.view.do("make")
        await scene.until(lambda: scene.view.head.box.currentText() == "New lorebook (not in use)")
        await scene.until(lambda: scene.model.loaded)
        view = scene.view
        view.do("about")
        await scene.until(lambda: scene.side._widget is not None)
        page = scene.side._widget
        page.name.setText("The kitchen")
        page.name.editingFinished.emit()
        await scene.until(lambda: view.head.box.currentText() == "The kitchen (not in use)")
        assert scene.uses.renamed == [("New lorebook", "The kitchen")]
        press(page.channels["local:kitchen"], Qt.Key.Key_Space)
        await scene.until(lambda: view.head.box.currentText() == "The kitchen (local:kitchen)")
        channels = scene.profile.config(MIRA).channels
        assert channels["local:kitchen"].lorebooks == ("New lorebook",)
        page.everywhere.click()
        await scene.until(lambda: view.head.box.currentText() == "The kitchen (everywhere)")
        assert scene.view is view
        assert view.model.file.path == scene.profile.root / "lorebooks" / "New lorebook.toml"
        assert scene.profile.config(MIRA).channels["local:kitchen"].lorebooks == ()
        view.do("add")
        await scene.until(lambda: "[[entries]]" in view.model.file.path.read_text(encoding="utf-8"))

    live(story)


def test_a_deleted_book_comes_back_for_the_channels_that_had_it(live) -> None:
    async def story(scene: Scene) -> None:
        await with_world(scene)
        path = scene.profile.root / "lorebooks" / "world.toml"
        press(scene.view.head.box, Qt.Key.Key_Down)
        await scene.until(lambda: scene.model.loaded)
        scene.view.do("about")
        await scene.until(lambda: scene.side._widget is not None)
        scene.side._widget.discard.click()
        await scene.until(lambda: scene.undos)
        assert scene.undos[0][0] == "The world deleted."
        assert not path.exists()
        await scene.until(lambda: len(titles(scene)) == 2)
        assert shown(scene, NAME)[0] == "The lighthouse"
        scene.undos[0][1]()
        await scene.until(lambda: scene.view.head.box.currentText() == "The world (everywhere)")
        await scene.until(lambda: scene.model.loaded)
        assert shown(scene, NAME) == ["The sea", "The moon"]
        assert path.read_text(encoding="utf-8") == WORLD

    live(story)


def test_limits_and_folders_of_a_book_are_changed_with_undo(live) -> None:
    async def story(scene: Scene) -> None:
        scene.model.put_in_folder([0, 1], "Harbour")
        scene.view.do("about")
        await scene.until(lambda: scene.side._widget is not None)
        page = scene.side._widget
        assert page.channels == {}
        page.budget.setValue(300)
        page.depth.setValue(7)
        page.description.setPlainText("What is told.")
        boxes = [page._folders.itemAt(n).layout().itemAt(0).widget() for n in range(page._folders.count())]
        assert [box.text() for box in boxes] == ["Harbour (2)"]
        boxes[0].click()
        book = scene.model.book
        assert (book.token_budget, book.scan_depth, book.description) == (300, 7, "What is told.")
        assert not book.folders[0].enabled
        await scene.until(lambda: "token_budget = 300" in scene.path.read_text(encoding="utf-8"))
        for _ in range(4):
            scene.view.do("undo")
        assert scene.model.book.token_budget is None
        await asyncio.sleep(0.05)

    live(story)


def test_deleted_entries_and_books_are_brought_back(live) -> None:
    async def story(scene: Scene) -> None:
        await with_world(scene)
        scene.model.select([0, 1])
        scene.view.do("delete")
        await scene.until(lambda: "lighthouse" not in scene.path.read_text(encoding="utf-8"))
        scene.panel.widget.current.books.show(scene.profile.root / "lorebooks" / "world.toml")
        await scene.until(lambda: scene.model.loaded and len(scene.model.rows()) == 2)
        await scene.view.library.discard()
        await scene.until(lambda: len(titles(scene)) == 2)
        scene.view.do("deleted")
        await scene.until(lambda: scene.side._widget is not None)
        page = scene.side._widget
        assert page.list.item(1).text().startswith("The lighthouse\nThe lighthouse of Salt Harbour")
        page.list.setCurrentRow(1)
        QTest.keyClick(page.list, Qt.Key.Key_Return)
        assert shown(scene, NAME) == ["The tide bell", "The lighthouse"]
        await scene.until(lambda: scene.side._widget is not page)
        assert scene.side._widget.list.count() == 1
        press(scene.side._widget.books[0], Qt.Key.Key_Return)
        await scene.until(lambda: scene.view.head.box.currentText() == "The world (everywhere)")

    live(story)


def test_an_entry_is_gone_to_as_a_trace_or_the_palette_names_it(live) -> None:
    async def story(scene: Scene) -> None:
        await with_world(scene)
        went: list[tuple[str, str]] = []
        scene.context.go_to = lambda panel, key: went.append((panel, key))
        export, *entries = scene.panel.palette_entries()
        assert export.title == "Export the lorebook…"
        assert [one.title for one in entries] == ["The lighthouse", "Keeper Anselm", "The tide bell"]
        assert entries[1].words == "Anselm keeper"
        entries[1].run()
        assert went == [("lorebook", "1")]
        scene.panel.show_place("1")
        assert scene.model.entry(scene.model.current).name == "Keeper Anselm"
        scene.panel.show_place("The world/1")
        await scene.until(lambda: scene.model.loaded and scene.model.current is not None)
        assert scene.model.entry(scene.model.current).name == "The moon"
        scene.panel.show_place("Salt Harbour (familiar: lorebook)/2")
        assert scene.model.entry(scene.model.current).name == "The tide bell"

    live(story)
