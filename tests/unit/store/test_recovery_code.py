from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.errors import BadInputError
from familiar_app.store.recovery_code import new_recovery_code, normalise_recovery_code

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def with_check(symbols: str) -> str:
    number = 0
    for symbol in symbols:
        number = number * 32 + ALPHABET.index(symbol)
    plain = symbols + ALPHABET[number % 1021 // 32] + ALPHABET[number % 1021 % 32]
    return "-".join(plain[start : start + 4] for start in range(0, 28, 4))


codes = st.text(ALPHABET, min_size=26, max_size=26).map(with_check)


def test_a_code_is_seven_groups_of_four_and_never_the_same() -> None:
    assert re.fullmatch(rf"([{ALPHABET}]{{4}}-){{6}}[{ALPHABET}]{{4}}", new_recovery_code())
    assert len({new_recovery_code() for _ in range(100)}) == 100


def disguised(code: str, draw: st.DataObject) -> str:
    """Write a code as a person might: any case, O for 0, I or l for 1, other separators, full-width digits."""
    swaps = {"0": "0Oo", "1": "1IiLl", "8": "8\uff18"}
    letters = []
    for symbol in code.replace("-", ""):
        letters.append(draw.draw(st.sampled_from(swaps.get(symbol, symbol + symbol.lower()))))
        letters.append(draw.draw(st.sampled_from(["", "", "", "-", " ", "\n", "\u2013", "_", "\u00a0", ". "])))
    return "".join(letters)


@given(codes, st.data())
def test_any_way_of_writing_it_means_the_same(code: str, data: st.DataObject) -> None:
    assert normalise_recovery_code(disguised(code, data)) == code


@given(codes, st.integers(0, 27), st.sampled_from(ALPHABET))
def test_one_wrong_symbol_is_always_found(code: str, position: int, symbol: str) -> None:
    plain = code.replace("-", "")
    changed = plain[:position] + symbol + plain[position + 1 :]
    if changed == plain:
        assert normalise_recovery_code(changed) == code
    else:
        with pytest.raises(BadInputError, match="typing mistake"):
            normalise_recovery_code(changed)


@given(codes, st.integers(0, 24))
def test_two_swapped_neighbours_are_always_found(code: str, position: int) -> None:
    plain = code.replace("-", "")
    changed = plain[:position] + plain[position + 1] + plain[position] + plain[position + 2 :]
    if changed != plain:
        with pytest.raises(BadInputError, match="typing mistake"):
            normalise_recovery_code(changed)


@given(st.text())
def test_any_other_text_is_refused_or_a_code_already(text: str) -> None:
    try:
        code = normalise_recovery_code(text)
    except BadInputError:
        return
    assert normalise_recovery_code(code) == code


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "this has 0"), ("AAAA", "this has 4"), ("U" * 28, "character that no code has"), ("é" * 28, "no code has")],
)
def test_what_is_wrong_is_named(text: str, reason: str) -> None:
    with pytest.raises(BadInputError, match=reason) as caught:
        normalise_recovery_code(text)
    assert caught.value.next_step
