"""Finding people's names in a cue."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.ids import PersonKey
from familiar_app.domain.name_cue import NameBook

ANN, BEN, WILL, MARY = (PersonKey(f"discord:{n}") for n in range(1, 5))
BOOK = NameBook([(ANN, "Ann"), (ANN, "annie_92"), (BEN, "Ben"), (WILL, "Will"), (MARY, "Mary Jane Watson")])


@pytest.mark.parametrize(
    ("cue", "people", "rest"),
    [
        ("What did Ann cook?", (ANN,), "What did cook?"),
        ("Where is ann's brother", (ANN,), "Where is brother"),
        ("Where is Ann’s brother", (ANN,), "Where is brother"),
        ("annie_92 and BEN at the lake", (ANN, BEN), "and at the lake"),
        ("What will happen", (), "What will happen"),
        ("What will Will do", (WILL,), "What will do"),
        ("mary jane watson called", (MARY,), "called"),
        ("did Mary call", (MARY,), "did call"),
        ("Annabel and Benno", (), "Annabel and Benno"),
        ("Ann?", (ANN,), "Ann?"),
        ("", (), ""),
    ],
)
def test_names_are_found_and_taken_out(cue: str, people: tuple[PersonKey, ...], rest: str) -> None:
    found = BOOK.read(cue)
    assert (found.people, found.rest) == (people, rest)


def test_a_name_that_two_people_had_means_both() -> None:
    assert set(NameBook([(ANN, "Cass"), (BEN, "cass")]).read("where is Cass").people) == {ANN, BEN}


def test_a_full_name_goes_before_somebody_elses_first_name() -> None:
    book = NameBook([(ANN, "Sam"), (BEN, "Sam Gamgee")])
    assert book.read("Sam Gamgee's garden").people == (BEN,)
    assert book.read("Sam's garden").people == (ANN,)


@given(st.text(max_size=60))
def test_a_cue_without_known_names_keeps_its_words(text: str) -> None:
    found = NameBook([]).read(text)
    assert found.people == ()
    assert found.rest.split() == text.split()
