"""The words in which it is said why something stands in a prompt or not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from familiar_app.domain.clock import format_time
from familiar_app.domain.fact import Cause, Fact
from familiar_app.domain.text import number, tr, tr_later
from familiar_app.domain.trace import LeftOut

# The layer that shows things of a kind, where the trace does not name each of them. Turns and facts are searched for.
LAYER_OF = {"reflection": "reflections", "dossier": "people_dossiers", "memory": "saved_memories"}

_SENTENCES = {
    "in": tr_later("It stands in the prompt."),
    "window": tr_later("It stands in the prompt, among the recent turns."),
    "audience": tr_later("It was held back from those who read here: {reason}."),
    "over_cap": tr_later("There was no room left for it."),
    "left_out": tr_later("It was left out by hand."),
    "deleted": tr_later("Its text was deleted."),
    "hidden": tr_later("It was taken out of the conversation."),
    "replaced": tr_later("Another answer was chosen in its place."),
    "later": tr_later("It was not there yet: it came at {at}."),
    "elsewhere": tr_later("It belongs to a place that does not count here."),
    "no_match": tr_later("Nothing in it fits what was said last."),
    "not_ready": tr_later("The search index is not ready, so nothing was looked up."),
    "disabled": tr_later("The layer {layer} is no part of this prompt."),
    "forgotten": tr_later("It was taken out of the saved memories at {at}."),
    "ended": tr_later("It had ended by then, at {at}."),
    "not_yet_true": tr_later("It was not true yet at the time that was looked at."),
    "newer": tr_later("Newer ones took its place: there are {count}."),
    "held_or_cut": tr_later(
        "It rests on what was learned where not everybody here reads, or there was no room left for it."
    ),
    "not_extracted": tr_later("Nothing has been distilled about this person yet."),
    "not_spoken_of": tr_later("This person had neither spoken lately nor been mentioned, or others came first."),
    "unexplained": tr_later(
        "The lorebooks are so large that the trace keeps only what came close; none of its keys was there."
    ),
    "unknown": tr_later("There is nothing of this kind and number here."),
}
# What a layer says of things that it holds back from those who hear the answer.
_HELD = re.compile(r"not everybody here (may hear|can read)|learned (in|on|where)")
_ENDED_BECAUSE = {
    Cause.SUPERSEDED: tr_later("it was replaced by fact {by}"),
    Cause.RETIRED: tr_later("it was retired"),
    Cause.SOURCE_DELETED: tr_later("what it rested on was deleted"),
    Cause.SOURCE_EDITED: tr_later("what it rested on was edited"),
}

_LEFT_OUT = tr_later("Left out: {reason}.")
# The place that something came in, such as the 3rd
_TH = tr_later("{rank}th")
_TAILS = {1: tr_later("{rank}st"), 2: tr_later("{rank}nd"), 3: tr_later("{rank}rd")}


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
    return Word(code, tr(_SENTENCES[code], **plain), plain)


def candidate_word(one: Mapping[str, Any], candidates: Sequence[Mapping[str, Any]]) -> Word:
    """Put what a trace tells of a candidate into words."""
    why = str(one["why"])
    detail = {"score": one["score"], "reason": one.get("reason"), "why": why}
    if one["kept"]:
        return Word("in", tr(_SENTENCES["in"]), detail)
    if why in ("score", "limit") and one["signals"]:
        others = [other for other in candidates if other["signals"] and other["why"] != "audience"]
        rank = 1 + sum(other["score"] > one["score"] for other in others)
        return say("outranked", rank=rank, score=one["score"], needed=least_kept(candidates))
    if why == "window":
        return Word("window", tr(_SENTENCES["window"]), detail)
    code = {"cap": "over_cap"}.get(why, why)
    reason = tr(str(one.get("reason") or why))
    return Word(code, tr(_SENTENCES.get(code, _LEFT_OUT), reason=reason), detail)


def least_kept(candidates: Sequence[Mapping[str, Any]]) -> float | None:
    """Return the lowest score with which something that was searched for was kept; None where nothing was."""
    return min((float(one["score"]) for one in candidates if one["kept"] and one["signals"]), default=None)


def left_out_word(left: LeftOut) -> Word:
    """Put what a layer tells of an item that it left out into words."""
    code = "audience" if _HELD.search(left.reason) else "left_out"
    return Word(code, tr(_LEFT_OUT, reason=tr(left.reason)), {"reason": left.reason, "tokens": left.tokens})


def retired_word(fact: Fact, moment: datetime) -> Word:
    """Tell what ended the belief in a fact before a moment."""
    ends = [one for one in fact.beliefs if one.held.until is not None and one.held.until <= moment]
    if not ends:
        return say("later", at=fact.created_at)
    last = ends[-1]
    cause = tr(_ENDED_BECAUSE.get(last.end_cause or Cause.RETIRED, _ENDED_BECAUSE[Cause.RETIRED]), by=str(last.by))
    if last.by is None and last.end_cause is Cause.SUPERSEDED:
        cause = tr("it was replaced")
    at = format_time(last.held.until) if last.held.until is not None else ""
    return Word(
        "retired", tr("It was not believed any more: {cause}, at {at}.", cause=cause, at=at), {"at": at, "by": last.by}
    )


def _outranked(detail: Mapping[str, Any]) -> str:
    rank, score, needed = detail["rank"], detail["score"], detail["needed"]
    place = _ordinal(rank)
    if needed is None:
        return tr("It came {place}, and nothing was shown.", place=place)
    missing, points = needed - score, number(score, 3)
    if missing <= 0:
        return tr("Enough better ones were found: it came {place}, with a score of {score}.", place=place, score=points)
    return tr(
        "Enough better ones were found: it came {place}, with a score of {score}, {missing} short of the last one "
        "shown.",
        place=place,
        score=points,
        missing=number(missing, 3),
    )


def _ordinal(rank: int) -> str:
    tail = _TH if 10 <= rank % 100 <= 20 else _TAILS.get(rank % 10, _TH)
    return tr(tail, rank=str(rank))
