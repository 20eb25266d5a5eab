"""The steps of an erasure, each a bounded transaction that notes how far it has come, so that a later start goes on.

What is quoted elsewhere is found by the words of the erased turns; so these are the last to lose them. Every step runs
inside the writer's transaction and may run again over what it has done already.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from familiar_app.domain.erasure import Sample, Target
from familiar_app.domain.ids import PersonKey, TurnId
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.redaction import Redaction
from familiar_app.store.erasure_act import clean_acts, clean_memories
from familiar_app.store.erasure_fact import clean_facts, clean_retirements, note_doubles
from familiar_app.store.erasure_ledger import clean_ledger
from familiar_app.store.erasure_list import remember
from familiar_app.store.erasure_reflection import clean_drawn
from familiar_app.store.erasure_rest import clean_channels, clean_rest, remove_familiar, remove_people
from familiar_app.store.erasure_scope import Scope, find, note_down, note_later_turns, redaction_of, scope_from
from familiar_app.store.erasure_trace import clean_traces
from familiar_app.store.erasure_turn import bury_turns, clean_turns
from familiar_app.store.privacy import read_levels
from familiar_app.store.saved_memory_log import catch_up

if TYPE_CHECKING:
    from sqlite3 import Connection

_ORDER = list(PrivacyLevel)


@dataclass(slots=True)
class Job:
    """One erasure in progress. `step` and `position` tell where it stands; `touched` are turns that read otherwise."""

    number: int
    scope: Scope
    redaction: Redaction
    asked_at: int
    step: int = 0
    position: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    samples: list[Sample] = field(default_factory=list)
    touched: list[TurnId] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to do."""
        return self.step >= len(STEPS)


def begin(connection: Connection, target: Target, at: int, *, before: int | None = None) -> Job:
    """Find what an erasure reaches and note that it is asked for. Raises UserError where there is nothing to erase.

    `before` is when it was asked for in another copy of this vault.
    """
    catch_up(connection)
    scope = find(connection, target)
    note_down(connection, scope, target)
    redaction = redaction_of(connection, scope)
    note_doubles(connection, redaction)
    remember(connection, scope, at if before is None else before, _wish_of(connection, scope))
    number = connection.execute(
        "INSERT INTO erasures (kind, asked_at, work) VALUES (?, ?, ?) RETURNING id", (scope.kind, at, scope.as_text())
    ).fetchone()[0]
    return Job(number, scope, redaction, at)


def unfinished(connection: Connection) -> Job | None:
    """Return the erasure that was cut off, as far as it had come."""
    row = connection.execute(
        "SELECT id, asked_at, step, position, work, counts FROM erasures WHERE finished_at IS NULL ORDER BY id LIMIT 1"
    ).fetchone()
    if row is None:
        return None
    number, asked_at, step, position, work, counts = row
    scope = scope_from(work)
    redaction = redaction_of(connection, scope)
    return Job(number, scope, redaction, asked_at, step, position, Counter(json.loads(counts)))


def advance(connection: Connection, job: Job) -> Job:
    """Do the next piece and return the job as it stands then. `job` itself stays as it was."""
    after = Job(
        job.number, job.scope, job.redaction, job.asked_at, job.step, job.position, Counter(job.counts),
        list(job.samples),
    )  # fmt: skip
    position = STEPS[job.step](connection, after)
    after.step, after.position = (job.step, position) if position is not None else (job.step + 1, 0)
    connection.execute(
        "UPDATE erasures SET step = ?, position = ?, counts = ? WHERE id = ?",
        (after.step, after.position, json.dumps(after.counts, sort_keys=True), job.number),
    )
    return after


def finish(connection: Connection, job: Job, at: int) -> None:
    """Forget what the erasure went by; its counts stay."""
    for table in ("erasure_turns", "erasure_facts"):
        connection.execute(f"DELETE FROM {table}")
    connection.execute("UPDATE erasures SET finished_at = ?, work = NULL WHERE id = ?", (at, job.number))


def _traces(connection: Connection, job: Job) -> int | None:
    return clean_traces(connection, job.scope, job.redaction, job.position, job.counts)


def _ledger(connection: Connection, job: Job) -> int | None:
    return clean_ledger(connection, job.scope, job.redaction, job.position, job.counts)


def _acts(connection: Connection, job: Job) -> int | None:
    return clean_acts(connection, job.scope, job.redaction, job.position, job.counts)


def _memories(connection: Connection, job: Job) -> None:
    clean_memories(connection, job.scope, job.redaction, job.counts)


def _drawn(connection: Connection, job: Job) -> None:
    clean_drawn(connection, job.scope, job.redaction, job.asked_at, job.counts)
    clean_retirements(connection, job.counts)


def _facts(connection: Connection, job: Job) -> int | None:
    return clean_facts(connection, job.scope, job.redaction, job.position, job.counts)


def _turns(connection: Connection, job: Job) -> int | None:
    if not job.redaction.touches_anything:
        return None
    position, touched = clean_turns(connection, job.redaction, job.position, job.counts, job.samples)
    job.touched += touched
    return position


def _rest(connection: Connection, job: Job) -> None:
    clean_rest(connection, job.redaction, job.counts)
    clean_channels(connection, job.scope, job.redaction, job.counts)


def _bury(connection: Connection, job: Job) -> int | None:
    position, touched = bury_turns(connection, job.asked_at, job.position, job.counts)
    job.touched += touched
    return position


def _people(connection: Connection, job: Job) -> None:
    # What they said while this went on.
    later = note_later_turns(connection, job.scope)
    if later is not None:
        _position, touched = bury_turns(connection, job.asked_at, later - 1, job.counts)
        job.touched += touched
    remove_people(connection, job.scope, job.counts)


def _familiar(connection: Connection, job: Job) -> None:
    remove_familiar(connection, job.scope, job.counts)


STEPS: tuple[Callable[[Connection, Job], int | None], ...] = (
    _traces,
    _ledger,
    _acts,
    _memories,
    _drawn,
    _facts,
    _turns,
    _rest,
    _bury,
    _people,
    _familiar,
)


def _wish_of(connection: Connection, scope: Scope) -> str | None:
    """Return how much may be kept of a person by their own wish, which outlives the erasure."""
    levels = read_levels(connection)
    wished = [levels[PersonKey(key)] for key in scope.keys if PersonKey(key) in levels]
    level = max(wished, key=_ORDER.index, default=PrivacyLevel.NONE)
    return None if level is PrivacyLevel.NONE else str(level)
