"""What came of a run by hand, in words. Knows no Qt."""

from __future__ import annotations

from familiar_app.domain.text import ntr, tr
from familiar_app.store.health import Drawn


def came_text(before: Drawn, after: Drawn) -> str:
    """Say what is there now that was not there before, and how many answers could not be used."""
    return " ".join(one for one in (_new(before, after), _lost(after.malformed - before.malformed)) if one)


def _new(before: Drawn, after: Drawn) -> str:
    facts, thoughts = after.facts - before.facts, after.thoughts - before.thoughts
    portraits, stories = after.portraits - before.portraits, after.stories - before.stories
    proposals = after.proposals - before.proposals
    counted = (
        (facts, ntr("{n} new fact", "{n} new facts", facts)),
        (proposals, ntr("{n} fact that contradicts another", "{n} facts that contradict others", proposals)),
        (portraits, ntr("{n} portrait", "{n} portraits", portraits)),
        (stories, ntr("{n} part of a story", "{n} parts of stories", stories)),
        (thoughts, ntr("{n} thought", "{n} thoughts", thoughts)),
    )
    told = [words for number, words in counted if number > 0]
    return tr("This came of it: {what}.", what=", ".join(told)) if told else tr("Nothing new came of it.")


def _lost(malformed: int) -> str:
    if malformed <= 0:
        return ""
    return ntr(
        "{n} answer of the model came in a wrong form and counts as empty.",
        "{n} answers of the model came in a wrong form and count as empty.",
        malformed,
    )
