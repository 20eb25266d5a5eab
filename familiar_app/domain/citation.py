"""Reads a model's reflections, keeps only what they cite of what was shown, and writes citations as breadcrumbs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import TurnId
from familiar_app.domain.note import ids_in

MAX_TEXT_CHARS = 2000


@dataclass(frozen=True, slots=True)
class Thought:
    """A reflection with what it rests on; at least one of both is there."""

    text: str
    turns: tuple[TurnId, ...]
    facts: tuple[FactId, ...]


def thoughts_of(answer: object, turns: Collection[TurnId], facts: Collection[FactId], most: int) -> list[Thought]:
    """Return at most `most` thoughts. Ids that were not shown are dropped, and a thought without any goes."""
    return _read(answer, turns, facts)[0][:most]


def rejected_thoughts(
    answer: object, turns: Collection[TurnId], facts: Collection[FactId], most: int
) -> dict[str, int]:
    """Count the thoughts of an answer that are not kept, by what is wrong with them."""
    found, rejected = _read(answer, turns, facts)
    rejected["too many"] = max(0, len(found) - most)
    return {name: count for name, count in rejected.items() if count}


def _read(answer: object, turns: Collection[TurnId], facts: Collection[FactId]) -> tuple[list[Thought], Counter[str]]:
    found: list[Thought] = []
    rejected: Counter[str] = Counter()
    for item in answer if isinstance(answer, list) else []:
        text = item.get("text") if isinstance(item, dict) else None
        if not isinstance(item, dict) or not isinstance(text, str) or not 0 < len(text.strip()) <= MAX_TEXT_CHARS:
            rejected["no text"] += 1
            continue
        cited_turns = dict.fromkeys(TurnId(one) for one in ids_in(item.get("cited_turn_ids")) if one in turns)
        cited_facts = dict.fromkeys(FactId(one) for one in ids_in(item.get("cited_fact_ids")) if one in facts)
        if cited_turns or cited_facts:
            found.append(Thought(text.strip(), tuple(cited_turns), tuple(cited_facts)))
        else:
            rejected["cites nothing"] += 1
    return found, rejected


def breadcrumbs(turns: Sequence[TurnId], facts: Sequence[FactId]) -> str:
    """Write citations as `[T#42, F#7]`."""
    return f"[{', '.join([*(f'T#{turn}' for turn in turns), *(f'F#{fact}' for fact in facts)])}]"
