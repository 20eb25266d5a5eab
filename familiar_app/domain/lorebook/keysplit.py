"""Keys typed as one text, split at commas that do not belong to a pattern."""

from __future__ import annotations

import re

from familiar_app.domain.lorebook.pattern import trim
from familiar_app.domain.lorebook.rules import FIXED, Rules

_PATTERN_PIECE = re.compile(r"\s*(/(?:\\.|[^/\\])+/[gimsuy]*)\s*(?:,|\Z)", re.DOTALL)


def split_keys(text: str, rules: Rules = FIXED) -> list[str]:
    """Split a typed list into keys; blanks are dropped.

    >>> split_keys("and/or, /a{1,2}/i,, x")
    ['and/or', '/a{1,2}/i', 'x']
    """
    return _split_loosely(text) if rules.splits_keys_loosely else _split(text)


def join_keys(keys: tuple[str, ...] | list[str]) -> str:
    """Write keys as one text. Splitting gives them back, unless a key that is no pattern holds a comma."""
    return ", ".join(keys)


def _split(text: str) -> list[str]:
    keys, at = [], 0
    while at < len(text):
        pattern = _PATTERN_PIECE.match(text, at)
        comma = text.find(",", at)
        end = pattern.end() if pattern else (comma + 1 or len(text))
        keys.append(pattern[1] if pattern else text[at:end].removesuffix(","))
        at = end
    return [key for key in map(trim, keys) if key]


def _split_loosely(text: str) -> list[str]:
    """Split like SillyTavern: any slash opens a pattern, and the character after a split is never looked at."""
    keys: list[str] = []
    at, inside = 0, False
    while at < len(text):
        if text[at] == "/" and (at == 0 or text[at - 1] != "\\"):
            inside = not inside
        elif text[at] == "," and not inside:
            keys.append(trim(text[:at]))
            text, at = text[at + 1 :], 0
        at += 1
    keys.append(trim(text))
    return [key for key in keys if key]
