"""Facts and their two clocks: when something was true in the world, and when the familiar believed it.

World time is `valid_from` to `valid_to`; only evidence about the world sets it. System time is a list of belief
intervals, because a fact can be retired and believed again: `created_at` is the first start and `superseded_at` the end
of the last one, or None while it is open. No rule here changes both clocks. Source: Snodgrass on bi-temporal
databases; `docs/glossary.md` has the words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import NewType

from familiar_app.domain.errors import BugError
from familiar_app.domain.ids import ChannelId, ChannelKey, FamiliarId, PersonKey, TurnId
from familiar_app.domain.interval import Interval
from familiar_app.domain.record import record

FactId = NewType("FactId", int)


class Cause(StrEnum):
    """Why a belief interval began or ended."""

    LEARNED = "learned"
    ADDED = "added"
    RESTORED = "restored"
    SUPERSEDED = "superseded"
    RETIRED = "retired"
    SOURCE_DELETED = "source_deleted"
    SOURCE_EDITED = "source_edited"


@record(frozen=True, slots=True)
class Belief:
    """One stretch of system time in which a fact was believed.

    `cause` says why it began; `end_cause` and `by` (the fact that replaced it, if one did) why it ended. `begun_by` and
    `ended_by` name the person who decided that; nobody where a projector did.
    """

    held: Interval
    cause: Cause
    end_cause: Cause | None = None
    by: FactId | None = None
    begun_by: PersonKey | None = None
    ended_by: PersonKey | None = None

    @property
    def open(self) -> bool:
        return self.held.until is None


@record(frozen=True, slots=True)
class Subject:
    """Somebody a fact is about, with the name they had when it was written."""

    key: PersonKey
    display_at_write: str


@dataclass(frozen=True, slots=True)
class NewFact:
    """A fact that is about to be stored. `importance` is 1 to 10 or None; `origin` names the projector, or `owner`.

    Without `valid_from` it holds from its first source's time on, unless it ended before that. Without a channel it was
    learned where its first source was said.
    """

    familiar: FamiliarId
    text: str
    origin: str
    subjects: tuple[Subject, ...] = ()
    source_turns: tuple[TurnId, ...] = ()
    channel: ChannelId | None = None
    importance: int | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None


@record(frozen=True, slots=True)
class Fact:
    """A belief with its sources. `importance` is 1 to 10 or None; `origin` names who wrote it (projector or owner).

    `channel_key` is the name of `channel`. `hidden` facts rested on turns that were all deleted: no list shows them.
    """

    id: FactId
    familiar: FamiliarId
    text: str
    subjects: tuple[Subject, ...]
    source_turns: tuple[TurnId, ...]
    channel: ChannelId | None
    importance: int | None
    origin: str
    valid: Interval
    beliefs: tuple[Belief, ...]
    channel_key: ChannelKey | None = None
    hidden: bool = False

    @property
    def created_at(self) -> datetime:
        first = self.beliefs[0].held.since
        if first is None:
            raise BugError(f"Fact {self.id} has a belief without a start.")
        return first

    @property
    def superseded_at(self) -> datetime | None:
        return self.beliefs[-1].held.until

    @property
    def superseded_by(self) -> FactId | None:
        return self.beliefs[-1].by


def is_current(fact: Fact, now: datetime) -> bool:
    """Current truth: believed today, and not ended in the world. What is still to come counts as current."""
    ended = fact.valid.until is not None and fact.valid.until <= now
    return fact.superseded_at is None and not ended


def was_true(fact: Fact, at: datetime) -> bool:
    """What was true at `at`, by all that was ever believed: retired facts count."""
    return at in fact.valid


def was_believed(fact: Fact, at: datetime) -> bool:
    """What the familiar believed at `at`, about whatever time."""
    return any(at in belief.held for belief in fact.beliefs)


def was_believed_about(fact: Fact, known_at: datetime, as_of: datetime) -> bool:
    """What the familiar believed at `known_at` about the world at `as_of`."""
    return was_believed(fact, known_at) and was_true(fact, as_of)


def as_known_at(fact: Fact, at: datetime) -> Fact | None:
    """Return the fact with its system time as it stood at `at`, or None where it had not been learned yet."""
    begun = [belief for belief in fact.beliefs if belief.held.since is not None and belief.held.since <= at]
    if not begun:
        return None
    last = begun[-1]
    if last.held.until is not None and last.held.until > at:
        begun[-1] = Belief(Interval(last.held.since, None), last.cause, begun_by=last.begun_by)
    elif len(begun) == len(fact.beliefs):
        return fact
    return replace(fact, beliefs=tuple(begun))


def begin(beliefs: Sequence[Belief], at: datetime, cause: Cause, *, who: PersonKey | None = None) -> tuple[Belief, ...]:
    """Open a further belief interval. Raises BugError where one is open already or `at` lies before the last end."""
    if beliefs and (beliefs[-1].held.until is None or beliefs[-1].held.until > at):
        raise BugError("A belief can begin only after the one before it has ended.")
    return (*beliefs, Belief(Interval(at, None), cause, begun_by=who))


def end(
    beliefs: Sequence[Belief], at: datetime, cause: Cause, by: FactId | None = None, *, who: PersonKey | None = None
) -> tuple[Belief, ...]:
    """Close the open belief interval. Raises BugError where none is open or it would end before it began."""
    if not beliefs or beliefs[-1].held.until is not None:
        raise BugError("There is no open belief to end.")
    last = beliefs[-1]
    if last.held.since is not None and at < last.held.since:
        raise BugError("A belief cannot end before it began.")
    ended = replace(last, held=Interval(last.held.since, at), end_cause=cause, by=by, ended_by=who)
    return (*beliefs[:-1], ended)


def would_cycle(successor: FactId, retired: FactId, superseded_by: dict[FactId, FactId]) -> bool:
    """Tell whether pointing `retired` at `successor` would close a circle of supersessions."""
    seen: set[FactId] = set()
    here: FactId | None = successor
    while here is not None and here not in seen:
        if here == retired:
            return True
        seen.add(here)
        here = superseded_by.get(here)
    return False


def subject_set(subjects: Iterable[Subject]) -> frozenset[PersonKey]:
    """Return the keys of the subjects, the part of a fact's identity that does not depend on names."""
    return frozenset(subject.key for subject in subjects)
