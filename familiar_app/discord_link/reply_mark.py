"""Reads the mark with which a reply says what it answers: `[↩]` the newest message, `[↩ 123]` an earlier one."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MARK = re.compile(r"\A\s*\[↩(?:\s*(?P<number>\d{1,20}))?\]\s*")


@dataclass(frozen=True, slots=True)
class Marked:
    """A reply without its mark. `answers` is the earlier message that it names, if any."""

    text: str
    marked: bool = False
    answers: int | None = None


def read_mark(text: str) -> Marked:
    """Take the mark off a reply."""
    match = _MARK.match(text)
    if match is None:
        return Marked(text)
    number = match["number"]
    return Marked(text[match.end() :], marked=True, answers=None if number is None else int(number))
