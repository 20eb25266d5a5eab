"""A retirement in words: how it stands, when by both clocks, what follows from it. Knows no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from familiar_app.domain.clock import local_time
from familiar_app.domain.fact import Fact
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.projection import Retirement, RetirementState
from familiar_app.domain.turn import Turn
from familiar_app.store.retirement_inbox import RetirementCase

STATES = {
    RetirementState.WAITING: "Waits for you",
    RetirementState.ACTED: "Replaced",
    RetirementState.REFUSED: "Kept",
    RetirementState.UNDONE: "Taken back",
}
PREVIEW_CHARS = 90


@dataclass(frozen=True, slots=True)
class Source:
    """A turn a fact rests on: what its chip shows, when it was said, and its place in the chat."""

    text: str
    when: str
    key: str


def state_text(case: RetirementCase, *, new: bool) -> str:
    """Say how a proposal stands."""
    text = STATES[case.retirement.state]
    if case.retirement.never:
        text += ", never again"
    return f"{text} · new" if new else text


def when(at: datetime | None, zone: tzinfo, open_word: str = "") -> str:
    """Write an instant for people, an open end in a word."""
    return open_word if at is None else local_time(at, zone).strftime("%Y-%m-%d %H:%M")


def world_text(fact: Fact, zone: tzinfo) -> str:
    """Say when a fact is true in the world."""
    if fact.valid.since is None and fact.valid.until is None:
        return "True in the world: at any time"
    return f"True in the world: {when(fact.valid.since, zone, 'always')} – {when(fact.valid.until, zone, 'open')}"


def belief_texts(fact: Fact, zone: tzinfo) -> list[str]:
    """Say when a fact was believed, one line for each stretch."""
    return [
        f"Believed: {when(one.held.since, zone)} – {when(one.held.until, zone, 'today')}" for one in fact.beliefs
    ]  # fmt: skip


def decision_text(one: Retirement, zone: tzinfo) -> str:
    """Say who proposed it when, and who decided."""
    by = "you" if one.proposed_by == "owner" else "the model"
    text = f"Proposed by {by} on {when(one.proposed_at, zone)}."
    if one.decided_at is not None:
        who = "by you" if one.decided_by is not None else "at once"
        text += f" {STATES[one.state]} {who} on {when(one.decided_at, zone)}."
    return text


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
        whose = " and ".join(about)
        told = (
            f"The portrait of {whose} is written anew without the older fact."
            if acted
            else f"The portrait of {whose} would be written anew without the older fact."
            if open_
            else f"The portrait of {whose} keeps the older fact."
        )
        lines.append(told)
    if case.reflections:
        count = "One reflection rests" if case.reflections == 1 else f"{case.reflections:,} reflections rest"
        mark = "marked stale" if acted else "marked stale then" if open_ else "not stale by this"
        lines.append(f"{count} on the older fact: {mark}, and kept.")
    lines.append("The story of the channel is not rewritten; it tells what was said, and goes on from here.")
    return lines


def source_of(turn: Turn, zone: tzinfo, familiar: FamiliarId, name: str) -> Source:
    """Return the chip of a turn."""
    own = turn.author is None or turn.author.key == f"ego:{familiar}"
    speaker = name if own or turn.author is None else turn.author.name
    text = "deleted" if turn.deleted else " ".join(turn.content.split())
    short = text if len(text) <= PREVIEW_CHARS else text[: PREVIEW_CHARS - 1] + "…"
    return Source(f"{speaker}: {short}", when(turn.at, zone), f"{turn.channel}:{turn.id}")
