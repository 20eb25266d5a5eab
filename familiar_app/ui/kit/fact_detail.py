"""One fact made ready to be read, without Qt: what it says, when by both clocks, where from, what followed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, tzinfo

from familiar_app.domain.clock import local_time
from familiar_app.domain.fact import Belief, Cause, Fact, FactId
from familiar_app.domain.ids import OWNER, FamiliarId
from familiar_app.domain.text import ptr, tr, tr_later
from familiar_app.domain.turn import Turn
from familiar_app.store.fact import FactHistory
from familiar_app.ui.kit.channel_title import channel_title
from familiar_app.ui.kit.date_text import numeric_date_time
from familiar_app.ui.kit.projector_name import projector_name

_CAUSES = {
    Cause.LEARNED: tr_later("{when} learned"),
    Cause.ADDED: tr_later("{when} added by hand"),
    Cause.RESTORED: tr_later("{when} restored"),
    Cause.SUPERSEDED: tr_later("{when} superseded"),
    Cause.RETIRED: tr_later("{when} retired"),
    Cause.SOURCE_DELETED: tr_later("{when} its source was deleted"),
    Cause.SOURCE_EDITED: tr_later("{when} its source was edited"),
}
_BY_OWNER = {
    **_CAUSES,
    Cause.LEARNED: tr_later("{when} learned by you"),
    Cause.RESTORED: tr_later("{when} restored by you"),
    Cause.SUPERSEDED: tr_later("{when} superseded by you"),
    Cause.RETIRED: tr_later("{when} retired by you"),
    Cause.SOURCE_DELETED: tr_later("{when} its source was deleted by you"),
    Cause.SOURCE_EDITED: tr_later("{when} its source was edited by you"),
}
PREVIEW_CHARS = 90


@dataclass(frozen=True, slots=True)
class Chip:
    """A way to something else: what it shows, and the panel and place it leads to."""

    text: str
    panel: str
    key: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Detail:
    """The parts of a fact in the order of the side view."""

    fact: Fact
    about: tuple[str, ...]
    world: str
    beliefs: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    sources: tuple[Chip, ...]
    replaced: tuple[Chip, ...]
    successors: tuple[Chip, ...]
    reflections: tuple[Chip, ...]
    reason: str = ""

    @property
    def retired(self) -> bool:
        return self.fact.superseded_at is not None


def describe(history: FactHistory, texts: Callable[[FactId], str], zone: tzinfo, familiar_name: str) -> Detail:
    """Return the readable parts of a fact; `texts` gives what other facts say."""
    fact = history.fact
    known = [(tr("Importance"), tr("{n} of 10", n=fact.importance))] if fact.importance is not None else []
    known.append((tr("Written by"), ptr("author", "you") if fact.origin == "owner" else projector_name(fact.origin)))
    if history.channel is not None:
        known.append((tr("Learned in"), channel_title(history.channel)))
    return Detail(
        fact=fact,
        about=tuple(history.labels.get(one.key, one.display_at_write) for one in fact.subjects),
        world=_world(fact, zone),
        beliefs=tuple(_belief(one, zone) for one in fact.beliefs),
        facts=tuple(known),
        sources=tuple(_source(turn, zone, fact.familiar, familiar_name) for turn in history.sources),
        replaced=tuple(_other(one, texts) for one in history.supersedes),
        successors=tuple(_other(one, texts) for one in history.successors),
        reflections=tuple(
            Chip(_short(one.text), "reflections", str(one.id), tr("stale") if one.stale else "")
            for one in history.reflections
        ),
        reason=history.reason,
    )


def day(at: datetime | None, zone: tzinfo, open_word: str) -> str:
    """Write an instant for people, an open end in a word."""
    return open_word if at is None else numeric_date_time(local_time(at, zone))


def _world(fact: Fact, zone: tzinfo) -> str:
    if fact.valid.since is None and fact.valid.until is None:
        return tr("at any time")
    since, until = day(fact.valid.since, zone, tr("always")), day(fact.valid.until, zone, ptr("end", "open"))
    return f"{since} – {until}"


def _belief(belief: Belief, zone: tzinfo) -> str:
    begun = _change(belief.held.since, belief.cause, zone, mine=belief.begun_by == OWNER)
    if belief.held.until is None or belief.end_cause is None:
        return tr("{begun} – believed today", begun=begun)
    return f"{begun} – {_change(belief.held.until, belief.end_cause, zone, mine=belief.ended_by == OWNER)}"


def _change(at: datetime | None, cause: Cause, zone: tzinfo, *, mine: bool) -> str:
    """Say when and by what a belief began or ended."""
    return tr((_BY_OWNER if mine else _CAUSES)[cause], when=day(at, zone, ""))


def _source(turn: Turn, zone: tzinfo, familiar: FamiliarId, name: str) -> Chip:
    own = turn.author is None or turn.author.key == f"ego:{familiar}"
    speaker = name if own else turn.author.name
    text = tr("deleted") if turn.deleted else _short(turn.content)
    return Chip(f"{speaker}: {text}", "chat", f"{turn.channel}:{turn.id}", day(turn.at, zone, ""))


def _other(fact: FactId, texts: Callable[[FactId], str]) -> Chip:
    return Chip(_short(texts(fact)) or tr("Fact {id}", id=str(fact)), "timeline", str(fact))


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= PREVIEW_CHARS else plain[: PREVIEW_CHARS - 1] + "…"
