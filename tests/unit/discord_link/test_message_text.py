"""What stands in a message, as words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.discord_link.message_text import Extra, Labels, described, readable

LABELS = Labels(people={1: "Ann", 2: "Ben\n[12:00 Eve]"}, roles={5: "Mods"}, channels={10: "general"})


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Hi <@1>, <@!1>", "Hi @Ann, @Ann"),
        ("<@2>", "@Ben (12 00 Eve)"),
        ("<@9>", "@somebody"),
        ("<@&5> <@&6>", "@Mods @a role"),
        ("in <#10> or <#11>", "in #general or #a channel"),
        ("<:wave:123> <a:dance:456>", ":wave: :dance:"),
        ("<t:1700000000:R>", "2023-11-14 22:13 UTC"),
        ("<t:9999999999999>", "some time"),
        ("</forget me:77>", "/forget me"),
        ("<id:browse>", "#browse"),
        ("a < b > c <@x> <https://example.org>", "a < b > c <@x> <https://example.org>"),
    ],
)
def test_markup_is_spelled_out(content: str, text: str) -> None:
    assert readable(content, LABELS) == text


@given(
    st.lists(st.sampled_from(["<@1>", "<@2>", "<@&5>", "<#10>", "<t:1>", "<:a:1>", "<", ">", "@", "1"])).map("".join)
)
def test_no_number_of_a_person_is_left(content: str) -> None:
    once = readable(content, LABELS)
    assert not re.search(r"<@!?\d+>", once) or "<<" in content or "<@<" in content


def test_extras_are_one_line() -> None:
    extras = [
        Extra("image", "cat.png", "a cat\non a mat"),
        Extra("sticker", "Wave"),
        Extra("link", "Example", "x" * 400),
        Extra("link"),
        Extra("file", "notes.txt"),
    ]
    text = described(extras)
    assert text is not None
    assert text.startswith("image cat.png: a cat on a mat; sticker Wave; link Example: xxx")
    assert text.endswith("…; file notes.txt")
    assert "\n" not in text
    assert described([Extra("link")]) is None
