"""The upkeep of memory as the person meets it: how projectors stand, running, rebuilding, pausing, errors, health."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.fact import NewFact, Subject
from familiar_app.domain.ids import MAIN_CHANNEL
from familiar_app.domain.turn import Author, NewTurn, Role
from familiar_app.projectors import runner
from familiar_app.store.vault import Vault
from familiar_app.ui.kit.chip import ChipButton
from familiar_app.ui.kit.theme import Theme
from tests.ui.conftest import OnLoop
from tests.ui.memory_scene import MemoryScene, with_scene
from tests.ui.pictures import settle, until
from tests.ui.test_every_screen import cut_off, overlapping, unnamed, unreachable
from tests.ui.test_window import press, texts
from tests.ui.timeline_scene import ANN, MIRA, day
from tests.unit.projectors.scene import ToldModel, lost, note

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
Play = Callable[..., None]
Story = Callable[[MemoryScene, Any], Awaitable[None]]


async def talk(vault: Vault, _clock: FixedClock) -> None:
    """Three remarks that nobody has read yet."""
    channel = await vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA)
    for number, text in enumerate(("I live in Oslo.", "I have a cat.", "Good night.")):
        said = NewTurn(channel.id, Role.USER, text, day(-1 + number / 10), Author(ANN, "Ann"))
        await vault.turns.append(said)


def told(*notes: dict[str, Any]) -> ToldModel:
    model = ToldModel()
    model.tell("rich_note", list(notes))
    model.tell("people_dossier", "Ann lives in Oslo.", "Ann lives in Oslo, with a cat.")
    return model


OSLO = note("Ann lives in Oslo.", 1, about=[str(ANN)])
CAT = note("Ann has a cat.", 2, about=[str(ANN)])


@pytest.fixture
def play(tmp_path: Path, theme: Theme, on_loop: OnLoop, monkeypatch: pytest.MonkeyPatch) -> Play:
    monkeypatch.setattr(runner, "FIRST_RETRY_S", 0.001)

    def begin(
        story: Story, *, fill: Any = talk, weak: bool = False, zoom: float = 1.0, model: ToldModel | None = None
    ) -> None:
        async def test(scene: MemoryScene) -> None:
            panel = scene.panel("upkeep")
            await until(lambda: panel.view.cards and panel.view.model.health)
            await settle()
            await story(scene, panel.view)

        on_loop(
            with_scene(tmp_path, theme, test, fill=fill, weak=weak, look=("light", zoom), model=model or told(OSLO))
        )

    return begin


def state(view: Any, name: str) -> str:
    return str(view.cards[name].state.text())


def test_the_status_bar_tells_how_far_memory_is_and_leads_there(tmp_path: Path, theme: Theme, on_loop: OnLoop) -> None:
    async def test(scene: MemoryScene) -> None:
        part = scene.window.frame._bar.memory
        await until(lambda: part.text() == "Memory: 3 behind")
        part.setFocus()
        press(scene.window, "Space")
        assert scene.window.frame._current == "upkeep"
        view = scene.window.frame.panel("upkeep").view
        await until(lambda: view.cards)
        assert state(view, "rich_note") == "3 turns behind"
        # Ten turns are needed for a story, twenty for a thought: that is not being behind.
        assert state(view, "rolling_summary") == "Up to date; the fullest channel goes on after 7 more"
        assert state(view, "reflection") == "Up to date; goes on after 17 more"

    on_loop(with_scene(tmp_path, theme, test, fill=talk))


def test_the_palette_leads_there(play: Play) -> None:
    async def story(scene: MemoryScene, _view: Any) -> None:
        scene.window.frame.show_panel("log")
        await settle()
        press(scene.window, "Ctrl+K")
        QTest.keyClicks(scene.window.focusWidget(), "memory upkeep")
        press(scene.window, "Return")
        assert scene.window.frame._current == "upkeep"
        assert not any(button.isChecked() for button in scene.window.frame._rail._buttons.values())

    play(story)


def test_the_palette_finds_facts_by_all_their_words(play: Play) -> None:
    async def fill(vault: Vault, _clock: FixedClock) -> None:
        for text in ("Ann lives in Oslo.", "Ben sails to Oslo."):
            await vault.facts.append(NewFact(MIRA, text, "rich_note", subjects=(Subject(ANN, "Ann"),)), at=day(-1))

    async def story(scene: MemoryScene, _view: Any) -> None:
        frame = scene.window.frame
        press(scene.window, "Ctrl+K")
        QTest.keyClicks(scene.window.focusWidget(), "oslo sails")
        await until(lambda: frame._palette._list.count() == 1)
        assert frame._palette._list.item(0).text() == "Ben sails to Oslo."
        press(scene.window, "Return")
        assert frame._current == "timeline"
        assert frame._history._places[-1].key == "2"

    play(story, fill=fill)


def test_run_now_draws_memory_and_tells_what_it_took(play: Play) -> None:
    async def story(scene: MemoryScene, view: Any) -> None:
        view.cards["rich_note"].buttons["run"].click()
        await until(lambda: state(view, "rich_note") == "Up to date")
        assert [fact.text for fact in await scene.vault.facts.page(MIRA)] == ["Ann lives in Oslo."]
        await until(
            lambda: "1 answers, 120 tokens" in texts(view.cards["rich_note"]).replace("1 answer,", "1 answers,")
        )
        assert view.health.values["facts"].text() == "1"
        await until(lambda: scene.window.frame._bar.memory.text() != "Memory: 3 behind")

    play(story)


def test_the_focus_stays_with_the_card_that_was_pressed(play: Play) -> None:
    async def story(scene: MemoryScene, view: Any) -> None:
        card, heard = view.cards["rich_note"], []
        view.model.watch(heard.append)
        for pressed in (card.buttons["run"], card.buttons["rebuild"], view.run_all):
            heard.clear()
            pressed.setFocus()
            press(scene.window, "Space")
            await until(lambda: "work" in heard and not view.model.busy)
            await until(pressed.isVisible)
            await settle()
            assert scene.window.focusWidget() is pressed

    play(story)


def test_while_a_card_works_the_focus_is_on_its_cancel(play: Play) -> None:
    async def story(scene: MemoryScene, view: Any) -> None:
        card = view.cards["rich_note"]
        card.buttons["run"].setFocus()
        press(scene.window, "Space")
        await until(card.buttons["cancel"].isVisible)
        assert scene.window.focusWidget() is card.buttons["cancel"]
        press(scene.window, "Space")
        await until(card.buttons["run"].isVisible)
        assert scene.window.focusWidget() is card.buttons["run"]
        assert not any(one.paused.isChecked() for one in view.cards.values())

    class Slow(ToldModel):
        async def stream(self, request: Any) -> Any:
            await asyncio.sleep(60)
            yield None

    play(story, model=Slow())


def test_rebuilding_asks_no_model(play: Play) -> None:
    async def story(scene: MemoryScene, view: Any) -> None:
        view.cards["rich_note"].buttons["run"].click()
        await until(lambda: state(view, "rich_note") == "Up to date")
        asked = len(scene.model.requests)
        view.cards["rich_note"].buttons["rebuild"].click()
        await until(lambda: not view.model.busy)
        await until(lambda: state(view, "rich_note") == "Up to date")
        assert [fact.text for fact in await scene.vault.facts.page(MIRA)] == ["Ann lives in Oslo."]
        assert len(scene.model.requests) == asked

    play(story)


def test_asking_anew_says_what_it_costs_and_asks_first(play: Play) -> None:
    async def story(scene: MemoryScene, view: Any) -> None:
        view.cards["rich_note"].buttons["run"].click()
        await until(lambda: state(view, "rich_note") == "Up to date")
        scene.model.tell("rich_note", [OSLO, CAT])
        view.cards["rich_note"].buttons["fresh"].click()
        await until(QApplication.activeModalWidget)
        dialog: Any = QApplication.activeModalWidget()
        assert "1 answer, 120 tokens" in texts(dialog)
        press(dialog, "Esc")
        await until(lambda: QApplication.activeModalWidget() is None)
        assert await scene.vault.facts.count(MIRA) == 1
        # The run reads the figures of health at its end, and until then nothing else begins under its name.
        await until(lambda: not view.tasks.running("upkeep.work.rich_note") and not view.tasks.running("upkeep.ask"))
        view.cards["rich_note"].buttons["fresh"].click()
        await until(QApplication.activeModalWidget)
        QApplication.activeModalWidget().choose("fresh")
        await until(lambda: view.health.values["facts"].text() == "2", 60)

    play(story)


def test_embedding_and_saving_ask_nobody_and_offer_no_asking(play: Play) -> None:
    async def story(_scene: MemoryScene, view: Any) -> None:
        assert "fresh" not in view.cards["saved_memory"].buttons
        assert "fresh" in view.cards["reflection"].buttons

    play(story)


def test_a_pause_is_kept_and_undone(play: Play) -> None:
    async def story(scene: MemoryScene, view: Any) -> None:
        view.cards["rich_note"].paused.click()
        await until(lambda: state(view, "rich_note") == "Paused, 3 turns behind")
        (kept,) = [one for one in await scene.hosted.projectors.status() if one.name == "rich_note"]
        assert kept.paused
        scene.window.frame.undo()
        await until(lambda: state(view, "rich_note") == "3 turns behind")
        assert not view.cards["rich_note"].paused.isChecked()

    play(story)


def test_a_failure_stands_where_it_happened_with_a_next_step(play: Play) -> None:
    async def story(scene: MemoryScene, view: Any) -> None:
        view.cards["rich_note"].buttons["run"].click()
        await until(lambda: state(view, "rich_note").startswith("Failed, 3 turns behind"))
        card = view.cards["rich_note"]
        assert "did not answer in time" in texts(card)
        await until(view.notice.isVisible)
        await until(lambda: scene.window.frame._bar.memory.text() == "Memory: not working")
        card.buttons["model"].click()
        assert scene.window.frame._current == "settings"

    model = ToldModel()
    model.tell("rich_note", *[lost() for _ in range(9)])
    play(story, model=model)


def test_what_runs_can_be_cancelled(play: Play) -> None:
    async def story(scene: MemoryScene, view: Any) -> None:
        view.run_all.click()
        await until(lambda: view.cards["rich_note"].buttons["cancel"].isVisible())
        assert view.cancel.isVisible()
        assert scene.window.frame._bar.memory.text() == "Memory: working"
        view.cancel.click()
        await until(lambda: not view.model.busy)
        await until(lambda: state(view, "rich_note") == "3 turns behind")
        assert view.run_all.isVisible()

    class Slow(ToldModel):
        async def stream(self, request: Any) -> Any:
            await asyncio.sleep(60)
            yield None

    play(story, model=Slow())


def test_with_the_small_model_it_says_so_and_offers_two_ways(play: Play) -> None:
    async def story(scene: MemoryScene, view: Any) -> None:
        assert "not drawn by itself" in texts(view)
        await until(lambda: scene.window.frame._bar.memory.text() == "Memory: 3 behind, by hand")
        buttons = {one.text(): one for one in view._weak.findChildren(QPushButton)}
        buttons["Draw it by hand now"].click()
        await until(lambda: view.health.values["facts"].text() == "1")
        await until(lambda: view.notice.text == "This came of it: 1 new fact, 1 portrait.")
        buttons["Choose a better model…"].click()
        assert scene.window.frame._current == "settings"

    play(story, weak=True)


def test_the_index_tells_its_progress_and_is_built_again(play: Play) -> None:
    async def story(scene: MemoryScene, view: Any) -> None:
        await until(lambda: "nothing is found by words" in texts(view.index))
        index = scene.vault.index
        index.start(scene.world.tasks, owner=scene)
        await until(lambda: index.status.state == "ready")
        view.load()
        await until(lambda: texts(view.index).endswith("Ready: 3 messages."))
        first = index.view.searcher
        view.index.build.click()
        await until(lambda: index.status.state == "ready" and index.view.searcher is not first)
        await until(lambda: "Ready: 3 messages." in texts(view.index))
        await scene.world.tasks.cancel(scene)

    play(story)


def test_the_facts_behind_a_figure_are_shown(play: Play) -> None:
    async def story(scene: MemoryScene, view: Any) -> None:
        await until(lambda: view.health.values["never_recalled"].text() == "0")
        assert not view.health.buttons["never_recalled"].isEnabled()
        view.cards["rich_note"].buttons["run"].click()
        await until(lambda: view.health.values["never_recalled"].text() == "1")
        view.health.buttons["never_recalled"].click()
        await until(lambda: "Ann lives in Oslo." in texts(scene.side))
        chip = next(one for one in scene.side.findChildren(QPushButton) if "Oslo" in one.accessibleName())
        chip.click()
        assert scene.window.frame._current == "timeline"

    play(story)


def test_a_familiar_that_is_loaded_anew_shows_its_own_projectors(play: Play) -> None:
    async def story(scene: MemoryScene, view: Any) -> None:
        assert "Search by meaning: facts" in texts(view._off.parentWidget())
        scene.world.gate.profile.save_config(MIRA, {"providers.memory.projectors": ["rich_note"]})
        await scene.world.gate.reload_familiar(MIRA)
        scene.window.frame.context.familiar_reloaded.emit(str(MIRA))
        new = scene.window.frame.panel("upkeep")
        await until(lambda: list(new.view.cards) == ["rich_note"])

    play(story)


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_everything_has_a_name_is_reached_and_nothing_is_cut(play: Play, zoom: float) -> None:
    async def story(scene: MemoryScene, _view: Any) -> None:
        await settle()
        for check in (unnamed, unreachable, cut_off, overlapping):
            assert check(scene.window) == []

    play(story, zoom=zoom, weak=True)


def by_tab(first: QWidget) -> list[str]:
    """Return the names of what the Tab key reaches within a view, from a widget on."""
    names, here = [first.accessibleName()], first.nextInFocusChain()
    while here is not first:
        if here.focusPolicy() & Qt.FocusPolicy.TabFocus and here.isVisible() and here.isEnabled():
            names.append(here.accessibleName())
        here = here.nextInFocusChain()
    return names


def test_the_tab_key_goes_down_the_page(play: Play) -> None:
    async def story(_scene: MemoryScene, view: Any) -> None:
        names = by_tab(view.run_all)
        assert names[:8] == [
            "Run all now",
            "Rebuild all",
            "Draw it by hand now",
            "Choose a better model…",
            "Facts: paused",
            "Facts: Run now",
            "Facts: Rebuild",
            "Facts: Ask the model again",
        ]
        assert names.index("Saved memories: Rebuild") < names.index("Search index: build again")

    play(story, weak=True)


def test_facts_said_twice_stand_in_their_groups(play: Play) -> None:
    async def fill(vault: Vault, _clock: FixedClock) -> None:
        for text in ("Ann lives in Oslo.", "In Oslo lives Ann.", "Ben has a cat."):
            await vault.facts.append(NewFact(MIRA, text, "rich_note", subjects=(Subject(ANN, "Ann"),)), at=day(-1))

    async def story(scene: MemoryScene, view: Any) -> None:
        await until(lambda: view.health.values["duplicates"].text() == "1")
        view.health.buttons["duplicates"].click()
        await until(lambda: "the same people" in texts(scene.side))
        chips = [one.accessibleName() for one in scene.side.findChildren(ChipButton)]
        assert chips == ["Ann lives in Oslo.", "In Oslo lives Ann."]

    play(story, fill=fill)
