"""The kit: theme, tasks and their errors, dialogs, waiting, single instance, crash dialog, and what is forbidden."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QDir, QPoint, QSize, Qt
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QPushButton, QWidget

import familiar_app.ui
from familiar_app.domain.errors import BugError, OutsideError, StoppedByUserError, UserError
from familiar_app.domain.task import TaskRegistry
from familiar_app.ui.kit.dialog import Dialog, ask, ask_text, choose_file, confirm_by_typing
from familiar_app.ui.kit.icon import icon, icon_names
from familiar_app.ui.kit.label import column, label, row
from familiar_app.ui.kit.notice import Notice, UndoBar
from familiar_app.ui.kit.page_scroll import PageScroll
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.kit.wait import WaitStack
from familiar_app.ui.shell.crash import CrashDialog
from familiar_app.ui.shell.single_instance import SingleInstance
from tests.ui.conftest import OnLoop
from tests.ui.pictures import settle, until

FORBIDDEN = re.compile(
    r"\.exec_?\(|QMessageBox|QInputDialog|asyncSlot|QFileDialog\.(get|save|open)\w*\(|processEvents|QEventLoop"
)
HEX = re.compile(r"""["']#[0-9a-fA-F]{3,8}["']""")


def test_nothing_opens_a_loop_of_its_own_and_no_widget_knows_a_colour() -> None:
    found = []
    for path in Path(familiar_app.ui.__file__).parent.rglob("*.py"):
        for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if FORBIDDEN.search(text) or HEX.search(text):
                found.append(f"{path.name}:{number}: {text.strip()}")
    assert found == []


class TestFocus:
    def test_a_button_reached_by_tab_is_framed_once(self, theme: Theme, qtbot: Any) -> None:
        held = QWidget()
        qtbot.addWidget(held)
        first, second = QPushButton("Set A"), QPushButton("Set B")
        layout = row()
        layout.addWidget(first)
        layout.addWidget(second)
        held.setLayout(layout)
        held.show()
        held.activateWindow()
        qtbot.waitUntil(held.isActiveWindow)
        first.setFocus()
        inside = second.rect().adjusted(6, 4, -6, -4)
        before = second.grab(inside).toImage()
        qtbot.keyClick(first, Qt.Key.Key_Tab)
        assert second.hasFocus()
        assert second.grab(inside).toImage() == before


class TestChoice:
    def test_a_short_list_drops_down_whole_below_its_box(self, theme: Theme, qtbot: Any) -> None:
        box = QComboBox()
        qtbot.addWidget(box)
        box.addItems(["All", "Waiting for you", "Replaced", "Taken back", "Kept"])
        box.setCurrentIndex(3)
        box.show()
        box.showPopup()
        shown = box.view()
        qtbot.waitUntil(shown.isVisible)
        assert shown.window().geometry().top() >= box.mapToGlobal(box.rect().bottomLeft()).y()
        assert shown.viewport().height() > shown.visualRect(box.model().index(4, 0)).bottom() > 4 * theme.px(20)
        box.hidePopup()


class TestTheme:
    def test_a_change_is_told_and_in_force(self, theme: Theme) -> None:
        heard: list[str] = []
        theme.changed.connect(lambda: heard.append(theme.name))
        light = theme.color("background_1")
        theme.set_mode("dark")
        assert heard == ["dark"]
        assert theme.color("background_1") != light
        assert QApplication.palette().window().color() == theme.color("background_1")

    def test_zoom_scales_text_and_stays_within_bounds(self, theme: Theme) -> None:
        small = theme.font().pixelSize()
        theme.set_zoom(1.5)
        assert theme.font().pixelSize() == pytest.approx(small * 1.5, abs=1)
        for _ in range(20):
            theme.step_zoom(1)
        assert theme.zoom == 2.0
        for _ in range(20):
            theme.step_zoom(-1)
        assert theme.zoom == 0.75
        theme.step_zoom(0)
        assert theme.zoom == 1.0

    def test_body_text_is_13_to_14_px(self, theme: Theme) -> None:
        assert 13 <= theme.font().pixelSize() <= 14

    def test_an_unknown_role_is_a_defect(self, theme: Theme) -> None:
        with pytest.raises(BugError):
            theme.color("purple")

    def test_reduced_motion_moves_nothing(self, theme: Theme) -> None:
        assert theme.motion_ms == 120
        theme.set_reduce_motion(True)
        assert theme.motion_ms == 0

    def test_every_icon_draws_something(self, theme: Theme) -> None:
        names = icon_names()
        assert {"chat", "send", "lock", "shield", "calendar", "eye", "undo"} <= set(names)
        for name in names:
            image = icon(theme, name, "text_1").pixmap(QSize(24, 24)).toImage()
            drawn = sum(image.pixelColor(x, y).alpha() > 60 for x in range(24) for y in range(24))
            assert drawn > 15, name


class TestTasks:
    @pytest.mark.parametrize("retryable", [True, False])
    def test_errors_for_the_person_are_shown_inline(self, theme: Theme, on_loop: OnLoop, retryable: bool) -> None:
        async def test() -> None:
            crashes: list[Any] = []
            registry = TaskRegistry(lambda name, error: crashes.append((name, error)))
            notice = Notice(theme)
            runs: list[int] = []

            async def fail() -> None:
                runs.append(1)
                raise OutsideError("no answer.", "Look at the cable.", retryable=retryable)

            tasks = Tasks(registry, notice, notice.show_error)
            await tasks.start(fail, name="try")
            assert notice.text == "No answer. Look at the cable."
            assert notice._button.isHidden() is not retryable
            if retryable:
                notice._button.click()
                await until(lambda: len(runs) == 2)
            assert crashes == []
            await registry.cancel()
            notice.deleteLater()

        on_loop(test())

    def test_defects_go_to_the_registry_and_stops_nowhere(self, theme: Theme, on_loop: OnLoop) -> None:
        async def test() -> None:
            crashes: list[BaseException] = []
            registry = TaskRegistry(lambda _name, error: crashes.append(error))
            shown: list[Any] = []
            owner = QWidget()
            tasks = Tasks(registry, owner, lambda error, _again: shown.append(error))

            async def fail(error: Exception) -> None:
                raise error

            wrong = ValueError("x")
            for error in (BugError("broken"), wrong, StoppedByUserError("stopped"), UserError("yours")):
                tasks.start(lambda e=error: fail(e), name=str(error))
                await settle(1)
            assert [type(error).__name__ for error in crashes] == ["BugError", "ValueError"]
            assert [str(error) for error in shown] == ["yours"]
            owner.deleteLater()

        on_loop(test())

    def test_tasks_end_with_their_widget_and_a_second_start_waits_or_replaces(self, on_loop: OnLoop) -> None:
        async def test() -> None:
            registry = TaskRegistry(lambda _name, _error: None)
            owner = QWidget()
            tasks = Tasks(registry, owner, lambda _error, _again: None)

            async def for_ever() -> None:
                await asyncio.Event().wait()

            first = tasks.start(for_ever, name="load")
            assert tasks.start(for_ever, name="load") is first
            second = tasks.start(for_ever, name="load", replace=True)
            await settle(1)
            assert first.cancelled()
            owner.deleteLater()
            await until(second.cancelled)
            assert len(registry) == 0

        on_loop(test())


class TestDialogs:
    def test_the_loop_goes_on_while_a_question_is_open(self, theme: Theme, on_loop: OnLoop) -> None:
        async def test() -> None:
            beats: list[int] = []

            async def beat() -> None:
                while True:
                    beats.append(1)
                    await asyncio.sleep(0.01)

            beating = asyncio.ensure_future(beat())
            choices = (("", "Cancel", "plain"), ("yes", "Do it", "primary"))
            asking = asyncio.ensure_future(ask(None, "Sure?", "Really?", choices))
            await until(lambda: len(beats) > 3 and QApplication.activeModalWidget())
            QApplication.activeModalWidget().choose("yes")
            assert await asking == "yes"
            beating.cancel()
            await asyncio.wait([beating])

        on_loop(test())

    def test_closing_and_cancelling_both_end_it(self, theme: Theme, on_loop: OnLoop) -> None:
        async def test() -> None:
            asking = asyncio.ensure_future(ask_text(None, "Name", "", value="old"))
            await until(QApplication.activeModalWidget)
            QApplication.activeModalWidget().reject()
            assert await asking is None
            asking = asyncio.ensure_future(ask_text(None, "Name", "", value="old"))
            await until(QApplication.activeModalWidget)
            asking.cancel()
            await asyncio.wait([asking])
            assert QApplication.activeModalWidget() is None

        on_loop(test())

    def test_an_erasure_needs_its_word(self, theme: Theme, on_loop: OnLoop) -> None:
        async def test() -> None:
            asking = asyncio.ensure_future(confirm_by_typing(None, "Erase", "All of it.", "Mira", accept="Erase"))
            await until(QApplication.activeModalWidget)
            dialog: Any = QApplication.activeModalWidget()
            ok = dialog.buttons.itemAt(dialog.buttons.count() - 1).widget()
            field = dialog.body.itemAt(2).widget()
            field.setText("mira")
            assert not ok.isEnabled()
            field.setText("Mira")
            ok.click()
            assert await asking

        on_loop(test())


def test_a_dialog_is_as_high_as_what_is_in_it_needs(theme: Theme, qtbot: Any) -> None:
    """Qt gives a new window two thirds of the screen at most, and its parts then lie over each other."""
    dialog = Dialog(None, "Profiles")
    qtbot.addWidget(dialog)
    tall, words = QWidget(), label("One word and another. " * 12, wrap=True)
    tall.setMinimumHeight(dialog.screen().availableGeometry().height() * 3 // 5)
    dialog.body.addWidget(words)
    dialog.body.addWidget(tall)
    dialog.add_choice("", "Close")
    dialog.show()
    assert dialog.height() >= dialog.layout().totalHeightForWidth(dialog.width())
    assert words.geometry().bottom() < tall.geometry().top()
    assert dialog.height() <= dialog.screen().availableGeometry().height()


def test_waiting_shows_a_skeleton_then_progress_then_the_content(theme: Theme, on_loop: OnLoop) -> None:
    async def test() -> None:
        content = QLabel("here")
        stack = WaitStack(theme, content)
        stopped: list[int] = []
        stack._soon.setInterval(10)
        stack._late.setInterval(60)
        stack.begin("Reading", lambda: stopped.append(1))
        assert stack._stack.currentWidget() is content
        await until(lambda: stack._stack.currentWidget() is stack._skeleton)
        await until(lambda: stack._progress is not None)
        stack.end()
        assert stack._stack.currentWidget() is content
        stack.deleteLater()

    on_loop(test())


def test_text_from_outside_is_never_markup() -> None:
    shown = label("<b>bold</b> & <img src=x>")
    assert shown.text() == "<b>bold</b> & <img src=x>"
    assert shown.textFormat().name == "PlainText"
    shown.deleteLater()


def test_a_wrapping_text_asks_for_the_height_it_has_at_its_width(theme: Theme) -> None:
    page = QWidget()
    layout = column(spacing=0)
    for _ in range(12):
        layout.addWidget(label("These words need one line in a wide window and many in a narrow one. " * 2, wrap=True))
    page.setLayout(layout)
    scroll = PageScroll()
    scroll.setWidget(page)
    scroll.resize(1200, 200)
    scroll.show()
    QApplication.processEvents()
    assert page.height() == max(page.heightForWidth(page.width()), scroll.viewport().height())
    scroll.close()
    scroll.deleteLater()


def test_a_page_stays_where_it_is_when_its_scroll_bar_comes(theme: Theme) -> None:
    page, middle = QWidget(), QLabel("middle")
    middle.setFixedSize(200, 20)
    line = row(spacing=0)
    line.addStretch(1)
    line.addWidget(middle)
    line.addStretch(1)
    page.setLayout(line)
    scroll = PageScroll()
    scroll.setWidget(page)
    scroll.resize(600, 300)
    scroll.show()
    QApplication.processEvents()
    before = middle.mapTo(scroll, QPoint(0, 0)).x()
    page.setMinimumHeight(900)
    for _ in range(3):
        QApplication.processEvents()
    assert scroll.verticalScrollBar().isVisible()
    assert abs(middle.mapTo(scroll, QPoint(0, 0)).x() - before) <= 1
    assert scroll.focusPolicy() is Qt.FocusPolicy.NoFocus
    scroll.close()
    scroll.deleteLater()


def test_the_undo_bar_keeps_off_the_field_one_writes_in(theme: Theme, on_loop: OnLoop) -> None:
    async def test() -> None:
        parent, field = QWidget(), QWidget()
        parent.resize(900, 600)
        field.setParent(parent)
        field.setGeometry(200, 540, 600, 40)
        bar = UndoBar(theme, parent)
        parent.show()
        bar.stand_above(field)
        bar.offer("Message changed.", lambda: None)
        assert bar.geometry().bottom() < field.y()
        assert abs(bar.geometry().center().x() - field.geometry().center().x()) <= 1
        field.setGeometry(200, 400, 600, 180)
        await until(lambda: bar.geometry().bottom() < 400)
        width = bar.width()
        theme.set_zoom(1.5)
        await until(lambda: bar.width() > width)
        assert bar._text.width() >= bar._text.sizeHint().width()
        parent.deleteLater()

    on_loop(test())


def test_a_file_is_not_looked_for_where_the_program_was_started(theme: Theme, on_loop: OnLoop) -> None:
    async def test() -> None:
        task = asyncio.get_running_loop().create_task(choose_file(None, "Choose a card"))
        await until(QApplication.activeModalWidget)
        dialog: Any = QApplication.activeModalWidget()
        assert dialog.directory() != QDir.current()
        dialog.reject()
        assert await task is None

    on_loop(test())


def test_a_second_start_wakes_the_first(tmp_path: Path, on_loop: OnLoop) -> None:
    async def test() -> None:
        first, other = SingleInstance(tmp_path / "one"), SingleInstance(tmp_path / "two")
        woken: list[str] = []
        first.raised.connect(woken.append)
        assert first.claim()
        assert other.claim()
        assert not SingleInstance(tmp_path / "one").claim()
        await until(lambda: woken)
        card = tmp_path / "Ännchen 月.charx"
        assert not SingleInstance(tmp_path / "one").claim(hidden=True), "it wants nothing, and nothing is raised"
        assert not SingleInstance(tmp_path / "one").claim(card)
        await until(lambda: len(woken) > 1)
        assert woken == ["", str(card)]
        first.release()
        again = SingleInstance(tmp_path / "one")
        assert again.claim()
        again.release()
        other.release()

    on_loop(test())


@pytest.mark.skipif(sys.platform == "win32", reason="local sockets have no path there")
def test_a_long_temporary_folder_still_allows_but_one_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on_loop: OnLoop
) -> None:
    folder = tmp_path / ("a-folder-whose-name-alone-is-longer-than-what-the-path-of-a-socket-may-have" * 2)
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))

    async def test() -> None:
        first, woken = SingleInstance(tmp_path / "one"), []
        first.raised.connect(woken.append)
        assert first.claim()
        assert not SingleInstance(tmp_path / "one").claim()
        await until(lambda: woken)
        first.release()

    on_loop(test())


def test_one_crash_dialog_for_all_defects(theme: Theme, on_loop: OnLoop) -> None:
    async def test() -> None:
        crash = CrashDialog(theme, lambda: None)
        crash.report("one", ValueError("first"))
        crash.report("two", KeyError("second"))
        await settle(1)
        assert len([top for top in QApplication.topLevelWidgets() if top.isVisible()]) == 1
        text = crash._shown.toPlainText()
        assert "ValueError: first" in text
        assert "KeyError: 'second'" in text
        crash._dialog.reject()
        await settle(1)
        crash.report("one", ValueError("first"))
        assert crash._dialog is None

    on_loop(test())
