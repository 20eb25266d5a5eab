"""The words for why something is not in a prompt."""

from __future__ import annotations

from typing import Any

import pytest

from familiar_app.conversation.why_not_word import candidate_word, left_out_word, say
from familiar_app.domain.trace import LeftOut

SIGNALS = {"bm25": {"raw": 1.0, "normalised": 1.0, "weight": 1.0}}


def one(number: int, why: str, score: float = 1.0, **more: Any) -> dict[str, Any]:
    values = {"kind": "fact", "id": number, "score": score, "signals": SIGNALS, "kept": why == "kept", "why": why}
    return values | {"reason": None} | more


def test_what_was_out_ranked_says_by_how_much() -> None:
    found = [one(1, "kept", 1.5), one(2, "kept", 1.25), one(3, "limit", 0.75), one(4, "audience", 9.0)]
    found.append(one(5, "kept", 0.1, kind="memory", signals={}))
    word = candidate_word(found[2], found)
    assert (word.code, word.detail["rank"], word.detail["needed"]) == ("outranked", 3, 1.25)
    assert word.sentence == (
        "Enough better ones were found: it came 3rd, with a score of 0.750, 0.500 short of the last one shown."
    )


@pytest.mark.parametrize(
    ("why", "more", "code", "sentence"),
    [
        ("kept", {}, "in", "It stands in the prompt."),
        ("cap", {}, "over_cap", "There was no room left for it."),
        ("window", {}, "window", "It stands in the prompt, among the recent turns."),
        ("left_out", {}, "left_out", "It was left out by hand."),
        (
            "audience",
            {"reason": "learned in the program's own window"},
            "audience",
            "It was held back from those who read here: learned in the program's own window.",
        ),
        (
            "tags",
            {"reason": "its tags keep it to other channels", "signals": {}},
            "tags",
            "Left out: its tags keep it to other channels.",
        ),
        ("score", {"reason": "it rests", "signals": {}}, "score", "Left out: it rests."),
    ],
)
def test_every_reason_of_a_candidate_has_words(why: str, more: dict[str, Any], code: str, sentence: str) -> None:
    word = candidate_word(one(1, why, **more), [one(1, why, **more)])
    assert (word.code, word.sentence) == (code, sentence)


def test_what_a_layer_left_out() -> None:
    room = left_out_word(LeftOut(what="memory 7", tokens=9, reason="longer than the room left"))
    assert (room.code, room.sentence) == ("left_out", "Left out: longer than the room left.")
    held = LeftOut(what="dossier x", tokens=0, reason="rests on what was learned where not everybody here may hear")
    assert left_out_word(held).code == "audience"


@pytest.mark.parametrize(
    ("rank", "words"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (22, "22nd"), (113, "113th")]
)
def test_places_are_counted_as_people_do(rank: int, words: str) -> None:
    assert f"came {words}," in say("outranked", rank=rank, score=0.5, needed=None).sentence
