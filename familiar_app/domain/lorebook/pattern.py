"""Keys written as patterns: tells them from text and runs JavaScript's dialect under a time limit.

Lorebooks come from programs written in JavaScript, so `/…/flags` has that language's meaning: `\\w`, `\\d` and `\\b`
know ASCII only, `$` is the very end, and what it does not know as syntax is an error or plain text.
"""

from __future__ import annotations

import re
import string
import time
from dataclasses import dataclass

import regex

MAX_PATTERN_CHARS = 4_000
SPACE = "\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff"
"""JavaScript's white space, as the inside of a character class."""

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
        translated = _Translation(body, flags).run()
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


_LINE_ENDS = "\\n\\r\\u2028\\u2029"
_WORD = "0-9A-Za-z_"
_NOT_DIGIT = "\\x00-/:-\\U0010ffff"
_NOT_WORD = "\\x00-/:-@\\[-\\^`{-\\U0010ffff"
_NOT_SPACE = (
    "\\x00-\\x08\\x0e-\\x1f!-\\x9f\\xa1-\\u167f\\u1681-\\u1fff\\u200b-\\u2027\\u202a-\\u202e"
    "\\u2030-\\u205e\\u2060-\\u2fff\\u3001-\\ufefe\\uff00-\\U0010ffff"
)
_CLASSES = {"d": "0-9", "w": _WORD, "s": SPACE, "D": _NOT_DIGIT, "W": _NOT_WORD, "S": _NOT_SPACE}
_CONTROLS = {"n": "\\n", "r": "\\r", "t": "\\t", "v": "\\v", "f": "\\f"}
_IS_WORD, _IS_NOT_WORD = f"(?<=[{_WORD}])", f"(?<![{_WORD}])"
_BOUNDARY = f"(?:{_IS_WORD}(?![{_WORD}])|{_IS_NOT_WORD}(?=[{_WORD}]))"
_NO_BOUNDARY = f"(?:{_IS_WORD}(?=[{_WORD}])|{_IS_NOT_WORD}(?![{_WORD}]))"
_QUANTIFIER = re.compile(r"(?:[*+?]|\{\d+(?:,\d*)?\})\??")
_GROUP_OPEN = re.compile(r"\((?:\?(?::|=|!|<=|<!|<[A-Za-z_$][\w$]*>))?")
_CAPTURE = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|(\((?!\?)|\(\?<(?![=!]))", re.DOTALL)


class _Translation:
    """Rewrites one JavaScript pattern for the `regex` engine. Raises ValueError where JavaScript would refuse it."""

    def __init__(self, body: str, flags: str) -> None:
        self.body = body
        self.flags = flags
        self.at = 0
        self.groups = sum(1 for found in _CAPTURE.finditer(body) if found[1])

    def run(self) -> str:
        parts = []
        while self.at < len(self.body):
            parts.append(self._next())
        return "".join(parts)

    def _next(self) -> str:
        char = self.body[self.at]
        if char == "\\":
            return self._escape(in_class=False)
        if char == "[":
            return self._class()
        if char == "(":
            return self._group()
        quantifier = _QUANTIFIER.match(self.body, self.at)
        if quantifier:
            self.at = quantifier.end()
            if self.at < len(self.body) and self.body[self.at] in "*+?":
                raise ValueError("nothing to repeat")
            return quantifier[0]
        self.at += 1
        return self._plain(char)

    def _plain(self, char: str) -> str:
        many = "m" in self.flags
        if char == ".":
            return "[\\x00-\\U0010ffff]" if "s" in self.flags else f"[^{_LINE_ENDS}]"
        if char == "^":
            return f"(?:\\A|(?<=[{_LINE_ENDS}]))" if many else "\\A"
        if char == "$":
            return f"(?=[{_LINE_ENDS}]|\\Z)" if many else "\\Z"
        if char in "|)":
            return char
        if char in "{}]" and "u" in self.flags:
            raise ValueError("lone bracket")
        return re.escape(char)

    def _group(self) -> str:
        opened = _GROUP_OPEN.match(self.body, self.at)
        if not opened or (opened[0] == "(" and self.body[self.at + 1 : self.at + 2] == "?"):
            raise ValueError("invalid group")
        self.at = opened.end()
        return opened[0]

    def _class(self) -> str:
        self.at += 1
        negated = self.body.startswith("^", self.at)
        self.at += negated
        parts: list[str] = []
        while not self.body.startswith("]", self.at):
            if self.at >= len(self.body):
                raise ValueError("unterminated class")
            char = self.body[self.at]
            if char == "\\":
                parts.append(self._escape(in_class=True))
                continue
            self.at += 1
            parts.append(f"\\{char}" if char in "[&|~^" else char)
        self.at += 1
        if not parts:
            return "[\\x00-\\U0010ffff]" if negated else "(?!)"
        return f"[{'^' if negated else ''}{''.join(parts)}]"

    def _escape(self, *, in_class: bool) -> str:
        if self.at + 1 >= len(self.body):
            raise ValueError("lone backslash")
        char = self.body[self.at + 1]
        self.at += 2
        if char in _CLASSES:
            return _CLASSES[char] if in_class else f"[{_CLASSES[char]}]"
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char in "bB":
            return "\\x08" if in_class else (_BOUNDARY if char == "b" else _NO_BOUNDARY)
        if char in string.digits:
            return self._number(char, in_class=in_class)
        if char in "xuc":
            return self._code(char)
        if char in "pP" and "u" in self.flags:
            return self._property(char)
        name = re.compile(r"<[A-Za-z_$][\w$]*>").match(self.body, self.at) if char == "k" else None
        if name and f"(?{name[0]}" in self.body:
            self.at = name.end()
            return f"(?P={name[0][1:-1]})"
        return re.escape(char)

    def _property(self, kind: str) -> str:
        found = re.compile(r"\{[\w=]+\}").match(self.body, self.at)
        if not found:
            raise ValueError("invalid property")
        self.at = found.end()
        return f"\\{kind}{found[0]}"

    def _number(self, first: str, *, in_class: bool) -> str:
        digits = first
        while self.at < len(self.body) and self.body[self.at] in string.digits and len(digits) < 3:
            digits += self.body[self.at]
            self.at += 1
        if not in_class and first != "0" and int(digits) <= self.groups:
            return f"(?:\\{digits})"
        octal = re.match(r"[0-3]?[0-7]{1,2}", digits)
        used = octal[0] if octal else first
        self.at -= len(digits) - len(used)
        return f"\\x{int(used, 8) & 0xFF:02x}" if octal else re.escape(first)

    def _code(self, kind: str) -> str:
        forms = {"x": r"[0-9A-Fa-f]{2}", "u": r"[0-9A-Fa-f]{4}", "c": r"[A-Za-z]"}
        braces = (
            re.compile(r"\{([0-9A-Fa-f]+)\}").match(self.body, self.at) if kind == "u" and "u" in self.flags else None
        )
        found = braces or re.compile(forms[kind]).match(self.body, self.at)
        if not found:
            return kind
        self.at = found.end()
        code = ord(found[0]) % 32 if kind == "c" else int(found[1] if braces else found[0], 16)
        if code > 0x10FFFF:
            raise ValueError("no such character")
        return f"\\U{code:08x}"
