"""The search over everything as the person meets it, by keyboard alone, over a real vault."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QLabel

from familiar_app.bootstrap.loop import run
from familiar_app.domain.errors import OutsideError
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.search.found import Found
from familiar_app.ui.search.wanted import Wanted
from tests.ui.search_scene import SearchScene
from tests.ui.test_every_screen import cut_off, overlapping, unnamed, unreachable
from tests.unit.ui.search.archive import ANN, make_archive

Story = Callable[[SearchScene], Awaitable[None]]
Play = Callable[..., None]


@pytest.fixture
def play(tmp_path: Path, theme: Theme) -> Play:
    def begin(story: Story, *, filled: bool = True, indexed: bool = True) -> None:
        async def main() -> None:
            scene = SearchScene(await make_archive(tmp_path, filled=filled), theme)
            try:
                await scene.ready(indexed=indexed)
                await story(scene)
            finally:
                await scene.close()

        run(main(), app=QApplication.instance())

    return begin


def texts(scene: SearchScene) -> str:
    return "\n".join(one.text() for one in scene.window.findChildren(QLabel) if one.isVisible())


def key(scene: SearchScene, *keys: Qt.Key) -> None:
    for one in keys:
        QTest.keyClick(scene.window.focusWidget() or scene.window, one)


def test_typed_found_opened_by_keys_alone(play: Play) -> None:
    async def story(scene: SearchScene) -> None:
        assert scene.window.focusWidget() is scene.view.bar.field
        QTest.keyClicks(scene.view.bar.field, "lighthouse")
        await scene.until(lambda: not scene.view.model.searching and scene.rows())
        headings = [row.text for row in scene.rows() if row.sort == "heading"]
        assert headings[:3] == ["People · 1", "Messages · 4", "Facts · 2"]
        key(scene, Qt.Key.Key_Down, Qt.Key.Key_Down)
        assert scene.view.results.chosen.kind == "turn"
        key(scene, Qt.Key.Key_Return)
        await scene.until(lambda: scene.went)
        chosen = scene.view.results.chosen.found
        assert scene.went == [chosen.ways[0]]
        assert scene.visited[-1].key == "lighthouse"

    play(story)


def test_return_in_the_field_opens_the_first(play: Play) -> None:
    async def story(scene: SearchScene) -> None:
        await scene.look_for("climbed")
        key(scene, Qt.Key.Key_Return)
        await scene.until(lambda: scene.went)
        assert scene.went == [("timeline", str(scene.archive.ids["fact"]))]

    play(story)


def test_other_words_choose_the_first_again_and_the_same_ones_keep_the_choice(play: Play) -> None:
    async def story(scene: SearchScene) -> None:
        results = scene.view.results
        await scene.look_for("lighthouse")
        results.step(1)
        chosen = results.chosen.found
        scene.view.search()
        await scene.until(lambda: not scene.view.model.searching and not scene.view.tasks.running("search.search"))
        assert results.chosen.found == chosen
        await scene.look_for("lighthous")
        assert results.currentIndex().row() == 1

    play(story)


def test_above_the_first_row_one_types_again_and_escape_leaves(play: Play) -> None:
    async def story(scene: SearchScene) -> None:
        await scene.look_for("lighthouse")
        key(scene, Qt.Key.Key_Down)
        assert scene.window.focusWidget() is scene.view.results
        key(scene, Qt.Key.Key_Up)
        assert scene.window.focusWidget() is scene.view.bar.field
        key(scene, Qt.Key.Key_Escape)
        assert scene.backs == []
        key(scene, Qt.Key.Key_Escape)
        assert scene.backs == [True]

    play(story)


def test_filters_narrow_and_can_be_taken_away(play: Play) -> None:
    async def story(scene: SearchScene) -> None:
        bar = scene.view.bar
        assert not bar.clear.isVisible()
        await scene.look_for("lighthouse")
        bar.person.setCurrentIndex(bar.person.findData(ANN))
        await scene.until(lambda: scene.view.model.searched == bar.wanted() and not scene.view.model.searching)
        assert {row.kind for row in scene.rows()} == {"turn", "fact", "memory"}
        bar.since.setText("soon")
        await scene.until(lambda: "A date can't be read." in texts(scene))
        bar.clear.click()
        await scene.until(lambda: len({row.kind for row in scene.rows()}) == 7)
        assert not bar.clear.isVisible()

    play(story)


def test_what_cannot_be_searched_is_told_with_another_try(play: Play) -> None:
    async def story(scene: SearchScene) -> None:
        reading = scene.view.model.reading
        kept = reading.kinds

        async def broken(_wanted: Wanted) -> list[Found]:
            raise OutsideError("The disk does not answer.", "Look whether it is plugged in.")

        reading.kinds = {**kept, "fact": broken}
        await scene.look_for("lighthouse")
        assert "Facts could not be searched: The disk does not answer." in scene.view.notice.text
        reading.kinds = kept
        scene.view.notice._press()
        await scene.until(lambda: any(row.kind == "fact" for row in scene.rows()))
        assert not scene.view.notice.isVisible()

    play(story)


def test_nothing_yet_nothing_found_and_no_index_say_so(play: Play) -> None:
    async def story(scene: SearchScene) -> None:
        assert "Messages, facts, people" in texts(scene)
        await scene.look_for("teapots")
        assert "Nothing that is kept has all these words." in texts(scene)
        assert "There is no search index." in texts(scene)

    play(story, filled=False, indexed=False)


def test_nothing_found_behind_filters_offers_to_clear_them(play: Play) -> None:
    async def story(scene: SearchScene) -> None:
        button = scene.view._nothing.button
        await scene.look_for("stamps")
        scene.view.bar.show_kind("turn")
        await scene.until(lambda: button.isVisible())
        button.click()
        await scene.until(lambda: [row.kind for row in scene.rows()] == ["memory", "memory"])
        await scene.look_for("teapots")
        assert not button.isVisible()

    play(story)


def test_a_short_sentence_after_a_long_one_leaves_no_gap(play: Play) -> None:
    async def story(scene: SearchScene) -> None:
        text = scene.view._nothing._text
        tall = text.height()
        scene.view.bar.show_kind("turn")
        await scene.look_for("teapots")
        assert text.text() == "Nothing with all these words passes the filters."
        assert text.height() < tall
        assert text.height() < 2 * text.fontMetrics().lineSpacing()

    play(story)


def test_while_prompts_are_looked_through_it_says_how_far_and_can_be_stopped(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story(scene: SearchScene) -> None:
        looked, going_on = asyncio.Event(), asyncio.Event()

        async def slowly(wanted: dict[int, object]) -> dict[int, str]:
            looked.set()
            await going_on.wait()
            return {}

        monkeypatch.setattr(scene.archive.vault.traces, "holding", slowly)
        view = scene.view
        scene.view.bar.field.setText("stamps")
        await looked.wait()
        await scene.until(lambda: view.stop.isVisible())
        assert "Looking through the prompts: 0 of 1." in texts(scene)
        assert [row.kind for row in scene.rows()] == ["memory", "memory"]
        view.stop.click()
        await scene.until(lambda: not view.model.searching)
        assert not view.stop.isVisible()
        assert "Looked through the newest 0 of 1 prompts." in texts(scene)
        assert [row.kind for row in scene.rows()] == ["memory", "memory"]

    play(story)


def test_what_comes_late_does_not_move_what_is_read(play: Play) -> None:
    async def story(scene: SearchScene) -> None:
        results = scene.view.results
        scene.window.resize(700, 300)
        await scene.look_for("lighthouse")
        bar = results.verticalScrollBar()
        await scene.until(lambda: bar.maximum() > 200)
        bar.setValue(150)
        results.fill(scene.rows(), keep=True)
        assert bar.value() == 150
        results.fill(scene.rows(), keep=False)
        assert bar.value() == 0

    play(story)


def test_a_place_of_history_searches_again(play: Play) -> None:
    async def story(scene: SearchScene) -> None:
        scene.panel.show_place("stamps")
        await scene.until(lambda: [row.kind for row in scene.rows()] == ["memory", "memory"])
        assert scene.view.bar.field.text() == "stamps"

    play(story)


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_everything_has_a_name_a_place_and_room(play: Play, theme: Theme, zoom: float) -> None:
    async def story(scene: SearchScene) -> None:
        theme.set_zoom(zoom)
        scene.view.bar.show_kind("turn")
        await scene.look_for("lighthouse")
        QAbstractItemModelTester(scene.view.results.model_rows, QAbstractItemModelTester.FailureReportingMode.Fatal)
        await asyncio.sleep(0.1)
        for found in (unnamed, unreachable, cut_off, overlapping):
            assert found(scene.window) == []

    play(story)
