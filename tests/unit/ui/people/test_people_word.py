"""How people are written down: months without gaps, what the plot says, both clocks of a fact, names."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as some

from familiar_app.domain.turn import NameSpan
from familiar_app.store.person_count import MonthCount
from familiar_app.ui.people.word import name_line, plot_words, short, whole_span

MONTHS = some.dictionaries(
    some.tuples(some.integers(2015, 2030), some.integers(1, 12)), some.integers(1, 900), max_size=9
)


@given(MONTHS)
def test_every_month_between_the_first_and_the_last_is_there_once(counted: dict[tuple[int, int], int]) -> None:
    months = [MonthCount(year, month, turns) for (year, month), turns in sorted(counted.items())]
    whole = whole_span(months)
    places = [one.year * 12 + one.month for one in whole]
    assert places == list(range(places[0], places[-1] + 1)) if places else not months
    assert [one for one in whole if one.turns] == months


def test_the_plot_is_told_in_a_sentence() -> None:
    assert plot_words([]) == "No messages yet."
    assert plot_words([MonthCount(2024, 2, 1)]) == "1 message, all in Feb 2024."
    months = whole_span([MonthCount(2023, 11, 2), MonthCount(2024, 1, 1200)])
    assert plot_words(months) == "1,202 messages from Nov 2023 to Jan 2024; most in Jan 2024: 1,200."


def test_a_name_says_what_it_was_where_and_when() -> None:
    since, until = datetime(2024, 1, 2, tzinfo=UTC), datetime(2024, 3, 4, tzinfo=UTC)
    assert name_line(NameSpan("Annie", "nickname", since, until, "discord:9"), UTC) == (
        "Annie · nickname in 9 · 2024-01-02 – 2024-03-04"
    )
    assert name_line(NameSpan("ann", "username", since, None), UTC) == "ann · username · 2024-01-02 – today"


def test_a_long_message_is_shortened_to_one_line() -> None:
    assert short("a\n b") == "a b"
    assert short("x" * 200, 5) == "xxxx…"
