"""The state of the timeline: handles, links, steps from change to change, playing, the window, filter and choice."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest

from familiar_app.domain.fact import NewFact, Subject
from familiar_app.domain.ids import FamiliarId, PersonKey
from familiar_app.store import fact_write
from familiar_app.store.fact_span import FactSpans, read_spans, read_wording
from familiar_app.store.fact_write import Stamp
from familiar_app.store.moment import to_micros
from familiar_app.ui.timeline.lane import Lanes
from familiar_app.ui.timeline.layout import LaneLayout
from familiar_app.ui.timeline.model import TimelineModel
from familiar_app.ui.timeline.prepare import Filter, prepare
from familiar_app.ui.timeline.scale import Scale
from familiar_app.ui.timeline.span_index import Moment
from familiar_app.ui.timeline.word import as_json, as_text, differences, picture_text
from tests.unit.store.test_fact_query import day, memory

MIRA = FamiliarId("mira")
ANN, BEN = PersonKey("discord:1"), PersonKey("discord:2")


def micros(number: float) -> int:
    return to_micros(day(0) + timedelta(days=number))


class Story:
    """Five facts: Ann moves (superseded on day 20), Ben has a plan, a job that ended, somebody's bridge."""

    def __init__(self) -> None:
        self.now = micros(25)
        self.told: list[str] = []
        self.model = TimelineModel(lambda: self.now)
        self.model.watch(self.told.append)
        with memory() as connection:

            def learn(at: int, text: str, who: PersonKey | None, since: int | None, until: int | None = None) -> int:
                about = () if who is None else (Subject(who, who[-1]),)
                valid = [None if one is None else day(one) for one in (since, until)]
                new = NewFact(MIRA, text, "rich_note", about, valid_from=valid[0], valid_to=valid[1])
                return fact_write.append_fact(connection, new, Stamp(day(at)))[0].id

            self.oslo = learn(2, "Ann lives in Oslo.", ANN, 1)
            self.job = learn(5, "Ben works at the harbour.", BEN, 0, 4)
            self.plan = learn(6, "Ben sails to Bergen.", BEN, 12, 15)
            self.bridge = learn(10, "The bridge is closed.", None, None)
            self.rome = learn(20, "Ann lives in Rome.", ANN, 8)
            fact_write.supersede_facts(connection, (self.oslo,), Stamp(day(20)), by=self.rome)
            self.spans, self.wording = read_spans(connection, MIRA), read_wording(connection, MIRA)
        self.model.take(prepare(self.spans, (), self.model.filter, self.model.axis))
        self.model.take_wording(self.wording)

    def shown(self) -> list[int]:
        return self.spans.ids[self.model.rows()].tolist()

    def show_only(self, wanted: Filter) -> None:
        self.model.show_filter(wanted, prepare(self.spans, self.model.texts, wanted, self.model.axis))


@pytest.fixture
def story() -> Story:
    return Story()


def test_it_opens_at_the_present_with_all_of_time_in_sight(story: Story) -> None:
    assert story.shown() == [story.rome, story.bridge]
    start, end = story.model.window
    assert start < micros(0) < micros(25) < end
    assert story.model.delta().size == 0


def test_linked_handles_move_together_and_apart_only_when_told(story: Story) -> None:
    story.model.move("as_of", micros(7))
    assert story.model.moment == Moment(micros(7), micros(7))
    assert story.shown() == [story.oslo]
    story.model.unlink()
    story.model.move("known_at", micros(21))
    assert story.model.moment == Moment(micros(7), micros(21))
    assert story.shown() == [story.bridge]
    story.model.move("as_of", micros(9))
    assert story.shown() == [story.rome, story.bridge]
    story.model.link(True)
    assert story.model.moment == Moment(micros(9), micros(9))
    assert story.shown() == [story.oslo]


def test_what_was_true_by_all_ever_believed(story: Story) -> None:
    story.model.move("as_of", micros(9))
    story.model.ignore_beliefs()
    assert story.shown() == [story.rome, story.bridge, story.oslo]
    story.model.unlink()
    assert not story.model.linked


