"""The prompts panel as the person meets it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget

from familiar_app.bootstrap.loop import run
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.trace import PromptTrace
from familiar_app.ui.kit.panel import PanelContext, Place
from familiar_app.ui.kit.status import StatusModel
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.prompts.model import PromptsModel
from familiar_app.ui.prompts.panel import PromptsPanel, create_prompts_panel
from familiar_app.ui.prompts.view import PromptsView
from familiar_app.ui.shell.side_view import SideView
from tests.doubles.waiting import until
from tests.ui.scene_window import press, put_away
from tests.ui.test_every_screen import cut_off, unnamed, unreachable
from tests.unit.ui.prompts.stage import MIRA, START, Stage, background_trace, make_stage, reply_trace

# The offscreen screen says this of every window.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


class Scene:
    """A prompts panel over a stage; where it leads and what it tells is written down."""

    def __init__(self, stage: Stage, theme: Theme, *, size: tuple[int, int] = (1100, 760)) -> None:
        self.stage = stage
        self.side = SideView(theme)
        self.gone: list[tuple[str, str]] = []
        self.told: list[str] = []
        self.visited: list[Place] = []
        self.context = PanelContext(
            theme=theme, tasks=stage.tasks, status=StatusModel(), side_view=self.side, familiar=MIRA
        )
        self.context.go_to = lambda panel, key: self.gone.append((panel, key))
        self.context.has_panel = lambda panel: panel in ("chat", "timeline", "lorebook")
        self.context.tell = self.told.append
        self.context.visit = self.visited.append
        self.panel: PromptsPanel = create_prompts_panel(stage.services, self.context)
        self.window = QWidget()
        layout = QHBoxLayout(self.window)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.panel.widget, 1)
        self.window.resize(*size)
        self.window.show()
        self.window.activateWindow()

    @property
    def view(self):
        return self.panel.view

    @property
    def model(self):
        return self.view.model

    @property
    def sheet(self):
        return self.view.middle.sheet

    async def until(self, ready: Callable[[], object]) -> None:
        await until(ready)

    async def ready(self) -> Scene:
        await self.until(lambda: self.model.loaded and not self.view.tasks.running("prompts.load"))
        await asyncio.sleep(0.03)
        return self

    async def open(self, trace: int) -> None:
        self.view.open_trace(trace)
        await self.until(lambda: not self.view.tasks.running("prompts.open"))
        assert self.model.trace.id == trace

    async def close(self) -> None:
        await self.panel.close()
        await self.stage.tasks.cancel()
        put_away(self.window)
        await self.stage.vault.close()
        assert self.stage.errors == []


@pytest.fixture
def play(tmp_path: Path, theme: Theme, qapp: QApplication) -> Callable[..., None]:
    """Run a coroutine function that gets an open scene over a stage with `replies` traces."""

    def go(act: Callable[[Scene], Awaitable[None]], *, replies: int = 3, background: int = 1) -> None:
        async def main() -> None:
            stage = await make_stage(tmp_path)
            if replies or background:
                await stage.fill(replies, background=background)
            scene = await Scene(stage, theme).ready()
            try:
                await act(scene)
            finally:
                await scene.close()

        run(main(), app=qapp)

    return go


def test_the_newest_reply_is_open_and_the_list_tells_of_all(play) -> None:
    async def act(scene: Scene) -> None:
        spoken = [scene.view.listed.rows.index(row).data() for row in range(4)]
        assert spoken[0] == "SmolLM2-135M · 80 tokens, Facts, 19:00:00"
        assert spoken[1] == ("Reply · SmolLM2-135M · 1,242 tokens, Main, 18:02:00, first word after 300 ms")
        assert scene.model.trace.id == 3
        assert scene.view.count.text() == "4 kept"

    play(act)


def test_opening_the_panel_shows_the_newest_reply_until_another_prompt_is_chosen(play) -> None:
    async def act(scene: Scene) -> None:
        async def reopened(*traces: PromptTrace) -> int:
            for trace in traces:
                await scene.stage.vault.traces.put(trace)
            scene.panel.activate()
            await scene.until(lambda: not scene.view.tasks.running("prompts.open"))
            return scene.model.trace.id

        turn = scene.stage.turns[0].id
        assert await reopened(reply_trace(START, turn=turn), background_trace(START)) == 5
        await scene.open(6)
        assert await reopened(reply_trace(START, turn=turn)) == 6
        await scene.open(7)
        assert await reopened(reply_trace(START, turn=turn)) == 8
        scene.panel.activate()
        scene.panel.show_place("2")
        await scene.until(lambda: scene.model.trace.id == 2)
        assert await reopened() == 2

    play(act)


def test_the_palette_leads_to_two_layouts(play) -> None:
    async def act(scene: Scene) -> None:
        (entry,) = scene.panel.palette_entries()
        assert entry.title == "Compare two layouts"
        assert {"layout", "order"} <= set(entry.words.split())
        entry.run()
        assert scene.gone == [("prompts", "")]
        assert scene.view.side.trial.isVisible()

    play(act)


def test_the_bar_shows_what_a_prompt_without_layers_takes(play) -> None:
    async def act(scene: Scene) -> None:
        await scene.open(4)
        bar = scene.view.middle.bar
        assert bar.accessibleName().endswith("tokens: Prompt 80")
        assert [span.width() > 0 for span in bar.spans()] == [True]

    play(act)


def test_a_prompt_is_read_by_layer_folded_and_searched(play) -> None:
    async def act(scene: Scene) -> None:
        await scene.open(3)
        middle = scene.view.middle
        assert scene.sheet.toPlainText() == scene.model.sheet.text
        middle.stack.setCurrentIndex(middle.stack.rows.index(2))
        assert scene.model.layer == "retrieved_context"
        assert scene.sheet.textCursor().block().text() == "What comes to mind:"
        assert scene.view.side.reason._title.text() == "Retrieved context"
        press(middle.stack, Qt.Key.Key_Space)
        hidden = scene.model.sheet.lines.index("- Jo asked about the ninth night.")
        assert not scene.sheet.document().findBlockByNumber(hidden).isVisible()
        scene.panel.find()
        middle.finder.field.setText("ninth night")
        assert scene.sheet.document().findBlockByNumber(hidden).isVisible()
        assert middle.finder.counter.text() == "1 of 1"
        middle.finder.field.setText("jo")
        total, first = len(scene.model.find.hits), scene.model.find.current
        press(middle.finder.field, Qt.Key.Key_Return)
        assert scene.model.find.current == (first + 1) % total
        press(middle.finder.field, Qt.Key.Key_Escape)
        press(middle.finder.field, Qt.Key.Key_Escape)
        assert (middle.finder.isVisible(), scene.model.find.hits) == (False, [])

    play(act)


def test_a_line_leads_to_its_turn_and_its_entry(play) -> None:
    async def act(scene: Scene) -> None:
        await scene.open(3)
        turn = scene.stage.turns[2]
        scene.sheet.go_to_line(scene.model.sheet.lines.index("[18:02 Jo] And the Heron?"))
        scene.model.choose_line(scene.sheet.textCursor().blockNumber())
        press(scene.sheet, Qt.Key.Key_Return)
        await scene.until(lambda: scene.gone)
        assert scene.gone == [("chat", f"{turn.channel}:{turn.id}")]
        lore = scene.view.side.lore.table
        lore.setCurrentIndex(lore.rows.index(1, 0))
        press(lore, Qt.Key.Key_Return)
        assert scene.gone[1] == ("lorebook", "Harbour/2")
        press(lore, Qt.Key.Key_Delete)
        assert scene.model.trial.items == (("lore", "Harbour/2"),)
        assert lore.rows.index(1, 0).data() == "out in trial"

    play(act)


def test_a_turn_that_was_erased_is_told_of_inline(play) -> None:
    async def act(scene: Scene) -> None:
        trace = await scene.stage.vault.traces.put(reply_trace(START, turn=7000))
        await scene.open(int(trace))
        scene.model.choose_line(scene.model.sheet.lines.index("[18:02 Jo] And the Heron?"))
        scene.view.show_first_source()
        await scene.until(lambda: not scene.view.notice.isHidden())
        assert "not in the log any more" in scene.view.notice.text
        assert scene.gone == []

    play(act)


def test_the_filter_narrows_the_list_and_says_where_nothing_fits(play) -> None:
    async def act(scene: Scene) -> None:
        view = scene.view
        view.left.purpose.setCurrentIndex(view.left.purpose.findData("rich_note"))
        assert view.listed.rows.rowCount() == 1
        view.left.search.setText("nowhere")
        assert (view.listed.rows.rowCount(), view.left.nothing.isVisible()) == (0, True)
        view.left.search.clear()
        view.left.purpose.setCurrentIndex(0)
        assert (view.listed.rows.rowCount(), view.left.nothing.isVisible()) == (4, False)

    play(act)


def test_a_prompt_is_copied_in_three_forms(play) -> None:
    async def act(scene: Scene) -> None:
        await scene.open(3)
        scene.view.do("sent")
        assert QGuiApplication.clipboard().text() == '{"model":"SmolLM2-135M"}'
        scene.view.do("text")
        assert QGuiApplication.clipboard().text().startswith("System:\nYou are Mira")
        scene.view.do("json")
        assert json.loads(QGuiApplication.clipboard().text())["layers"][0]["name"] == "character_card"
        assert scene.told == ["Copied."] * 3

    play(act)


def test_sliders_rank_again_under_the_hand_and_reset(play) -> None:
    async def act(scene: Scene) -> None:
        await scene.open(3)
        memory = scene.view.side.memory
        before = [row.key for row in memory.table.rows.rows]
        memory.weights.sliders["importance"].setValue(0)
        assert [row.state for row in memory.table.rows.rows[:2]] == ["would enter", "would enter"]
        assert "2 would enter, 2 would leave" in memory.summary.text()
        assert scene.view.side.trial.told.text() == "Other weights"
        memory.reset.click()
        assert [row.key for row in memory.table.rows.rows] == before
        assert memory.weights.sliders["importance"].value() == 12

    play(act)


def test_what_if_shows_both_prompts_and_streams_both_answers_without_storing(play) -> None:
    async def act(scene: Scene) -> None:
        await scene.open(3)
        rows, trial = await scene.stage.rows(), scene.view.side.trial
        scene.view.do("trial")
        trial.layers.setCurrentRow(2)
        press(trial.layers, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
        trial.layers.item(2).setCheckState(Qt.CheckState.Unchecked)
        memory = scene.view.side.memory.table
        memory.setCurrentIndex(memory.rows.index(0, 0))
        press(memory, Qt.Key.Key_Delete)
        trial.go.click()
        await scene.until(lambda: scene.model.pair is not None)
        variation = scene.stage.inspector.asked[-1]
        assert variation.without_layers == frozenset({"lorebook"})
        assert variation.order[:3] == ("character_card", "retrieved_context", "lorebook")
        assert len(variation.without_items) == 1
        assert scene.view.pair.summary.text() == "1 line differs · lorebook removed"
        left, right = scene.view.pair.answers
        assert left.text.toPlainText() == "She came in with the tide."
        scene.stage.inspector.gate.clear()
        scene.view.pair.both.click()
        await scene.until(lambda: right.text.toPlainText().startswith("I read"))
        assert right.go.text() == "Stop"
        right.go.click()
        await scene.until(lambda: right.caption.text() == "Stopped")
        scene.stage.inspector.gate.set()
        await scene.until(lambda: left.caption.text().startswith("Asked again"))
        assert left.text.toPlainText().endswith("recent_history final_reminder")
        right.go.click()
        await scene.until(lambda: right.caption.text().startswith("Asked again"))
        assert right.text.toPlainText() == "I read character_card retrieved_context recent_history final_reminder"
        assert await scene.stage.rows() == rows
        press(scene.view, Qt.Key.Key_Escape)
        assert scene.model.pair is None
        assert scene.view.left.isVisible()

    play(act)


def test_two_other_layouts_stand_beside_each_other(play) -> None:
    async def act(scene: Scene) -> None:
        await scene.open(3)
        scene.model.move_layer("lorebook", 1)
        scene.view.side.trial.go.click()
        await scene.until(lambda: scene.model.pair is not None)
        scene.view.pair.keep.click()
        scene.model.reset_trial()
        scene.model.switch_layer("retrieved_context", False)
        scene.view.side.trial.go.click()
        await scene.until(lambda: scene.model.pair.right.title != scene.model.pair.left.title)
        pair = scene.model.pair
        assert (pair.left.title, pair.right.title) == ("Other order", "Without retrieved context")
        assert [[one.name for one in side.trace.layers] for side in pair.sides] == [
            ["character_card", "retrieved_context", "lorebook", "recent_history", "final_reminder"],
            ["character_card", "lorebook", "recent_history", "final_reminder"],
        ]

    play(act)


def test_an_answer_to_a_trial_that_is_no_longer_shown_gives_way(play) -> None:
    async def act(scene: Scene) -> None:
        await scene.open(3)
        scene.view.do("try")
        await scene.until(lambda: scene.model.pair is not None)
        scene.stage.inspector.gate.clear()
        scene.view.ask(1)
        first = scene.model.pair.right
        await scene.until(lambda: first.answer.text)
        scene.model.switch_layer("lorebook", False)
        scene.view.do("try")
        await scene.until(lambda: scene.model.pair.right is not first)
        await scene.until(lambda: first.answer.state == "stopped")
        scene.view.ask(1)
        await scene.until(lambda: scene.model.pair.right.answer.text)
        scene.stage.inspector.gate.set()
        await scene.until(lambda: scene.model.pair.right.answer.state == "done")
        assert scene.model.pair.right.answer.text == (
            "I read character_card retrieved_context recent_history final_reminder"
        )

    play(act)


def test_the_lists_and_tables_are_proper_models(play, qtmodeltester) -> None:
    async def act(scene: Scene) -> None:
        await scene.open(3)
        scene.view.do("try")
        await scene.until(lambda: scene.model.pair is not None)
        side = scene.view.side
        tables = (side.memory.table, side.memory.signals, side.lore.table, scene.view.pair.table)
        lists = (scene.view.listed, scene.view.middle.stack)
        for view in (*tables, *lists):
            qtmodeltester.check(view.model())

    play(act)


def test_two_stored_prompts_are_compared_by_the_keyboard(play) -> None:
    async def act(scene: Scene) -> None:
        await scene.open(3)
        scene.view.do("compare")
        assert "Choose the other prompt" in scene.view.notice.text
        press(scene.view.listed, Qt.Key.Key_Down)
        await scene.until(lambda: scene.model.pair is not None)
        assert scene.model.pair.facts() == ["tokens: 1,242 → 1,241"]
        assert scene.view.pair.summary.text() == "The model reads the same in both."
        assert not scene.view.compare.isChecked()

    play(act)


def test_a_model_that_fails_is_told_beside_its_prompt(play) -> None:
    async def act(scene: Scene) -> None:
        await scene.open(3)
        scene.view.side.trial.go.click()
        await scene.until(lambda: scene.model.pair is not None)
        scene.stage.inspector.model_error = "The model server is not there."
        answer = scene.view.pair.answers[1]
        answer.go.click()
        await scene.until(lambda: scene.model.pair.right.answer.state == "failed")
        assert answer.caption.text() == "The model failed · The model server is not there."
        scene.stage.inspector.error = OutsideError("The vault is busy.", "Try again.", retryable=True)
        scene.view.side.trial.go.click()
        await scene.until(lambda: not scene.view.notice.isHidden())
        assert scene.view.notice.text == "The vault is busy. Try again."

    play(act)


def test_why_not_names_a_thing_and_gives_the_verdict(play) -> None:
    async def act(scene: Scene) -> None:
        await scene.open(3)
        scene.stage.inspector.things = [SimpleNamespace(kind="fact", id=8, text="Jo fears the ninth night.")]
        scene.view.do("why_not")
        asked = scene.view.side.questions.why_not
        assert scene.view.side.pages.shown == "questions"
        asked.search.setText("ninth")
        await scene.until(lambda: asked.table.rows.rows)
        assert asked.table.rows.index(0, 0).data() == "Fact 8: Jo fears the ninth night."
        press(asked.search, Qt.Key.Key_Return)
        await scene.until(lambda: scene.model.why_not.answer is not None)
        assert asked.verdict.text() == "fact 8 was out-ranked."

    play(act)


def test_what_would_be_held_back_elsewhere_is_told_first(play) -> None:
    async def act(scene: Scene) -> None:
        asked = scene.view.side.questions.audience
        asked.channel.setCurrentIndex(asked.channel.findText("The crew"))
        asked.text.setText("How is Ada?")
        press(asked.text, Qt.Key.Key_Return)
        await scene.until(lambda: scene.model.audience.rows)
        assert asked.summary.text() == "In The crew: 1 held back, 1 could be told."
        assert [asked.table.rows.index(row, 0).data() for row in (0, 1)] == ["held back", "told"]

    play(act)


def test_a_request_of_the_background_can_be_read_but_not_tried(play) -> None:
    async def act(scene: Scene) -> None:
        await scene.open(4)
        assert scene.model.trace.purpose == "rich_note"
        assert "Note what is said." in scene.sheet.toPlainText()
        trial = scene.view.side.trial
        assert not trial.go.isEnabled()
        assert trial.told.text() == "Only the prompt of a reply can be tried with changes."
        assert scene.view.middle.stack.isHidden()

    play(act)


def test_a_new_answer_joins_the_list_while_it_is_looked_at(play) -> None:
    async def act(scene: Scene) -> None:
        await scene.open(2)
        await scene.stage.vault.traces.put(reply_trace(START, turn=scene.stage.turns[0].id, tokens=9))
        await scene.until(lambda: scene.view.listed.rows.rowCount() == 5)
        assert scene.model.trace.id == 2
        assert scene.view.listed.current_trace() == 2

    play(act)


def test_without_prompts_the_panel_says_what_will_be_here(play) -> None:
    async def act(scene: Scene) -> None:
        assert scene.view.pages.currentWidget() is scene.view.empty
        scene.view.empty.button.click()
        assert scene.gone == [("chat", "")]

    play(act, replies=0, background=0)


def test_the_division_of_the_panel_is_kept(play) -> None:
    async def act(scene: Scene) -> None:
        scene.view.across.setSizes([300, 400, 400])
        scene.view.across.splitterMoved.emit(300, 1)
        sizes = scene.view.across.sizes()
        await scene.panel.close()
        again = PromptsView(PromptsModel(scene.stage.services, MIRA), scene.context)
        again.setParent(scene.window)
        again.setGeometry(scene.window.rect())
        again.show()
        again.load()
        await scene.until(lambda: again.model.trace is not None)
        assert again.across.sizes() == pytest.approx(sizes, abs=2)
        again.deleteLater()

    play(act)


def test_a_prompt_that_is_gone_is_told_of(play) -> None:
    async def act(scene: Scene) -> None:
        scene.panel.show_place("4711")
        await scene.until(lambda: not scene.view.notice.isHidden())
        assert "not kept any more" in scene.view.notice.text

    play(act)


@pytest.mark.slow
def test_five_hundred_prompts_are_listed_without_reading_them(play) -> None:
    """Opening the panel costs less than reading twenty of the prompts it lists."""

    async def act(scene: Scene) -> None:
        listing, reading = [], []
        for _ in range(5):
            model = PromptsModel(scene.stage.services, MIRA)
            view = PromptsView(model, scene.context)
            began = time.perf_counter()
            await model.load()
            view.listed.show_rows(model.now(), None)
            between = time.perf_counter()
            for number in range(100, 120):
                await model.open(number)
            listing.append(between - began)
            reading.append(time.perf_counter() - between)
            assert model.list.count == 500
            view.deleteLater()
        assert min(listing) < min(reading)

    play(act, replies=500, background=0)


@pytest.mark.parametrize("zoom", [1.0, 1.5])
@pytest.mark.parametrize("page", ["reason", "memory", "lore", "trial", "questions"])
def test_every_control_has_a_name_and_nothing_is_cut_off(play, theme: Theme, page: str, zoom: float) -> None:
    async def act(scene: Scene) -> None:
        theme.set_zoom(zoom)
        await scene.open(3)
        scene.view.side.pages.turn(page)
        scene.model.toggle_item(("fact", 8))
        await asyncio.sleep(0.05)
        for pair in (False, True):
            if pair:
                scene.view.side.trial.go.click()
                await scene.until(lambda: scene.model.pair is not None)
                await asyncio.sleep(0.05)
            assert (unnamed(scene.window), unreachable(scene.window), cut_off(scene.window)) == ([], [], [])

    play(act)
