"""What a trace keeps of an evaluation: every verdict of a book of ordinary size, the telling ones of a huge one."""

from __future__ import annotations

from typing import Any

from familiar_app.context.lore_shelf import LoreShelf
from familiar_app.context.lore_text import places
from familiar_app.domain.lorebook.activation import Activation

MAX_VERDICTS = 600


def lore_trace(shelf: LoreShelf, activation: Activation, *, rules: str, window: int, length: int) -> dict[str, Any]:
    """Return the story of an evaluation in JSON values. `unexplained` counts entries whose verdicts are left out."""
    verdicts, unexplained = _verdicts(activation)
    return {
        "files": list(shelf.files),
        "rules": rules,
        "window": window,
        "messages": length,
        "activated": activation.names,
        "passes": len(activation.passes),
        "overflowed": activation.overflowed,
        "budget_tokens": activation.budget_tokens,
        "used_tokens": activation.used_tokens,
        "rolls": list(activation.rolls),
        "places": places(activation),
        "verdicts": verdicts,
        "unexplained": unexplained,
        "slow_patterns": len(activation.slow_patterns),
    }


def idle_trace(shelf: LoreShelf, *, rules: str) -> dict[str, Any]:
    """Return the same where nothing was evaluated."""
    return {"files": list(shelf.files), "rules": rules, "activated": [], "passes": 0, "places": [], "verdicts": []}


def _verdicts(activation: Activation) -> tuple[list[dict[str, Any]], int]:
    entries = len(activation.books.candidates)
    if entries * max(len(activation.passes), 1) <= MAX_VERDICTS:
        return [verdict.to_json() for verdict in activation.verdicts()], 0
    asked = [
        {
            "entry": activation.books.candidates[index].entry.name,
            "book": activation.books.candidates[index].key.book,
            "uid": activation.books.candidates[index].key.uid,
            "pass": record.state.number,
            "verdict": "in" if outcome.accepted else "out",
            "reason": outcome.reason.value,
            "detail": dict(outcome.detail),
        }
        for record in activation.passes
        for index, outcome in record.outcomes.items()
        if outcome.reason.value != "no-match"
    ]
    told = {(one["book"], one["uid"]) for one in asked[:MAX_VERDICTS]}
    return asked[:MAX_VERDICTS], entries - len(told)
