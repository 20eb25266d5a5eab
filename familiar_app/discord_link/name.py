"""Makes names from Discord harmless before they are kept: one line, no marks of formatting, nobody called "System"."""

from __future__ import annotations

import re

from familiar_app.domain.lookalike import looks_like
from familiar_app.domain.speech import clean_name

MAX_NAME_CHARS = 80
_FORMATTING = re.compile(r"[*`~\\]|\|\||¦¦|__+|^[\s>＃#-]+|^_+|_+$")
_COLONS = re.compile(r"\s*[:：﹕︓]+\s*")
_ROLES = frozenset(
    map(looks_like, ("system", "assistant", "user", "tool", "developer", "operator", "everyone", "here"))
)


def safe_name(name: str) -> str:
    """Return a name that neither formats nor ends a line nor speaks for a role of the conversation; maybe empty."""
    text = clean_name(name)
    while (shorter := _FORMATTING.sub("", _COLONS.sub(" ", text)).strip()) != text:
        text = shorter
    text = clean_name(text)[:MAX_NAME_CHARS].strip()
    first = looks_like(text.partition(" ")[0].strip("()‹›.,"))
    return f"“{text}”" if first in _ROLES else text


def name_or_number(name: str | None, number: int) -> str:
    """Return a safe name, or a made one where nothing usable is left of it."""
    return safe_name(name or "") or f"user {number}"
