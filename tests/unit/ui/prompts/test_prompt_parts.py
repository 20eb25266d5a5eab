"""The parts of the prompts panel that know no Qt: list, sheet, search, stack, candidates, pairs, trials."""

from __future__ import annotations

import time
from datetime import UTC, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.conversation.why_not import WhyNot
from familiar_app.conversation.why_not_word import say
from familiar_app.domain.ranking import Weights
from familiar_app.domain.rerank import rerank
from familiar_app.domain.trace import LayerTrace, LeftOut, TracedMessage, TraceSummary, messages_as_sent
from familiar_app.domain.trace_diff import LineChange
from familiar_app.ui.prompts.candidate import Weighing
from familiar_app.ui.prompts.fact_line import fact_lines
from familiar_app.ui.prompts.find import Find, units
from familiar_app.ui.prompts.listing import TraceList, seconds, short_time
from familiar_app.ui.prompts.lore_row import lore_report
from familiar_app.ui.prompts.pair import Pair, PairRow, Side, folded, pair_rows
from familiar_app.ui.prompts.question import WhyNotQuestion
from familiar_app.ui.prompts.sheet import sheet_of
from familiar_app.ui.prompts.source import Source, sources_of
from familiar_app.ui.prompts.stack import stack_of
from familiar_app.ui.prompts.trial import Trial
from tests.unit.ui.prompts.stage import (
    LORE,
    LORE_TRACE,
    START,
    WEIGHTS,
    background_trace,
    candidates,
    reply_trace,
    varied,
)

TITLES = {"local:main": "Main", "local:crew": "The crew"}


def summary(number: int, **changes: object) -> TraceSummary:
    fields = {
        "id": number,
        "familiar": "mira",
        "channel": "local:main",
        "purpose": "reply",
        "at": START + timedelta(minutes=number),
        "model": "SmolLM2-135M",
        "tokens": 1200 + number,
        "first_token_ms": 420.0,
        "total_ms": 2000.0,
        "reply_turn_id": None,
        "error": None,
    }
    return TraceSummary(**{**fields, **changes})


# ---- the list


def listed(*summaries: TraceSummary) -> TraceList:
    made = TraceList(UTC)
    made.fill(summaries, TITLES)
    return made


def test_a_line_says_where_when_what_for_and_at_what_cost() -> None:
    lines = listed(summary(2), summary(1, error="no connection"), summary(3, purpose="rich_note", channel="x:y"))
    now = START + timedelta(hours=1)
    assert lines.line(0, now).spoken == ("Reply · SmolLM2-135M · 1,202 tokens, Main, 18:02:00, first word after 420 ms")
    assert (lines.line(1, now).short, lines.line(1, now).mark) == ("failed", "danger")
    assert (lines.line(2, now).place, lines.line(2, now).about.split(" · ")[0]) == ("y", "Facts")
    assert lines.purposes() == ["reply", "rich_note"]


def test_what_belongs_to_no_channel_is_headed_by_what_it_was_for() -> None:
    line = listed(summary(3, purpose="rich_note", channel="")).line(0, START)
    assert (line.place, line.about) == ("Facts", "SmolLM2-135M · 1,203 tokens")


def test_all_words_of_a_filter_have_to_be_there_and_the_purpose_fits() -> None:
    lines = listed(summary(3, channel="local:crew"), summary(2), summary(1, purpose="reflection"))
    lines.narrow("SMOL crew", "")
    assert [one.id for one in lines.shown] == [3]
    lines.narrow("", "reflection")
    assert [one.id for one in lines.shown] == [1]
    assert (lines.row_of(1), lines.row_of(2)) == (0, -1)
    lines.fill([summary(2)], TITLES)
    assert (lines.purpose, [one.id for one in lines.shown]) == ("", [2])


def test_lines_are_made_only_when_they_are_seen() -> None:
    lines = listed(*(summary(number) for number in range(500, 0, -1)))
    assert lines._lines == {}
    lines.line(3, START)
    assert list(lines._lines) == [497]


