"""The lorebook panel as the person meets it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLineEdit, QPlainTextEdit

from familiar_app.bootstrap.loop import run
from familiar_app.ui.kit.theme import Theme
from tests.ui.lorebook_stage import ALT, CTRL, KEYS, NAME, SHIFT, TEST, Scene, live_panel, press, shown  # noqa: F401
from tests.unit.ui.lorebook.stage import TEXT

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_typing_in_the_form_is_in_the_table_at_once_and_in_the_file_soon(live) -> None:
    async def story(scene: Scene) -> None:
        scene.view.form.focus_name()
        name = scene.view.form.controls["comment"].widget
        name.selectAll()
        QTest.keyClicks(name, "The tower")
        assert shown(scene, NAME)[0] == "The tower"
        await scene.until(lambda: 'name = "The tower"' in scene.path.read_text(encoding="utf-8"))
        assert "# Written first." in scene.path.read_text(encoding="utf-8")

    live(story)


def test_a_pasted_list_becomes_chips_and_matching_ones_turn_green(live) -> None:
    async def story(scene: Scene) -> None:
        chips = scene.view.form.controls["keys"].widget
        QGuiApplication.clipboard().setText("tower, /to?wn{1,2}/i, tower")
        press(chips.field, Qt.Key.Key_V, CTRL)
        assert scene.model.entry(0).keys == ("lighthouse", "lamp room", "tower", "/to?wn{1,2}/i")
        await scene.test("A TOWN and its lighthouse.")
        matches = {chip.key: chip.matches for chip in chips.chips}
        assert matches == {"lighthouse": True, "lamp room": False, "tower": False, "/to?wn{1,2}/i": True}
        assert chips.chips[0].accessibleName() == "Key lighthouse, matches"
        press(chips.chips[0], Qt.Key.Key_Delete)
        assert scene.model.entry(0).keys[0] == "lamp room"
        QTest.keyClicks(chips.field, "/a{1,")
        assert chips.field.text() == "/a{1,"
        QTest.keyClicks(chips.field, "2}/,")
        assert scene.model.entry(0).keys[-1] == "/a{1,2}/"
        press(chips.field, Qt.Key.Key_Backspace)
        assert chips.field.text() == "/a{1,2}/"

    live(story)


def test_texts_of_others_are_never_taken_for_markup_or_mnemonics(live) -> None:
    async def story(scene: Scene) -> None:
        scene.model.change(0, keys=("<b>R&D</b>", "bell"))
        chip = scene.view.form.controls["keys"].widget.chips[0]
        assert chip.text() == "<b>R&&D</b>"
        assert "&lt;b&gt;R&amp;D&lt;/b&gt;" in chip.toolTip()
        rows = scene.view.table.rows
        assert "<b>" not in rows.data(rows.index(0, KEYS), Qt.ItemDataRole.ToolTipRole)

    live(story)


def test_the_table_works_by_keys(live) -> None:
    async def story(scene: Scene) -> None:
        table = scene.view.table
        press(table, Qt.Key.Key_Space)
        assert not scene.model.entry(0).enabled
        press(table, Qt.Key.Key_Down, ALT)
        assert shown(scene, NAME) == ["Keeper Anselm", "The lighthouse", "The tide bell"]
        assert scene.model.selected == (0,)
        press(table, Qt.Key.Key_Delete)
        assert shown(scene, NAME) == ["Keeper Anselm", "The tide bell"]
        assert [text for text, _ in scene.undos] == ["1 entry deleted."]
        press(table, Qt.Key.Key_Z, CTRL)
        assert shown(scene, NAME) == ["Keeper Anselm", "The lighthouse", "The tide bell"]
        press(table, Qt.Key.Key_Z, CTRL | SHIFT)
        scene.undos[0][1]()
        assert shown(scene, NAME) == ["Keeper Anselm", "The lighthouse", "The tide bell"]
        press(table, Qt.Key.Key_A, CTRL)
        assert len(scene.model.selected) == 3
        scene.view.do("disable")
        assert [one.enabled for one in scene.model.rows()] == [False, False, False]
        assert scene.view.form.several.how_many.text() == "3 entries selected"
        press(table, Qt.Key.Key_Down)
        assert len(scene.model.selected) == 1
        press(table, Qt.Key.Key_Return)
        assert scene.view.form.controls["comment"].widget.hasFocus()

    live(story)


def test_the_tester_says_what_fires_and_the_bar_has_its_pieces(live) -> None:
    async def story(scene: Scene) -> None:
        scene.view.do("turns")
        await scene.until(lambda: scene.view.tester.trial.fired)
        assert scene.view.view.text.toPlainText().startswith("Jo: Is the lighthouse still dark?\n\nMira: It is.")
        assert shown(scene, TEST) == ["Fires", "Fires", "Fires"]
        await scene.until(lambda: scene.view.outcome.used.text() == "38 of 800 tokens")
        pieces = scene.view.bar.pieces()
        assert [uid for uid, _box in pieces] == [0, 1, 2]
        widths = [box.width() + 1 for _uid, box in pieces]
        assert widths[0] / widths[2] == pytest.approx(15 / 11, rel=0.01)
        press(scene.view.bar, Qt.Key.Key_Right)
        assert scene.model.current == 1
        assert scene.view.form.verdict.text().startswith("Fires on the tester's text. “keeper” is in message 2")
        await scene.test("Nobody said anything, but lighthouses are high.")
        assert scene.view.view.summary.accessibleName().startswith("1 entry fires, 1 nearly.")
        assert shown(scene, TEST) == ["Nearly", "", "Fires"]

    live(story)


def test_the_search_filters_and_the_header_sorts(live) -> None:
    async def story(scene: Scene) -> None:
        scene.panel.find()
        QTest.keyClicks(scene.view.search, "lamp")
        assert shown(scene, NAME) == ["The lighthouse", "Keeper Anselm"]
        assert scene.view.count.text() == "2 of 3 entries"
        press(scene.view.search, Qt.Key.Key_Escape)
        scene.view.table._sort_by(4)
        assert shown(scene, NAME) == ["The lighthouse", "Keeper Anselm", "The tide bell"]
        scene.view.table._sort_by(4)
        assert shown(scene, NAME) == ["The tide bell", "Keeper Anselm", "The lighthouse"]
        press(scene.view.table, Qt.Key.Key_Down, ALT)
        assert scene.told == ["Entries can be moved while all are shown by their place (#)."]

    live(story)


def test_a_change_from_outside_appears_and_a_conflict_is_asked_about_in_the_form(live) -> None:
    async def story(scene: Scene) -> None:
        scene.path.write_text(TEXT.replace("forty years", "fifty years"), encoding="utf-8")
        scene.view.work.look_at_file()
        await scene.until(lambda: "fifty years" in scene.model.entry(1).content)
        scene.view.work.save_soon.stop()
        scene.model.change(0, content="Mine.")
        scene.view.work.save_soon.stop()
        scene.path.write_text(TEXT.replace("has been dark", "shines"), encoding="utf-8")
        scene.view.work.save()
        await scene.until(lambda: scene.model.conflicts)
        form = scene.view.form
        assert form.conflict.isVisible()
        assert scene.view.notice.text == "1 entry was changed here and in the file."
        assert form.keep_mine.isVisible()
        assert "shines" in form.controls["content"].widget.toPlainText()
        form.keep_mine.click()
        assert form.controls["content"].widget.toPlainText() == "Mine."
        assert not form.keep_mine.isVisible()
        assert not scene.view.notice.isVisible()
        await scene.until(lambda: "Mine." in scene.path.read_text(encoding="utf-8"))

    live(story)


def test_the_file_is_imported_only_after_its_report_was_seen(live, tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        other = tmp_path / "other.toml"
        other.write_text('[[entries]]\nkeys = ["fox"]\ncontent = "Foxes run."\n', encoding="utf-8")
        await scene.view.exchange.import_file(other)
        assert len(scene.model.book.entries) == 3
        view = scene.side._widget
        assert view.report.toPlainText() == "Everything came over."
        view.merge.click()
        assert shown(scene, KEYS)[-1] == "fox"
        assert scene.undos[0][0] == "1 entry imported."
        scene.undos[0][1]()
        assert len(scene.model.book.entries) == 3
        await scene.view.exchange.show_formats()
        await scene.until(lambda: scene.side._widget.report.toPlainText() == "Everything survives.")
        await scene.view.exchange.export_file(tmp_path / "out.json", "sillytavern")
        assert '"lighthouse"' in (tmp_path / "out.json").read_text(encoding="utf-8")

    live(story)


def test_an_empty_lorebook_offers_a_first_entry(live) -> None:
    async def story(scene: Scene) -> None:
        assert scene.view.empty.isVisible()
        assert not scene.view.buttons["undo"].isEnabled()
        scene.view.empty.button.click()
        assert scene.view.across.isVisible()
        QTest.keyClicks(scene.view.form.controls["comment"].widget, "Fox")
        await scene.until(lambda: scene.path.exists() and "Fox" in scene.path.read_text(encoding="utf-8"))

    live(story, None)


def test_a_file_that_cannot_be_read_says_where_and_can_be_read_again(tmp_path: Path, theme: Theme) -> None:
    async def main() -> None:
        scene = Scene(tmp_path / "profile", theme, "[[entries]]\nkeys = [\n")
        try:
            await scene.until(lambda: scene.view.notice.isVisible())
            assert "line 3" in scene.view.notice.text
            scene.path.write_text(TEXT, encoding="utf-8")
            scene.view.notice._press()
            await scene.until(lambda: scene.model.loaded)
            assert len(scene.model.rows()) == 3
        finally:
            await scene.close()

    run(main(), app=QApplication.instance())


def test_panes_are_remembered(live) -> None:
    async def story(scene: Scene) -> None:
        await asyncio.sleep(0.05)
        scene.view.across.setSizes([500, 700])
        scene.view.across.splitterMoved.emit(500, 1)
        await scene.view.panes.write()
        kept = scene.state.values["lorebook.panes"]["across"]
        scene.view.across.setSizes([800, 400])
        await scene.view.panes.restore()
        assert scene.view.across.sizes() == kept

    live(story)


def test_the_models_keep_their_promises(live, qtmodeltester) -> None:
    async def story(scene: Scene) -> None:
        await scene.test("the lighthouse")
        qtmodeltester.check(scene.view.table.rows)
        qtmodeltester.check(scene.view.view.model)

    live(story)


def test_rows_are_moved_by_dragging_only_in_file_order(live) -> None:
    async def story(scene: Scene) -> None:
        rows = scene.view.table.rows
        data = rows.mimeData([rows.index(2, 0)])
        move = Qt.DropAction.MoveAction
        assert rows.canDropMimeData(data, move, 0, 0, rows.index(-1, -1))
        rows.dropMimeData(data, move, 0, 0, rows.index(-1, -1))
        assert shown(scene, NAME) == ["The tide bell", "The lighthouse", "Keeper Anselm"]
        scene.model.show_only("lamp")
        assert not rows.canDropMimeData(data, move, 0, 0, rows.index(-1, -1))

    live(story)


def test_every_control_has_a_name_and_no_text_is_cut(live) -> None:
    async def story(scene: Scene) -> None:
        await scene.test("the lighthouse")
        scene.view.form.more_button.click()
        await asyncio.sleep(0.05)
        kinds = (QAbstractButton, QLineEdit, QPlainTextEdit, QComboBox)
        inner = ("qt_spinbox_lineedit",)
        controls = [
            widget
            for kind in kinds
            for widget in scene.panel.widget.findChildren(kind)
            if widget.isVisible() and widget.objectName() not in inner
        ]
        assert len(controls) > 30
        assert [one for one in controls if not (one.accessibleName() or getattr(one, "text", str)())] == []
        unreached = [
            one
            for one in controls
            if isinstance(one, QAbstractButton)
            and one.isEnabled()
            and not one.focusPolicy() & Qt.FocusPolicy.TabFocus
            and one.metaObject().className() not in ("QLineEditIconButton", "QTableCornerButton")
        ]
        assert unreached == []

    live(story)
