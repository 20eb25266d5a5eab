"""Keys written as patterns: tells them from text and runs JavaScript's dialect under a time limit.

Lorebooks come from programs written in JavaScript, so `/…/flags` has that language's meaning: `\\w`, `\\d` and `\\b`
know ASCII only, `$` is the very end, and what it does not know as syntax is an error or plain text.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

import regex

from familiar_app.domain.lorebook.javascript import SPACE, JavaScriptPattern

MAX_PATTERN_CHARS = 4_000
_KEY = re.compile(r"/(?P<body>.+?)/(?P<flags>[gimsuy]*)\Z", re.DOTALL)
_INNER_SLASH = re.compile(r"(?:\A|[^\\])/")
_PATTERN_CHARS = re.compile(r"[\\^$.*+?()\[\]{}|]")
_BLANK = regex.compile(f"[{SPACE}]+")


def trim(text: str) -> str:
    """Strip what JavaScript takes for white space, which is not quite what Python does."""
    if text[:1] > " " and text[-1:] > " " and text.isascii():
        return text
    start = _BLANK.match(text)
    text = text[start.end() :] if start else text
    end = len(text)
    while end and _BLANK.fullmatch(text[end - 1]):
        end -= 1
    return text[:end]


def has_space(text: str) -> bool:
    """Tell whether the text contains white space."""
    return _BLANK.search(text) is not None


@dataclass(frozen=True, slots=True)
class KeyPattern:
    """A compiled key; `sticky` ones match at the very start of a text only."""

    source: str
    compiled: regex.Pattern[str]
    sticky: bool

    def search(self, text: str, timeout_s: float) -> tuple[int, int] | None:
        """Return where the pattern first matches. Raises TimeoutError when it takes too long."""
        if timeout_s <= 0:
            raise TimeoutError
        find = self.compiled.match if self.sticky else self.compiled.search
        found = find(text, timeout=timeout_s)
        return (found.start(), found.end()) if found else None


def parse_pattern_key(key: str, *, paths_are_patterns: bool) -> KeyPattern | None:
    """Return the pattern that a key is written as, None where it is plain text.

    Without `paths_are_patterns`, a key such as `/home/us` (two or more flags, no pattern character) is plain text.
    """
    parts = _KEY.match(key) if key.startswith("/") else None
    if not parts or _INNER_SLASH.search(parts["body"]):
        return None
    body, flags = parts["body"], parts["flags"]
    if not paths_are_patterns and looks_like_path(key):
        return None
    return compile_pattern(body, flags, source=key)


def looks_like_path(key: str) -> bool:
    """Tell whether a key has the form of a pattern but reads like a path."""
    parts = _KEY.match(key)
    return parts is not None and len(parts["flags"]) > 1 and not _PATTERN_CHARS.search(parts["body"])


def compile_pattern(body: str, flags: str = "", *, source: str | None = None) -> KeyPattern | None:
    """Compile a JavaScript pattern, None where it is none."""
    if len(set(flags)) != len(flags) or len(body) > MAX_PATTERN_CHARS:
        return None
    try:
        translated = JavaScriptPattern(body, flags).translate()
        compiled = regex.compile(translated, regex.IGNORECASE if "i" in flags else 0)
    except (regex.error, ValueError, OverflowError, RecursionError, MemoryError):
        return None
    return KeyPattern(source or body, compiled, "y" in flags)


class TimeAllowance:
    """The time that all patterns of one evaluation may take together."""

    def __init__(self, each_s: float = 0.25, total_s: float = 1.0) -> None:
        self._each_s = each_s
        self._left_s = total_s

    def search(self, pattern: KeyPattern, text: str) -> tuple[int, int] | None:
        """Search within what is left. Raises TimeoutError."""
        started = time.perf_counter()
        try:
            return pattern.search(text, min(self._each_s, self._left_s))
        finally:
            self._left_s -= time.perf_counter() - started
