"""Normalising of fact texts, so that the same statement written twice is recognised by one indexed look-up."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable

from familiar_app.domain.ids import PersonKey

_SPACE = re.compile(r"\s+")
# Punctuation, quotation marks and the white space between them; signs that carry meaning ($, +, %, emoji) stay.
_STRIPPED_CATEGORIES = ("P", "Z")
_MEANINGFUL = frozenset("%&#@*/\\")


def normalise(text: str) -> str:
    """Return the form in which two fact texts are compared.

    Composed (NFC), case-folded, white space collapsed, surrounding quotation marks and punctuation removed. Applying it
    twice changes nothing.
    """
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    collapsed = _SPACE.sub(" ", folded)
    start, stop = 0, len(collapsed)
    while start < stop and _is_edge(collapsed[start]):
        start += 1
    while stop > start and _is_edge(collapsed[stop - 1]):
        stop -= 1
    return collapsed[start:stop]


def identity(text: str, subjects: Iterable[PersonKey]) -> bytes:
    """Return 16 bytes that are equal for equal normalised text and equal set of subjects."""
    parts = "\x1f".join((normalise(text), *sorted(set(subjects))))
    return hashlib.blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _is_edge(character: str) -> bool:
    if character in _MEANINGFUL:
        return False
    return character.isspace() or unicodedata.category(character)[0] in _STRIPPED_CATEGORIES