def test_times_are_the_owners_and_days_stand_where_they_are_needed() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    assert short_time(START, START + timedelta(hours=2), berlin) == "19:00:00"
    assert short_time(START, START + timedelta(days=2), berlin) == "2 Nov 19:00"
    assert short_time(START, START + timedelta(days=200), berlin) == "2 Nov 2026 19:00"
    assert (seconds(999), seconds(1500)) == ("999 ms", "1.5 s")


# ---- questions


def test_the_time_in_an_answer_is_the_owners() -> None:
    question = WhyNotQuestion()
    assert question.told(UTC) == ""
    word = say("later", at=START)
    question.answer = WhyNot("fact", 8, word.code, word.sentence, word.detail)
    assert question.told(ZoneInfo("Europe/Berlin")) == "It was not there yet: it came at 2026-11-02 19:00."
    question.answer = WhyNot("fact", 8, "cap", "There was no room left for it.")
    assert question.told(UTC) == "There was no room left for it."


# ---- the sheet


def test_each_line_of_a_prompt_knows_its_layer_and_its_turn() -> None:
    sheet = sheet_of(reply_trace(START, turn=5))
    assert sheet.lines[0] == "System"
    told = [(line, sheet.piece_at(number)) for number, line in enumerate(sheet.lines)]
    layers = {line: piece.layer for line, piece in told if piece is not None and line}
    assert layers["You are Mira, keeper of a lighthouse."] == "character_card"
    assert layers["- Jo asked about the ninth night."] == "retrieved_context"
    assert layers["(It is evening.)"] == "final_reminder"
    assert [piece.turn for line, piece in told if line == "[18:02 Jo] And the Heron?"] == [7]
    gaps = ["System", "", "", "", "User", "", "Assistant", "", "User", ""]
    assert [line for line, piece in told if piece is None] == gaps


def test_the_history_folds_as_one_across_its_messages() -> None:
    sheet = sheet_of(reply_trace(START))
    assert [run.layer for run in sheet.runs] == [
        "character_card",
        "lorebook",
        "retrieved_context",
        "recent_history",
        "final_reminder",
    ]
    history = sheet.runs[3]
    assert sheet.lines[history.first : history.end][0] == "[18:00 Jo] Good evening"
    assert sheet.run_at(history.first + 1) == history


def test_a_prompt_of_a_projector_has_lines_though_no_layers() -> None:
    trace = reply_trace(
        START, layers=(), messages=(TracedMessage(role="system", content="Note.", layer="instruction"),)
    )
    assert (sheet_of(trace).lines, stack_of(trace).rows) == (("System", "Note."), ())


PARTS = st.lists(
    st.tuples(st.sampled_from(["system", "user"]), st.text(max_size=30), st.sampled_from("abc"), st.booleans()),
    max_size=8,
)


@given(PARTS)
def test_every_line_of_any_prompt_belongs_to_one_piece_or_is_a_heading(parts: list) -> None:
    messages = tuple(
        TracedMessage(role=role, content=text, layer=layer, joined=joined) for role, text, layer, joined in parts
    )
    sheet = sheet_of(reply_trace(START, messages=messages))
    for number in range(len(sheet.lines)):
        assert (sheet.piece_at(number) is None) == (number in sheet.heads)
    body = "".join(line for number, line in enumerate(sheet.lines) if number not in sheet.heads)
    sent = "".join(one.content for one in messages_as_sent(messages))
    assert len(body) <= len(sent)
    assert not any(mark in line for line in sheet.lines for mark in "\r\u2028\u2029")


# ---- the search


def test_hits_are_counted_and_stepped_around_the_ends() -> None:
    find = Find()
    find.search("LAMP", ["a lamp", "🕯 lamp, lamp"], near=1)
    assert [(hit.line, hit.start, hit.end) for hit in find.hits] == [(0, 2, 6), (1, 3, 7), (1, 9, 13)]
    assert find.counter() == "2 of 3"
    find.step(1)
    find.step(1)
    assert find.counter() == "1 of 3"
    find.step(-1)
    assert find.counter() == "3 of 3"
    find.search("nothing", ["a lamp"])
    assert (find.counter(), find.here, find.step(1)) == ("Nothing found", None, None)


