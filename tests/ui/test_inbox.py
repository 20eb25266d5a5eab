"""The inbox as the person meets it, over a real vault: what it shows, decisions by key, many at once, undo, badge."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QLabel, QPushButton

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.projection import RetirementState
from familiar_app.ui.inbox.side import CasePage
from familiar_app.ui.kit.chip import ChipButton
from familiar_app.ui.kit.theme import Theme
from tests.ui.conftest import OnLoop
from tests.ui.memory_scene import MemoryScene, tell_retirements, with_scene
from tests.ui.pictures import settle, until
from tests.ui.test_every_screen import cut_off, overlapping, unnamed, unreachable
from tests.ui.test_window import press, texts
from tests.ui.timeline_scene import MIRA

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
Play = Callable[..., None]
Story = Callable[[MemoryScene, Any], Awaitable[None]]


@pytest.fixture
def play(tmp_path: Path, theme: Theme, on_loop: OnLoop) -> Play:
    def begin(story: Story, *, fill: Any = tell_retirements, zoom: float = 1.0) -> None:
        async def test(scene: MemoryScene) -> None:
            panel = scene.panel("inbox")
            await until(lambda: panel.view.model.loaded)
            await settle()
            await story(scene, panel.view)

        on_loop(with_scene(tmp_path, theme, test, fill=fill, look=("light", zoom)))

    return begin


def cells(view: Any, column: int) -> list[str]:
    return [view.rows.data(view.rows.index(row, column)) for row in range(view.rows.rowCount())]


def badge(scene: MemoryScene) -> str:
    return str(scene.window.frame._rail._buttons["inbox"].accessibleName())


def choose(view: Any, row: int) -> None:
    view.table.selectRow(row)


def test_it_tells_what_was_replaced_by_what_and_why(play: Play) -> None:
    async def story(_scene: MemoryScene, view: Any) -> None:
        assert cells(view, 0) == [
            "Ann claims that Ben cheats at cards.",
            "Mira likes quiet evenings.",
            "Ann lives in Oslo.",
        ]
        assert cells(view, 1)[2] == "Ann lives in Rome."
        assert cells(view, 2)[0] == "Waits for you · new"
        tester = QAbstractItemModelTester(view.rows, QAbstractItemModelTester.FailureReportingMode.Fatal)
        view.filter.setCurrentIndex(1)
        view._refilter()
        await until(lambda: view.rows.rowCount() == 1)
        assert tester is not None

    play(story)


def test_the_badge_counts_what_waits_and_what_is_new(tmp_path: Path, theme: Theme, on_loop: OnLoop) -> None:
    async def test(scene: MemoryScene) -> None:
        await until(lambda: badge(scene) == "Inbox, 3 waiting")
        panel = scene.panel("inbox")
        # Once looked at, only what waits is left.
        await until(lambda: badge(scene) == "Inbox, 1 waiting")
        panel.view.table.setFocus()
        press(scene.window, "A")
        await until(lambda: badge(scene) == "Inbox")

    on_loop(with_scene(tmp_path, theme, test, fill=tell_retirements))


def test_a_key_accepts_and_undo_lets_it_wait_again(play: Play) -> None:
    async def story(scene: MemoryScene, view: Any) -> None:
        choose(view, 0)
        press(view.table, "A")
        await until(lambda: cells(view, 2)[0].startswith("Replaced"))
        prior = view.model.cases[0].retirement.prior
        assert (await scene.vault.facts.get(prior.id)).superseded_at is not None
        await until(scene.window.frame.can_undo)
        press(scene.window, "Ctrl+Z")
        await until(lambda: cells(view, 2)[0].startswith("Waits for you"))
        assert (await scene.vault.facts.get(prior.id)).superseded_at is None
        await until(scene.window.frame.can_redo)
        scene.window.frame.redo()
        await until(lambda: cells(view, 2)[0].startswith("Replaced"))

    play(story)


def test_what_acted_at_once_is_taken_back_by_a_key(play: Play) -> None:
    async def story(scene: MemoryScene, view: Any) -> None:
        choose(view, 2)
        press(view.table, "U")
        await until(lambda: cells(view, 2)[2].startswith("Taken back"))
        oslo = view.model.cases[2].retirement.prior
        assert (await scene.vault.facts.get(oslo.id)).superseded_at is None
        assert not view.buttons["undo"].isEnabled()
        assert view.buttons["never"].isEnabled()

    play(story)


def test_never_for_these_two_and_back(play: Play) -> None:
    async def story(scene: MemoryScene, view: Any) -> None:
        choose(view, 2)
        view.buttons["never"].click()
        await until(lambda: cells(view, 2)[2].startswith("Taken back, never again"))
        await until(scene.window.frame.can_undo)
        scene.window.frame.undo()
        await until(lambda: cells(view, 2)[2].startswith("Replaced"))
        assert not view.model.cases[2].retirement.barred

    play(story)


def test_many_are_decided_at_once_and_taken_back_at_once(play: Play) -> None:
    async def story(scene: MemoryScene, view: Any) -> None:
        view.filter.setCurrentIndex(1)
        view._refilter()
        await until(lambda: view.rows.rowCount() == 3)
        view.table.setFocus()
        press(view.table, "Ctrl+A")
        assert len(view.model.chosen) == 3
        press(view.table, "K")
        await until(lambda: view.rows.rowCount() == 0)
        assert "Nothing waits for you" in texts(view)
        await until(scene.window.frame.can_undo)
        scene.window.frame.undo()
        await until(lambda: view.rows.rowCount() == 3)
        counts = await scene.vault.retirements.counts(MIRA)
        assert counts.waiting == 3

    play(story, fill=partial(tell_retirements, more=4))


def test_one_that_cannot_be_decided_is_told_and_the_others_go_on(play: Play) -> None:
    async def story(scene: MemoryScene, view: Any) -> None:
        view.filter.setCurrentIndex(1)
        view._refilter()
        await until(lambda: view.rows.rowCount() == 3)
        gone = view.model.cases[0].retirement.prior
        await scene.vault.facts.retire_by_owner(gone.id)
        press(view.table, "Ctrl+A")
        view.do("accept")
        await until(view.notice.isVisible)
        assert "retired already" in view.notice.text
        page = await scene.vault.retirements.page(MIRA, state=RetirementState.WAITING)
        assert [case.retirement.prior.id for case in page] == [gone.id]

    play(story, fill=partial(tell_retirements, more=4))


def test_the_case_beside_has_both_clocks_what_follows_and_ways_on(play: Play) -> None:
    async def story(scene: MemoryScene, view: Any) -> None:
        choose(view, 2)
        view.table.setFocus()
        press(view.table, "Return")
        await until(lambda: scene.side.findChild(CasePage))
        told = "\n".join(one.text() for one in scene.side.findChildren(QLabel))
        assert "She says where she lives now." in told
        assert "True in the world: 2024-01-02 12:00 – open" in told
        assert "Believed: 2024-02-01 12:00 – today" in told
        assert "The portrait of Ann is written anew" in told
        assert "One reflection rests on the older fact: marked stale" in told
        chips = scene.side.findChildren(ChipButton)
        assert [one.accessibleName() for one in chips] == ["Ann: Ann lives in Oslo.", "Ann: Ann lives in Rome."]
        chips[0].click()
        assert scene.window.frame._current == "chat"
        assert scene.window.frame.panel("chat").asked[-1].startswith("show 1:")

    play(story)


def test_the_timeline_is_a_click_away(play: Play) -> None:
    async def story(scene: MemoryScene, view: Any) -> None:
        choose(view, 2)
        view.show_case()
        await until(lambda: scene.side.findChild(CasePage))
        oslo = view.model.cases[2].retirement.prior.id
        found = scene.side.findChildren(QPushButton)
        link = next(one for one in found if one.accessibleName() == "Show in the timeline: Believed before")
        link.click()
        assert scene.window.frame._current == "timeline"
        assert scene.window.frame.panel("timeline").asked[-1] == f"show {oslo}@2024-02-02T12:00:00Z"

    play(story)


def test_search_leaves_what_fits(play: Play) -> None:
    async def story(scene: MemoryScene, view: Any) -> None:
        press(scene.window, "Ctrl+F")
        QTest.keyClicks(scene.window.focusWidget(), "pixel")
        await until(lambda: cells(view, 0) == ["Ann claims that Ben cheats at cards."])
        QTest.keyClicks(scene.window.focusWidget(), "zzz")
        await until(lambda: "Nothing fits" in texts(view))
        view._empty.button.click()
        await until(lambda: view.rows.rowCount() == 3)

    play(story)


def test_a_page_is_read_at_a_time(play: Play) -> None:
    async def story(_scene: MemoryScene, view: Any) -> None:
        assert view.rows.rowCount() == 50
        view.table.scrollToBottom()
        await until(lambda: view.rows.rowCount() == 58)
        assert not view.model.more

    play(story, fill=partial(tell_retirements, more=55))


def test_an_empty_inbox_says_what_will_be_here(play: Play) -> None:
    async def story(_scene: MemoryScene, view: Any) -> None:
        await until(lambda: "No fact was replaced yet" in texts(view))
        assert "It acts at once and is told here" in texts(view)
        assert not view._empty.button.isVisible()

    play(story, fill=None)


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_everything_has_a_name_is_reached_and_nothing_is_cut(play: Play, zoom: float) -> None:
    async def story(scene: MemoryScene, view: Any) -> None:
        choose(view, 2)
        view.show_case()
        await until(lambda: scene.side.findChild(CasePage))
        for check in (unnamed, unreachable, cut_off, overlapping):
            assert check(scene.window) == []
        assert view.table.focusPolicy() & Qt.FocusPolicy.TabFocus

    play(story, zoom=zoom)


def test_an_error_of_the_disk_is_told_with_a_way_on(play: Play) -> None:
    async def story(scene: MemoryScene, view: Any) -> None:
        page, broken = scene.vault.retirements.page, True

        async def fails(*args: Any, **more: Any) -> Any:
            if broken:
                raise OutsideError("The disk could not be read.", "Look whether it is there.", retryable=True)
            return await page(*args, **more)

        view.model._retirements.page = fails
        view.load()
        await until(view.notice.isVisible)
        assert "The disk could not be read" in view.notice.text
        broken = False
        view.notice._button.click()
        await until(lambda: not view.notice.isVisible() and view.rows.rowCount() == 3)

    play(story)


def test_the_badge_is_that_of_the_familiar_that_is_shown(tmp_path: Path, theme: Theme, on_loop: OnLoop) -> None:
    async def test(scene: MemoryScene) -> None:
        await until(lambda: badge(scene) == "Inbox, 3 waiting")
        mira = scene.window.frame.panel("inbox")._model(MIRA)
        other = next(name for name in scene.world.gate.services.familiars if name != MIRA)
        scene.window.frame.switch_familiar(other)
        await until(lambda: badge(scene) == "Inbox")
        await mira.count()
        assert mira.badge == 3
        assert badge(scene) == "Inbox"

    on_loop(with_scene(tmp_path, theme, test, fill=tell_retirements))
