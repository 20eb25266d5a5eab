"""Tells whether a person typed the word they were asked for, however their keyboard composes its letters. No Qt."""

from __future__ import annotations

import unicodedata


def is_typed(text: str, wanted: str, *, any_case: bool = False) -> bool:
    """Tell whether a text reads as the one that is wanted; with `any_case` capitals make no difference.

    An accent may be a letter of its own, and what nobody can see or type in one line does not count: a name out of a
    foreign card has such things.

    >>> is_typed(" Zoe\\u0308 ", "Zo\\u00eb"), is_typed("zoe", "Zoe")
    (True, False)
    """
    read, meant = _as_read(text), _as_read(wanted)
    if any_case:
        read, meant = _as_read(read.casefold()), _as_read(meant.casefold())
    return read == meant and bool(read or not wanted.strip())


def _as_read(text: str) -> str:
    spaced = " ".join(text.split())
    seen = (one for one in spaced if unicodedata.category(one)[0] != "C" and not "\ufe00" <= one <= "\ufe0f")
    return unicodedata.normalize("NFC", " ".join("".join(seen).split()))
