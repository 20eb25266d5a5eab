"""A long reply as messages: nothing lost, nothing cut in the middle, every block of code closed."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.discord_link.split import split_message, units

WORDS = st.sampled_from(
    [
        "word", "a longer sentence ends here.", "\n", "\n\n", " ", "<@123456789012345678>", "<a:wave:123456789012345>",
        "https://example.org/a/long/path?with=query&and=more ",
        "👩‍👩‍👧‍👦", "é", "🎉", "```", "```python\n", "\n```\n", "`code`",
        "<t:1700000000:R>", "x" * 90,
        "日本語の文。", "[text](https://example.org/x)", "<#123456789012345678>", ":smile:",
    ]
)  # fmt: skip
TEXTS = st.lists(WORDS, max_size=120).map("".join)
ATOM = re.compile(r"<@\d+>|<a:wave:\d+>|<t:\d+:R>|<#\d+>|https://example\.org/a/long/path\?with=query&and=more")


def shown(*messages: str) -> str:
    """Return what remains of messages without fences, languages and white space."""
    return "".join("".join(_without_fences(message).split()) for message in messages)


def _without_fences(message: str) -> str:
    pieces = message.split("```")
    return "".join(re.sub(r"\A[\w+#.-]{1,30}\n", "", p) if n % 2 else p for n, p in enumerate(pieces))


@given(TEXTS, st.sampled_from([100, 180, 400]))
def test_parts_fit_and_lose_nothing(text: str, limit: int) -> None:
    split = split_message(text, limit=limit, max_parts=1000)
    assert all(part.strip() and units(part) <= limit for part in split.parts)
    assert all(part.count("```") % 2 == 0 for part in split.parts)
    assert shown(*split.parts) == shown(text.strip())


@given(TEXTS)
def test_mentions_emoji_and_links_stay_whole(text: str) -> None:
    split = split_message(text, limit=180, max_parts=1000)
    assert sorted(ATOM.findall("\0".join(split.parts))) == sorted(ATOM.findall(text))
    assert sum(part.count("👩‍👩‍👧‍👦") for part in split.parts) == text.count("👩‍👩‍👧‍👦")


WHOLE = (
    "<@123456789012345678>", "<@!123456789012345678>", "<@&123456789012345678>", "<#123456789012345678>",
    "<:wave:123456789012345>", "<a:wave:123456789012345>", "<t:1700000000:R>", "</forget message:123456789012345>",
    "<id:customize>", "https://example.org/a_(b)?q=ü&x=1#y", "<https://example.org/quiet>",
    "[a link](https://example.org/x)", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "👍🏽", "e\u0301", "🎉",
)  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from(WHOLE), st.sampled_from([" ", "\n", "\n\n", " and "])), max_size=80))
def test_nothing_is_cut_that_is_one_thing(pieces: list[tuple[str, str]]) -> None:
    text = "".join(whole + gap for whole, gap in pieces)
    words = [word for part in split_message(text, limit=120, max_parts=1000).parts for word in part.split()]
    assert words == text.split()


@given(st.text(st.sampled_from("🎉a👍🏽é\u200d "), max_size=900), st.integers(100, 160))
def test_every_part_is_short_enough_as_discord_counts(text: str, limit: int) -> None:
    for part in split_message(text, limit=limit, max_parts=1000).parts:
        assert len(part.encode("utf-16-le")) // 2 <= limit
        part.encode("utf-8")


@given(
    st.lists(st.text(st.sampled_from("ab =(){}\t#*_[]"), max_size=60).map(str.rstrip), min_size=1, max_size=150),
    st.sampled_from(["", "python", "c++"]),
)
def test_lines_of_code_stay_as_they_are(lines: list[str], language: str) -> None:
    code = [f"{number}|{line}" for number, line in enumerate(lines)]
    text = f"Look:\n```{language}\n" + "\n".join(code) + "\n```\nThere."
    split = split_message(text, limit=200, max_parts=1000)
    shown_lines, opened = [], False
    for line in "\n".join(split.parts).splitlines():
        if line.startswith("```"):
            opened = not opened
            assert line == (f"```{language}" if opened else "```")
        elif opened:
            shown_lines.append(line)
    assert not opened
    assert shown_lines == code


@given(TEXTS, st.integers(8, 40))
def test_four_messages_and_a_file_have_all_of_it(text: str, times: int) -> None:
    text = text * times
    split = split_message(text)
    assert len(split.parts) <= 4
    assert all(units(part) <= 2000 for part in split.parts)
    assert all(one.count("```") % 2 == 0 for one in (*split.parts, split.rest))
    assert not split.rest or len(split.parts) == 4
    assert shown(*split.parts, split.rest) == shown(text.strip())


@given(st.text(max_size=600), st.integers(100, 300))
def test_any_text_at_all(text: str, limit: int) -> None:
    split = split_message(text, limit=limit, max_parts=1000)
    assert all(units(part) <= limit for part in split.parts)
    assert shown(*split.parts) == shown(text.strip())


def test_code_is_closed_and_opened_again_with_its_language() -> None:
    code = "\n".join(f"line_{number} = {number}" for number in range(420))
    split = split_message(f"Here it is:\n```python\n{code}\n```\nDone.")
    assert len(split.parts) == 4
    assert all(part.startswith("```python\n") for part in split.parts[1:3])
    assert all(part.endswith("\n```") for part in split.parts[:3])
    assert not split.rest
    assert split.parts[3].endswith("```\nDone.")
    lines = [line for part in split.parts for line in part.splitlines() if line.startswith("line_")]
    assert lines == code.splitlines()


def test_what_does_not_fit_into_four_messages_is_left_for_a_file() -> None:
    text = "\n\n".join(f"Paragraph {number}. " + "word " * 60 for number in range(40))
    split = split_message(text)
    assert len(split.parts) == 4
    assert split.rest.startswith("Paragraph ")
    assert shown(*split.parts, split.rest) == shown(text.strip())


def test_rest_of_a_block_of_code_is_a_block_of_code() -> None:
    split = split_message("```c\n" + "int x;\n" * 2000 + "```")
    assert split.rest.startswith("```c\nint x;")
    assert split.rest.endswith("```")


def test_paragraphs_come_before_sentences_and_sentences_before_words() -> None:
    text = "First one. " * 6 + "\n\n" + "Second one. " * 6
    assert split_message(text, limit=110).parts == (("First one. " * 6).strip(), ("Second one. " * 6).strip())
    assert split_message("One two three. " * 12, limit=100).parts[0].endswith("three.")
    assert split_message("word " * 40, limit=103).parts[0].endswith("word")


@pytest.mark.parametrize(("text", "parts"), [("", ()), (" \n ", ()), ("```\n```", ()), ("Hi", ("Hi",))])
def test_little_or_nothing(text: str, parts: tuple[str, ...]) -> None:
    assert split_message(text).parts == parts


def test_characters_outside_the_basic_plane_count_twice() -> None:
    assert units("a🎉") == 3
    assert len(split_message("🎉" * 1000).parts) == 1
    assert len(split_message("🎉" * 1001).parts) == 2


def test_no_empty_block_of_code_is_left_before_a_cut() -> None:
    split = split_message("word " * 18 + "```python\n" + "x = 1\n" * 20 + "```", limit=110)
    assert not any("```python\n\n```" in part for part in split.parts)
