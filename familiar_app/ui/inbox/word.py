"""A retirement in words: how it stands, when by both clocks, what follows from it. Knows no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import reduce
from typing import Literal

from familiar_app.domain.clock import local_time
from familiar_app.domain.fact import Fact
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.projection import Retirement, RetirementState
from familiar_app.domain.text import ntr, ptr, tr, tr_later
from familiar_app.domain.turn import Turn
from familiar_app.store.retirement_inbox import RetirementCase
from familiar_app.ui.kit.date_text import numeric_date, numeric_date_time

STATES = {
    RetirementState.WAITING: tr_later("Waits for you"),
    RetirementState.ACTED: tr_later("Replaced"),
    RetirementState.REFUSED: tr_later("Kept"),
    RetirementState.UNDONE: tr_later("Taken back"),
}
_DECIDED = {
    RetirementState.WAITING: tr_later("Waits for you since {when}."),
    RetirementState.ACTED: tr_later("Replaced by you on {when}."),
    RetirementState.REFUSED: tr_later("Kept by you on {when}."),
    RetirementState.UNDONE: tr_later("Taken back by you on {when}."),
}
Deed = Literal["accept", "refuse", "undo", "never"]
PREVIEW_CHARS = 90


@dataclass(frozen=True, slots=True)
class Source:
    """A turn a fact rests on: what its chip shows, when it was said, and its place in the chat."""

    text: str
    when: str
    key: str


def state_text(case: RetirementCase, *, new: bool) -> str:
    """Say how a proposal stands."""
    text = tr(STATES[case.retirement.state])
    if case.retirement.never:
        text = tr("{state}, never again", state=text)
    return new_text(text) if new else text


def new_text(state: str) -> str:
    """Say of how something stands that it is new."""
    return tr("{state} · new", state=state)


def done_text(deed: Deed, n: int) -> str:
    """Say what was decided about so many proposals."""
    match deed:
        case "accept":
            return ntr("One proposal replaced.", "{n} proposals replaced.", n)
        case "refuse":
            return ntr("One proposal kept.", "{n} proposals kept.", n)
        case "undo":
            return ntr("One proposal taken back.", "{n} proposals taken back.", n)
        case "never":
            return ntr(
                "One proposal barred from each other for ever.", "{n} proposals barred from each other for ever.", n
            )


def when(at: datetime | None, zone: tzinfo, open_word: str = "") -> str:
    """Write an instant for people, an open end in a word."""
    return open_word if at is None else numeric_date_time(local_time(at, zone))


def day(at: datetime, zone: tzinfo) -> str:
    """Write the day of an instant."""
    return numeric_date(local_time(at, zone))


def world_text(fact: Fact, zone: tzinfo) -> str:
    """Say when a fact is true in the world."""
    if fact.valid.since is None and fact.valid.until is None:
        return tr("True in the world: at any time")
    since, until = (
        when(fact.valid.since, zone, ptr("beginning", "always")),
        when(fact.valid.until, zone, ptr("end", "open")),
    )
    return tr("True in the world: {since} – {until}", since=since, until=until)


def belief_texts(fact: Fact, zone: tzinfo) -> list[str]:
    """Say when a fact was believed, one line for each stretch."""
    return [
        tr(
            "Believed: {since} – {until}",
            since=when(one.held.since, zone),
            until=when(one.held.until, zone, tr("today")),
        )
        for one in fact.beliefs
    ]


def decision_text(one: Retirement, zone: tzinfo) -> str:
    """Say who proposed it when, and who decided."""
    proposed = when(one.proposed_at, zone)
    if one.proposed_by == "owner":
        text = tr("Proposed by you on {when}.", when=proposed)
    else:
        text = tr("Proposed by the model on {when}.", when=proposed)
    if one.decided_at is None:
        return text
    # Nobody decides at once but where a replacement acts by itself.
    how = _DECIDED[one.state] if one.decided_by is not None else tr_later("Replaced at once on {when}.")
    return f"{text} {tr(how, when=when(one.decided_at, zone))}"


def names(case: RetirementCase, familiar: FamiliarId, name: str) -> tuple[str, ...]:
    """Return whom the older fact is about."""
    labels = case.labels.get(case.retirement.prior.id, {})
    return tuple(
        name if one.key == f"ego:{familiar}" else labels.get(one.key, one.display_at_write)
        for one in case.retirement.prior.subjects
    )


def consequences(case: RetirementCase, about: Sequence[str]) -> list[str]:
    """Say what follows for portraits, thoughts and the story of the channel."""
    one = case.retirement
    acted, open_ = one.state is RetirementState.ACTED, one.state is RetirementState.WAITING
    lines = []
    if about:
        lines.append(_portrait(about, acted=acted, waits=open_))
    if case.reflections:
        lines.append(_thoughts(case.reflections, acted=acted, waits=open_))
    lines.append(tr("The story of the channel is not rewritten; it tells what was said, and goes on from here."))
    return lines


def _portrait(about: Sequence[str], *, acted: bool, waits: bool) -> str:
    whose = reduce(lambda one, other: tr("{one} and {other}", one=one, other=other), about)
    if acted:
        return tr("The portrait of {name} is written anew without the older fact.", name=whose)
    if waits:
        return tr("The portrait of {name} would be written anew without the older fact.", name=whose)
    return tr("The portrait of {name} keeps the older fact.", name=whose)


def _thoughts(n: int, *, acted: bool, waits: bool) -> str:
    if acted:
        return ntr(
            "One reflection rests on the older fact: marked stale, and kept.",
            "{n} reflections rest on the older fact: marked stale, and kept.",
            n,
        )
    if waits:
        return ntr(
            "One reflection rests on the older fact: marked stale then, and kept.",
            "{n} reflections rest on the older fact: marked stale then, and kept.",
            n,
        )
    return ntr(
        "One reflection rests on the older fact: not stale by this, and kept.",
        "{n} reflections rest on the older fact: not stale by this, and kept.",
        n,
    )


def source_of(turn: Turn, zone: tzinfo, familiar: FamiliarId, name: str) -> Source:
    """Return the chip of a turn."""
    own = turn.author is None or turn.author.key == f"ego:{familiar}"
    speaker = name if own or turn.author is None else turn.author.name
    text = tr("deleted") if turn.deleted else " ".join(turn.content.split())
    short = text if len(text) <= PREVIEW_CHARS else text[: PREVIEW_CHARS - 1] + "…"
    return Source(f"{speaker}: {short}", when(turn.at, zone), f"{turn.channel}:{turn.id}")
