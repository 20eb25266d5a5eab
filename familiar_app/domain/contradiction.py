"""Reads which of the facts it was shown a model holds to be contradicted or replaced, and orders those to show."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from familiar_app.domain.fact import Fact, FactId
from familiar_app.domain.fact_text import normalise
from familiar_app.domain.note import ids_in

MAX_REASON_CHARS = 1000
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Verdict:
    """A prior fact that is to be retired, and the reason the model gives."""

    prior: FactId
    reason: str


def verdicts_of(answer: object, shown: Sequence[FactId]) -> list[Verdict]:
    """Return the verdicts about facts that were shown, each fact once. The list holds `{reason, id}` or bare ids."""
    allowed, found = set(shown), dict[FactId, Verdict]()
    for item in answer if isinstance(answer, list) else []:
        number, reason = (item.get("id"), item.get("reason")) if isinstance(item, dict) else (item, None)
        for one in ids_in(number):
            prior = FactId(one)
            if prior in allowed and prior not in found:
                found[prior] = Verdict(prior, reason.strip()[:MAX_REASON_CHARS] if isinstance(reason, str) else "")
    return list(found.values())


def rejected_verdicts(answer: object, shown: Sequence[FactId]) -> dict[str, int]:
    """Count the verdicts of an answer that come to nothing, by what is wrong with them."""
    allowed = set(shown)
    rejected: Counter[str] = Counter()
    for item in answer if isinstance(answer, list) else []:
        ids = ids_in(item.get("id") if isinstance(item, dict) else item)
        rejected["no id"] += not ids
        rejected["not shown"] += sum(one not in allowed for one in ids)
    return {name: count for name, count in rejected.items() if count}


def choose_priors(new: Fact, newest_first: Sequence[Fact], limit: int) -> list[Fact]:
    """Return at most `limit` facts to compare with: all of them, else those that share most words with `new`.

    Equal ones keep their order, so the newest come first.
    """
    if len(newest_first) <= limit:
        return list(newest_first)
    words = set(_WORD.findall(normalise(new.text)))
    return sorted(newest_first, key=lambda fact: -_likeness(words, fact.text))[:limit]


def _likeness(words: set[str], text: str) -> float:
    others = set(_WORD.findall(normalise(text)))
    both = len(words & others)
    return both / len(words | others) if both else 0.0
