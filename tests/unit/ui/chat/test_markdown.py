"""What messages may become: words stay, and nothing but our own tags comes out."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.ui.chat.markdown import (
    ALLOWED_ATTRIBUTES,
    ALLOWED_TAGS,
    is_web_link,
    split_segments,
    to_html,
    to_plain,
)

PIECES = st.sampled_from(
    [
        "*",
        "**",
        "_",
        "~~",
        "`",
        "```",
        "```python",
        "~~~",
        ">",
        "-",
        "1.",
        "#",
        "|",
        "a|b",
        "word",
        "<b>",
        "</b>",
        "&lt;",
        "&copy;",
        "[r]",
        "\\*",
        "é",
        "语",
        "😀",
        "'",
        "(",
        ")",
        "\n",
        "\n\n",
        "|-|-|\n",
        " ",
        "    ",
        '"said"',
        "“said”",
        "<script>alert(1)</script>",
        "<img src=x onerror=y>",
        "[t](http://x.y/z)",
        "[t](javascript:alert)",
        '![i](https://e.v/i.png "t")',
        "<https://a.b/c>",
        "\x00",
        "\u202e",
        "https://bare.example/p?q=1&r=2).",
        "[r]: http://d.e\n",
        "> ",
        "- ",
        "1. ",
        "# ",
    ]
)
TEXTS = st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=40).map("".join))


class Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str | None]] = []
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in ("br", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError("a comment came out")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError("a declaration came out")


def see(html: str) -> Seen:
    seen = Seen()
    seen.feed(html)
    seen.close()
    return seen


def letters(text: str) -> str:
    return "".join(char for char in text if char.isalpha())


@given(TEXTS, st.booleans())
def test_only_our_own_tags_and_attributes_come_out(text: str, growing: bool) -> None:
    seen = see(to_html(text, growing=growing))
    assert seen.tags <= ALLOWED_TAGS
    assert seen.open == []
    for tag, name, value in seen.attributes:
        assert name in ALLOWED_ATTRIBUTES[tag]
        if name == "href":
            assert is_web_link(value or "")


@given(TEXTS)
def test_no_word_is_lost(text: str) -> None:
    html = to_html(text)
    links = "".join(value or "" for _, name, value in see(html).attributes if name == "href")
    shown = letters(to_plain(html))
    if "](" not in text:
        assert sorted(shown) == sorted(letters(text))
    else:
        wanted = letters(text)
        assert all(shown.count(char) <= wanted.count(char) for char in set(shown))
        assert all(wanted.count(char) <= (shown + links + wanted).count(char) for char in set(wanted))


@given(TEXTS)
def test_a_text_without_links_keeps_its_order(text: str) -> None:
    if "](" not in text and "|" not in text:
        assert letters(to_plain(to_html(text))) == letters(text)


@given(TEXTS, st.integers(1, 40))
def test_segments_join_to_the_text(text: str, size: int) -> None:
    assert "".join(split_segments(text, size=size)) == text


def test_segments_read_the_same_alone() -> None:
    text = 'First *one*.\n\n- a\n\n- b\n\nThen:\n\n```\nx = 1\n\ny = 2\n```\n\n> quote\n\n"Said," *and done*.\n\nLast.'
    parts = split_segments(text, size=1)
    assert len(parts) >= 4
    assert "".join(to_html(part) for part in parts) == to_html(text)


def test_earlier_cuts_do_not_move_when_text_is_added() -> None:
    text = "\n\n".join(f"Paragraph {number} " + "word " * 30 for number in range(60))
    whole = split_segments(text)
    assert len(whole) > 4
    half = split_segments(text[: len(text) // 2])
    assert whole[: len(half) - 1] == half[:-1]


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("*smiles*", "<p><em>smiles</em></p>"),
        ("one\ntwo", "<p>one<br>two</p>"),
        ("<b>x</b> &amp;", "<p>&lt;b&gt;x&lt;/b&gt; &amp;amp;</p>"),
        ("[a](javascript:alert)", "<p>[a](javascript:alert)</p>"),
        ("[a](file:///etc/passwd)", "<p>[a](file:///etc/passwd)</p>"),
        ("![face](https://e.v/i.png)", '<p><a href="https://e.v/i.png">face</a></p>'),
        ("see https://e.v/p).", '<p>see <a href="https://e.v/p">https://e.v/p</a>).</p>'),
        ('say "hi *you* there"', '<p>say <span class="said">&quot;hi </span><em><span class="said">you</span></em>'
         '<span class="said"> there&quot;</span></p>'),
        ("say `\"hi\"`", "<p>say <code>&quot;hi&quot;</code></p>"),
        ("~~gone~~", "<p><s>gone</s></p>"),
    ],
)  # fmt: skip
def test_what_marks_mean(text: str, html: str) -> None:
    assert to_html(text) == html


def test_a_code_block_keeps_its_text_and_its_language() -> None:
    html = to_html("```python\nif a < b:\n    go()\n```")
    assert "<pre>if a &lt; b:\n    go()</pre>" in html
    assert '<p class="label">python</p>' in html


def test_a_table_that_would_lose_cells_is_shown_as_text() -> None:
    html = to_html("|a|b|\n|-|-|\n|c|d|lost|")
    assert "<table" not in html
    assert "lost" in html
    assert to_html("|a|b|\n|-|-|\n|c|d|").count("<td>") == 2


def test_open_speech_is_coloured_while_it_grows() -> None:
    assert '<span class="said">' in to_html('She says "wait', growing=True)
    assert '<span class="said">' not in to_html('She says "wait')


def test_long_texts_are_quick() -> None:
    text = '*a* "b" [c](http://d.e) ' * 1000
    assert re.sub(r"\s", "", to_plain(to_html(text))).startswith('a"b"c')
