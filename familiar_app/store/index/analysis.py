"""Turns text into the terms that are indexed and looked up: one way for both.

Words are lower-cased, freed of accents, stripped of English endings and common words. Scripts that write words
without spaces between them are cut into overlapping pairs of characters first, so that any part of a phrase can be
found.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime, timedelta
from functools import lru_cache

import tantivy

from familiar_app.domain.stop_word import STOP_WORDS
from familiar_app.store.text import storable

ANALYZER = "words"
MAX_TERM_BYTES = 80
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_MICROS = 86_400_000_000

# Thai, Lao, Myanmar, Khmer, Kana, Han (with its extensions) and Hangul.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUN = re.compile(f"[{_UNSPACED}]+")


def make_analyzer() -> tantivy.TextAnalyzer:
    """Return the chain of filters behind every word."""
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(MAX_TERM_BYTES))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.ascii_fold())
        .filter(tantivy.Filter.custom_stopword(sorted(STOP_WORDS)))
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )


def spaced(text: str, *, cue: bool = False) -> str:
    """Return text as the analyzer can cut it. ASCII, the most of it, comes back as it is.

    What is stored gets single characters beside the pairs; a cue needs them only where it has nothing longer, and may
    hold halves of surrogate pairs, which the analyzer would refuse.
    """
    if text.isascii():
        return text
    return _RUN.sub(_pairs if cue else _pairs_and_characters, unicodedata.normalize("NFKC", storable(text)))


def day_words(micros: int) -> str:
    """Return the date of an instant in words: "Monday 8 May 2023"."""
    return _words_of_day(micros // _DAY_MICROS)


@lru_cache(maxsize=4096)
def _words_of_day(day: int) -> str:
    date = _EPOCH + timedelta(days=day)
    return f"{_WEEKDAYS[date.weekday()]} {date.day} {_MONTHS[date.month - 1]} {date.year}"


# Not by the system's language.
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def _pairs_and_characters(run: re.Match[str]) -> str:
    return f"{_pairs(run)}{' '.join(run.group())} "


def _pairs(run: re.Match[str]) -> str:
    text = run.group()
    pairs = [text[at : at + 2] for at in range(len(text) - 1)] or [text]
    return f" {' '.join(pairs)} "
