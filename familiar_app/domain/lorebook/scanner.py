"""Finds all literal keys in a piece of text with one automaton, and remembers what it found.

A message is searched once, however many entries, passes and replies look at it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import ahocorasick_rs

from familiar_app.domain.lorebook.keytable import KeyForm, LiteralKey
from familiar_app.domain.lorebook.word import stands_alone

Miss = Literal["case", "word-boundary"]
Span = tuple[int, int]

_MAX_CACHED_CHARS = 8_000_000
_FOLDS_ODDLY = re.compile("[\u0130\u03a3]")


@dataclass(slots=True)
class Found:
    """Keys in one piece of text by number: where they match first, and where they only nearly do."""

    hits: dict[int, Span] = field(default_factory=dict)
    near: dict[int, tuple[Span, Miss]] = field(default_factory=dict)


class Scanner:
    """Searches pieces of text for the literal keys among `forms`; numbers are positions in `forms`."""

    def __init__(self, forms: Sequence[KeyForm], *, unicode_words: bool) -> None:
        self._unicode_words = unicode_words
        self._forms = {n: form for n, form in enumerate(forms) if isinstance(form, LiteralKey) and form.text}
        self._exact = [number for number, form in self._forms.items() if form.case_sensitive]
        # Letters whose small form depends on their place or is longer: their case can't be checked after folding.
        self._odd = [number for number in self._exact if _FOLDS_ODDLY.search(self._forms[number].text)]
        by_folded: dict[str, list[int]] = {}
        for number, form in self._forms.items():
            by_folded.setdefault(form.text.lower(), []).append(number)
        self._numbers = list(by_folded.values())
        self._automaton = ahocorasick_rs.AhoCorasick(list(by_folded), store_patterns=False) if by_folded else None
        self._cache: dict[str, Found] = {}
        self._cached_chars = 0
        self.size = len(forms)

    def scan(self, text: str) -> Found:
        """Return every literal key in `text`. Linear in the text and in the number of occurrences."""
        found = self._cache.get(text)
        if found is None:
            found = self._search(text)
            if self._cached_chars > _MAX_CACHED_CHARS:
                self._cache.clear()
                self._cached_chars = 0
            self._cache[text] = found
            self._cached_chars += len(text)
        return found

    def _search(self, text: str) -> Found:
        found = Found()
        if self._automaton is None:
            return found
        folded = text.lower()
        positions = None if len(folded) == len(text) else _positions(text)
        single = self._odd if positions is None else self._exact
        hits, near, forms = found.hits, found.near, self._forms
        for pattern, start, end in self._automaton.find_matches_as_indexes(folded, overlapping=True):
            for number in self._numbers[pattern]:
                if number in hits:
                    continue
                form = forms[number]
                span = (start, end) if positions is None else (positions[start], positions[end])
                if form.case_sensitive and text[span[0] : span[1]] != form.text:
                    near.setdefault(number, (span, "case"))
                elif form.whole and not stands_alone(folded, start, end, unicode_words=self._unicode_words):
                    near.setdefault(number, (span, "word-boundary"))
                else:
                    hits[number] = span
        for number in single:
            hits.pop(number, None)
            exact = find_literal(forms[number], text, unicode_words=self._unicode_words)
            if exact is not None:
                hits[number] = exact
        return found


def find_literal(form: LiteralKey, text: str, *, unicode_words: bool) -> Span | None:
    """Return where one key first matches in `text`."""
    if not form.text:
        return (0, 0)
    searched = text if form.case_sensitive else text.lower()
    at = searched.find(form.folded)
    while at >= 0:
        end = at + len(form.folded)
        if not form.whole or stands_alone(searched, at, end, unicode_words=unicode_words):
            if len(searched) == len(text):
                return (at, end)
            positions = _positions(text)
            return (positions[at], positions[end])
        at = searched.find(form.folded, at + 1)
    return None


def _positions(text: str) -> list[int]:
    """Map offsets in the folded text to offsets in `text`."""
    positions = [number for number, char in enumerate(text) for _ in char.lower()]
    return [*positions, len(text)]
