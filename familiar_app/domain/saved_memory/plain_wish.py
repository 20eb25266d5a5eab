"""Finds a plain wish to remember something in what a person says. Only unmistakable ones; everything else is talk."""

from __future__ import annotations

import re

_POLITE = r"(?:(?:please|bitte|hey|hi|ok|okay|and|und)[\s,!]+|(?:can|could|would|will)\s+you\s+(?:please\s+)?)*"
_WISH = (
    r"(?:(?:always\s+)?remember|keep\s+in\s+mind|make\s+a\s+note|note\s+down|do(?:n[o'’]t|\s+not)\s+forget|never\s+forget"
    r"|merk(?:e)?\s+dir|vergiss\s+nicht|denk\s+daran|behalte?\s+im\s+kopf)"
)
_LINK = r"(?:\s+(?:please|bitte))?(?:\s*,?\s+(?:that|dass)\s+|(?:\s+(?:this|dies|das))?\s*:\s*)"
_PLAIN = re.compile(rf"\W*{_POLITE}{_WISH}{_LINK}(?P<what>\S.*)", re.IGNORECASE | re.DOTALL)
_ASKING = re.compile(r"\W*(?:\w+[\s,!]+){0,3}?(?:can|could|would|will)\s+you\b", re.IGNORECASE)
_THANKS = re.compile(r"[\s,]+(?:please|bitte|ok|okay|thanks|danke)\W*$", re.IGNORECASE)
_OWN = re.compile(r"\b(?:i|me|my|mine|we|our|us|ich|mir|mich|mein\w*|wir|uns\w*)\b", re.IGNORECASE)
_LEAST_CHARS = 3


def wish_to_remember(text: str) -> str | None:
    """Return what a message plainly asks to remember, in its own words; None where it asks for nothing of the kind.

    "Remember when we met?" is a question about the past: the wish has to be tied to its content by `that` or a colon.
    """
    said = text.strip()
    found = _PLAIN.match(said)
    if found is None or (said.endswith("?") and _ASKING.match(said) is None):
        return None
    what = _THANKS.sub("", found["what"]).strip().rstrip("?").strip()
    return what if len(what) >= _LEAST_CHARS else None


def speaks_of_self(text: str) -> bool:
    """Tell whether the speaker speaks of themselves."""
    return _OWN.search(text) is not None
