"""The lorebook panel without a mouse, and without sight of it: every control is reached by keys and has a name."""

from __future__ import annotations

import asyncio

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from tests.ui.lorebook_stage import CTRL, NAME, Scene, live_panel, shown  # noqa: F401
from tests.ui.test_every_screen import cut_off, overlapping, unnamed, unreachable

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
MOST_TABS = 90


def type_keys(text: str) -> None:
    QTest.keyClicks(QApplication.focusWidget(), text)


def key(one: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(QApplication.focusWidget(), one, modifiers)


def tab_to(wanted: QWidget, *, back: bool = False) -> int:
    """Press Tab until a widget has the focus; returns how often."""
    for count in range(MOST_TABS):
        if QApplication.focusWidget() is wanted:
            return count
        key(Qt.Key.Key_Backtab if back else Qt.Key.Key_Tab)
    raise AssertionError(f"{wanted.accessibleName()} cannot be reached by Tab")


def with_shortcuts(scene: Scene) -> None:
    """Give the window the keys of the panel's actions, as the shell does."""
    for action in scene.panel.actions():
        if action.shortcut:
            QShortcut(QKeySequence(action.shortcut), scene.window, activated=action.run)


def test_an_entry_is_made_found_tested_and_taken_back_by_keys_alone(live) -> None:
    async def story(scene: Scene) -> None:
        with_shortcuts(scene)
        view, form = scene.view, scene.view.form
        view.table.setFocus()
        key(Qt.Key.Key_N, CTRL)
        type_keys("The ropewalk")
        tab_to(form.controls["keys"].widget.field)
        type_keys("rope,hemp,")
        tab_to(form.controls["content"].widget)
        type_keys("Hemp is twisted here.")
        tab_to(form.folder)
        type_keys("Works")
        key(Qt.Key.Key_Return)
        entry = scene.model.entry(scene.model.current)
        assert (entry.name, entry.keys, entry.content) == ("The ropewalk", ("rope", "hemp"), "Hemp is twisted here.")
        assert scene.model.book.folders[0].name == "Works"

        tab_to(view.view.text, back=True)
        type_keys("Who sells hemp?")
        await scene.until(lambda: view.tester.trial.by_uid.get(entry.uid) and view.tester.trial.by_uid[entry.uid].fires)
        tab_to(view.view.list)
        key(Qt.Key.Key_Down)
        key(Qt.Key.Key_Return)
        tab_to(view.bar, back=True)
        key(Qt.Key.Key_Right)

        scene.panel.find()
        type_keys("hemp")
        assert shown(scene, NAME) == ["The ropewalk"]
        key(Qt.Key.Key_Escape)
        key(Qt.Key.Key_Escape)
        assert QApplication.focusWidget() is view.table
        tab_to(view.only, back=True)
        key(Qt.Key.Key_Down)
        assert scene.model.only == "warnings"
        key(Qt.Key.Key_Up)
        tab_to(view.table)
        for _ in range(5):
            key(Qt.Key.Key_Z, CTRL)
        assert shown(scene, NAME) == ["The lighthouse", "Keeper Anselm", "The tide bell"]

    live(story)


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_every_part_has_a_name_can_be_reached_and_is_whole(live, theme, zoom: float) -> None:
    async def story(scene: Scene) -> None:
        scene.view.do("turns")
        await scene.until(lambda: scene.view.tester.trial.fired)
        looks: list[tuple[str, QWidget]] = [("panel", scene.panel.widget)]
        scene.view.form.more_button.click()
        for name in ("about", "replace"):
            scene.view.do(name)
            await scene.until(lambda: scene.side._widget is not None)
            await asyncio.sleep(0.1)
            looks = [("panel", scene.panel.widget), (name, scene.side._widget)]
            assert {where: faults(one) for where, one in looks} == {where: {} for where, _one in looks}
        scene.model.select([0, 1, 2])
        await asyncio.sleep(0.05)
        assert faults(scene.view.form.several) == {}

    theme.set_zoom(zoom)
    live(story)


def faults(top: QWidget) -> dict[str, list[str]]:
    found = {
        "unnamed": unnamed(top),
        "unreachable": unreachable(top),
        "cut off": cut_off(top),
        "overlapping": overlapping(top),
    }
    return {kind: things for kind, things in found.items() if things}
