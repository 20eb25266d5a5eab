"""How reflections are written down: what became of a fact, where the timeline shows it, which page is in sight."""

from __future__ import annotations

from datetime import UTC, datetime

from familiar_app.domain.fact import Belief, Cause, Fact, FactId
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.interval import Interval
from familiar_app.store.reflection_page import Lapsed
from familiar_app.ui.reflections.word import came_of, lapsed_place, lapsed_words, page_words, too_little

AT = datetime(2024, 2, 1, 9, 30, tzinfo=UTC)


def fact(number: int, text: str) -> Fact:
    held = Belief(Interval(AT, None), Cause.LEARNED, None, None, None, None)
    return Fact(
        FactId(number), FamiliarId("mira"), text, (), (), None, None, "rich_note", Interval(None, None), (held,)
    )


def test_a_lapsed_fact_is_told_with_what_took_its_place() -> None:
    replaced = Lapsed(fact(3, "Ann lives in Oslo."), AT, fact(9, "Ann lives in Rome."))
    assert lapsed_words(replaced, UTC) == (
        "F#3 “Ann lives in Oslo.” was replaced by F#9 “Ann lives in Rome.” on 2024-02-01 09:30."
    )
    assert (
        lapsed_words(Lapsed(replaced.fact, AT, None), UTC)
        == "F#3 “Ann lives in Oslo.” was retired on 2024-02-01 09:30."
    )
    assert lapsed_place(replaced) == "3@2024-02-01T09:30:00Z"


def test_counts_are_told() -> None:
    assert too_little(1, 20) == "Too little was said to think about: 1 message since the last time, 20 are needed."
    assert (came_of(0), came_of(1), came_of(2)) == (
        "Nothing came up that rests on what was said.", "1 new thought.", "2 new thoughts.",
    )  # fmt: skip
    assert page_words(20, [1, 2], 1022) == "21–22 of 1,022 thoughts"
    assert page_words(0, [1], 1) == "1 thought"
