"""Writes facts: append with near-duplicates folded, supersede, restore. Runs inside the writer's transaction.

A fact's text, subjects and world times never change. A belief ends and begins by rows of `fact_beliefs`, and the stamps
on the fact follow. System time never runs backwards for one fact: a moment before its last stamp counts as that stamp.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from familiar_app.domain.errors import BadInputError, BugError, UserError
from familiar_app.domain.fact import Belief, Cause, Fact, FactId, NewFact, begin, end
from familiar_app.domain.fact_text import identity
from familiar_app.domain.ids import ChannelId, FamiliarId, PersonKey, TurnId
from familiar_app.domain.text import tr
from familiar_app.store.fact_row import existing_fact, read_fact
from familiar_app.store.moment import from_micros, to_micros
from familiar_app.store.person_write import record_mentions
from familiar_app.store.text import storable

if TYPE_CHECKING:
    from sqlite3 import Connection

MAX_TEXT_CHARS = 20_000
_INSERT = """INSERT INTO facts (id, familiar, text, identity, channel, importance, origin, valid_from, valid_to,
    created_at, act) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id"""
_SUBJECT = """INSERT INTO fact_subjects SELECT id, ?, ?, familiar, valid_from, valid_to, created_at, superseded_at,
    beliefs, hidden FROM facts WHERE id = ?"""


@dataclass(frozen=True, slots=True)
class Superseded:
    """What a supersession did. `skipped` priors were retired before, or are the successor itself."""

    successor: Fact | None
    retired: tuple[FactId, ...]
    skipped: tuple[FactId, ...]

    def touched(self) -> tuple[FactId, ...]:
        """Return every fact that changed or grew."""
        return self.retired if self.successor is None else (*self.retired, self.successor.id)


@dataclass(frozen=True, slots=True)
class Stamp:
    """When something is written, who decided it (nobody: a projector), and the operator turn that says so."""

    at: datetime
    who: PersonKey | None = None
    act: TurnId | None = None


def append_fact(
    connection: Connection,
    new: NewFact,
    stamp: Stamp,
    *,
    number: FactId | None = None,
    apart_from: Iterable[FactId] = (),
) -> tuple[Fact, bool]:
    """Store a fact, or let the current one that says the same grow by the new sources (False).

    `number` is the id to use if it is free. The facts in `apart_from` do not count as saying the same.
    """
    marked = identity(_checked_text(new), (subject.key for subject in new.subjects))
    known = _same_current(connection, new.familiar, marked, stamp.at, frozenset(apart_from))
    fact = _insert(connection, new, marked, stamp, number) if known is None else known
    reinforce(connection, fact, new, stamp)
    stored = read_fact(connection, fact)
    if stored is None:
        raise BugError("A fact cannot be read in the transaction that stored it.")
    return stored, known is None


def reinforce(connection: Connection, fact: FactId, new: NewFact, stamp: Stamp) -> None:
    """Let a stored fact grow by the sources of `new`, and by the owner's word where an act says so."""
    if stamp.act is not None:
        connection.execute("UPDATE facts SET act = coalesce(act, ?) WHERE id = ?", (stamp.act, fact))
    _add_sources(connection, fact, new, stamp.at)
    if new.source_turns:
        hide_groundless(connection, fact, stamp.at)


def supersede_facts(
    connection: Connection,
    priors: Sequence[FactId],
    stamp: Stamp,
    *,
    by: FactId | None = None,
    merged: NewFact | None = None,
    number: FactId | None = None,
) -> Superseded:
    """Retire facts: for no other, for the existing fact `by`, or for `merged`, which is stored first.

    Raises UserError where a fact does not exist, the facts belong to different familiars, or `by` is retired itself.
    Where every prior is skipped, `merged` is not stored.
    """
    if by is not None and merged is not None:
        raise BugError("A supersession points at one fact, an existing or a merged one.")
    facts = [existing_fact(connection, prior) for prior in dict.fromkeys(priors)]
    owners = {fact.familiar for fact in facts} | ({merged.familiar} if merged is not None else set())
    successor = None if by is None else _usable_successor(connection, by)
    if len(owners | ({successor.familiar} if successor is not None else set())) > 1:
        raise UserError(tr("These facts belong to different familiars."), tr("Choose facts of one familiar."))
    open_ones = [f for f in facts if f.superseded_at is None and (successor is None or f.id != successor.id)]
    if merged is not None and open_ones:
        apart = [fact.id for fact in open_ones]
        successor, _ = append_fact(connection, merged, stamp, number=number, apart_from=apart)
    for fact in open_ones:
        cause = Cause.RETIRED if successor is None else Cause.SUPERSEDED
        end_belief(connection, fact, cause, stamp, None if successor is None else successor.id)
    retired = tuple(fact.id for fact in open_ones)
    skipped = tuple(fact.id for fact in facts if fact.id not in retired)
    return Superseded(successor, retired, skipped)