@given(st.text(max_size=40))
def test_columns_are_counted_as_a_text_field_counts_them(text: str) -> None:
    assert units(text) == len(text.encode("utf-16-le", "surrogatepass")) // 2


# ---- the stack


def test_a_layer_tells_its_share_why_it_is_here_and_what_it_left_out() -> None:
    stack = stack_of(reply_trace(START))
    card, history = stack.row("character_card"), stack.row("recent_history")
    assert (round(card.share, 3), round(card.fill, 3)) == (round(400 / 8192, 3), round(400 / 3000, 3))
    assert "Nothing it depends on has changed since the last prompt, so its text was kept." in card.reasons
    assert "Place 1 of 5, sent in a message of the system." in card.reasons
    assert "It took 400 of the 3,000 tokens it could have (13 %)." in card.reasons
    assert (history.summary, history.percent) == ("700 of 8,000 · 1 left out", "8 %")
    assert history.spoken == "Recent history, 700 of 8,000 tokens, 8 % of its budget, built anew, 1 left out"
    assert "Place 4 of 5, sent in messages of the user and the assistant." in history.reasons
    assert stack.free == 8192 - 512 - 1240


def test_the_budget_of_a_layer_is_the_most_it_may_have_not_what_it_was_given() -> None:
    given = LayerTrace(
        name="lorebook",
        key="k",
        cached=False,
        tokens=60,
        ms=1.0,
        text="x",
        budget_tokens=60,
        cap_tokens=800,
        left_out=(LeftOut(what="end of lorebook", tokens=40, reason="no room"),),
    )
    row = stack_of(reply_trace(START, layers=(given,))).row("lorebook")
    assert (row.budget, row.summary) == (800, "60 of 800 · 1 left out")
    assert row.reasons[-1] == "There was room for 60 of them beside the other layers."


def test_a_layer_that_took_little_of_its_budget_is_not_said_to_have_taken_nothing() -> None:
    card = reply_trace(START).layers[0]
    rows = stack_of(reply_trace(START, layers=(card.model_copy(update={"tokens": 2}),))).rows
    assert (rows[0].percent, rows[0].reasons[-1]) == ("< 1 %", "It took 2 of the 3,000 tokens it could have (< 1 %).")
    free = card.model_copy(update={"budget_tokens": None, "cap_tokens": None})
    (row,) = stack_of(reply_trace(START, layers=(free,))).rows
    assert (row.summary, row.percent, row.fill) == ("400", "", None)
    assert row.spoken == "Character card, 400 tokens, unchanged"


def test_hues_go_to_the_layers_that_sent_something_first() -> None:
    trace = reply_trace(START)
    empty = trace.layers[1].model_copy(update={"name": "reflections", "tokens": 0, "text": ""})
    hues = {row.name: row.hue for row in stack_of(trace.model_copy(update={"layers": (empty, *trace.layers)})).rows}
    assert hues == {
        "reflections": 5,
        "character_card": 0,
        "lorebook": 1,
        "retrieved_context": 2,
        "recent_history": 3,
        "final_reminder": 4,
    }


def test_the_prompt_as_a_whole_names_model_cost_and_outcome() -> None:
    facts = dict(fact_lines(reply_trace(START, id=3, error="stopped"), "Main", UTC))
    assert facts["Model"] == "SmolLM2-135M (llama cpp)"
    assert facts["First word after"] == "300 ms"
    assert facts["Sampling"] == "temperature 0.8, top p 0.95"
    assert facts["Outcome"] == "stopped before its end"
    assert (facts["For"], facts["Answer"]) == ("Reply in Main", "She came in with the tide.")
    assert dict(fact_lines(background_trace(START), "No channel", UTC))["For"] == "Facts"


# ---- candidates


