"""JavaScript's regular expressions, rewritten for the `regex` engine."""

from __future__ import annotations

import re
import string

SPACE = "\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff"
"""JavaScript's white space, as the inside of a character class."""

_LINE_ENDS = "\\n\\r\\u2028\\u2029"
_WORD = "0-9A-Za-z_"
_NOT_DIGIT = "\\x00-/:-\\U0010ffff"
# Four letters that fold to ASCII ones are left out, or a search without case would take `i`, `k` and `s` for signs.
_NOT_WORD = "\\x00-/:-@\\[-\\^`{-\\u012f\\u0132-\\u017e\\u0180-\\u2129\\u212b-\\U0010ffff"
_NOT_SPACE = (
    "\\x00-\\x08\\x0e-\\x1f!-\\x9f\\xa1-\\u167f\\u1681-\\u1fff\\u200b-\\u2027\\u202a-\\u202e"
    "\\u2030-\\u205e\\u2060-\\u2fff\\u3001-\\ufefe\\uff00-\\U0010ffff"
)
_CLASSES = {"d": "0-9", "w": _WORD, "s": SPACE, "D": _NOT_DIGIT, "W": _NOT_WORD, "S": _NOT_SPACE}
_CONTROLS = {"n": "\\n", "r": "\\r", "t": "\\t", "v": "\\v", "f": "\\f"}
# Outside of classes letters are compared exactly, because both cases are listed.
_EXACT = {"d": "0-9", "w": _WORD, "s": SPACE, "D": "^0-9", "W": f"^{_WORD}", "S": f"^{SPACE}"}
_BOUNDARY = f"(?-i:(?<=[{_WORD}])(?![{_WORD}])|(?<![{_WORD}])(?=[{_WORD}]))"
_NO_BOUNDARY = f"(?-i:(?<=[{_WORD}])(?=[{_WORD}])|(?<![{_WORD}])(?![{_WORD}]))"
_UNICODE_ESCAPES = frozenset("^$\\.*+?()[]{}|/")
_QUANTIFIER = re.compile(r"(?:[*+?]|\{(?P<least>[0-9]+)(?:,[0-9]*)?\})\??")
# The engine lays out what has to be there several times that many times over, and takes memory for each.
_MAX_PARTS = 10_000
# The engine looks for long texts without regard to the time, so they are parted by what is always true.
_LONGEST_TEXT = 32
_TRUE = "(?!(?!))"
_GROUP_OPEN = re.compile(r"\((?:\?(?::|=|!|<=|<!|<[A-Za-z_$][\w$]*>))?")
_CAPTURE = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|(\((?!\?)|\(\?<(?![=!]))", re.DOTALL)


class JavaScriptPattern:
    """Rewrites one JavaScript pattern for the `regex` engine. Raises ValueError where JavaScript would refuse it."""

    def __init__(self, body: str, flags: str) -> None:
        self.body = body
        self.flags = flags
        self.at = 0
        self.groups = sum(1 for found in _CAPTURE.finditer(body) if found[1])
        self._open: list[str] = []
        self._can_repeat = False
        self._parts = [0]
        self._last_parts = 0
        self._written = 0

    def translate(self) -> str:
        """Return the pattern for `regex`. Raises ValueError where JavaScript would refuse it."""
        parts = []
        while self.at < len(self.body):
            parts.append(self._next())
        return "".join(parts)

    def _next(self) -> str:
        char = self.body[self.at]
        if char == "\\":
            return self._parting() + self._escape(in_class=False)
        if char == "[":
            return self._parting() + self._class()
        if char == "(":
            return self._group()
        quantifier = _QUANTIFIER.match(self.body, self.at)
        if quantifier:
            if not self._can_repeat:
                raise ValueError("nothing to repeat")
            self._can_repeat = False
            self.at = quantifier.end()
            self._count(self._last_parts * max(int(quantifier["least"] or 1) - 1, 0))
            return quantifier[0]
        self.at += 1
        if char == ")":
            return self._close()
        self._can_repeat = char not in "^$|"
        return self._parting() + self._plain(char)

    def _parting(self) -> str:
        """Count one more part, and return what has to stand before it."""
        self._count(1)
        self._written += 1
        return "" if self._written % _LONGEST_TEXT else _TRUE

    def _count(self, parts: int) -> None:
        """Add parts to the group that is open. Raises ValueError where they become too many."""
        self._last_parts = parts
        self._parts[-1] += parts
        if self._parts[-1] > _MAX_PARTS:
            raise ValueError("too many repetitions")

    def _plain(self, char: str) -> str:
        many = "m" in self.flags
        if char == ".":
            return "[\\x00-\\U0010ffff]" if "s" in self.flags else f"[^{_LINE_ENDS}]"
        if char == "^":
            return f"(?:\\A|(?<=[{_LINE_ENDS}]))" if many else "\\A"
        if char == "$":
            return f"(?=[{_LINE_ENDS}]|\\Z)" if many else "\\Z"
        if char == "|":
            return char
        if char in "{}]" and "u" in self.flags:
            raise ValueError("lone bracket")
        return re.escape(char)

    def _group(self) -> str:
        opened = _GROUP_OPEN.match(self.body, self.at)
        if not opened or (opened[0] == "(" and self.body[self.at + 1 : self.at + 2] == "?"):
            raise ValueError("invalid group")
        self.at = opened.end()
        self._open.append(opened[0])
        self._parts.append(0)
        self._can_repeat = False
        return opened[0]

    def _close(self) -> str:
        if not self._open:
            raise ValueError("unmatched parenthesis")
        opened = self._open.pop()
        self._count(self._parts.pop() + 1)
        self._can_repeat = opened not in ("(?<=", "(?<!") and not (opened in ("(?=", "(?!") and "u" in self.flags)
        return ")"

    def _class(self) -> str:
        self.at += 1
        self._can_repeat = True
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
        self._can_repeat = in_class or char not in "bB"
        if char in _CLASSES:
            return _CLASSES[char] if in_class else f"(?-i:[{_EXACT[char]}])"
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
        if "u" in self.flags and char not in _UNICODE_ESCAPES and not (in_class and char == "-"):
            raise ValueError("invalid escape")
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
        if "u" in self.flags and (digits != "0" or self.body[self.at : self.at + 1] in tuple(string.digits)):
            raise ValueError("invalid escape")
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
            if "u" in self.flags:
                raise ValueError("invalid escape")
            return kind
        self.at = found.end()
        code = ord(found[0]) % 32 if kind == "c" else int(found[1] if braces else found[0], 16)
        if code > 0x10FFFF:
            raise ValueError("no such character")
        return f"\\U{code:08x}"