def restore_fact(connection: Connection, number: FactId, stamp: Stamp) -> Fact:
    """Believe a retired fact again, in a new interval. Raises UserError where that is not possible."""
    fact = existing_fact(connection, number)
    if fact.superseded_at is None:
        raise UserError(tr("Fact {number} is not retired.", number=str(number)), tr("There is nothing to restore."))
    if fact.hidden:
        raise UserError(
            tr("Fact {number} rests on deleted turns alone.", number=str(number)),
            tr("Add it in your own words instead."),
        )
    same = believed_twin(connection, fact, stamp.at)
    if same is not None:
        raise UserError(tr("Fact {same} says the same and is believed.", same=str(same)), tr("Retire that one first."))
    beliefs = begin(fact.beliefs, max(stamp.at, fact.superseded_at), Cause.RESTORED, who=stamp.who)
    _write_belief(connection, number, len(beliefs), beliefs[-1], stamp.act)
    connection.execute(
        "UPDATE facts SET superseded_at = NULL, superseded_by = NULL, beliefs = ? WHERE id = ?", (len(beliefs), number)
    )
    forget_dossiers(connection, fact)
    return existing_fact(connection, number)


def believed_twin(connection: Connection, fact: Fact, at: datetime) -> FactId | None:
    """Return the believed fact that says the same of the same people as a retired one, or None."""
    marked = connection.execute("SELECT identity FROM facts WHERE id = ?", (fact.id,)).fetchone()[0]
    return _same_current(connection, fact.familiar, marked, at, frozenset((fact.id,)))


def end_belief(connection: Connection, fact: Fact, cause: Cause, stamp: Stamp, by: FactId | None = None) -> None:
    """Close the open belief in a fact and drop the dossiers that were built on it."""
    since = fact.beliefs[-1].held.since
    at = stamp.at if since is None else max(stamp.at, since)
    beliefs = end(fact.beliefs, at, cause, by, who=stamp.who)
    _write_belief(connection, fact.id, len(beliefs), beliefs[-1], stamp.act)
    connection.execute(
        "UPDATE facts SET superseded_at = ?, superseded_by = ? WHERE id = ?", (to_micros(at), by, fact.id)
    )
    forget_dossiers(connection, fact)


def drop_sources(connection: Connection, turns: Iterable[TurnId], at: datetime) -> list[FactId]:
    """Take back the citations of deleted turns. Returns the facts that cited them; the groundless are hidden."""
    touched: dict[FactId, None] = {}
    for turn in turns:
        cited = connection.execute("DELETE FROM fact_sources WHERE turn = ? RETURNING fact", (turn,)).fetchall()
        touched |= {FactId(fact): None for (fact,) in cited}
    for fact in touched:
        hide_groundless(connection, fact, at)
    return list(touched)


def hide_groundless(connection: Connection, number: FactId, at: datetime) -> None:
    """Retire and hide a fact that no turn supports any more; the owner's own word is support enough."""
    grounded = connection.execute(
        """SELECT act IS NOT NULL OR EXISTS (SELECT 1 FROM fact_sources WHERE fact = ?1 AND reworded IS NULL)
        FROM facts WHERE id = ?1""",
        (number,),
    ).fetchone()
    if grounded is None or grounded[0]:
        return
    fact = existing_fact(connection, number)
    if fact.superseded_at is None:
        end_belief(connection, fact, Cause.SOURCE_DELETED, Stamp(at))
    connection.execute("UPDATE facts SET hidden = 1 WHERE id = ?", (number,))


def forget_dossiers(connection: Connection, fact: Fact) -> None:
    """Drop the dossiers of a fact's subjects, so that the next ones are built from current facts alone."""
    connection.executemany(
        "DELETE FROM people_dossiers WHERE familiar = ? AND person = ?",
        [(fact.familiar, subject.key) for subject in fact.subjects],
    )


def _checked_text(new: NewFact) -> str:
    text = new.text.strip()
    if not text:
        raise BadInputError(tr("a fact needs a text."), field="text")
    if len(text) > MAX_TEXT_CHARS:
        raise BadInputError(tr("a fact has at most {limit} characters.", limit=MAX_TEXT_CHARS), field="text")
    if new.importance is not None and not 1 <= new.importance <= 10:
        raise BadInputError(tr("importance goes from 1 to 10."), field="importance")
    if new.valid_from is not None and new.valid_to is not None and new.valid_to <= new.valid_from:
        raise BadInputError(tr("the fact ends before it begins."), field="valid_to")
    return storable(text)


