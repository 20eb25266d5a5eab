"""Finding keys: patterns in JavaScript's dialect, words, and the automaton against a plain reading of the rules."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from familiar_app.domain.lorebook.keysplit import join_keys, split_keys
from familiar_app.domain.lorebook.keytable import KeyOptions, KeyTable
from familiar_app.domain.lorebook.pattern import KeyPattern, TimeAllowance, compile_pattern, parse_pattern_key, trim
from familiar_app.domain.lorebook.rules import FIXED, ST_1_18
from familiar_app.domain.lorebook.scanner import Scanner
from familiar_app.domain.lorebook.word import stands_alone


@pytest.mark.parametrize(
    ("key", "text", "hit"),
    [
        ("/dragon/", "a Dragon", False),
        ("/dragon/i", "a Dragon", True),
        ("/^b/", "a\nb", False),
        ("/^b/m", "a\nb", True),
        ("/a$/", "a\n", False),
        ("/a.b/", "a\nb", False),
        ("/a.b/s", "a\nb", True),
        ("/a.b/", "a\u2028b", False),
        ("/\\bcaf\\b/", "café", True),
        ("/\\d/", "٣", False),
        ("/\\s/", "\ufeff", True),
        ("/[\\W]/", "é", True),
        ("/[^]/", "x", True),
        ("/[]/", "x", False),
        ("/x{/", "x{", True),
        ("/(?:x){e}/", "x{e}", True),
        ("/(?:x){e}/", "y", False),
        ("/[[a]/", "[", True),
        ("/\\x41\\u0042\\t/", "AB\t", True),
        ("/\\u{1F600}/u", "😀", True),
        ("/\\p{L}/u", "é", True),
        ("/\\p{L}/", "é", False),
        ("/(?<n>a)\\k<n>/", "aa", True),
        ("/(a)\\1/", "aa", True),
        ("/(?<!x)a/", "xa", False),
        ("/a\\/b/", "a/b", True),
        ("/É/i", "é", True),
        ("/a/y", "ba", False),
        ("/b/y", "ba", True),
        ("/\\Aa/", "Aa", True),
    ],
)
def test_patterns_mean_what_they_mean_in_javascript(key: str, text: str, hit: bool) -> None:
    pattern = parse_pattern_key(key, paths_are_patterns=True)
    assert pattern is not None
    assert (pattern.search(text, 1.0) is not None) == hit


@pytest.mark.parametrize(
    "key", ["/(/", "/a++/", "/(?i)a/", "/(?>a)/", "/a/gg", "/*/", "/a**/", "/[b-a]/", "/\\/", "/a)/"]
)
def test_what_javascript_refuses_is_plain_text(key: str) -> None:
    assert parse_pattern_key(key, paths_are_patterns=True) is None


@settings(deadline=None, max_examples=200)
@given(
    st.text(alphabet="ab\\[](){}^$.*+?|<>=!:dwsbDWSBkux01-&~#/ \n", max_size=12), st.sampled_from(["", "i", "ms", "u"])
)
def test_every_text_compiles_or_is_no_pattern(body: str, flags: str) -> None:
    pattern = compile_pattern(body, flags)
    if pattern is not None:
        pattern.search("ab a\nb (x)", 1.0)


@pytest.mark.parametrize(
    "body", ["a{10001}", "x{99999999}", "(?:ab){5001}", "(?:(?:a{100}){100}){2,}", "\\d{20000,20001}", "[ab]{99999,}"]
)
def test_what_has_to_be_there_too_often_is_no_pattern(body: str) -> None:
    assert compile_pattern(body) is None


@pytest.mark.parametrize("body", ["a{10000}", "a{0,99999}b", "(?:(?:a{10}){10}){90}", "(?:a{1,100}){1000}"])
def test_what_may_be_there_often_is_a_pattern(body: str) -> None:
    assert compile_pattern(body) is not None


@pytest.mark.parametrize("part", ["a", "(?:a)", "[a]", "\\x61"])
def test_a_long_text_in_a_pattern_is_looked_for_quickly(part: str) -> None:
    times = 3_000 // len(part)
    long, short = compile_pattern("b" + part * times, "i"), compile_pattern("b" + part * (times // 100), "i")
    assert long is not None
    assert short is not None

    def cost(pattern: KeyPattern) -> float:
        started = time.thread_time()
        assert pattern.search("a" * 20_000, 60.0) is None
        return time.thread_time() - started

    longs, shorts = zip(*((cost(long), cost(short)) for _ in range(5)), strict=True)
    # Hundred times as long costs some times as much; were each letter tried at each place, hundreds of times.
    assert min(longs) < 50 * min(shorts)
    assert long.search("xB" + "a" * 3_000, 60.0) == (1, times + 2)


def test_long_patterns_mean_the_same() -> None:
    pattern = compile_pattern("(" + "ab?" * 40 + ")c{2}|" + "x" * 31 + "y{3}|(?<=" + "z" * 40 + ")e")
    assert pattern is not None
    assert pattern.search("a" * 40 + "cc", 5.0) == (0, 42)
    assert pattern.search("x" * 31 + "yyy", 5.0) == (0, 34)
    assert pattern.search("z" * 40 + "e", 5.0) == (40, 41)


def test_a_pattern_that_explodes_is_stopped() -> None:
    pattern = compile_pattern("^(a|a|b?)*(a|aa)*\\d(?:x|y)$")
    assert pattern is not None
    given: list[float] = []

    class Noting:
        def search(self, text: str, timeout_s: float) -> tuple[int, int] | None:
            given.append(timeout_s)
            return pattern.search(text, timeout_s)

    allowance = TimeAllowance(each_s=0.05, total_s=0.12)
    for _ in range(10):
        with pytest.raises(TimeoutError):
            allowance.search(Noting(), "a" * 5000)  # type: ignore[arg-type]
    assert max(given) <= 0.05
    assert sum(one > 0 for one in given) <= 3
    assert max(given[3:]) <= 0


@pytest.mark.parametrize(
    ("text", "word", "ascii_alone", "unicode_alone"),
    [
        ("the king's", "king", True, True),
        ("liking", "king", False, False),
        ("магия", "маг", True, False),
        ("café", "caf", True, False),
        ("use魔法now", "魔法", False, True),
        ("ドラゴンの火", "ドラゴン", True, True),
        ("snake_case", "snake", False, False),
        ("กินข้าว", "ข้าว", True, True),
        ("마법은", "마법", True, True),
        ("c++x", "c++", False, False),
        ("e\u0301t", "e", True, False),
    ],
)
def test_words_stand_alone(text: str, word: str, ascii_alone: bool, unicode_alone: bool) -> None:
    start = text.index(word)
    assert stands_alone(text, start, start + len(word), unicode_words=False) == ascii_alone
    assert stands_alone(text, start, start + len(word), unicode_words=True) == unicode_alone


LETTERS = "abAB éÉßİΣσςı_-+魔\n"


@settings(deadline=None, max_examples=300)
@given(
    st.lists(
        st.tuples(st.text(alphabet=LETTERS, min_size=1, max_size=3), st.booleans(), st.booleans()),
        min_size=1,
        max_size=8,
    ),
    st.text(alphabet=LETTERS, max_size=20),
)
@example([("İ", True, False), ("i", False, True)], "aİ İ")
@example([("ΑΣ", True, False)], "ΑΣ")
def test_the_automaton_finds_what_a_plain_search_finds(keys: list[tuple[str, bool, bool]], text: str) -> None:
    table = KeyTable(ST_1_18)
    numbers = [table.number(key, KeyOptions(case_sensitive, whole)) for key, case_sensitive, whole in keys]
    found = Scanner(table.forms, unicode_words=False).scan(text)
    for (key, case_sensitive, whole), number in zip(keys, numbers, strict=True):
        needle, hay = (trim(key), text) if case_sensitive else (trim(key).lower(), text.lower())
        if not needle or number is None:
            continue
        word = whole and not re.search(r"\s", needle)
        pattern = rf"(?:\A|[^A-Za-z0-9_]){re.escape(needle)}(?:\Z|[^A-Za-z0-9_])" if word else re.escape(needle)
        assert (number in found.hits) == bool(re.search(pattern, hay)), (key, case_sensitive, whole)
        if number in found.hits and case_sensitive:
            start, end = found.hits[number]
            assert text[start:end] == needle


def test_near_misses_are_kept_beside_the_hits() -> None:
    table = KeyTable(FIXED)
    cased = table.number("King", KeyOptions(case_sensitive=True, whole=False))
    word = table.number("king", KeyOptions(case_sensitive=False, whole=True))
    found = Scanner(table.forms, unicode_words=True).scan("to my liking")
    assert found.hits == {}
    assert found.near == {cased: ((8, 12), "case"), word: ((8, 12), "word-boundary")}


def test_keys_that_say_they_are_patterns() -> None:
    table = KeyTable(FIXED)
    bare = table.number("dr[ae]gon", KeyOptions(False, True, use_regex=True))
    text = table.number("/x/i", KeyOptions(False, False, use_regex=False))
    assert bare is not None
    assert text is not None
    assert isinstance(table.forms[bare], KeyPattern)
    assert table.forms[text].text == "/x/i"  # type: ignore[union-attr]
    assert table.number("dr[agon", KeyOptions(False, True, use_regex=True)) is None


KEYS = st.lists(st.text(alphabet="ab,/\\ i{1}", min_size=1, max_size=6), max_size=5)


@settings(deadline=None, max_examples=200)
@given(KEYS)
def test_split_keys_settle(keys: list[str]) -> None:
    once = split_keys(join_keys(keys))
    assert all(once)
    assert split_keys(join_keys(once)) == once
