from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.errors import BadInputError
from familiar_app.store.passphrase import normalise_passphrase, passphrase_strength


@pytest.mark.parametrize(
    "weak",
    ["", "a", "password", "Password1!", "qwertyuiop", "12345678901234567890", "aaaaaaaaaaaaaaaaaaaa", "abcabcabcabc"],
)
def test_what_is_tried_first_scores_nothing(weak: str) -> None:
    assert passphrase_strength(weak).score == 0


def test_more_unrelated_words_score_more() -> None:
    scores = [
        passphrase_strength(text).score
        for text in (
            "heron",
            "heron lamp",
            "heron lamp gravel",
            "heron lamp gravel seventh",
            "heron lamp gravel seventh otter moss vowel",
        )
    ]
    assert scores == sorted(scores)
    assert scores[0] == 0
    assert scores[-1] == 4
    assert passphrase_strength("heron heron heron heron heron heron").score <= 1


def test_what_the_hint_asks_for_is_good_enough() -> None:
    assert "five or more words" in passphrase_strength("heron").hint
    for text in ("heron lamp gravel seventh otter", "cat dog sun pig hat", "Reiher Lampe Kiesel Siebte Otter"):
        assert passphrase_strength(text).score >= 3
        assert passphrase_strength(text.rpartition(" ")[0]).score < 3


def test_a_long_random_string_is_strong() -> None:
    assert passphrase_strength("k9#vQ2!xLw7@Zr4$").score == 4


@given(st.text(max_size=200))
def test_any_text_gets_a_score_and_a_hint(text: str) -> None:
    strength = passphrase_strength(text)
    assert 0 <= strength.score <= 4
    assert strength.hint


def test_a_broken_or_empty_passphrase_is_refused() -> None:
    for text in ("", "\ud83d"):
        with pytest.raises(BadInputError):
            normalise_passphrase(text)