def test_steps_go_to_the_next_change_and_say_what_it_was(story: Story) -> None:
    story.model.move("as_of", micros(19))
    story.model.step(1)
    assert story.model.moment.as_of == micros(20)
    changes = story.model.delta()
    assert [story.model.text(row) for row in changes.after] == ["Ann lives in Rome."]
    assert [story.model.text(row) for row in changes.before] == ["Ann lives in Oslo."]
    assert (len(changes.gained), len(changes.lost)) == (0, 0)
    story.model.step(-1)
    assert story.model.moment.as_of == micros(15)
    assert [story.model.text(row) for row in story.model.delta().after] == ["Ann lives in Oslo."]


def test_steps_visit_every_change_and_stop_at_both_ends(story: Story) -> None:
    story.model.move("as_of", micros(-3))
    seen = []
    while story.model.step(1):
        seen.append((story.model.moment.as_of, story.model.delta().size))
    # Day 5: a job that was over before it was learned changes nothing and is no step.
    assert [at for at, _ in seen] == [micros(one) for one in (2, 10, 12, 15, 20)]
    assert all(size > 0 for _, size in seen)
    assert not story.model.step(1)
    assert story.model.step(-1, count=10)
    assert story.model.moment.as_of == micros(2)
    assert not story.model.step(-1)


def test_a_step_of_one_clock_keeps_the_other(story: Story) -> None:
    story.model.go(Moment(micros(9), micros(3)))
    story.model.step(1, "known_at")
    assert story.model.moment == Moment(micros(9), micros(10))
    story.model.step(-1, "as_of")
    # The job is believed now, so the day on which it ended is a change.
    assert story.model.moment == Moment(micros(4), micros(10))


def test_changes_of_a_drag_count_from_where_it_began(story: Story) -> None:
    story.model.move("as_of", micros(11))
    story.model.begin_drag()
    for at in (12, 13, 16, 21):
        story.model.move("as_of", micros(at))
    assert len(story.model.delta().after) == 1
    assert story.model.previous == Moment(micros(11), micros(11))
    story.model.end_drag()
    story.model.move("as_of", micros(22))
    assert story.model.delta().size == 0


def test_playing_goes_from_change_to_change_to_the_end(story: Story) -> None:
    story.model.move("as_of", micros(1))
    story.model.play(True)
    seen = []
    while story.model.playing:
        seen.append(story.model.moment.as_of)
        story.model.play_step()
    assert seen == [micros(one) for one in (1, 2, 10, 12, 15, 20)]
    story.model.play(True)
    assert story.model.moment.as_of == micros(2) - 1
    story.model.play(False)
    assert not story.model.playing


def test_playing_skips_what_the_eye_could_not_follow(story: Story) -> None:
    story.model.move("as_of", micros(1))
    story.model.show_window(micros(-20000), micros(20000) - micros(-20000))
    story.model.play(True)
    story.model.play_step()
    assert story.model.moment.as_of == micros(20)


def test_zooming_keeps_the_instant_under_the_pointer(story: Story) -> None:
    before = Scale(*story.model.window, 800)
    story.model.zoom(0.25, micros(7))
    after = Scale(*story.model.window, 800)
    assert abs(before.x(micros(7)) - after.x(micros(7))) < 0.01
    assert after.end - after.start == pytest.approx((before.end - before.start) / 4, rel=1e-6)
    story.model.fit()
    assert story.model.window == story.model.whole


def test_the_window_stays_within_the_calendar_and_never_closes(story: Story) -> None:
    for _ in range(80):
        story.model.zoom(0.5, micros(7))
    assert story.model.window[1] - story.model.window[0] >= 2_000_000
    for _ in range(200):
        story.model.zoom(2.0, micros(7))
        story.model.pan(0.9)
    assert story.model.window[0] < story.model.window[1]


def test_a_filter_by_text_and_by_person(story: Story) -> None:
    story.model.move("as_of", micros(13))
    assert story.shown() == [story.bridge, story.plan, story.oslo]
    story.show_only(Filter("BERGEN"))
    assert story.shown() == [story.plan]
    story.show_only(Filter("", frozenset({ANN})))
    assert story.shown() == [story.oslo]
    assert story.model.edges().tolist() == [micros(2), micros(20)]
    story.show_only(Filter("nothing like this"))
    assert story.shown() == []
    assert not story.model.step(1)