def weighing() -> Weighing:
    made = Weighing(WEIGHTS)
    made.fill(reply_trace(START))
    return made


def test_candidates_tell_their_fate() -> None:
    rows = weighing().rows
    assert [row.state for row in rows] == [
        "kept", "kept", "just missed", "just missed", "just missed", "missed", "held back",
    ]  # fmt: skip
    assert rows[-1].why == "It was learned where not everybody here can read."
    assert rows[0].signals["bm25"].weight == 1.0


def test_moved_weights_say_at_once_what_would_enter_and_leave() -> None:
    made = weighing()
    before = [row.key for row in made.rows]
    made.set_weight("importance", 0.0)
    assert made.changed
    assert [row.id for row in made.rows[:2]] == [7, 8]
    assert made.summary() == "2 of 7 in the prompt, 1 held back · 2 would enter, 2 would leave"
    assert {row.state for row in made.rows[:2]} == {"would enter"}
    made.reset()
    assert ([row.key for row in made.rows], made.changed) == (before, False)


def test_a_moved_weight_costs_little_beside_the_ranking_itself() -> None:
    made, told = Weighing(WEIGHTS), reply_trace(START, candidates=candidates(200, 12))
    made.fill(told)
    moving, ranking = [], []
    for step in range(20):
        began = time.thread_time()
        made.set_weight("importance", step / 10)
        between = time.thread_time()
        rerank(told.candidates, made.weights, told.ranking)
        moving.append(between - began)
        ranking.append(time.thread_time() - between)
    # Less than twice as much on a quiet machine.
    assert min(moving) < 6 * min(ranking)


def test_a_prompt_without_memory_says_so() -> None:
    made = Weighing(WEIGHTS)
    made.fill(reply_trace(START, candidates=()))
    assert (made.rows, made.summary()) == ((), "Memory offered nothing.")


# ---- the lorebook


def test_the_lorebook_tells_what_fired_what_nearly_did_and_why() -> None:
    report = lore_report(LORE_TRACE)
    assert [(row.entry, row.state) for row in report.rows] == [
        ("The dark nights", "in"),
        ("The Heron", "nearly"),
        ("The market", "out"),
    ]
    assert report.rows[1].why == "“Heron” is there, but with other capitals."
    assert report.summary == "1 of 3 in · 21 of 800 tokens"
    assert lore_report(None).summary == "The lorebook was no layer of this prompt."


def test_a_reason_of_a_later_version_is_shown_as_it_is() -> None:
    verdict = {"entry": "E", "book": "B", "uid": "1", "pass": 1, "verdict": "out", "reason": "moon", "detail": {}}
    assert lore_report({"verdicts": [verdict]}).rows[0].why == "moon"


# ---- where a line came from


def test_a_line_leads_to_its_turn_its_fact_and_its_entry() -> None:
    trace = reply_trace(START, turn=5)
    sheet = sheet_of(trace)

    def of(text: str) -> list[tuple[str, str]]:
        number = next(at for at, line in enumerate(sheet.lines) if text in line)
        return [(one.panel, one.place) for one in sources_of(trace, sheet, number)]

    assert of("And the Heron?") == [("chat", "7")]
    assert of("nine nights") == [("lorebook", "Harbour/1")]
    kept = next(one for one in trace.candidates if one["kept"])
    shown = reply_trace(START, messages=(TracedMessage(role="system", content=f"- {kept['text']}", layer="x"),))
    assert sources_of(shown, sheet_of(shown), 1) == [Source("fact", kept["id"], f"Fact {kept['id']}")]
    assert sources_of(trace, sheet, 0) == []


# ---- two beside each other


def test_lines_that_replace_each_other_share_a_row() -> None:
    changes = [
        LineChange(" ", "one", "a"),
        LineChange("-", "two", "a"),
        LineChange("-", "three", "a"),
        LineChange("+", "zwei", "b"),
        LineChange(" ", "four", "a"),
        LineChange("+", "five", "a"),
    ]
    assert [(row.left, row.right, row.mark) for row in pair_rows(changes)] == [
        ("one", "one", "same"),
        ("two", "zwei", "changed"),
        ("three", None, "only_left"),
        ("four", "four", "same"),
        (None, "five", "only_right"),
    ]


