"""The JSON forms of facts, their beliefs and reflections, as scripts rely on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from familiar_app.cli.shape import turn_shape
from familiar_app.domain.clock import format_time
from familiar_app.domain.fact import Belief, Fact
from familiar_app.domain.ids import ChannelId, ChannelKey, PersonKey
from familiar_app.domain.projection import Reflection
from familiar_app.store.fact import FactHistory
from familiar_app.store.retirement_inbox import RetirementCase


def fact_shape(fact: Fact, labels: Mapping[PersonKey, str]) -> dict[str, Any]:
    """Return a fact's JSON form. `labels` has today's names of its subjects."""
    return {
        "id": fact.id,
        "text": fact.text,
        "subjects": [
            {
                "key": subject.key,
                "display_at_write": subject.display_at_write,
                "display_now": labels.get(subject.key, subject.display_at_write),
            }
            for subject in fact.subjects
        ],
        "source_turn_ids": list(fact.source_turns),
        "channel": fact.channel_key,
        "importance": fact.importance,
        "origin": fact.origin,
        "valid_from": _time(fact.valid.since),
        "valid_to": _time(fact.valid.until),
        "created_at": format_time(fact.created_at),
        "superseded_at": _time(fact.superseded_at),
        "superseded_by": fact.superseded_by,
    }


def history_shape(
    history: FactHistory, channels: Mapping[ChannelId, ChannelKey], memories: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """Return a fact with its beliefs, its chain, its sources and what cites it.

    `channels` has those of reflections, `memories` what was saved from the same turns, in its JSON form.
    """
    return fact_shape(history.fact, history.labels) | {
        "beliefs": [belief_shape(belief) for belief in history.fact.beliefs],
        "supersedes": list(history.supersedes),
        "sources": [turn_shape(turn) for turn in history.sources],
        "reflections": [reflection_shape(one, channels) for one in history.reflections],
        "memories": list(memories),
    }


def belief_shape(belief: Belief) -> dict[str, Any]:
    """Return a belief interval: why it ended and by which fact or person; of an open one, why it began and by whom."""
    ended = belief.held.until is not None
    person = belief.ended_by if ended else belief.begun_by
    return {
        "from": _time(belief.held.since),
        "to": _time(belief.held.until),
        "cause": belief.end_cause.value if belief.end_cause is not None else belief.cause.value,
        "by": belief.by if belief.by is not None else person,
    }


def reflection_shape(reflection: Reflection, channels: Mapping[ChannelId, ChannelKey]) -> dict[str, Any]:
    """Return a reflection with what it cites."""
    return {
        "id": reflection.id,
        "text": reflection.text,
        "channel": None if reflection.channel is None else channels.get(reflection.channel),
        "cited_turn_ids": list(reflection.cited_turns),
        "cited_fact_ids": list(reflection.cited_facts),
        "created_at": format_time(reflection.created_at),
        "stale": reflection.stale,
    }


def retirement_shape(case: RetirementCase) -> dict[str, Any]:
    """Return a proposal to retire a fact: both facts, the reason, its state, and what hangs on it."""
    one = case.retirement
    return {
        "id": one.id,
        "prior": fact_shape(one.prior, case.labels.get(one.prior.id, {})),
        "successor": fact_shape(one.successor, case.labels.get(one.successor.id, {})),
        "reason": one.reason or None,
        "proposed_by": one.proposed_by,
        "proposed_at": format_time(one.proposed_at),
        "state": one.state.value,
        "decided_at": _time(one.decided_at),
        "decided_by": one.decided_by,
        "never": one.never,
        "reflections": case.reflections,
        "dossiers": list(case.dossiers),
        "unseen": case.unseen,
    }


def _time(instant: datetime | None) -> str | None:
    return None if instant is None else format_time(instant)
