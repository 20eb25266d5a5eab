"""Finds facts that say the same in other words' order or clothes: the same telling words, about people in common.

Nothing is folded by this; it only points the owner at what could be said once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from familiar_app.domain.fact import FactId
from familiar_app.domain.fact_text import normalise
from familiar_app.domain.ids import PersonKey
from familiar_app.domain.stop_word import STOP_WORDS

_WORD = re.compile(r"\w+")
Said = tuple[FactId, str, frozenset[PersonKey]]


def duplicates_of(facts: Iterable[Said]) -> list[tuple[FactId, ...]]:
    """Return groups of facts with the same telling words and a subject in common, or none at all; oldest first."""
    by_words: dict[tuple[str, ...], list[Said]] = {}
    for fact in facts:
        by_words.setdefault(_telling(fact[1]), []).append(fact)
    groups = [group for alike in by_words.values() if len(alike) > 1 for group in _concerning(alike)]
    return sorted(groups, key=lambda group: group[0])


def _telling(text: str) -> tuple[str, ...]:
    """Return the words that tell, in the order of the alphabet; all of them where every one is common."""
    words = _WORD.findall(normalise(text))
    return tuple(sorted(word for word in words if word not in STOP_WORDS) or sorted(words))


def _concerning(alike: list[Said]) -> Iterable[tuple[FactId, ...]]:
    """Split facts of the same words by whom they are about."""
    groups: list[tuple[set[PersonKey], list[FactId]]] = []
    for number, _text, people in sorted(alike, key=lambda fact: fact[0]):
        joined = [group for group in groups if group[0] & people or not (group[0] or people)]
        everybody, ids = set(people), [number]
        for group in joined:
            everybody |= group[0]
            ids += group[1]
            groups.remove(group)
        groups.append((everybody, sorted(ids)))
    return [tuple(ids) for _people, ids in groups if len(ids) > 1]
