"""The words in which it is said why something stands in a prompt or not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from familiar_app.domain.clock import format_time
from familiar_app.domain.fact import Cause, Fact
from familiar_app.domain.trace import LeftOut

# The layer that shows things of a kind, where the trace does not name each of them. Turns and facts are searched for.
LAYER_OF = {"reflection": "reflections", "dossier": "people_dossiers", "memory": "saved_memories"}

_SENTENCES = {
    "in": "It stands in the prompt.",
    "window": "It stands in the prompt, among the recent turns.",
    "audience": "It was held back from those who read here: {reason}.",
    "over_cap": "There was no room left for it.",
    "left_out": "It was left out by hand.",
    "deleted": "Its text was deleted.",
    "hidden": "It was taken out of the conversation.",
    "replaced": "Another answer was chosen in its place.",
    "later": "It was not there yet: it came at {at}.",
    "elsewhere": "It belongs to a place that does not count here.",
    "no_match": "Nothing in it fits what was said last.",
    "not_ready": "The search index is not ready, so nothing was looked up.",
    "disabled": "The layer {layer} is no part of this prompt.",
    "forgotten": "It was taken out of the saved memories at {at}.",
    "ended": "It had ended by then, at {at}.",
    "not_yet_true": "It was not true yet at the time that was looked at.",
    "newer": "Newer ones took its place: there are {count}.",
    "held_or_cut": "It rests on what was learned where not everybody here reads, or there was no room left for it.",
    "not_extracted": "Nothing has been distilled about this person yet.",
    "not_spoken_of": "This person had neither spoken lately nor been mentioned, or others came first.",
    "unexplained": "The lorebooks are so large that the trace keeps only what came close; none of its keys was there.",
    "unknown": "There is nothing of this kind and number here.",
}
# What a layer says of things that it holds back from those who hear the answer.
_HELD = re.compile(r"not everybody here (may hear|can read)|learned (in|on|where)")
_ENDED_BECAUSE = {
    Cause.SUPERSEDED: "it was replaced by fact {by}",
    Cause.RETIRED: "it was retired",
    Cause.SOURCE_DELETED: "what it rested on was deleted",
    Cause.SOURCE_EDITED: "what it rested on was edited",
}


@dataclass(frozen=True, slots=True)
class Word:
    """A reason: a code, a sentence, what it rests on."""

    code: str
    sentence: str
    detail: Mapping[str, Any] = field(default_factory=dict)


def say(code: str, **detail: Any) -> Word:
    """Put a reason into words. Times are told in UTC."""
    plain = {name: format_time(value) if isinstance(value, datetime) else value for name, value in detail.items()}
    if code == "outranked":
        return Word(code, _outranked(plain), plain)
    return Word(code, _SENTENCES[code].format(**plain), plain)


def candidate_word(one: Mapping[str, Any], candidates: Sequence[Mapping[str, Any]]) -> Word:
    """Put what a trace tells of a candidate into words."""
    why = str(one["why"])
    detail = {"score": one["score"], "reason": one.get("reason"), "why": why}
    if one["kept"]:
        return Word("in", _SENTENCES["in"], detail)
    if why in ("score", "limit") and one["signals"]:
        others = [other for other in candidates if other["signals"] and other["why"] != "audience"]
        rank = 1 + sum(other["score"] > one["score"] for other in others)
        return say("outranked", rank=rank, score=one["score"], needed=least_kept(candidates))
    if why == "window":
        return Word("window", _SENTENCES["window"], detail)
    code = {"cap": "over_cap"}.get(why, why)
    reason = str(one.get("reason") or why)
    return Word(code, _SENTENCES.get(code, "Left out: {reason}.").format(reason=reason), detail)


def least_kept(candidates: Sequence[Mapping[str, Any]]) -> float | None:
    """Return the lowest score with which something that was searched for was kept; None where nothing was."""
    return min((float(one["score"]) for one in candidates if one["kept"] and one["signals"]), default=None)


def left_out_word(left: LeftOut) -> Word:
    """Put what a layer tells of an item that it left out into words."""
    code = "audience" if _HELD.search(left.reason) else "left_out"
    return Word(code, f"Left out: {left.reason}.", {"reason": left.reason, "tokens": left.tokens})


def retired_word(fact: Fact, moment: datetime) -> Word:
    """Tell what ended the belief in a fact before a moment."""
    ends = [one for one in fact.beliefs if one.held.until is not None and one.held.until <= moment]
    if not ends:
        return say("later", at=fact.created_at)
    last = ends[-1]
    cause = _ENDED_BECAUSE.get(last.end_cause or Cause.RETIRED, "it was retired").format(by=last.by)
    if last.by is None and last.end_cause is Cause.SUPERSEDED:
        cause = "it was replaced"
    at = format_time(last.held.until) if last.held.until is not None else ""
    return Word("retired", f"It was not believed any more: {cause}, at {at}.", {"at": at, "by": last.by})


def _outranked(detail: Mapping[str, Any]) -> str:
    rank, score, needed = detail["rank"], detail["score"], detail["needed"]
    if needed is None:
        return f"It came {_ordinal(rank)}, and nothing was shown."
    missing = needed - score
    short = f", {missing:.3f} short of the last one shown" if missing > 0 else ""
    return f"Enough better ones were found: it came {_ordinal(rank)}, with a score of {score:.3f}{short}."


def _ordinal(number: int) -> str:
    tail = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{tail}"