def test_what_is_chosen_stays_when_facts_are_read_again(story: Story) -> None:
    story.model.choose((story.plan, story.oslo))
    story.model.move("as_of", micros(13))
    window = (micros(2), micros(3))
    story.model.show_window(window[0], window[1] - window[0])
    story.model.take(prepare(story.spans, (), Filter(), "world"))
    assert story.model.chosen == (story.plan, story.oslo)
    assert story.model.window == window
    assert story.model.moment.as_of == micros(13)
    none = np.empty(0, np.int64)
    story.model.take(prepare(FactSpans(*(none for _ in range(9)), (), ()), (), Filter(), "world"))
    assert story.model.chosen == ()
    assert story.shown() == []


def test_the_present_goes_on_while_it_is_looked_at(story: Story) -> None:
    story.now = micros(40)
    story.model.take(prepare(story.spans, (), Filter(), "world"))
    assert story.model.moment.as_of == micros(40)
    story.model.move("as_of", micros(13))
    story.now = micros(41)
    story.model.take(prepare(story.spans, (), Filter(), "world"))
    assert story.model.moment.as_of == micros(13)


def test_lanes_are_densities_when_deep_until_they_are_opened(story: Story) -> None:
    count = 30
    rows = np.arange(count, dtype=np.int64)
    start, end = rows * 10, rows * 10 + 100_000
    about = (rows, np.zeros(count, np.int64))
    spans = FactSpans(rows + 1, start, end, rows, start, end, rows * 0 - 1, *about, (ANN,), ("Ann",))
    lanes = Lanes(spans, "world")
    assert (lanes.depth.tolist(), lanes.dense(0)) == ([30], True)
    assert LaneLayout(lanes, 20, 4).height == 28
    lanes.toggle(0)
    assert LaneLayout(lanes, 20, 4).height == 608
    bars = LaneLayout(lanes, 20, 4).bars(0, Scale(0, 1000, 500), (0, 100))
    assert bars.line.tolist() == list(range(count))
    assert bars.left.tolist() == [n * 5.0 for n in range(count)]
    lanes.toggle(0)
    assert lanes.dense(0)


def test_no_lane_is_folded_where_all_fit_into_the_window() -> None:
    rows = np.arange(33, dtype=np.int64)
    start, end = rows * 10, rows * 10 + 100_000
    person = (rows >= 30).astype(np.int64)
    people = ((ANN, BEN), ("Ann", "Ben"))
    spans = FactSpans(rows + 1, start, end, rows, start, end, rows * 0 - 1, rows, person, *people)
    lanes = Lanes(spans, "world")
    assert lanes.depth.tolist() == [30, 3]
    whole = 33 * 20 + 2 * 8
    assert LaneLayout(lanes, 20, 4, room=whole).height == whole
    assert not lanes.dense(0)
    assert LaneLayout(lanes, 20, 4, room=whole - 1).height == 4 * 20 + 2 * 8
    assert lanes.dense(0)


def test_bars_too_narrow_to_see_are_drawn_once_for_each_spot() -> None:
    count = 3000
    rows = np.arange(count, dtype=np.int64)
    start = rows * 1000
    spans = FactSpans(
        rows + 1, start, start + 10, rows, start, start + 10, rows * 0 - 1, rows, rows * 0, (ANN,), ("A",)
    )
    bars = LaneLayout(Lanes(spans, "world"), 20, 4).bars(0, Scale(0, count * 1000, 400), (0, 5))
    assert 190 <= len(bars) <= 210


def test_two_moments_compared_as_text_and_as_data(story: Story) -> None:
    then, now = Moment(micros(13), micros(13)), Moment(micros(21), micros(21))
    found = differences(story.model, then, now)
    assert [(one.kind, one.fact, one.prior) for one in found] == [
        ("changed", story.rome, story.oslo),
        ("lost", story.plan, None),
    ]
    text = as_text(found, then, now, story.model.zone)
    assert "↻ [F#5] Ann lives in Rome.\n  before: [F#1] Ann lives in Oslo.\n− [F#3] Ben sails to Bergen." in text
    assert '"prior": null' in as_json(found, then, now)
    assert '"as_of": "2024-01-14T00:00:00Z"' in as_json(found, then, now)


def test_the_picture_in_words(story: Story) -> None:
    story.model.move("as_of", micros(19))
    story.model.step(1)
    text = picture_text(story.model)
    assert text.startswith("2 facts true and believed on 2024-01-21 00:00.")
    assert "0 gained, 0 lost, 1 changed" in text
    assert "Ann lives in Rome. (2024-01-09 00:00 – open)" in text
    assert "The bridge is closed. (always – open)" in text
