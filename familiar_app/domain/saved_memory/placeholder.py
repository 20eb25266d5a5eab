"""Placeholders in memories: which stay, which lose their braces, and what they stand for when they are shown."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\{\{([A-Za-z][A-Za-z0-9_]*)\}\}|\{([A-Za-z][A-Za-z0-9_]*)\}")
_KNOWN = frozenset({"user", "bot", "char"})


def clean(text: str) -> str:
    """Trim a text and take the braces off every token but `{user}`, `{bot}` and `{char}`. Twice changes nothing."""
    while True:
        cleaned = _TOKEN.sub(_without_braces, text.strip())
        if cleaned == text:
            return cleaned
        text = cleaned


def fill(text: str, *, user: str, char: str) -> str:
    """Show a memory: `{user}` is whom it is about or who is spoken to, `{bot}` and `{char}` the familiar.

    One pass: what a name contains is not filled again.
    """
    values = {"user": user, "bot": char, "char": char}
    return _TOKEN.sub(lambda token: values.get(_word(token).lower(), token[0]), text)


def name_user(text: str, name: str) -> str:
    """Write a name in the place of `{user}`; everything else stays."""
    return _TOKEN.sub(lambda token: name if _word(token).lower() == "user" else token[0], text)


def pieces(text: str) -> list[str]:
    """Return what stands between the placeholders, without white space at its ends."""
    known = _TOKEN.sub(lambda token: "\0" if _word(token).lower() in _KNOWN else token[0], text)
    return [piece.strip() for piece in known.split("\0") if piece.strip()]


def _without_braces(token: re.Match[str]) -> str:
    word = _word(token)
    return token[0] if word.lower() in _KNOWN else word


def _word(token: re.Match[str]) -> str:
    return token[1] or token[2]
