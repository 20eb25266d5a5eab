"""Names, keys and quoted texts are taken out, whole words only, and a second time changes nothing."""

from __future__ import annotations

import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.redaction import REMOVED, SOMEONE, Redaction, usable_names

KEY = "discord:4242424242"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Bobadil sails.", "someone sails."),
        ("BOBADIL's ship, @bobadil!", "someone's ship, someone!"),
        ("Bobadilla sings and bobadilish is no word.", "Bobadilla sings and bobadilish is no word."),
        ("Captain  Bobadil came.", "someone came."),
        ("Ask <@4242424242> or <@!4242424242> or 4242424242.", "Ask someone or someone or someone."),
        (f"The key {KEY} is his.", "The key someone is his."),
        ("Will he? I will ask Will.", "someone he? I will ask someone."),
        ("we met Al at the mall", "we met someone at the mall"),
        ("al dente", "al dente"),
    ],
)
def test_a_name_is_found_as_a_whole_word(text: str, left: str) -> None:
    redaction = Redaction(["Bobadil", "Captain Bobadil", "Will", "Al"], [KEY])
    assert redaction.text(text) == left


def test_what_they_said_is_taken_out_where_it_is_quoted() -> None:
    said = "I keep a green parrot. It is called Zanzibar.\nYes."
    redaction = Redaction(["Bobadil"], [], [said])
    assert redaction.text("> I keep a green  parrot.\nReally?") == f"> {REMOVED}\nReally?"
    assert redaction.text("Bobadil: It is called Zanzibar. Good.") == f"someone: {REMOVED} Good."
    assert redaction.text("He said “I keep a green parrot.” and left.") == f"He said “{REMOVED}” and left."
    assert redaction.text("> Yes.") == "> Yes.", "too short to be told from what anybody says"


def test_whoever_says_the_same_is_not_quoting() -> None:
    said = "I keep a green parrot."
    assert Redaction(["Bobadil"], [], [said]).text(said) == said
    assert Redaction(["Bobadil"], [], [said]).text(f"Ben: {said}") == f"Ben: {said}"
    assert Redaction([], [], [said], anywhere=True).text(f"Known: {said}") == f"Known: {REMOVED}"


def test_a_story_loses_the_sentences_that_name_them() -> None:
    redaction = Redaction(["Bobadil"], [])
    assert redaction.without_sentences("Ann paints. Bobadil sails!\nIt rained.") == "Ann paints. It rained."
    assert redaction.without_sentences("Bobadil sails.") == ""


def test_json_loses_entries_of_the_key_and_keeps_its_own_fields() -> None:
    redaction = Redaction(["text", "Bobadil"], [KEY])
    kept = {
        "act": "text",
        "people": {KEY: "Bobadil", "discord:1": "Ann"},
        "text": "for Bobadil",
        "who": [KEY, "discord:1"],
    }
    assert json.loads(redaction.stored(json.dumps(kept))) == {
        "act": "text", "people": {"discord:1": "Ann"}, "text": "for someone", "who": ["discord:1"],
    }  # fmt: skip


def test_a_name_that_somebody_else_has_too_stays_in_texts() -> None:
    assert usable_names(["Ann", "Bobadil Smith", "X"], {"ann"}) == (["Bobadil Smith", "Bobadil"], ["Ann"])
    assert usable_names(["Ann Smith"], {"ann"}) == (["Ann Smith"], [])


WORDS = st.text(string.ascii_letters, min_size=2, max_size=8)
TEXTS = st.lists(st.one_of(WORDS, st.sampled_from([" ", ". ", "\n", "@", "'s ", ": ", "[", '"'])), max_size=20)


@given(st.lists(WORDS, min_size=1, max_size=4), TEXTS)
def test_twice_is_once_and_no_long_name_is_left(names: list[str], parts: list[str]) -> None:
    usable, _shared = usable_names(names, set())
    redaction = Redaction(usable, [KEY])
    text = "".join(parts) + " " + " ".join(names) + " " + KEY
    once = redaction.text(text)
    assert redaction.text(once) == once
    words = set("".join(c if c.isalnum() else " " for c in once).split())
    assert not words & {name for name in usable if len(name) >= 4} - {SOMEONE}
    assert KEY not in once


@given(
    st.recursive(st.one_of(st.none(), st.integers(), WORDS), lambda one: st.lists(one) | st.dictionaries(WORDS, one))
)
def test_what_holds_nothing_of_them_stays_as_it_is(value: object) -> None:
    redaction = Redaction(["Bobadilxyz"], [KEY], ["A sentence that nobody else would say."])
    assert redaction.value(value) == value
    text = json.dumps(value)
    assert redaction.stored(text) == text
