"""A newer program says so once, without asking anybody, and leads to what is new."""

from __future__ import annotations

import asyncio

import pytest

from familiar_app.ui.help.manual import CHANGES, shipped_manual
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.shell.novelty import KEY, PAGE, tell_what_is_new
from tests.ui.double import MemoryTable


@pytest.fixture
def notice(theme: Theme, qtbot) -> Notice:
    made = Notice(theme)
    qtbot.addWidget(made)
    return made


def opened(state: MemoryTable, notice: Notice, version: str) -> list[tuple[str, str]]:
    gone: list[tuple[str, str]] = []
    asyncio.run(tell_what_is_new(state, notice, lambda panel, key: gone.append((panel, key)), version))
    return gone


def test_a_newer_version_is_told_once(notice: Notice) -> None:
    state = MemoryTable()
    state.values[KEY] = "0.9.1"
    gone = opened(state, notice, "0.10.0")
    assert notice.text == "Familiar was updated to 0.10.0."
    assert not notice.isHidden()
    notice._button.click()
    assert gone == [("help", PAGE)]
    assert notice.isHidden()
    opened(state, notice, "0.10.0")
    assert notice.isHidden()


@pytest.mark.parametrize("before", [None, "0.10.0", "0.11", 7])
def test_nothing_is_told_of_a_first_time_or_an_older_version(notice: Notice, before: object) -> None:
    state = MemoryTable()
    if before is not None:
        state.values[KEY] = before
    opened(state, notice, "0.10.0")
    assert notice.isHidden()
    assert state.values[KEY] == "0.10.0"


def test_the_page_it_leads_to_is_there_and_its_links_lead_on() -> None:
    manual = shipped_manual()
    assert PAGE == CHANGES
    page = manual.pages[PAGE]
    assert page.title == "What is new"
    inside = [link for link in page.links if ":" not in link]
    assert inside
    assert [link for link in inside if manual.follow(PAGE, link) is None] == []
