"""What a trace keeps of an evaluation: every verdict of a book of ordinary size, the telling ones of a huge one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from familiar_app.context.lore_shelf import LoreShelf
from familiar_app.context.lore_story import LoreStory
from familiar_app.context.lore_text import places
from familiar_app.domain.lorebook.activation import Activation
from familiar_app.domain.lorebook.entry import EntryKey
from familiar_app.domain.lorebook.timer import Timers
from familiar_app.domain.lorebook.verdict import Outcome, Reason, Verdict

MAX_VERDICTS = 600


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the trace tells beside the evaluation: the timers before it, and what the prompt has for entries."""

    rules: str
    window: int
    story: LoreStory
    timers: Timers
    has_note: bool = False
    outlets: frozenset[str] = frozenset()


def lore_trace(shelf: LoreShelf, activation: Activation, around: Surroundings) -> dict[str, Any]:
    """Return the story of an evaluation in JSON values. `unexplained` counts entries whose verdicts are left out."""
    verdicts, unexplained = _verdicts(activation)
    placed = places(activation, has_note=around.has_note, outlets=around.outlets)
    verdicts += [_nowhere(one, len(activation.passes)) for one in placed if _misses_outlet(one, activation)]
    return {
        "files": list(shelf.files),
        "rules": around.rules,
        "window": around.window,
        "messages": around.story.length,
        "said": around.story.said,
        "greeting": around.story.greeting,
        "activated": activation.names,
        "passes": len(activation.passes),
        "overflowed": activation.overflowed,
        "budget_tokens": activation.budget_tokens,
        "used_tokens": activation.used_tokens,
        "rolls": list(activation.rolls),
        "timers": around.timers.to_json(),
        "places": placed,
        "verdicts": verdicts,
        "unexplained": unexplained,
        "slow_patterns": len(activation.slow_patterns),
    }


def _misses_outlet(place: dict[str, Any], activation: Activation) -> bool:
    """Tell whether an entry has an outlet that the prompt has not."""
    told = {activation.books.candidates[index].key for index in activation.placement.left_out}
    return place["wanted"] == "outlet" and place["shown"] is None and EntryKey(place["book"], place["uid"]) not in told


def _nowhere(place: dict[str, Any], number: int) -> dict[str, Any]:
    outcome = Outcome(False, Reason.NOT_INSERTED, {"why": "outlet-not-used"})
    return Verdict(EntryKey(place["book"], place["uid"]), place["entry"], number, outcome).to_json()


def idle_trace(shelf: LoreShelf, *, rules: str) -> dict[str, Any]:
    """Return the same where nothing was evaluated."""
    return {"files": list(shelf.files), "rules": rules, "activated": [], "passes": 0, "places": [], "verdicts": []}


def _verdicts(activation: Activation) -> tuple[list[dict[str, Any]], int]:
    entries = len(activation.books.candidates)
    if entries * max(len(activation.passes), 1) <= MAX_VERDICTS:
        return [verdict.to_json() for verdict in activation.verdicts()], 0
    asked = [
        activation.verdict(activation.books.candidates[index], record.state.number, outcome).to_json()
        for record in activation.passes
        for index, outcome in record.outcomes.items()
        if outcome.reason.value != "no-match"
    ]
    told = {(one["book"], one["uid"]) for one in asked[:MAX_VERDICTS]}
    return asked[:MAX_VERDICTS], entries - len(told)
