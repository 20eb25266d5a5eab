"""Finds a plain wish to be reminded in what a person says. Only unmistakable ones, with a time that can be read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, tzinfo

from familiar_app.domain.alarm import parse_when
from familiar_app.domain.errors import UserError

_POLITE = r"(?:(?:please|hey|hi|ok|okay|and)[\s,!]+|(?:can|could|would|will)\s+you\s+(?:please\s+)?)*"
_LINK = r"(?:to|that|of|about)"
_TIME_FIRST = re.compile(
    rf"\W*{_POLITE}remind\s+(?:me|us)\s+(?P<when>\S.{{0,60}}?)\s*,?\s+{_LINK}\s+(?P<what>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_TIME_LAST = re.compile(
    rf"\W*{_POLITE}remind\s+(?:me|us)\s+{_LINK}\s+(?P<what>\S.*?)\s*,?\s+"
    r"(?P<when>(?:in|at|on|today|tomorrow)\b.{1,60})$",
    re.IGNORECASE | re.DOTALL,
)
_MOST_CHARS = 1000
_THANKS = re.compile(r"[\s,]+(?:please|ok|okay|thanks)\W*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PlainReminder:
    """When somebody wants to be reminded, as they said it, and of what."""

    when: str
    text: str


def wish_for_reminder(text: str, now: datetime, zone: tzinfo | None) -> PlainReminder | None:
    """Return what a message plainly asks to be reminded of; None where it does not, or its time is none."""
    if len(text) > _MOST_CHARS:
        return None
    said = _THANKS.sub("", text.strip()).rstrip(" .!?")
    for pattern in (_TIME_FIRST, _TIME_LAST):
        found = pattern.fullmatch(said)
        if found is None:
            continue
        when, what = re.sub(r"^on\s+", "", found["when"].strip(), flags=re.IGNORECASE), found["what"].strip()
        try:
            parse_when(when, now, zone)
        except UserError:
            continue
        return PlainReminder(when, what)
    return None
