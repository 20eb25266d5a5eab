"""Facts out of an extractor's answer: importance, ids, names, dates, caps."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.contradiction import Verdict, rejected_verdicts, verdicts_of
from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import FamiliarId, PersonKey, TurnId
from familiar_app.domain.kept_answer import KeptAnswer, decode
from familiar_app.domain.note import NoteBatch, batch_of, importance_of, notes_of, sources_of

ANN, NAMESAKE, EGO = PersonKey("discord:1"), PersonKey("discord:5"), PersonKey("ego:mira")
BATCH = NoteBatch(
    FamiliarId("mira"),
    (TurnId(3), TurnId(4), TurnId(7)),
    frozenset({TurnId(7)}),
    {ANN: "Ann", NAMESAKE: "Mira K", EGO: "Mira"},
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
ITEM = st.fixed_dictionaries(
    {},
    optional={
        "text": st.text(max_size=40) | ANYTHING,
        "source_turn_ids": ANYTHING | st.lists(st.sampled_from([3, 4, 7, 9])),
        "subject_keys": ANYTHING | st.lists(st.sampled_from([ANN, EGO, "x"])),
        "valid_from": ANYTHING | st.datetimes().map(str),
        "valid_to": ANYTHING | st.datetimes().map(str),
        "importance": ANYTHING,
    },
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (7, 7), (0, 1), (-3, 1), (11, 10), (10**400, 10), (6.9, 6), ("8", 8), (" 9.9 ", 9), ("-2", 1), ("1000", 10),
        (True, None), (None, None), ("high", None), ("8/10", None), ("", None), ([5], None), ({}, None),
        (float("nan"), None), (float("inf"), None), ("1e3", None), ("1_0", None),
    ],
)  # fmt: skip
def test_importance_is_cut_and_clamped_or_nothing(value: object, expected: int | None) -> None:
    assert importance_of(value) == expected


def test_sources_that_were_not_shown_are_dropped_and_none_means_all() -> None:
    shown = BATCH.turns
    assert sources_of([7, 99, 3, 3], shown) == (3, 7)
    assert sources_of(["T#4", "3", 7.0, True], shown) == (3, 4, 7)
    for nothing in ([], [99], None, "none", {"a": 3}, [None, [4]]):
        assert sources_of(nothing, shown) == shown


def only(**item: Any) -> Any:
    notes = notes_of([{"text": "Ann sings.", "source_turn_ids": [3], **item}], BATCH, "rich_note")
    return notes.kept[0][1] if notes.kept else None


def test_names_come_from_the_manifest_and_strangers_are_dropped() -> None:
    new = only(subject_keys=["discord:1", "discord:1", "Ann", "ego:nia", 5], display_at_write="Queen")
    assert [(subject.key, subject.display_at_write) for subject in new.subjects] == [(ANN, "Ann")]
    assert only(subject_keys=None).subjects == ()
    assert [subject.key for subject in only(subject_keys="discord:1").subjects] == [ANN]


def test_dates_that_are_none_say_nothing() -> None:
    new = only(valid_from="last spring", valid_to=20240101)
    assert (new.valid_from, new.valid_to) == (None, None)
    new = only(valid_from="2024-05-01", valid_to="2024-01-01")
    assert (new.valid_from, new.valid_to) == (None, None)
    new = only(valid_to="2019-06-30")
    assert new.valid_to.isoformat() == "2019-06-30T00:00:00+00:00"
    assert only(valid_from="0001-01-01T00:00:00+14:00").valid_from is None


def test_a_namesake_may_be_unable() -> None:
    assert only(text="Mira cannot swim.", subject_keys=[NAMESAKE]) is not None
    assert only(text="Mira cannot swim.", subject_keys=[NAMESAKE, EGO]) is None
    assert only(text="Mira cannot swim.", subject_keys=[ANN]) is None
    assert only(text="Mira cannot swim.") is None
    assert only(text="I cannot swim.", subject_keys=[NAMESAKE]) is None


def test_at_most_a_hundred_items_and_no_endless_texts() -> None:
    notes = notes_of([{"text": f"Ann has {n} boats."} for n in range(130)], BATCH, "rich_note")
    assert [place for place, _ in notes.kept] == list(range(100))
    assert notes.rejected == {"too many": 30}
    notes = notes_of([{"text": "x" * 3000}, {"text": " «» "}, "Ann", {"text": 5}, None], BATCH, "rich_note")
    assert (notes.kept, notes.rejected) == ((), {"too long": 1, "no text": 4})
    assert notes_of({"text": "Ann sings."}, BATCH, "rich_note").kept == ()


@given(st.lists(ITEM, max_size=5) | ANYTHING)
def test_whatever_comes_only_shown_turns_and_people_get_in(answer: object) -> None:
    for _, new in notes_of(answer, BATCH, "rich_note").kept:
        assert new.source_turns
        assert set(new.source_turns) <= set(BATCH.turns)
        assert {subject.key for subject in new.subjects} <= set(BATCH.people)
        assert all(subject.display_at_write == BATCH.people[subject.key] for subject in new.subjects)
        assert new.importance is None or 1 <= new.importance <= 10
        if set(new.source_turns) <= BATCH.own:
            assert {subject.key for subject in new.subjects} <= {EGO}
        if new.valid_from is not None and new.valid_to is not None:
            assert new.valid_from < new.valid_to


def test_what_merely_hands_the_request_back_is_no_fact() -> None:
    texts = [
        "Turns: [T#21 2023-05-25T13:15:20Z local:main | Ann (discord:1)]",
        "[F # 7] Ann sings.",
        "Ann sings in F# minor.",
    ]
    notes = notes_of([{"text": text} for text in texts], BATCH, "rich_note")
    assert [new.text for _, new in notes.kept] == ["Ann sings in F# minor."]
    assert notes.rejected == {"echo of the request": 2}


def test_a_batch_survives_the_ledger() -> None:
    text = KeptAnswer([{"text": "é"}], BATCH.as_basis(), newest_turn=9).encode()
    kept = decode(text)
    assert batch_of(kept.basis, BATCH.familiar) == BATCH
    assert (kept.value, kept.newest_turn, kept.malformed) == ([{"text": "é"}], 9, False)


def test_verdicts_are_about_what_was_shown_each_once() -> None:
    shown = [FactId(1), FactId(2), FactId(3)]
    answer = [{"reason": " moved ", "id": 2}, 3, {"id": "F#1", "reason": 5}, 2, 99, {"id": None}, "x", True, [1]]
    assert verdicts_of(answer, shown) == [Verdict(FactId(2), "moved"), Verdict(FactId(3), ""), Verdict(FactId(1), "")]
    assert rejected_verdicts(answer, shown) == {"not shown": 1, "no id": 3}
    assert verdicts_of("none", shown) == []
    assert rejected_verdicts("none", shown) == {}
