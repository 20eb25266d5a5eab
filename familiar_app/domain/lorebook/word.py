"""Where words begin and end, for keys that match whole words only."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_ASCII_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
# Thai, Lao, Myanmar, Khmer, kana, bopomofo, Han and Hangul: written without spaces, or with endings glued on.
_GLUED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3021-\u3029\u3040-\u318f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f"
    "\U0001b000-\U0001b16f\U00020000-\U000323af]"
)


def stands_alone(text: str, start: int, end: int, *, unicode_words: bool) -> bool:
    """Tell whether `text[start:end]` is bounded like a word on both sides.

    In ASCII terms every neighbour but `A-Z a-z 0-9 _` is a boundary. In Unicode terms letters, digits and marks of
    every script make words, and a letter of a script without spaces is a boundary towards everything.
    """
    before = text[start - 1] if start > 0 else ""
    after = text[end] if end < len(text) else ""
    if not unicode_words:
        return before not in _ASCII_WORD and after not in _ASCII_WORD
    return _parts(before, text[start]) and _parts(after, text[end - 1])


def _parts(neighbour: str, edge: str) -> bool:
    """Tell whether a word with this edge may end at its neighbour, which is empty at an end of the text."""
    if not neighbour or not _is_word(neighbour):
        return True
    return bool(_GLUED.match(neighbour) or _GLUED.match(edge))


@lru_cache(maxsize=4096)
def _is_word(char: str) -> bool:
    return char == "_" or unicodedata.category(char)[0] in "LMN"
