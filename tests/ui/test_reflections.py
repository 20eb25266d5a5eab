"""The Reflections panel as the person meets it, over a real vault."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from familiar_app.bootstrap.loop import run
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.ids import MAIN_CHANNEL
from familiar_app.domain.turn import Author, NewTurn, Role
from familiar_app.store.vault import Vault
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.reflections.model import PAGE
from familiar_app.ui.reflections.panel import create_reflections_panel
from tests.ui.panel_scene import ANN, MIRA, PanelScene, tell_thoughts, think, thought
from tests.ui.test_every_screen import cut_off, overlapping, unnamed, unreachable
from tests.ui.timeline_scene import NOW, new_vault, tell_story

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
Story = Callable[[PanelScene], Awaitable[None]]
Play = Callable[..., None]
HARBOUR, BEN_KEEPS, ANN_MOVES = (
    "They both come back to the harbour.",
    "Ben keeps what matters close by.",
    "Ann never stays anywhere for long.",
)


@pytest.fixture
def play(tmp_path: Path, theme: Theme) -> Play:
    def begin(story: Story, *, thoughts: bool = True, weak: bool = False) -> None:
        async def main() -> None:
            clock = FixedClock(NOW)
            vault = await new_vault(tmp_path, clock)
            told = await tell_story(vault, clock)
            if thoughts:
                await tell_thoughts(vault, told)
            scene = PanelScene(vault, clock, theme, create_reflections_panel, weak=weak)
            try:
                await scene.ready()
                await story(scene)
            finally:
                await scene.close()

        run(main(), app=QApplication.instance())

    return begin


async def chat(vault: Vault, number: int) -> list[int]:
    channel = await vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA)
    turns = [NewTurn(channel.id, Role.USER, f"Remark {n}.", NOW, Author(ANN, "Ann")) for n in range(number)]
    return [(await vault.turns.append(turn))[0].id for turn in turns]


def shown(scene: PanelScene) -> list[str]:
    return [card.case.reflection.text for card in scene.view.cards]


def filtered(scene: PanelScene, which: str) -> None:
    scene.view.which.setCurrentIndex(scene.view.which.findData(which))
    scene.view.which.activated.emit(scene.view.which.currentIndex())


async def chosen(scene: PanelScene, limit: int) -> list[str]:
    return [one.text for one in await scene.vault.projections.reflections(MIRA, limit=limit)]


def test_thoughts_stand_newest_first_with_what_they_rest_on(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        assert shown(scene) == [HARBOUR, BEN_KEEPS, ANN_MOVES]
        assert scene.view.counted.text() == "3 thoughts"
        scene.press("Message 3", scene.view.cards[1])
        await scene.until_side("Ben has a cat named Pixel.")
        text = scene.side_text()
        assert text.index("Ann drinks tea") < text.index("Ben has a cat") < text.index("Ann claims")
        scene.press("Go to it in the chat", scene.side)
        assert scene.went == [("chat", "1:3")]
        scene.press("Fact 3", scene.view.cards[1])
        await scene.until_side("True in the world: 2023-08-15 12:00 – open")

    play(story)


def test_a_stale_thought_says_what_was_replaced_and_leads_to_that_moment(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        filtered(scene, "stale")
        await scene.until(lambda: shown(scene) == [ANN_MOVES])
        (card,) = scene.view.cards
        texts = [one.text() for one in card.findChildren(type(card.text))]
        assert "F#1 “Ann lives in Oslo.” was replaced by F#7 “Ann lives in Rome.” on 2024-02-02 12:00." in texts
        scene.press("See it on the timeline", card)
        assert scene.went == [("timeline", "1@2024-02-02T12:00:00Z")]
        scene.press("Fact 1, not believed any more", card)
        await scene.until_side("Because: She says where she lives now.")

    play(story)


def test_pinning_and_hiding_act_at_once_and_are_undone(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        scene.view.cards[2].text.setFocus()
        QTest.keyClick(scene.view.cards[2], Qt.Key.Key_P)
        await scene.until(lambda: scene.view.cards[2].case.pinned)
        assert await chosen(scene, 1) == [ANN_MOVES]
        QTest.keyClick(scene.view.cards[0], Qt.Key.Key_H)
        await scene.until(lambda: shown(scene) == [BEN_KEEPS, ANN_MOVES])
        assert await chosen(scene, 9) == [ANN_MOVES, BEN_KEEPS]
        filtered(scene, "hidden")
        await scene.until(lambda: shown(scene) == [HARBOUR])
        filtered(scene, "shown")
        for _text, undo in reversed(scene.undos):
            undo()
        await scene.until(lambda: shown(scene) == [HARBOUR, BEN_KEEPS, ANN_MOVES])
        await scene.until(lambda: not any(card.case.pinned for card in scene.view.cards))
        assert await chosen(scene, 1) == [HARBOUR]
        scene.redos[0]()
        await scene.until(lambda: scene.view.cards[2].case.pinned)
        assert len(scene.undos) == 2

    play(story)


def test_channels_narrow_and_no_thought_fitting_is_said(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        where = scene.view.where
        assert [where.itemText(at) for at in range(where.count())] == ["Every channel", "Main", "In several places"]
        where.setCurrentIndex(2)
        where.activated.emit(2)
        await scene.until(lambda: shown(scene) == [ANN_MOVES])
        filtered(scene, "pinned")
        await scene.until(lambda: scene.view.pages.currentWidget() is scene.view.nothing)
        scene.view.nothing.button.click()
        await scene.until(lambda: len(shown(scene)) == 3)

    play(story)


def test_it_says_when_there_is_too_little_to_think_about(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        assert scene.view.pages.currentWidget() is scene.view.empty
        scene.view.empty.button.click()
        await scene.until(lambda: scene.view.notice.isVisible())
        assert scene.view.notice.text == (
            "Too little was said to think about: 10 messages since the last time, 20 are needed."
        )

    play(story, thoughts=False)


def test_reflecting_now_brings_a_thought_and_tells_of_failures(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        turns = await chat(scene.vault, 15)
        failure = OutsideError("The model did not answer.", "Try again.", retryable=True)
        scene.background.tell("reflection", failure, thought("A quiet day.", turns[:1]))
        scene.view.reflect()
        await scene.until(lambda: scene.view.notice.isVisible())
        assert "The model did not answer." in scene.view.notice.text
        assert scene.view.think.isEnabled()
        scene.press("Try again", scene.view.notice)
        await scene.until(lambda: shown(scene) == ["A quiet day."])
        assert scene.view.notice.text == "1 new thought."

    play(story, thoughts=False)


def test_thinking_can_be_cancelled_and_leaves_nothing_behind(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        turns = await chat(scene.vault, 15)
        gate = asyncio.Event()
        scene.background.hold = gate
        scene.background.tell("reflection", thought("A quiet day.", turns[:1]))
        scene.view.reflect()
        await scene.until(scene.view.thinking.isVisible)
        assert not scene.view.think.isEnabled()
        scene.press("Cancel", scene.view.thinking)
        await scene.until(lambda: not scene.view.thinking.isVisible())
        assert scene.view.think.isEnabled()
        gate.set()
        assert await scene.vault.reflection_pages.count(MIRA) == 0

    play(story, thoughts=False)


def test_what_is_the_same_is_not_built_anew(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        before = list(scene.view.cards)
        scene.view.load()
        await scene.until(lambda: not scene.view.tasks.running("reflections.load"))
        assert scene.view.cards == before

    play(story)


def test_where_nothing_is_thought_by_itself_a_better_model_is_offered(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        scene.press("Choose a model", scene.view.empty)
        assert scene.went == [("settings", "models.background")]

    play(story, thoughts=False, weak=True)


def test_no_more_thoughts_are_read_than_a_page_shows(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        facts = await scene.vault.facts.page(MIRA, limit=1)
        for number in range(PAGE + 2):
            await think(scene.vault, f"Thought {number}.", -1, facts=facts)
        scene.view.load()
        await scene.until(lambda: len(shown(scene)) == PAGE)
        assert scene.view.counted.text() == "1–20 of 22 thoughts"
        scene.press("Older thoughts", scene.view)
        await scene.until(lambda: shown(scene) == ["Thought 1.", "Thought 0."])
        assert scene.view.counted.text() == "21–22 of 22 thoughts"
        scene.press("Newer thoughts", scene.view)
        await scene.until(lambda: len(shown(scene)) == PAGE)
        scene.panel.show_place("1")
        await scene.until(lambda: shown(scene) == ["Thought 1.", "Thought 0."])

    play(story, thoughts=False)


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_everything_has_a_name_can_be_reached_and_is_read_in_full(play: Play, zoom: float) -> None:
    async def story(scene: PanelScene) -> None:
        scene.theme.set_zoom(zoom)
        for name, words in (("Message 3", "Pixel"), ("Fact 3", "True in the world")):
            scene.press(name, scene.view.cards[1])
            await scene.until_side(words)
            QTest.qWait(60)
            assert unnamed(scene.window) == []
            assert unreachable(scene.window) == []
            assert cut_off(scene.window) == []
            assert overlapping(scene.window) == []

    play(story)
