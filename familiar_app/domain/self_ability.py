"""Recognises statements about what the model itself can or cannot do, which are no facts about anybody.

A model asked to note facts tends to note its own limits ("I cannot see pictures"). Only whole words count, and only at
the beginning of a sentence, so that what others cannot do, what the familiar called off, and what it will not bear
stay facts.
"""

from __future__ import annotations

import re
from functools import lru_cache

_NOT_ABLE = r"""(?:
    (?:can\s?not|can't|cant)\b(?!\s+(?:stand|bear|abide|help\s+(?:but|\w+ing)|wait|forgive|forget|resist|stop)\b)
  | (?:am|is|'m|'s|was)\s+(?:not\s+able|unable|incapable|not\s+capable|not\s+programmed|not\s+designed
      |not\s+allowed|programmed|designed)\b
  | (?:isn't|wasn't|ain't)\s+(?:able|capable|programmed|designed|allowed)\b
  | lacks?\s+(?:the\s+|any\s+)?(?:ability|capacity|capability|means|access)\b
  | (?:ha(?:s|ve)\s+no|lacks?(?:\s+any|\s+a)?
      |(?:do(?:es)?\s+not|do(?:es)?n't)\s+(?:\w+\s+)?(?:have|possess|experience))\s+
      (?:(?:the|any|an|a|real|true|actual|personal|physical|human|direct|live|real-time|long-term|own)\s+)*
      (?:ability|abilities|capacity|capability|capabilities|access|means|way|memory|memories|body|bodies|feelings?
        |emotions?|consciousness|experiences?|senses|internet|real-time)\b
)"""
_IS_A_MODEL = r"""(?:
    (?:am|is|'m|'s)\s+(?:just\s+|only\s+|merely\s+)?(?:an?|the)\s+
      (?:\w+\s+)?(?:ai|a\.i\.|artificial\s+intelligence|(?:large\s+)?language\s+model|chat\s?bot|virtual\s+assistant)\b
)"""
_AS_A_MODEL = r"""as\s+(?:an?|the)\s+(?:\w+\s+)?
    (?:ai|a\.i\.|artificial\s+intelligence|(?:large\s+)?language\s+model|chat\s?bot|(?:virtual\s+|digital\s+)?assistant)\b
"""
_ANY_LACK = r"(?:ha(?:s|ve)\s+no|lacks|does\s+not\s+have|doesn't\s+have|can\s?not|can't|is\s+(?:unable|not\s+able))\b"
_GENERIC = (
    r"(?:the|this)\s+(?:ai|assistant|(?:language\s+|ai\s+)?model|chat\s?bot|bot|ai\s+assistant|virtual\s+assistant)"
)
_START = r"(?:^|(?<=[.!?;:])\s+|\n\s*)[\"'“”‘*_(\[-]*\s*"
_SAYING = r"""(?:says?|said|states?|stated|notes?|noted|explains?|explained|mentions?|mentioned|admits?|admitted
    |clarifie[sd]|clarify|tells?\s+\w+|told\s+\w+)(?:\s+that)?[\s,:]+[\"'“‘]*"""
_FLAGS = re.IGNORECASE | re.VERBOSE


def is_self_ability(text: str, name: str) -> bool:
    """Tell whether a statement says what the model is unable to do, or what it is. `name` is the familiar's own."""
    plain = text.replace("’", "'").replace("ʼ", "'").strip()
    return any(pattern.search(plain) for pattern in _patterns(name.strip().casefold()))


@lru_cache(maxsize=64)
def _patterns(name: str) -> tuple[re.Pattern[str], ...]:
    own = [r"i\b"]
    if name:
        spaced = r"\s+".join(re.escape(part) for part in name.split())
        own.append(rf"{spaced}(?!\w)(?!'s\s+\w+\s+\w)")
    self_ = rf"(?:{'|'.join(own)})"
    said = rf"(?:{self_}\s+{_SAYING})?"
    they = r"(?:she|he|they|it)"
    reported = rf"{_START}{self_}\s+{_SAYING}"
    return tuple(
        re.compile(source, _FLAGS)
        for source in (
            rf"{_START}{said}{self_}\s*(?:{_NOT_ABLE}|{_IS_A_MODEL})",
            rf"{reported}{they}\s*(?:{_NOT_ABLE}|{_IS_A_MODEL})",
            rf"{_START}{said}{_AS_A_MODEL}",
            rf"{_START}{said}{_GENERIC}\s*(?:{_ANY_LACK}|{_NOT_ABLE}|{_IS_A_MODEL})",
        )
    )
