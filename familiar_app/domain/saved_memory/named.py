"""Tells whether a text names somebody: as whole words, whatever the case."""

from __future__ import annotations

import re
from collections.abc import Iterable

from familiar_app.domain.saved_memory.target import folded
from familiar_app.domain.stop_word import STOP_WORDS

_MIN_NAME_CHARS = 2
# Scripts that put no spaces between words, so that a name is found inside of longer runs.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def names_somebody(text: str, names: Iterable[str]) -> bool:
    """Tell whether one of the names stands in the text. A single letter is no name that could be found."""
    plain = folded(text)
    return any(_is_named(name, text, plain) for name in names)


def _is_named(name: str, text: str, plain: str) -> bool:
    wanted = folded(name)
    if len(wanted) < _MIN_NAME_CHARS or wanted not in plain:
        return False
    if _UNSPACED.search(wanted):
        return True
    if wanted in STOP_WORDS:
        # A name that is also a common word ("Will") has to be spelled like the name.
        wanted, plain = name.strip(), text
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", plain) is not None
