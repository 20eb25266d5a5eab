"""The rail in windows of every height: labels where they have room, icons alone at last, and each can be reached."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.shell.rail import ALONE, BELOW, BESIDE, FORMS, Rail, RailEntry

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
NAMES = ("Chat", "Timeline", "People", "Reflections", "Character", "Lorebook", "Memories", "Prompts", "Inbox", "Log")


@pytest.fixture
def rail(theme: Theme) -> Iterator[Rail]:
    made = Rail(theme, lambda _button: None)
    made.set_entries([RailEntry(name.lower(), name, "chat") for name in (*NAMES, "Settings")])
    made.show()
    yield made
    made.close()
    made.deleteLater()
    QApplication.processEvents()


def set_height(rail: Rail, height: int) -> None:
    rail.resize(rail.width(), height)
    QApplication.processEvents()
    QApplication.processEvents()


@pytest.mark.parametrize(("height", "style"), [(900, BELOW), (640, BESIDE), (446, BESIDE), (260, ALONE)])
def test_labels_stand_where_they_have_room(rail: Rail, height: int, style: Qt.ToolButtonStyle) -> None:
    set_height(rail, height)
    assert {one.toolButtonStyle() for one in rail._buttons.values()} == {style}
    assert rail._buttons["inbox"].accessibleName() == "Inbox"
    set_height(rail, 900)
    assert rail._buttons["inbox"].toolButtonStyle() == BELOW


def test_it_is_narrow_without_labels(rail: Rail) -> None:
    set_height(rail, 900)
    wide = rail.width()
    set_height(rail, 260)
    assert rail.width() < wide * 0.85
    set_height(rail, 900)
    assert rail.width() == wide


def in_view(rail: Rail, name: str) -> bool:
    QApplication.processEvents()
    top = rail._buttons[name].mapTo(rail._scroll.viewport(), rail.rect().topLeft()).y()
    return 0 <= top < rail._scroll.viewport().height()


def test_the_tab_key_and_choosing_bring_an_entry_into_view(rail: Rail) -> None:
    set_height(rail, 260)
    rail.activateWindow()
    assert rail.minimumSizeHint().height() < 260
    assert not in_view(rail, "settings")
    rail._buttons["log"].setFocus()
    QTest.keyClick(rail._buttons["log"], Qt.Key.Key_Tab)
    assert in_view(rail, "settings")
    rail.select("chat")
    assert in_view(rail, "chat")


def test_a_panel_without_a_place_here_leaves_none_marked(rail: Rail) -> None:
    rail.select("inbox")
    rail.select("upkeep")
    assert not any(one.isChecked() for one in rail._buttons.values())
    rail.select("log")
    assert [name for name, one in rail._buttons.items() if one.isChecked()] == ["log"]


def test_the_settings_stand_lowest_wherever_they_come_in_the_order(theme: Theme) -> None:
    rail = Rail(theme, lambda _button: None)
    rail.set_entries([RailEntry(name.lower(), name, "chat") for name in ("Chat", "Settings", "Character", "Inbox")])
    rail.show()
    set_height(rail, 900)
    tops = {name: one.mapTo(rail, one.rect().topLeft()).y() for name, one in rail._buttons.items()}
    assert sorted(tops, key=tops.__getitem__) == ["chat", "character", "inbox", "settings"]
    assert tops["settings"] - tops["inbox"] > tops["inbox"] - tops["character"], "room lies between"
    assert rail._buttons["settings"].toolTip() == "Settings (Alt+2)"
    assert rail._buttons["inbox"].toolTip() == "Inbox (Alt+4)"
    rail.close()
    rail.deleteLater()
    QApplication.processEvents()


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_twelve_entries_have_room_in_a_window_of_six_hundred_pixels(theme: Theme, zoom: float) -> None:
    theme.set_zoom(zoom)
    rail = Rail(theme, lambda _button: None)
    rail.set_entries([RailEntry(name.lower(), name, "chat") for name in (*NAMES, "Discord", "Settings")])
    rail.familiar.set_familiar("Mira", None)
    rail.show()
    set_height(rail, 566)  # what the status bar leaves of 600
    assert [name for name in rail._buttons if not in_view(rail, name)] == []
    lowest = rail._buttons["settings"]
    bottom = lowest.mapTo(rail._scroll.viewport(), lowest.rect().bottomLeft()).y()
    assert bottom <= rail._scroll.viewport().height()
    rail.close()
    rail.deleteLater()
    QApplication.processEvents()


def test_the_chosen_entry_stays_in_view_when_the_window_gets_lower(rail: Rail) -> None:
    set_height(rail, 900)
    rail.select("settings")
    set_height(rail, 260)
    assert in_view(rail, "settings")


def test_labels_beside_the_icons_have_all_their_room(rail: Rail) -> None:
    set_height(rail, 640)
    for button in rail._buttons.values():
        assert button.width() >= button.size_in(FORMS[1]).width()
    assert rail._buttons["chat"].iconSize().width() < rail._buttons["reflections"].width()


@pytest.mark.parametrize("height", [900, 640, 260])
@pytest.mark.parametrize("name", ["Aurora", "Miriam", "Wilhem"])
def test_a_name_of_six_letters_is_shown_in_full(rail: Rail, height: int, name: str) -> None:
    rail.familiar.set_familiar(name, None)
    set_height(rail, height)
    assert rail.familiar.text() == name
    assert rail.familiar.fontMetrics().horizontalAdvance(name) <= rail.familiar.width() - 10, "border and padding"
