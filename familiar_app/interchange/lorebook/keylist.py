"""Keys that a format keeps in one text with commas, or as wildcards."""

from __future__ import annotations

import re
from typing import Any

from familiar_app.domain.lorebook.kind import MISSING, Kind, Reading, whole_text

_WILD = {"*": r"\w*", "?": r"\w"}
_WILD_KEY = re.compile(r"/\\b(?P<body>(?:\\w\*?|\\.|[^\\/])+)\\b/i\Z")
_WILD_PIECE = re.compile(r"(\\w\*|\\w)|\\(.)|(.)", re.DOTALL)


def _read_joined(value: Any) -> Reading:
    """Read a list, or a text with commas; blank pieces are dropped."""
    if isinstance(value, str):
        pieces = [whole_text(piece).strip() for piece in value.split(",")]
        keys = tuple(piece for piece in pieces if piece)
        return Reading(keys, len(keys) < len(pieces) and bool(value.strip()))
    if isinstance(value, list):
        return Reading(tuple(whole_text(key) for key in value if isinstance(key, str) and key.strip()))
    return Reading(MISSING, value is not None)


def _write_joined(value: Any, old: Any) -> Any:
    return list(value) if isinstance(old, list) else ", ".join(value)


def _read_wild(value: Any) -> Reading:
    if not isinstance(value, list):
        return Reading(MISSING, value is not None)
    keys = [key for key in value if isinstance(key, str)]
    return Reading(tuple(map(_from_wild, keys)), len(keys) < len(value))


def _from_wild(key: str) -> str:
    """Turn a keyword with `*` and `?` into a pattern, any other into plain text."""
    if not set(key) & set(_WILD):
        return whole_text(key)
    body = "".join(_WILD.get(char) or re.escape(char).replace("/", "\\/") for char in whole_text(key))
    return f"/\\b{body}\\b/i"


def _to_wild(key: str) -> str:
    """Turn a pattern that `_from_wild` made back into its keyword."""
    wild = _WILD_KEY.match(key)
    if not wild:
        return key
    signs = {written: sign for sign, written in _WILD.items()}
    return "".join(
        signs[piece[1]] if piece[1] else piece[2] or piece[3] for piece in _WILD_PIECE.finditer(wild["body"])
    )


JOINED = Kind(_read_joined, _write_joined)
"""Keys as a text with commas; a list is read and kept too."""
WILD = Kind(_read_wild, lambda value, _: [_to_wild(key) for key in value])
"""Keys in which `*` stands for word characters and `?` for one."""