def _same_current(
    connection: Connection, familiar: FamiliarId, marked: bytes, at: datetime, apart_from: frozenset[FactId]
) -> FactId | None:
    rows = connection.execute(
        """SELECT id FROM facts INDEXED BY facts_identity WHERE familiar = ? AND identity = ?
        AND superseded_at IS NULL AND (valid_to IS NULL OR valid_to > ?) ORDER BY id""",
        (familiar, marked, to_micros(at)),
    )
    return next((FactId(number) for (number,) in rows if number not in apart_from), None)


def _insert(connection: Connection, new: NewFact, marked: bytes, stamp: Stamp, number: FactId | None) -> FactId:
    if number is not None and connection.execute("SELECT 1 FROM facts WHERE id = ?", (number,)).fetchone():
        number = None
    said_at, channel = _first_source(connection, new)
    valid_from = new.valid_from
    if valid_from is None and said_at is not None and (new.valid_to is None or said_at < new.valid_to):
        valid_from = said_at
    at = to_micros(stamp.at)
    row = (
        number, new.familiar, _checked_text(new), marked, channel if new.channel is None else new.channel,
        new.importance, new.origin, None if valid_from is None else to_micros(valid_from),
        None if new.valid_to is None else to_micros(new.valid_to), at, stamp.act,
    )  # fmt: skip
    fact = FactId(connection.execute(_INSERT, row).fetchone()[0])
    for subject in {one.key: one for one in new.subjects}.values():
        connection.execute(_SUBJECT, (subject.key, storable(subject.display_at_write), fact))
    cause = Cause.LEARNED if stamp.who is None else Cause.ADDED
    _write_belief(connection, fact, 1, begin((), stamp.at, cause, who=stamp.who)[0], stamp.act)
    return fact


def _first_source(connection: Connection, new: NewFact) -> tuple[datetime | None, ChannelId | None]:
    """Return when and where the first source was said."""
    if not new.source_turns:
        return None, None
    first = min(new.source_turns)
    row = connection.execute("SELECT at, channel FROM turns WHERE id = ?", (first,)).fetchone()
    if row is None:
        raise UserError(
            tr("There is no turn {first}.", first=str(first)), tr("Look up its number with `familiar turns`.")
        )
    return from_micros(row[0]), ChannelId(row[1])


def _add_sources(connection: Connection, fact: FactId, new: NewFact, at: datetime) -> None:
    """Cite the turns that are there and were not deleted by then; their mentions grow by the subjects."""
    people = [subject.key for subject in new.subjects if not subject.key.startswith("ego:")]
    connection.executemany("INSERT INTO people (key) VALUES (?) ON CONFLICT DO NOTHING", [(key,) for key in people])
    for turn in dict.fromkeys(new.source_turns):
        row = connection.execute(
            "SELECT deleted AND coalesce(deleted_at, 0) <= ? FROM turns WHERE id = ?", (to_micros(at), turn)
        ).fetchone()
        if row is None:
            raise UserError(
                tr("There is no turn {turn}.", turn=str(turn)), tr("Look up its number with `familiar turns`.")
            )
        if not row[0]:
            connection.execute(
                """INSERT INTO fact_sources (fact, turn, since) VALUES (?, ?, ?)
                ON CONFLICT (fact, turn) DO UPDATE SET reworded = NULL""",
                (fact, turn, to_micros(at)),
            )
            record_mentions(connection, turn, people)


def _usable_successor(connection: Connection, number: FactId) -> Fact:
    fact = existing_fact(connection, number)
    if fact.superseded_at is not None:
        raise UserError(
            tr("Fact {number} is retired itself.", number=str(number)), tr("Point at a fact that is believed.")
        )
    return fact


def _write_belief(connection: Connection, fact: FactId, number: int, belief: Belief, act: TurnId | None) -> None:
    if belief.held.since is None:
        raise BugError("A belief needs a start.")
    connection.execute(
        """INSERT INTO fact_beliefs (fact, number, since, until, cause, begun_by, end_cause, ended_by, successor)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (fact, number) DO UPDATE SET until = excluded.until,
        end_cause = excluded.end_cause, ended_by = excluded.ended_by, successor = excluded.successor""",
        (
            fact, number, to_micros(belief.held.since),
            None if belief.held.until is None else to_micros(belief.held.until), belief.cause.value, belief.begun_by,
            None if belief.end_cause is None else belief.end_cause.value, belief.ended_by, belief.by,
        ),
    )  # fmt: skip
    column = "begun_act" if belief.held.until is None else "end_act"
    connection.execute(f"UPDATE fact_beliefs SET {column} = ? WHERE fact = ? AND number = ?", (act, fact, number))
