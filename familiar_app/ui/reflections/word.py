"""How reflections and what they cite are written down. Knows nothing of Qt."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo

from familiar_app.domain.clock import format_time, local_time
from familiar_app.domain.turn import Role, Turn
from familiar_app.store.reflection_page import Lapsed, Which

FILTERS: tuple[tuple[Which, str], ...] = (
    ("shown", "All thoughts"),
    ("pinned", "Pinned"),
    ("stale", "Stale"),
    ("hidden", "Hidden"),
)
FILTERED_EMPTY: dict[Which, str] = {
    "shown": "No thought came up in this channel.",
    "pinned": "Pin a thought, and it always stands among those a prompt shows.",
    "stale": "No thought rests on a fact that is not believed any more.",
    "hidden": "A hidden thought stands in no prompt; here it can be brought back.",
}
NOWHERE = "In several places"


def count(number: int, one: str) -> str:
    """Write a number with its noun."""
    return f"{number:,} {one if number == 1 else one + 's'}"


def minute(at: datetime, zone: tzinfo) -> str:
    """Write an instant to the minute."""
    return f"{local_time(at, zone):%Y-%m-%d %H:%M}"


def lapsed_words(one: Lapsed, zone: tzinfo) -> str:
    """Say which fact is not believed any more, since when, and what took its place."""
    gone = f"F#{one.fact.id} “{one.fact.text}”"
    if one.by is None:
        return f"{gone} was retired on {minute(one.at, zone)}."
    return f"{gone} was replaced by F#{one.by.id} “{one.by.text}” on {minute(one.at, zone)}."


def lapsed_place(one: Lapsed) -> str:
    """Return the timeline's place of the moment at which a fact ceased to be believed."""
    return f"{one.fact.id}@{format_time(one.at)}"


def speaker(turn: Turn, familiar_name: str) -> str:
    """Return who said a turn."""
    if turn.role is Role.ASSISTANT:
        return familiar_name
    return turn.author.name if turn.author is not None else "A note"


def gist(turn: Turn) -> str:
    """Return what a turn says, or that it was deleted."""
    return "This message was deleted." if turn.deleted else turn.content


def too_little(waiting: int, needed: int) -> str:
    """Say that there is not enough to think about yet."""
    return f"Too little was said to think about: {count(waiting, 'message')} since the last time, {needed} are needed."


def came_of(thoughts: int) -> str:
    """Say what came of thinking."""
    return "Nothing came up that rests on what was said." if thoughts == 0 else f"{count(thoughts, 'new thought')}."


def page_words(first: int, shown: Sequence[object], total: int) -> str:
    """Say which of all thoughts are in sight."""
    if not shown:
        return ""
    return (
        count(total, "thought")
        if len(shown) == total
        else f"{first + 1:,}–{first + len(shown):,} of {total:,} thoughts"
    )
