"""What the lorebook's table tells about its entries: what is odd about them, and how often each stood in a prompt."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListView

from familiar_app.domain.lorebook.entry import EntryKey
from familiar_app.ui.lorebook.listing import COLUMNS
from tests.ui.lorebook_stage import NAME, Scene, live_panel, press, shown  # noqa: F401
from tests.unit.ui.lorebook.stage import TEXT

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
ODD = """
[[entries]]
name = "Nobody's"
content = "Nothing wakes it."

[[entries]]
name = "Everybody's"
keys = ["the"]
content = "Everything wakes it."
folder = "f"

[[folders]]
id = "f"
name = "Loose ends"
enabled = true
"""


def test_warnings_are_in_the_table_and_in_the_form_and_can_be_filtered_by(live) -> None:
    async def story(scene: Scene) -> None:
        await scene.until(lambda: len(scene.model.warnings) == 2)
        view, rows = scene.view, scene.view.table.rows
        tips = [rows.data(rows.index(row, NAME), Qt.ItemDataRole.ToolTipRole) for row in range(5)]
        assert [tip is not None for tip in tips] == [False, False, False, True, True]
        assert "nothing wakes it" in tips[3]
        assert rows.data(rows.index(3, NAME), Qt.ItemDataRole.AccessibleTextRole) == "Nobody's, has warnings"
        assert [view.only.itemText(n) for n in (1, 2, 5)] == [
            "With warnings (2)",
            "That can never fire (1)",
            "Folder: Loose ends",
        ]
        view.only.setCurrentIndex(2)
        view.only.activated.emit(2)
        assert shown(scene, NAME) == ["Nobody's"]
        assert view.count.text() == "1 of 5 entries"
        assert not scene.model.in_file_order
        view.choosing.entry(scene.model.book.entries[4].uid)
        assert shown(scene, NAME)[4] == "Everybody's"
        assert view.only.currentIndex() == 0
        assert view.form.warnings.text() == "The key “the” is in almost every text."
        scene.model.change(scene.model.current, keys=("thunder",))
        await scene.until(lambda: len(scene.model.warnings) == 1)
        assert not view.form.warnings.isVisible()

    live(story, TEXT + ODD)


def test_the_table_says_how_often_an_entry_stood_in_a_prompt_and_sorts_by_it(live) -> None:
    async def story(scene: Scene) -> None:
        at = datetime(2024, 5, 1, 12, tzinfo=UTC)
        scene.uses.found = {
            EntryKey("Salt Harbour", 1): SimpleNamespace(times=1200, last_at=at),
            EntryKey("Salt Harbour", 2): SimpleNamespace(times=3, last_at=at.replace(day=3)),
            EntryKey("Another book", 0): SimpleNamespace(times=9, last_at=at),
        }
        scene.panel.activate()
        await scene.until(lambda: scene.model.uses)
        times, last = COLUMNS.index("times"), COLUMNS.index("last")
        assert shown(scene, times) == ["", "1,200", "3"]
        assert shown(scene, last) == ["", "2024-05-01", "2024-05-03"]
        scene.view.table._sort_by(times)
        assert shown(scene, NAME) == ["Keeper Anselm", "The tide bell", "The lighthouse"]
        scene.view.table._sort_by(last)
        assert shown(scene, NAME) == ["The tide bell", "Keeper Anselm", "The lighthouse"]
        scene.model.narrow("unused")
        assert shown(scene, NAME) == ["The lighthouse"]
        scene.model.narrow("all")
        scene.uses.found[EntryKey("Salt Harbour", 0)] = SimpleNamespace(times=1, last_at=at)
        scene.view.work._recount.timeout.emit()
        await scene.until(lambda: shown(scene, times) == ["3", "1", "1,200"])

    live(story)


def test_a_narrow_table_leaves_columns_out_but_never_the_one_it_is_sorted_by(live) -> None:
    async def story(scene: Scene) -> None:
        table = scene.view.table
        scene.window.resize(1900, 800)
        await scene.until(lambda: not table.isColumnHidden(COLUMNS.index("last")))
        table._sort_by(COLUMNS.index("last"))
        scene.window.resize(1000, 800)
        await scene.until(lambda: table.isColumnHidden(COLUMNS.index("times")))
        assert table.isColumnHidden(COLUMNS.index("strategy"))
        assert not table.isColumnHidden(COLUMNS.index("last"))

    live(story)


def test_in_a_narrow_window_the_form_stands_in_the_place_of_the_table(live) -> None:
    async def story(scene: Scene) -> None:
        view, room = scene.view, scene.view.across
        assert (view.table.isVisible(), view.form.isVisible(), room.back.isVisible()) == (True, True, False)
        scene.window.resize(620, 600)
        await scene.until(lambda: not view.form.isVisible())
        press(view.table, Qt.Key.Key_Return)
        assert (view.table.isVisible(), view.form.isVisible(), room.back.isVisible()) == (False, True, True)
        assert view.form.controls["comment"].widget.hasFocus()
        press(view.form.controls["comment"].widget, Qt.Key.Key_Escape)
        assert (view.table.isVisible(), view.form.isVisible()) == (True, False)
        assert view.table.hasFocus()
        view.do("add")
        room.back.click()
        assert view.table.isVisible()
        scene.window.resize(1280, 800)
        await scene.until(lambda: view.form.isVisible())
        assert (view.table.isVisible(), room.back.isVisible()) == (True, False)

    live(story)


def test_nothing_of_the_form_is_cut_off_at_its_right(live) -> None:
    async def story(scene: Scene) -> None:
        view = scene.view
        for width in (1280, 1000, 760, 620):
            scene.window.resize(width, 700)
            await scene.until(lambda width=width: view.width() == width)
            view.edit()
            area = view.form.one
            await scene.until(lambda area=area: 0 < area.widget().width() <= area.viewport().width())

    live(story)


def test_a_key_that_is_too_long_for_the_form_ends_in_dots(live) -> None:
    async def story(scene: Scene) -> None:
        scene.model.change(scene.model.book.entries[0].uid, keys=("a" * 80, "bell"))
        scene.view.choosing.entry(scene.model.book.entries[0].uid)
        keys = scene.view.form.controls["keys"].widget
        await scene.until(lambda: keys.chips and keys.chips[0].width() > 0 and keys.chips[0].text().endswith("…"))
        chip = keys.chips[0]
        assert chip.fontMetrics().horizontalAdvance(chip.text()) < chip.width()
        assert keys.chips[1].text() == "bell"

    live(story)


def test_the_reasons_of_the_tester_are_shown_to_their_ends(live) -> None:
    async def story(scene: Scene) -> None:
        found = scene.view.view.list
        await scene.test("Anselm went down to the harbour with the fox, past the gate of the mill and the lighthouse.")
        for width in (150, 173, 207):
            found.setFixedWidth(width)
            await scene.until(lambda width=width: found.width() == width and not cut_rows(found))
        assert found.model().rowCount() > 0

    live(story)


def cut_rows(view: QListView) -> list[str]:
    """Return the texts of rows that are wider than the list."""
    rows = [view.model().index(row, 0) for row in range(view.model().rowCount())]
    return [row.data() for row in rows if view.visualRect(row).width() > view.viewport().width()]
