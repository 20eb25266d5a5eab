"""The People panel as the person meets it, over a real vault."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QComboBox

from familiar_app.bootstrap.loop import run
from familiar_app.conversation.memory_tool import keeper_of
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.ids import OWNER, Lineage, PersonKey
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.saved_memory.keeper import Wording
from familiar_app.domain.saved_memory.memory import MemoryPlace, Scope
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.people.panel import create_people_panel
from tests.ui.panel_scene import ANN, BEN, LINEAGE, MIRA, PanelScene, config, tell_people
from tests.ui.test_every_screen import cut_off, overlapping, unnamed, unreachable
from tests.ui.timeline_scene import NOW, new_vault, tell_story

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
Story = Callable[[PanelScene], Awaitable[None]]
Play = Callable[..., None]


@pytest.fixture
def play(tmp_path: Path, theme: Theme) -> Play:
    def begin(story: Story, *, empty: bool = False) -> None:
        async def main() -> None:
            clock = FixedClock(NOW)
            vault = await new_vault(tmp_path, clock)
            if not empty:
                await tell_people(vault, await tell_story(vault, clock))
            scene = PanelScene(vault, clock, theme, create_people_panel)
            try:
                await scene.ready()
                await story(scene)
            finally:
                await scene.close()

        run(main(), app=QApplication.instance())

    return begin


def shown(scene: PanelScene, column: int = 0) -> list[str]:
    lines = scene.view.lines
    return [lines.data(lines.index(row, column)) for row in range(lines.rowCount())]


def choose(scene: PanelScene, *names: str) -> None:
    table = scene.view.table
    table.clearSelection()
    for name in names:
        row = shown(scene).index(name)
        table.selectionModel().select(
            scene.view.lines.index(row, 0),
            table.selectionModel().SelectionFlag.Select | table.selectionModel().SelectionFlag.Rows,
        )


def test_everybody_is_listed_and_ordered(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        QAbstractItemModelTester(scene.view.lines, QAbstractItemModelTester.FailureReportingMode.Fatal)
        assert shown(scene) == ["Ann", "Ben", "Mira"]
        assert shown(scene, 3) == ["3", "3", "1"]
        assert scene.view.count.text() == "3 people"
        scene.view.table.horizontalHeader().sectionClicked.emit(0)
        assert shown(scene) == ["Ann", "Ben", "Mira"]
        scene.view.table.horizontalHeader().sectionClicked.emit(0)
        assert shown(scene) == ["Mira", "Ben", "Ann"]
        scene.view.order.setCurrentIndex(scene.view.order.findData("turns"))
        scene.view.order.activated.emit(scene.view.order.currentIndex())
        assert shown(scene)[0] == "Ann"

    play(story)


def test_a_search_looks_at_names_of_the_past_too(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        scene.panel.find()
        QTest.keyClicks(scene.view.search, "annie")
        await scene.until(lambda: shown(scene) == ["Ann"])
        QTest.keyClicks(scene.view.search, "x")
        await scene.until(lambda: scene.view.pages.currentWidget() is scene.view.nothing)
        scene.view.nothing.button.click()
        await scene.until(lambda: len(shown(scene)) == 3)

    play(story)


def test_a_person_is_shown_with_names_dossier_facts_and_messages(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        scene.view.table.setFocus()
        choose(scene, "Ann")
        await scene.until_side("Ann lives in Rome and will see Lisbon.")
        text = scene.side_text()
        assert "Annie · shown name · 2023-03-08 – 2023-05-15" in text
        assert "from facts up to F#8; 3 of those below." in text
        assert text.index("Ann lives in Rome.") < text.index("Ann drinks tea"), "the most important comes first"
        assert "importance 8 · true since 2024-01-02 · believed since 2024-02-01 · in the dossier" in text
        assert "messages from Mar 2023 to Apr 2024" in text
        scene.press("Ann lives in Rome.", scene.side)
        scene.press("On the timeline", scene.side)
        assert scene.went == [("timeline", "7"), ("timeline", f"person:{ANN}")]

    play(story)


def test_saved_memories_are_shown_and_lead_to_their_panel(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        keeper = keeper_of(MIRA, config())
        place = MemoryPlace(Scope.PERSONAL, ANN, Lineage(LINEAGE))
        saved = await scene.vault.saved_memories.add(
            keeper, Wording(place, "{user} told {char} about bees", ()), by=OWNER
        )
        choose(scene, "Ann")
        await scene.until_side("Saved memories")
        scene.press("Ann told Mira about bees", scene.side)
        assert scene.went == [("memories", str(saved.id))]

    play(story)


def test_the_familiar_has_a_page_of_its_own(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        next(action for action in scene.panel.actions() if action.id == "people.myself").run()
        await scene.until_side("Keeps to quiet evenings.")
        assert "The familiar itself" in scene.side_text()
        assert not scene.side.findChildren(QComboBox)

    play(story)


def test_two_identities_are_merged_and_taken_apart_again(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        choose(scene, "Ann", "Ben")
        await scene.until_side("Are they one person?")
        await scene.press_soon(f"Yes, show them as Ann ({ANN})", scene.side)
        await scene.until(lambda: shown(scene) == ["Ann +1", "Mira"])
        await scene.until_side("Counts as one person with")
        assert "Facts (6)" in scene.side_text()
        await scene.press_soon(f"{BEN} on the timeline", scene.side)
        assert scene.went[-1] == ("timeline", f"person:{BEN}")
        assert await scene.vault.people.label(BEN) == "Ann"
        text, undo = scene.undos[-1]
        assert text == "They count as Ann now."
        undo()
        await scene.until(lambda: shown(scene) == ["Ann", "Ben", "Mira"])
        scene.redos[-1]()
        await scene.until(lambda: shown(scene) == ["Ann +1", "Mira"])
        undo()
        await scene.until(lambda: shown(scene) == ["Ann", "Ben", "Mira"])
        assert len(scene.undos) == 1
        choose(scene, "Ann", "Ben")
        await scene.until_side("Are they one person?")
        await scene.press_soon(f"Yes, show them as Ben ({BEN})", scene.side)
        await scene.until_side("Counts as one person with")
        await scene.press_soon(f"Take {ANN} apart", scene.side)
        await scene.until(lambda: sorted(shown(scene)) == ["Ann", "Ben", "Mira"])
        scene.undos[-1][1]()
        await scene.until(lambda: shown(scene) == ["Ben +1", "Mira"])

    play(story)


def test_the_familiar_is_merged_with_nobody(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        choose(scene, "Ann", "Mira")
        await scene.until_side("The familiar itself cannot be merged with anybody.")

    play(story)


def test_what_may_be_kept_is_set_for_all_identities_and_undone_exactly(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        await scene.vault.person_pages.merge(BEN, ANN, familiar=MIRA)
        await scene.vault.privacy.set(BEN, PrivacyLevel.PARTIAL, familiar=MIRA, by=OWNER)
        scene.view.load()
        await scene.until(lambda: shown(scene, 5)[:1] == ["messages only"])
        choose(scene, "Ann +1")
        await scene.until_side("No dossier and no memories are shown")
        assert "What was noted before is hidden while this level holds." in scene.side_text()
        (choice,) = scene.side.findChildren(QComboBox)
        choice.setCurrentIndex(choice.findData(PrivacyLevel.FULL))
        choice.activated.emit(choice.currentIndex())
        await scene.until(lambda: shown(scene, 5)[:1] == ["nothing"])
        assert await scene.vault.privacy.own_levels() == {ANN: PrivacyLevel.FULL, BEN: PrivacyLevel.FULL}
        scene.undos[-1][1]()
        await scene.until(lambda: shown(scene, 5)[:1] == ["messages only"])
        assert await scene.vault.privacy.own_levels() == {BEN: PrivacyLevel.PARTIAL}

    play(story)


def test_a_place_leads_to_somebody_even_past_a_search(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        scene.view.search.setText("ben")
        await scene.until(lambda: shown(scene) == ["Ben"])
        scene.panel.show_place(ANN)
        await scene.until(lambda: scene.view.model.chosen == (ANN,))
        assert [action.title for action in scene.panel.palette_entries()] == ["Ann", "Ben", "Mira"]
        scene.panel.show_place(PersonKey("discord:nobody"))
        assert scene.view.model.chosen == (ANN,)

    play(story)


def test_the_palette_knows_people_before_the_panel_was_opened(tmp_path: Path, theme: Theme) -> None:
    async def main() -> None:
        clock = FixedClock(NOW)
        vault = await new_vault(tmp_path, clock)
        await tell_people(vault, await tell_story(vault, clock))
        scene = PanelScene(vault, clock, theme, create_people_panel, activate=False)
        try:
            await scene.until(scene.panel.palette_entries)
            entry = scene.panel.palette_entries()[0]
            assert (entry.title, entry.words) == ("Ann", ANN)
            entry.run()
            assert scene.went == [("people", ANN)]
        finally:
            await scene.close()

    run(main(), app=QApplication.instance())


def test_the_empty_panel_says_who_will_be_here(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        assert scene.view.pages.currentWidget() is scene.view.empty
        scene.view.empty.button.click()
        assert scene.went == [("chat", "")]

    play(story, empty=True)


def test_an_error_stands_in_the_panel_and_can_be_tried_again(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(scene: PanelScene) -> None:
        pages = scene.vault.person_pages

        async def fails(*_args: object, **_more: object) -> list[object]:
            raise OutsideError("The disk cannot be read.", "Look at the disk.", retryable=True)

        with monkeypatch.context() as patched:
            patched.setattr(type(pages), "list", fails)
            scene.view.load()
            await scene.until(lambda: scene.view.notice.isVisible())
        assert "The disk cannot be read." in scene.view.notice.text
        assert len(shown(scene)) == 3, "what was read before stays in sight"
        scene.press("Try again", scene.view.notice)
        await scene.until(lambda: not scene.view.tasks.running("people.load"))

    play(story)


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_everything_has_a_name_can_be_reached_and_is_read_in_full(play: Play, zoom: float) -> None:
    async def story(scene: PanelScene) -> None:
        scene.theme.set_zoom(zoom)
        for names, words in ((("Ann",), "Dossier"), (("Ann", "Ben"), "one person"), (("Mira",), "itself")):
            choose(scene, *names)
            await scene.until_side(words)
            QTest.qWait(60)
            assert unnamed(scene.window) == []
            assert unreachable(scene.window) == []
            assert cut_off(scene.side) == []
            assert overlapping(scene.window) == []

    play(story)


def test_it_is_used_by_the_keyboard_alone(play: Play) -> None:
    async def story(scene: PanelScene) -> None:
        scene.view.table.setFocus()
        QTest.keyClick(scene.view.table, Qt.Key.Key_Home)
        QTest.keyClick(scene.view.table, Qt.Key.Key_Down)
        await scene.until(lambda: scene.view.model.chosen and scene.side.is_open())
        # From the first row up there is nothing, from any other row down there may be nothing.
        first = scene.view.table.currentIndex().row() == 0
        key = Qt.Key.Key_Down if first else Qt.Key.Key_Up
        QTest.keyClick(scene.view.table, key, Qt.KeyboardModifier.ShiftModifier)
        await scene.until_side("Are they one person?")

    play(story)
