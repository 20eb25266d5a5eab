"""How reflections and what they cite are written down. Knows nothing of Qt."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo

from familiar_app.domain.clock import format_time, local_time
from familiar_app.domain.text import ntr, tr, tr_later
from familiar_app.domain.turn import Role, Turn
from familiar_app.store.reflection_page import Lapsed, Which
from familiar_app.ui.kit.date_text import numeric_date_time

FILTERS: tuple[tuple[Which, str], ...] = (
    ("shown", tr_later("All thoughts")),
    ("pinned", tr_later("Pinned")),
    ("stale", tr_later("Stale")),
    ("hidden", tr_later("Hidden")),
)
FILTERED_EMPTY: dict[Which, str] = {
    "shown": tr_later("No thought came up in this channel."),
    "pinned": tr_later("Pin a thought, and it always stands among those a prompt shows."),
    "stale": tr_later("No thought rests on a fact that is not believed any more."),
    "hidden": tr_later("A hidden thought stands in no prompt; here it can be brought back."),
}
NOWHERE = tr_later("In several places")


def minute(at: datetime, zone: tzinfo) -> str:
    """Write an instant to the minute."""
    return numeric_date_time(local_time(at, zone))


def lapsed_words(one: Lapsed, zone: tzinfo) -> str:
    """Say which fact is not believed any more, since when, and what took its place."""
    gone = {"number": str(one.fact.id), "fact": one.fact.text, "when": minute(one.at, zone)}
    if one.by is None:
        return tr("F#{number} “{fact}” was retired on {when}.", **gone)
    sentence = tr_later("F#{number} “{fact}” was replaced by F#{other} “{instead}” on {when}.")
    return tr(sentence, other=str(one.by.id), instead=one.by.text, **gone)


def lapsed_place(one: Lapsed) -> str:
    """Return the timeline's place of the moment at which a fact ceased to be believed."""
    return f"{one.fact.id}@{format_time(one.at)}"


def speaker(turn: Turn, familiar_name: str) -> str:
    """Return who said a turn."""
    if turn.role is Role.ASSISTANT:
        return familiar_name
    return turn.author.name if turn.author is not None else tr("A note")


def gist(turn: Turn) -> str:
    """Return what a turn says, or that it was deleted."""
    return tr("This message was deleted.") if turn.deleted else turn.content


def too_little(waiting: int, needed: int) -> str:
    """Say that there is not enough to think about yet."""
    return ntr(
        "Too little was said to think about: {n} message since the last time, {needed} are needed.",
        "Too little was said to think about: {n} messages since the last time, {needed} are needed.",
        waiting,
        needed=needed,
    )


def came_of(thoughts: int) -> str:
    """Say what came of thinking."""
    if thoughts == 0:
        return tr("Nothing came up that rests on what was said.")
    return ntr("{n} new thought.", "{n} new thoughts.", thoughts)


def page_words(first: int, shown: Sequence[object], total: int) -> str:
    """Say which of all thoughts are in sight."""
    if not shown:
        return ""
    if len(shown) == total:
        return ntr("{n} thought", "{n} thoughts", total)
    return tr("{first}–{last} of {total} thoughts", first=first + 1, last=first + len(shown), total=total)
