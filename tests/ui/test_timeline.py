"""The Timeline panel as the person meets it, over a real vault."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QPushButton, QWidget

from familiar_app.bootstrap.loop import run
from familiar_app.domain.clock import FixedClock, format_time
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.fact import Fact, Subject
from familiar_app.domain.ids import MAIN_CHANNEL, PersonKey
from familiar_app.domain.turn import Author, NewTurn, Role
from familiar_app.store.moment import to_micros
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.timeline.about_form import EVERYBODY, AboutForm
from familiar_app.ui.timeline.form import FactForm
from familiar_app.ui.timeline.side import ChipButton, ComparePage, FactPage, ManyPage
from familiar_app.ui.timeline.span_index import Moment
from tests.ui.test_every_screen import cut_off, overlapping, unnamed, unreachable
from tests.ui.timeline_scene import ANN, MIRA, NOW, TimelineScene, day, fill_vault, new_vault, tell_story

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
Story = Callable[[TimelineScene, dict[str, Fact]], Awaitable[None]]
Play = Callable[..., None]


@pytest.fixture
def play(tmp_path: Path, theme: Theme) -> Play:
    def begin(story: Story, *, facts: int | None = None, weak: bool = False) -> None:
        async def main() -> None:
            clock = FixedClock(NOW)
            vault = await new_vault(tmp_path, clock)
            told: dict[str, Fact] = {}
            if facts is None:
                told = await tell_story(vault, clock)
            elif facts:
                await fill_vault(vault, facts, max(2, facts // 40))
            scene = TimelineScene(vault, clock, theme, weak=weak)
            try:
                await scene.ready()
                await story(scene, told)
            finally:
                await scene.close()

        run(main(), app=QApplication.instance())

    return begin


def shown(scene: TimelineScene) -> list[tuple[str, str]]:
    """Return the list of beliefs as it reads."""
    rows = scene.view.beliefs.beliefs
    return [
        (rows.data(rows.index(n, 0)) or "", rows.data(rows.index(n, 1)) or "") for n in range(rows.rowCount())
    ]  # fmt: skip


def at(number: float) -> Moment:
    return Moment(to_micros(day(number)), to_micros(day(number)))


async def side_of(scene: TimelineScene, kind: type[QWidget]) -> QWidget:
    """Wait for a page of the side view; one that was replaced may live on for a moment."""

    def seen() -> list[QWidget]:
        return [one for one in scene.side.findChildren(kind) if one.isVisible()]

    await scene.until(seen)
    return seen()[0]


async def reread(scene: TimelineScene) -> None:
    """Wait until what was written has been read again."""
    await scene.until(lambda: scene.view.stale)
    await scene.until(lambda: not scene.view.stale and not scene.view.tasks.running("timeline.load"))


def press(buttons: QWidget, text: str) -> None:
    next(one for one in buttons.findChildren(QPushButton) if one.text() == text and one.isVisible()).click()


def test_it_opens_at_the_present_with_lanes_and_beliefs(play: Play) -> None:
    async def story(scene: TimelineScene, _told: dict[str, Fact]) -> None:
        assert scene.view.count.text() == "10 facts"
        assert list(scene.model.lanes.labels) == ["Ann", "Ben", "Mira", "About nobody"]
        assert ("", "Ann lives in Rome.") in shown(scene)
        assert "Ann lives in Oslo." not in [text for _, text in shown(scene)]
        assert scene.view.asked.text() == "True and believed on 2024-05-01 12:00"

    play(story)


def test_the_arrows_step_and_the_list_says_what_changed(play: Play) -> None:
    async def story(scene: TimelineScene, _told: dict[str, Fact]) -> None:
        scene.model.go(at(-91))
        scene.view.canvas.setFocus()
        QTest.keyClick(scene.view.canvas, Qt.Key.Key_Right)
        QTest.keyClick(scene.view.canvas, Qt.Key.Key_Right)
        assert shown(scene)[0] == ("−", "Ann lives in Oslo.")
        assert scene.view.counts.text() == "6 held   − 1"
        QTest.keyClick(scene.view.canvas, Qt.Key.Key_Left)
        assert shown(scene)[0] == ("+", "Ann lives in Oslo.")
        QTest.keyClick(scene.view.canvas, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
        assert scene.model.moment.as_of == to_micros(day(-300))
        QTest.keyClick(scene.view.canvas, Qt.Key.Key_End)
        assert scene.model.moment.as_of == to_micros(day(60))
        assert shown(scene)[0] == ("↻", "Ann lives in Rome.")

    play(story)


def test_space_plays_and_stops(play: Play) -> None:
    async def story(scene: TimelineScene, _told: dict[str, Fact]) -> None:
        scene.model.go(at(-299))
        scene.view.canvas.setFocus()
        QTest.keyClick(scene.view.canvas, Qt.Key.Key_Space)
        assert scene.view.controls.play.accessibleName() == "Stop"
        await scene.until(lambda: scene.model.moment.as_of > to_micros(day(-210)))
        QTest.keyClick(scene.view.canvas, Qt.Key.Key_Space)
        assert not scene.model.playing
        assert scene.view.controls.play.accessibleName() == "Play"

    play(story)


def test_a_date_can_be_typed_and_a_wrong_one_is_told(play: Play) -> None:
    async def story(scene: TimelineScene, _told: dict[str, Fact]) -> None:
        field = scene.view.controls.as_of
        field.setText("2023-08-01")
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert scene.model.moment == Moment(*[to_micros(day(0).replace(2023, 8, 1, 0))] * 2)
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, "some day")
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert field.property("state") == "wrong"
        assert "This is no date or time. Write it like" in field.accessibleDescription()
        known = scene.view.controls.known_at
        known.setText("2024-02-10")
        QTest.keyClick(known, Qt.Key.Key_Return)
        assert not scene.model.linked
        assert [text for _, text in shown(scene)] != []
        scene.view.controls.chain.click()
        assert scene.model.moment.as_of == scene.model.moment.known_at

    play(story)


def test_the_handles_are_dragged_on_the_axis(play: Play) -> None:
    async def story(scene: TimelineScene, _told: dict[str, Fact]) -> None:
        axis, scale = scene.view.axis, scene.view.axis.scale()

        def place(number: float) -> QPoint:
            return QPoint(round(axis.gutter + scale.x(to_micros(day(number)))), 10)

        QTest.mousePress(axis, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place(0))
        for number in (-20, -50, -100):
            QTest.mouseMove(axis, place(number))
        QTest.mouseRelease(axis, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place(-100))
        assert abs(scene.model.moment.as_of - to_micros(day(-100))) < 3 * 86_400_000_000
        assert scene.model.previous == Moment(*[to_micros(NOW)] * 2)
        assert {sign for sign, _ in shown(scene)} == {"+", "−", "↻", ""}

    play(story)


def test_the_wheel_zooms_at_the_pointer(play: Play) -> None:
    async def story(scene: TimelineScene, _told: dict[str, Fact]) -> None:
        canvas = scene.view.canvas
        place = QPointF(canvas.gutter + 300, 50)
        before = canvas.scale().at(300)
        length = scene.model.window[1] - scene.model.window[0]
        none = QPoint(0, 0)
        event = QWheelEvent(
            place, place, none, QPoint(0, 240), Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        canvas.wheelEvent(event)
        assert scene.model.window[1] - scene.model.window[0] == pytest.approx(length * 0.64, rel=0.01)
        assert abs(canvas.scale().at(300) - before) < 2_000_000
        QTest.keyClick(canvas, Qt.Key.Key_0)
        assert scene.model.window == scene.model.whole

    play(story)


def test_a_click_on_a_bar_shows_the_fact_and_its_chips_lead_on(play: Play) -> None:
    async def story(scene: TimelineScene, told: dict[str, Fact]) -> None:
        canvas = scene.view.canvas
        canvas.viewport().repaint()
        box = canvas.box_of(told["oslo"].id)
        QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=box.center().toPoint())
        assert scene.model.chosen == (told["oslo"].id,)
        page = await side_of(scene, FactPage)
        assert "Because: She says where she lives now." in [one.text() for one in page.findChildren(QLabel)]
        chips = {chip.accessibleName(): chip for chip in page.findChildren(ChipButton)}
        chips["Ann: Ann lives in Oslo."].click()
        turn = told["oslo"].source_turns[0]
        assert scene.went == [("chat", f"{told['oslo'].channel}:{turn}")]
        chips["Ann lives in Rome."].click()
        assert scene.model.chosen == (told["rome"].id,)

    play(story)


def test_the_side_view_and_the_choice_end_together(play: Play) -> None:
    async def story(scene: TimelineScene, told: dict[str, Fact]) -> None:
        scene.panel.show_place(str(told["cat"].id))
        await side_of(scene, FactPage)
        scene.side.close_view()
        assert scene.model.chosen == ()

    play(story)


def test_the_square_reads_both_dates_and_sets_them(play: Play) -> None:
    async def story(scene: TimelineScene, _told: dict[str, Fact]) -> None:
        scene.view.canvas.setFocus()
        scene.view.do("square")
        square = scene.view.square
        assert square.isVisible()
        assert square.hasFocus()
        place = square.place_of(to_micros(day(-100)), to_micros(day(-50)))
        read = square.moment_at(place)
        assert abs(read.as_of - to_micros(day(-100))) < 86_400_000_000 * 2
        QTest.mouseClick(square, Qt.MouseButton.LeftButton, pos=place.toPoint())
        assert abs(scene.model.moment.known_at - to_micros(day(-50))) < 86_400_000_000 * 3
        assert not scene.model.linked
        assert "Ann lives in Rome." in [text for _, text in shown(scene)]
        known = scene.model.moment.known_at
        QTest.keyClick(square, Qt.Key.Key_Up)
        assert scene.model.moment.known_at > known
        as_of = scene.model.moment.as_of
        QTest.keyClick(square, Qt.Key.Key_Right)
        assert scene.model.moment.as_of > as_of
        scene.view.do("square")
        assert scene.view.canvas.hasFocus()

    play(story)


def test_search_and_person_filter_and_the_way_back(play: Play) -> None:
    async def story(scene: TimelineScene, _told: dict[str, Fact]) -> None:
        scene.panel.find()
        QTest.keyClicks(scene.view.search, "rome")
        await scene.until(lambda: scene.model.filter.on)
        assert [text for _, text in shown(scene)] == ["Ann lives in Rome."]
        scene.view.search.setText("no such thing")
        await scene.until(lambda: scene.view.pages.currentWidget() is scene.view.nothing)
        scene.view.nothing.button.click()
        await scene.until(lambda: not scene.model.filter.on)
        assert scene.view.pages.currentWidget() is scene.view.across
        scene.view.people.setCurrentIndex(scene.view.people.findText("Ann"))
        scene.view.people.activated.emit(1)
        await scene.until(lambda: scene.model.filter.people == {ANN})
        assert list(scene.model.lanes.labels) == ["Ann"]

    play(story)


def test_a_fact_is_added_by_hand_and_taken_back_by_ctrl_z(play: Play) -> None:
    async def story(scene: TimelineScene, _told: dict[str, Fact]) -> None:
        scene.view.do("add")
        form = await side_of(scene, FactForm)
        assert form.importance.lineEdit().textMargins().left() == 8  # a number begins where a text does
        press(form, "Save")
        assert "needs a text" in form._text._below.text()
        form.text.setPlainText("Ann plays the cello.")
        form.about._take(1)
        form.dates._fields["from"][0].inner.setText("2023-02-30")
        press(form, "Save")
        assert "This is no date or time. Write it like" in form.dates._fields["from"][0]._below.text()
        form.dates._fields["from"][0].inner.setText("2023-02-20")
        press(form, "Save")
        await reread(scene)
        assert scene.undos[-1][0] == "Fact added."
        await scene.until(lambda: len(scene.model.chosen) == 1)
        (fact,) = await scene.vault.facts.many(scene.model.chosen)
        assert (fact.text, fact.valid.since) == ("Ann plays the cello.", day(0).replace(2023, 2, 20, 0))
        QTest.keyClick(scene.view.beliefs, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        await reread(scene)
        assert "Ann plays the cello." not in [text for _, text in shown(scene)]
        assert scene.told[-1] == "Taken back: Fact added."
        scene.view.buttons["redo"].click()
        await reread(scene)
        scene.clock.instant = day(0.1)
        scene.model.go_now()
        assert "Ann plays the cello." in [text for _, text in shown(scene)]

    play(story)


def test_the_list_is_used_by_the_keyboard(play: Play) -> None:
    async def story(scene: TimelineScene, _told: dict[str, Fact]) -> None:
        table, rows = scene.view.beliefs, scene.view.beliefs.beliefs
        scene.panel.find()
        QTest.keyClick(scene.view.search, Qt.Key.Key_Return)
        assert table.hasFocus()
        QTest.keyClick(table, Qt.Key.Key_Down)
        assert scene.model.chosen == (rows.fact_at(0),)
        QTest.keyClick(table, Qt.Key.Key_Down)
        assert scene.model.chosen == (rows.fact_at(1),)
        await side_of(scene, FactPage)
        QTest.keyClick(table, Qt.Key.Key_F2)
        form = await side_of(scene, FactForm)
        assert form.text.toPlainText() == scene.model.text(scene.model.row_of(rows.fact_at(1)))

    play(story)


def test_a_fact_is_changed_retired_and_restored(play: Play) -> None:
    async def story(scene: TimelineScene, told: dict[str, Fact]) -> None:
        scene.view.show_fact(told["cat"].id)
        page = await side_of(scene, FactPage)
        press(page, "Change…")
        form = await side_of(scene, FactForm)
        assert form.text.toPlainText() == "Ben has a cat named Pixel."
        form.text.setPlainText("Ben has a cat named Dot.")
        press(form, "Save")
        await reread(scene)
        old = await scene.vault.facts.get(told["cat"].id)
        new = await scene.vault.facts.get(old.superseded_by)
        assert (new.text, new.valid.since, new.source_turns) == (
            "Ben has a cat named Dot.", told["cat"].valid.since, told["cat"].source_turns,
        )  # fmt: skip
        await scene.until(lambda: scene.model.chosen == (new.id,))
        QTest.keyClick(scene.view.beliefs, Qt.Key.Key_Delete)
        await reread(scene)
        assert (await scene.vault.facts.get(new.id)).superseded_at is not None
        scene.undos[-1][1]()
        await reread(scene)
        assert (await scene.vault.facts.get(new.id)).superseded_at is None

    play(story)


def test_chosen_facts_are_about_somebody_of_whom_nothing_was_noted(play: Play) -> None:
    async def story(scene: TimelineScene, told: dict[str, Fact]) -> None:
        other = PersonKey("discord:9")
        channel = await scene.vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA)
        await scene.vault.turns.append(NewTurn(channel.id, Role.USER, "Hello.", day(-1), Author(other, "Ben")))
        scene.model.choose((told["cat"].id, told["coffee"].id, told["rome"].id))
        press(await side_of(scene, ManyPage), "About somebody else…")
        form = await side_of(scene, AboutForm)
        assert [form.wrong.itemText(n) for n in range(3)] == ["Ben (discord:2)", "Ann", EVERYBODY]
        press(form, "Save")
        assert form._missing.isVisible()
        add = form.about._add
        add.activated.emit(add.findText("Ben (discord:9)"))
        press(form, "Save")
        await reread(scene)
        assert scene.undos[-1][0] == "2 facts moved."
        cat = await scene.vault.facts.get(told["cat"].id)
        moved = await scene.vault.facts.get(cat.superseded_by)
        assert (moved.text, moved.subjects) == (cat.text, (Subject(other, "Ben"),))
        assert (await scene.vault.facts.get(told["rome"].id)).superseded_at is None
        scene.undos[-1][1]()
        await reread(scene)
        assert (await scene.vault.facts.get(cat.id)).superseded_at is None

    play(story)


def test_the_first_fact_is_about_somebody_who_only_spoke(play: Play) -> None:
    async def story(scene: TimelineScene, _told: dict[str, Fact]) -> None:
        channel = await scene.vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA)
        await scene.vault.turns.append(NewTurn(channel.id, Role.USER, "Hello.", day(-1), Author(ANN, "Ann")))
        scene.view.do("add")
        form = await side_of(scene, FactForm)
        form.text.setPlainText("Ann plays the cello.")
        form.about._add.activated.emit(form.about._add.findText("Ann"))
        press(form, "Save")
        await reread(scene)
        (fact,) = await scene.vault.facts.page(MIRA)
        assert fact.subjects == (Subject(ANN, "Ann"),)

    play(story, facts=0)


def test_a_fact_about_nobody_is_said_to_be_one_before_it_is_saved(play: Play) -> None:
    async def story(scene: TimelineScene, _told: dict[str, Fact]) -> None:
        scene.view.do("add")
        form = await side_of(scene, FactForm)
        form.text.setPlainText("The lighthouse is dark.")
        press(form, "Save")
        assert form.nobody.isVisible()
        assert "about nobody yet" in form.nobody.text()
        assert form.about._add.hasFocus()
        press(form, "Save")
        await reread(scene)
        (fact,) = await scene.vault.facts.page(MIRA)
        assert (fact.text, fact.subjects) == ("The lighthouse is dark.", ())
        scene.model.choose((fact.id,))
        scene.view.do("edit")
        form = await side_of(scene, FactForm)
        form.text.setPlainText("The lighthouse is lit.")
        press(form, "Save")
        await reread(scene)
        assert "The lighthouse is lit." in [text for _, text in shown(scene)]

    play(story, facts=0)


def test_many_facts_at_once(play: Play) -> None:
    async def story(scene: TimelineScene, told: dict[str, Fact]) -> None:
        scene.model.choose((told["cat"].id, told["coffee"].id))
        page = await side_of(scene, ManyPage)
        press(page, "Merge into one…")
        form = await side_of(scene, FactForm)
        assert form.text.toPlainText() == "Ben has a cat named Pixel. Ben has stopped drinking coffee."
        press(form, "Save")
        await reread(scene)
        priors = await scene.vault.facts.many((told["cat"].id, told["coffee"].id))
        assert len({one.superseded_by for one in priors}) == 1
        scene.model.choose((told["stance"].id, told["nobody"].id))
        page = await side_of(scene, ManyPage)
        press(page, "Retire")
        await reread(scene)
        assert scene.undos[-1][0] == "2 facts retired."

    play(story)


def test_steps_back_pressed_quickly_are_all_taken(play: Play) -> None:
    async def story(scene: TimelineScene, told: dict[str, Fact]) -> None:
        for name in ("cat", "coffee", "stance"):
            await scene.view.deeds.corrections.retire([told[name].id])
        for key in (Qt.KeyboardModifier.ControlModifier,) * 3:
            QTest.keyClick(scene.view.beliefs, Qt.Key.Key_Z, key)
        back = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        QTest.keyClick(scene.view.beliefs, Qt.Key.Key_Z, back)
        await scene.until(lambda: len(scene.told) == 4)
        facts = await scene.vault.facts.many([told[name].id for name in ("cat", "coffee", "stance")])
        assert [one.superseded_at is None for one in facts] == [False, True, True]

    play(story)


def test_all_of_a_thousand_beliefs_can_be_chosen_but_not_too_many_changed(play: Play) -> None:
    async def story(scene: TimelineScene, _told: dict[str, Fact]) -> None:
        scene.view.beliefs.selectAll()
        held = len(scene.model.rows())
        assert len(scene.model.chosen) == held > 1000
        page = await side_of(scene, ManyPage)
        assert f"{held:,} believed, 0 retired" in [one.text() for one in page.findChildren(QLabel)]
        press(page, "Retire")
        await scene.until(lambda: scene.told)
        assert scene.told == ["Choose at most 1,000 facts to change at once."]
        scene.model.step(-1)
        assert len(scene.model.chosen) == held

    play(story, facts=2500)


def test_two_moments_are_compared_copied_and_exported(play: Play, tmp_path: Path, monkeypatch) -> None:
    async def story(scene: TimelineScene, _told: dict[str, Fact]) -> None:
        scene.model.go(at(-100))
        scene.view.controls.a.click()
        assert scene.told[-1].startswith("A is set.")
        scene.model.go_now()
        scene.view.controls.b.click()
        page = await side_of(scene, ComparePage)
        lines = [page.list.item(n).text() for n in range(page.list.count())]
        assert "↻ Ann lives in Rome.\nbefore: Ann lives in Oslo." in lines
        assert "− Ben works at the harbour." in lines
        press(page, "Copy")
        assert "Ann lives in Rome." in QGuiApplication.clipboard().text()

        async def chosen(*_args, **_more) -> Path:
            return tmp_path / "changes.json"

        monkeypatch.setattr("familiar_app.ui.timeline.showing.choose_file", chosen)
        press(page, "Export…")
        await scene.until((tmp_path / "changes.json").exists)
        assert '"kind": "changed"' in (tmp_path / "changes.json").read_text("utf-8")

    play(story)


def test_what_a_projector_learns_appears_without_moving_the_place(play: Play) -> None:
    async def story(scene: TimelineScene, told: dict[str, Fact]) -> None:
        scene.model.go(at(-100))
        scene.model.zoom(0.5, to_micros(day(-100)))
        window = scene.model.window
        await scene.vault.facts.retire_by_owner(told["rome"].id)
        await reread(scene)
        assert (scene.model.window, scene.model.moment) == (window, at(-100))

    play(story)


def test_the_empty_timeline_says_what_will_be_here(play: Play) -> None:
    async def story(scene: TimelineScene, _told: dict[str, Fact]) -> None:
        assert scene.view.pages.currentWidget() is scene.view.empty
        scene.view.empty.button.click()
        form = await side_of(scene, FactForm)
        form.text.setPlainText("The first one.")
        press(form, "Save")
        press(form, "Save")
        await reread(scene)
        assert scene.view.pages.currentWidget() is scene.view.across

    play(story, facts=0)


def test_with_a_weak_model_the_empty_timeline_offers_a_better_one(play: Play) -> None:
    async def story(scene: TimelineScene, _told: dict[str, Fact]) -> None:
        assert "draws no memory by itself" in scene.view.empty._text.text()
        scene.view.empty.button.click()
        assert scene.went == [("settings", "models.background")]

    play(story, facts=0, weak=True)


def test_a_failed_reading_is_told_and_can_be_tried_again(play: Play) -> None:
    async def story(scene: TimelineScene, _told: dict[str, Fact]) -> None:
        view, real = scene.view, scene.vault.facts.spans
        view.model.loaded = False

        async def broken(_familiar: str):
            raise OutsideError("The vault could not be read.", "Try again.")

        view._facts.spans = broken
        view.load()
        await scene.until(lambda: view.notice.isVisible())
        assert "could not be read" in view.notice.text
        view._facts.spans = real
        press(view.notice, "Read it again")
        await scene.until(lambda: view.model.loaded)
        assert not view.notice.isVisible()

    play(story)


def test_the_picture_is_told_in_words(play: Play) -> None:
    async def story(scene: TimelineScene, _told: dict[str, Fact]) -> None:
        await scene.until(lambda: scene.view.canvas.accessibleDescription())
        assert "7 facts true and believed on 2024-05-01 12:00." in scene.view.canvas.accessibleDescription()
        scene.view.do("read")
        assert "Ann lives in Rome. (2024-01-02" in scene.side.findChild(QPlainTextEdit).toPlainText()

    play(story)


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_every_control_has_a_name_is_reached_and_nothing_is_cut(play: Play, theme: Theme, zoom: float) -> None:
    async def story(scene: TimelineScene, told: dict[str, Fact]) -> None:
        theme.set_zoom(zoom)
        for look in ("lanes", "square", "fact", "many", "about", "form", "compare"):
            if look == "square":
                scene.view.do("square")
            elif look == "fact":
                scene.view.show_fact(told["oslo"].id)
                await side_of(scene, FactPage)
            elif look == "many":
                scene.model.choose((told["cat"].id, told["oslo"].id, told["tea"].id))
                await side_of(scene, ManyPage)
            elif look == "about":
                scene.view.do("about")
                await side_of(scene, AboutForm)
            elif look == "form":
                scene.view.do("add")
                await side_of(scene, FactForm)
            elif look == "compare":
                scene.model.set_mark("A")
                scene.model.go(at(-100))
                scene.view.do("mark_b")
            await asyncio.sleep(0.15)
            found = {
                "unnamed": unnamed(scene.window),
                "unreachable": unreachable(scene.window),
                "cut off": cut_off(scene.window),
                "overlapping": overlapping(scene.window),
            }
            assert {kind: things for kind, things in found.items() if things} == {}, look

    play(story)


def test_tab_goes_from_the_head_over_the_picture_to_the_beliefs(play: Play) -> None:
    async def story(scene: TimelineScene, _told: dict[str, Fact]) -> None:
        view = scene.view
        stops = [view.search, view.canvas, view.axis, view.controls.play, view.controls.as_of, view.controls.chain]
        stops += [view.controls.known_at, view.controls.axis, view.controls.a, view.beliefs]
        view.search.setFocus()
        seen = [view.focusWidget()]
        for _ in range(30):
            QTest.keyClick(seen[-1], Qt.Key.Key_Tab)
            seen.append(scene.window.focusWidget())
        places = [seen.index(one) for one in stops]
        assert places == sorted(places)

    play(story)


def test_the_table_keeps_the_rules_of_models(play: Play) -> None:
    async def story(scene: TimelineScene, _told: dict[str, Fact]) -> None:
        rows = scene.view.beliefs.beliefs
        tester = QAbstractItemModelTester(rows, QAbstractItemModelTester.FailureReportingMode.Fatal)
        for number in (-1400, -700, -3, -300, 0):
            scene.model.go(at(number))
            assert rows.rowCount() == len(scene.model.rows()) + len(scene.model.delta().lost)
        tester.deleteLater()

    play(story, facts=400)


def test_a_place_can_name_the_moment_at_which_a_fact_is_looked_at(play: Play) -> None:
    async def story(scene: TimelineScene, told: dict[str, Fact]) -> None:
        scene.panel.show_place(f"{told['oslo'].id}@{format_time(day(-89))}")
        assert scene.model.moment == at(-89)
        assert await side_of(scene, FactPage)
        assert "Ann lives in Rome." in [text for _, text in shown(scene)]

    play(story)