@given(st.lists(st.sampled_from([" ", "-", "+"]), max_size=60))
def test_pairing_and_folding_lose_no_line(marks: list[str]) -> None:
    changes = [LineChange(mark, f"{mark}{number}", "a") for number, mark in enumerate(marks)]
    rows = list(pair_rows(changes))
    assert [row.left for row in rows if row.left is not None] == [one.text for one in changes if one.mark in " -"]
    assert [row.right for row in rows if row.right is not None] == [one.text for one in changes if one.mark in " +"]
    shown = list(folded(rows))
    assert sum(row.count or 1 for row in shown) == len(rows)
    assert [row for row in shown if row.mark not in ("same", "folded")] == [row for row in rows if row.mark != "same"]


def test_a_pair_says_how_the_two_differ() -> None:
    trace = reply_trace(START, id=1)
    trial = Trial()
    trial.fill([one.name for one in trace.layers])
    trial.switch("lorebook", False)
    other = varied(trace, trial.variation(None))
    pair = Pair(Side("a", trace), Side("b", other))
    assert pair.summary() == "1 line differs · lorebook removed"
    assert PairRow(LORE, None, "only_left", "lorebook") in pair.rows()
    assert len(pair.rows()) < len(pair._rows)
    pair.whole = True
    assert pair.rows() == list(pair._rows)
    assert Pair(Side("a", trace), Side("b", trace)).summary() == "The model reads the same in both."
    assert (pair.left.answer.state, pair.right.answer.state) == ("then", "none")


def test_a_pair_says_what_the_right_alone_had_to_leave_out() -> None:
    trace = reply_trace(START, id=1)
    memory = trace.layers[2].model_copy(
        update={"left_out": (LeftOut(what="memory", tokens=0, reason="the search index is not ready yet"),)}
    )
    other = trace.model_copy(update={"layers": (*trace.layers[:2], memory, *trace.layers[3:])})
    assert Pair(Side("a", trace), Side("b", other)).facts() == [
        "left out at the right: memory (the search index is not ready yet)"
    ]
    assert Pair(Side("a", other), Side("b", other)).facts() == []


# ---- trials


def test_a_trial_is_a_variation_and_a_title() -> None:
    trial = Trial()
    trial.fill(["card", "lorebook", "history"])
    assert (trial.variation(None).to_json(), trial.told(None)) == (None, "Nothing changed")
    trial.switch("lorebook", False)
    assert trial.move("history", -1) == 1
    assert trial.toggle_item(("fact", 7))
    made = trial.variation(WEIGHTS)
    assert made.without_layers == frozenset({"lorebook"})
    assert made.order == ("card", "history", "lorebook")
    assert made.without_items == frozenset({("fact", 7)})
    assert made.weights is WEIGHTS
    assert trial.told(WEIGHTS) == "Without lorebook, without fact 7, other order, other weights"
    assert not trial.toggle_item(("fact", 7))
    trial.toggle_item(("lore", "Salt Harbour/3"))
    assert trial.told(None) == "Without lorebook, without lorebook entry Salt Harbour/3, other order"
    trial.reset()
    assert trial.variation(None).to_json() is None


@pytest.mark.parametrize(("step", "place"), [(-1, 0), (1, 1), (9, 2)])
def test_a_layer_stays_among_the_others_however_far_it_is_moved(step: int, place: int) -> None:
    trial = Trial()
    trial.fill(["a", "b", "c"])
    assert trial.move("a", step) == place
    assert sorted(one.name for one in trial.layers) == ["a", "b", "c"]


def test_weights_stay_within_their_range() -> None:
    made = weighing()
    made.set_weight("bm25", 7.0)
    made.set_weight("facts", -1.0)
    assert (made.weights.bm25, made.weights.facts) == (2.0, 0.0)
    assert isinstance(made.weights, Weights)
