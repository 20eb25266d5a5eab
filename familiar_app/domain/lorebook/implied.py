"""Which keys bring others along: wherever the one is, the other is too."""

from __future__ import annotations

from familiar_app.domain.lorebook.keytable import KeyForm, LiteralKey
from familiar_app.domain.lorebook.rules import Rules
from familiar_app.domain.lorebook.word import stands_alone


def implies(one: KeyForm | None, other: KeyForm | None, rules: Rules) -> bool:
    """Tell whether a text with the first key in it has the second one too."""
    if not isinstance(one, LiteralKey) or not isinstance(other, LiteralKey) or not other.folded:
        return one is not None and one == other
    at = one.folded.find(other.folded)
    while at >= 0:
        end = at + len(other.folded)
        inside = stands_alone(one.folded, at, end, unicode_words=rules.unicode_words)
        # A key of several words may stand in the middle of longer ones, so its own ends are no ends of words.
        edge = (at == 0 or end == len(one.folded)) and not one.whole
        if not other.whole or (inside and not edge):
            return True
        at = one.folded.find(other.folded, at + 1)
    return False
