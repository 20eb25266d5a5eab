"""Counting is remembered, and cutting breaks no visible character."""

from __future__ import annotations

import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from familiar_app.context.tokens import CUT_MARK, TokenCounter, visible_ends
from tests.doubles.talk import FakeModel

PIECES = st.lists(st.sampled_from(["a", " ", "\n", "é", "e\u0301", "👩‍👩‍👧", "🇩🇪", "क्षि", "word"]), max_size=120).map(
    "".join
)


async def test_model_is_asked_once_for_each_text() -> None:
    model = FakeModel()
    counter = TokenCounter(model)
    assert await counter.count(["abcd", "abcde", "abcd"]) == [1, 2, 1]
    assert model.counted == 2
    assert await counter.count(["abcde", "x"]) == [2, 1]
    assert model.counted == 3


async def test_oldest_counts_are_forgotten() -> None:
    model = FakeModel()
    counter = TokenCounter(model, size=2)
    await counter.count(["a", "b"])
    await counter.count(["a"])
    await counter.count(["c"])
    model.counted = 0
    await counter.count(["a", "c"])
    assert model.counted == 0
    await counter.count(["b"])
    assert model.counted == 1


async def test_another_tokenizer_counts_anew() -> None:
    model = FakeModel()
    counter = TokenCounter(model)
    assert await counter.count(["abcdefgh"]) == [2]
    model.characters_per_token = 2
    model.__class__ = type("Other", (FakeModel,), {"info": property(lambda self: _other_info())})
    assert await counter.count(["abcdefgh"]) == [4]


def _other_info() -> object:
    from dataclasses import replace

    return replace(FakeModel().info, name="other")


async def test_frame_of_a_template_is_measured() -> None:
    assert await TokenCounter(FakeModel()).frame() == (3, 5)


@settings(deadline=None)
@given(PIECES, st.integers(-1, 60), st.integers(1, 5))
async def test_cut_text_fits_and_ends_between_visible_characters(text: str, limit: int, characters: int) -> None:
    counter = TokenCounter(FakeModel(characters_per_token=characters))
    cut = await counter.cut(text, limit)
    (whole,) = await counter.count([text])
    if limit > 0 and whole <= limit:
        assert cut == text
        return
    assert (await counter.count([cut]))[0] <= max(0, limit)
    kept = regex.findall(r"\X", cut.removesuffix(CUT_MARK))
    assert regex.findall(r"\X", text)[: len(kept)] == kept


async def test_cut_keeps_as_much_as_fits() -> None:
    counter = TokenCounter(FakeModel(characters_per_token=1))
    assert await counter.cut("0123456789" * 10, 51) == "0123456789" * 5 + CUT_MARK


@given(st.text(alphabet=st.one_of(st.characters(max_codepoint=127), st.sampled_from("\r\n")), max_size=40))
def test_a_plain_text_ends_where_the_rules_of_unicode_say(text: str) -> None:
    assert list(visible_ends(text)) == [match.end() for match in regex.finditer(r"\X", text)]
