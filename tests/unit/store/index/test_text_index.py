"""The index itself: terms of any script, scopes inside the query, exchange of documents."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from familiar_app.store.index.analysis import day_words, spaced
from familiar_app.store.index.text_index import FACT, FEW_TERMS, TURN, FactDocument, IndexFailedError, Scope, TextIndex

EVERYTHING = Scope()


@pytest.fixture
def index() -> Iterator[TextIndex]:
    made = TextIndex(writers=1, heap_bytes=15_000_000)
    yield made
    made.close()


def found(index: TextIndex, cue: str, scope: Scope = EVERYTHING, people: tuple[str, ...] = ()) -> list[int]:
    searcher = index.commit()
    return [number for _kind, number, _score in searcher.search(searcher.terms(cue), people, scope, 10)]


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("She was painting the sunrises", "What did she paint at sunrise?"),
        ("Ein schöner Käse", "SCHONER KASE"),
        ("黒猫が好きです", "猫"),
        ("黒猫が好きです", "好きな黒猫"),
        ("오늘 비가 왔어요", "비가"),
        ("กินข้าวแล้ว", "ข้าว"),
        ("Где моя тетрадь?", "тетрадь"),
        ("ﬁne ﬂour", "fine flour"),
        ("شكرا جزيلا", "شكرا"),
        ("see you in May", "may"),
    ],
)
def test_a_cue_of_any_script_finds_its_text(index: TextIndex, text: str, cue: str) -> None:
    index.add_turns([(1, 1, "a", spaced(text)), (2, 1, "a", "something else")])
    assert found(index, cue) == [1]


def test_common_words_find_nothing(index: TextIndex) -> None:
    index.add_turns([(1, 1, "a", "that is what you have")])
    assert index.commit().terms("What is that? Who are you?") == []
    assert found(index, "What is that? Who are you?") == []


def test_a_cue_is_bounded_and_its_terms_distinct(index: TextIndex) -> None:
    searcher = index.commit()
    assert searcher.terms("cats cat CATS") == ["cat"]
    assert len(searcher.terms(" ".join(f"word{n}" for n in range(500)))) == 64
    assert searcher.terms("x" * 100_000) == []


def test_scopes_hold_inside_the_query(index: TextIndex) -> None:
    # Ten thousand others score just as well; one of them alone is in scope.
    index.add_turns([(n, 1, "a", "lake house") for n in range(1, 10_001)])
    index.add_turns([(10_001, 2, "a", "lake house")])
    assert found(index, "lake", Scope(channels=(2,))) == [10_001]
    assert found(index, "lake", Scope(last_turn=1)) == [1]
    assert found(index, "lake", Scope(window_channel=1, window_from=2)) in ([1, 10_001], [10_001, 1])
    assert found(index, "lake", Scope(channels=())) == []


@pytest.mark.parametrize("closed", [None, (3,), (1, 3, 4)])
def test_leaving_channels_out_finds_the_same_as_taking_the_others(
    index: TextIndex, closed: tuple[int, ...] | None
) -> None:
    index.add_turns([(1, 1, "a", "lake house"), (2, 2, "a", "lake house"), (3, 3, "a", "lake house")])
    index.add_facts(
        [FactDocument(7, FACT, "mira", (3,), (), "a lake"), FactDocument(8, FACT, "mira", (4,), (), "lake")]
    )
    channels = (2,) if closed == (1, 3, 4) else (1, 2)
    scope = Scope((TURN, FACT), channels=channels, closed=closed, familiar="mira", fact_channels=(3,))
    assert sorted(found(index, "lake", scope)) == sorted((*channels, 7))
    assert sorted(found(index, "lake", scope._replace(kinds=(TURN,)))) == sorted(channels)
    assert found(index, "lake", scope._replace(kinds=(FACT,))) == [7]


@pytest.mark.parametrize("more", [0, FEW_TERMS, 4 * FEW_TERMS])
def test_a_place_among_few_is_found_like_one_among_many(index: TextIndex, more: int) -> None:
    index.add_turns([(1, 1, "a", "lake house"), (2, 2, "a", "lake house")])
    facts = [(7, (1,), "a lake"), (8, (2,), "lake")]
    index.add_facts([FactDocument(number, FACT, "mira", own, (), text) for number, own, text in facts])
    places = (1, *range(100, 100 + more))
    scope = Scope((TURN, FACT), channels=places, familiar="mira", fact_channels=places)
    assert sorted(found(index, "lake", scope)) == [1, 7]
    assert sorted(found(index, "lake", scope._replace(channels=(1, 2, *places[1:]), closed=places[1:]))) == [1, 2, 7]


def test_one_current_fact_is_found_among_retired_look_alikes(index: TextIndex) -> None:
    def fact(number: int, familiar: str = "mira", **clocks: int) -> FactDocument:
        return FactDocument(number, FACT, familiar, None, ("a:ann",), "Ann lives in Leeds", **clocks)

    index.add_facts([fact(n, believed_from=10, believed_until=20) for n in range(1, 2001)])
    index.add_facts([fact(3000, believed_from=15), fact(4000, "other", believed_from=15)])
    index.add_facts([fact(5000, believed_from=15, true_from=100, true_until=200)])

    def scope(**values: int) -> Scope:
        return Scope((FACT,), familiar="mira", **values)

    assert found(index, "Leeds", scope(believed_at=30, not_ended_by=250)) == [3000]
    assert sorted(found(index, "Leeds", scope(believed_at=30, true_at=150))) == [3000, 5000]
    assert found(index, "Leeds", scope(believed_at=30, true_at=200)) == [3000]
    assert len(found(index, "Leeds", scope(believed_at=14))) == 10
    assert found(index, "Leeds", scope(believed_at=9)) == []
    assert sorted(found(index, "Leeds", scope(believed_at=20, not_ended_by=0))) == [3000, 5000]


def test_a_fact_believed_twice_is_found_in_both_stretches(index: TextIndex) -> None:
    stretches = [(10, 20), (30, 40)]
    index.add_facts(
        [FactDocument(7, FACT, "mira", None, (), "tea", believed_from=a, believed_until=b) for a, b in stretches]
    )
    at = {n: found(index, "tea", Scope((FACT,), familiar="mira", believed_at=n)) for n in (10, 19, 20, 30, 40)}
    assert at == {10: [7], 19: [7], 20: [], 30: [7], 40: []}


def test_turns_and_facts_of_one_number_stay_apart(index: TextIndex) -> None:
    index.add_turns([(7, 1, "a", "green tea")])
    index.add_facts([FactDocument(7, FACT, "mira", None, (), "black tea")])
    assert found(index, "green black") == [7]
    index.remove(TURN, [7])
    searcher = index.commit()
    both = Scope((TURN, FACT), familiar="mira")
    assert [hit[:2] for hit in searcher.search(searcher.terms("tea"), (), both, 10)] == [(FACT, 7)]


def test_people_match_what_they_said(index: TextIndex) -> None:
    index.add_turns([(1, 1, "a:ann", "soup"), (2, 1, "a:ben", "soup")])
    assert found(index, "soup", people=("a:ben",)) == [2, 1]
    assert found(index, "", people=("a:ann",)) == [1]


def test_an_exchanged_turn_is_found_by_its_new_text_alone(index: TextIndex) -> None:
    index.add_turns([(1, 1, "a", "old words")])
    assert found(index, "old") == [1]
    index.remove(TURN, [1])
    index.add_turns([(1, 1, "a", "new words")])
    assert (found(index, "old"), found(index, "new")) == ([], [1])


def test_a_text_outside_is_scored_like_one_inside(index: TextIndex) -> None:
    index.add_turns([(n, 1, "a", f"the red boat number {n} sails slowly over there today my dear") for n in range(50)])
    index.add_turns([(99, 1, "a", "a blue kite flies over one hill after another while children watch it go")])
    searcher = index.commit()
    terms = searcher.terms("blue kite")
    inside = searcher.search(terms, (), EVERYTHING, 1)[0][2]
    outside = searcher.score(terms, (), "a blue kite flies over one hill after another while children watch it go", ())
    assert outside == pytest.approx(inside, rel=0.25)
    assert searcher.score(terms, (), "nothing of that", ()) == 0


def test_dates_are_words_whatever_the_century() -> None:
    day = 86_400_000_000
    assert day_words(0) == "Thursday 1 January 1970"
    assert day_words(day - 1) == "Thursday 1 January 1970"
    assert day_words(-1) == "Wednesday 31 December 1969"
    assert day_words(19_485 * day) == "Monday 8 May 2023"


def test_a_failure_of_the_engine_is_known_as_one(index: TextIndex) -> None:
    index.add_turns([(1, 1, "a", "x")])
    searcher = index.commit()
    with pytest.raises(IndexFailedError):
        searcher.search(["x"], (), Scope(channels=(1 << 70,)), 10)
