"""Carries out what the owner decides about facts, logs it as an operator turn, and replays the log after a rebuild.

Doing and replaying are one code path; an act that has had its effect is recognised by its turn and left alone. Runs
inside the writer's transaction.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from familiar_app.domain.errors import UserError
from familiar_app.domain.fact import Fact, FactId
from familiar_app.domain.ids import MAIN_CHANNEL, OWNER, FamiliarId, PersonKey, TurnId
from familiar_app.domain.projection import RetirementState
from familiar_app.domain.text import tr
from familiar_app.store import retirement
from familiar_app.store.channel import ensure_local
from familiar_app.store.fact_act import Act, identity_in, identity_of, new_fact, resolve
from familiar_app.store.fact_row import existing_fact
from familiar_app.store.fact_write import (
    Stamp,
    append_fact,
    drop_sources,
    reinforce,
    restore_fact,
    supersede_facts,
)
from familiar_app.store.moment import from_micros, to_micros
from familiar_app.store.reword import REWORD, is_read, log_reword, take_support
from familiar_app.store.text import storable

if TYPE_CHECKING:
    from sqlite3 import Connection

WATERMARK = "owner"
_DECISIONS = {
    "retirement_undo": RetirementState.UNDONE,
    "retirement_refuse": RetirementState.REFUSED,
    "retirement_accept": RetirementState.ACTED,
}
NEVER = "retirement_never"
REOPEN = "retirement_reopen"
_MODES = ("fact_add", "fact_edit", "fact_retire", "fact_restore", NEVER, REOPEN, *_DECISIONS)


@dataclass(frozen=True, slots=True)
class ReplayCount:
    """What a replay did: acts carried out, acts that had their effect already, acts whose fact is gone."""

    done: int
    present: int
    lost: int


def perform(connection: Connection, familiar: FamiliarId, act: Act, at: datetime) -> tuple[Fact, bool]:
    """Log an act and carry it out. Returns the fact it is about, and whether a new one was stored."""
    now = to_micros(at)
    number = log_act(connection, familiar, act, now)
    fact, created = _carry_out(connection, familiar, act, Stamp(at, _doer(act), TurnId(number)))
    if act["act"] in ("fact_add", "fact_edit"):
        # The number is known only now; nobody has seen the turn without it.
        text = json.dumps({**act, "fact": fact.id}, ensure_ascii=False)
        connection.execute("UPDATE turns SET content = ? WHERE id = ?", (text, number))
    if not any(_acts(connection, familiar, _position(connection, familiar), before=number)):
        _set_position(connection, familiar, number, now)
    return fact, created


def reword(connection: Connection, turn: TurnId, at: datetime) -> list[FactId]:
    """Log that a turn reads otherwise now, where somebody has read it before, and take back what rested on that.

    Returns the facts that cited it.
    """
    if not is_read(connection, turn):
        return []
    now = to_micros(at)
    number = log_reword(connection, turn, now)
    familiars = connection.execute("SELECT DISTINCT familiar FROM facts").fetchall()
    for familiar in (FamiliarId(name) for (name,) in familiars):
        if not any(_acts(connection, familiar, _position(connection, familiar), before=number)):
            _set_position(connection, familiar, number, now)
    return take_support(connection, turn, number, at)


def log_act(connection: Connection, familiar: FamiliarId, act: Act, now: int) -> int:
    """Append an operator turn that says what the owner decided. Returns its number."""
    channel = ensure_local(connection, MAIN_CHANNEL, familiar, now)
    row = connection.execute(
        """INSERT INTO turns (channel, role, content, at, arrived_at, familiar, mode)
        VALUES (?, 'operator', ?, ?, ?, ?, ?) RETURNING id""",
        (channel, storable(json.dumps(act, ensure_ascii=False)), now, now, familiar, act["act"]),
    ).fetchone()
    return int(row[0])


def replay(
    connection: Connection,
    familiar: FamiliarId,
    until: datetime | None,
    touched: set[FactId],
    *,
    up_to: TurnId | None = None,
) -> ReplayCount:
    """Carry out the acts not replayed yet, in order, up to an instant; deleted turns lose their citations on the way.

    With `up_to`, that turn decides which acts came before, since several things can happen in one instant. The facts
    that changed are added to `touched`.
    """
    done = present = lost = 0
    last: tuple[int, int] | None = None
    before = 1 << 62 if up_to is None else up_to + 1
    for number, at, act in list(_acts(connection, familiar, _position(connection, familiar), before)):
        if until is not None and up_to is None and from_micros(at) > until:
            break
        touched.update(_drop_deleted(connection, at))
        last = (number, at)
        if act["act"] == REWORD:
            turn = TurnId(act["turn"])
            reworded = take_support(connection, turn, number, from_micros(at), familiar)
            touched.update(reworded)
            done, present = done + bool(reworded), present + (not reworded)
            continue
        try:
            if _has_happened(connection, act, number):
                present += 1
            else:
                touched.update(facts_of(act))
                stamp = Stamp(from_micros(at), _doer(act), TurnId(number))
                fact, _ = _carry_out(connection, familiar, act, stamp)
                touched.add(fact.id)
                done += 1
        except UserError:
            # The fact is not there any more, or somebody else has retired it meanwhile.
            lost += 1
    touched.update(_drop_deleted(connection, 1 << 62 if until is None else to_micros(until)))
    if last is not None:
        _set_position(connection, familiar, *last)
    return ReplayCount(done, present, lost)


def _doer(act: Act) -> PersonKey:
    """Return who decided: the owner, or whoever corrected what is known about themselves."""
    return PersonKey(act.get("by", OWNER))


def _carry_out(connection: Connection, familiar: FamiliarId, act: Act, stamp: Stamp) -> tuple[Fact, bool]:
    name = act["act"]
    if name == "fact_add":
        return _add(connection, familiar, act, stamp)
    prior = resolve(connection, familiar, act["prior"])
    if name == "fact_edit":
        new = new_fact(familiar, act)
        outcome = supersede_facts(connection, (prior,), stamp, merged=new, number=act.get("fact"))
        if outcome.successor is None:
            raise UserError(
                tr("Fact {prior} is retired already.", prior=str(prior)), tr("Edit the one that replaced it.")
            )
        return outcome.successor, True
    if name == "fact_restore":
        before = existing_fact(connection, prior)
        fact = restore_fact(connection, prior, stamp)
        retirement.bar_restored(connection, before, stamp)
        return fact, False
    by = None if act["successor"] is None else resolve(connection, familiar, act["successor"])
    if name == "fact_retire":
        if not supersede_facts(connection, (prior,), stamp, by=by).retired:
            raise UserError(tr("Fact {prior} is retired already.", prior=str(prior)), tr("There is nothing to change."))
    elif name == NEVER and by is not None:
        retirement.bar_for_ever(connection, familiar, prior, by, stamp)
    elif name == REOPEN and by is not None:
        retirement.reopen(connection, familiar, prior, by, stamp)
    elif by is not None:
        retirement.decide(connection, familiar, prior, by, _DECISIONS[name], stamp)
    return existing_fact(connection, prior), False


def _add(connection: Connection, familiar: FamiliarId, act: Act, stamp: Stamp) -> tuple[Fact, bool]:
    new, number = new_fact(familiar, act), act.get("fact")
    if number is not None and identity_of(connection, number) == identity_in(act):
        reinforce(connection, FactId(number), new, stamp)
        return existing_fact(connection, FactId(number)), False
    return append_fact(connection, new, stamp, number=number)


def _has_happened(connection: Connection, act: Act, turn: int) -> bool:
    """Tell whether the effect of an act's turn is in the tables."""
    name, prior = act["act"], act.get("prior", {}).get("fact")
    row = connection.execute(
        "SELECT 1 FROM fact_beliefs WHERE fact IN (?, ?) AND (begun_act = ? OR end_act = ?)",
        (act.get("fact"), prior, turn, turn),
    ).fetchone()
    if row is not None or not name.startswith("retirement_"):
        return row is not None
    row = connection.execute(
        "SELECT state, never FROM retirements WHERE prior = ? AND successor = ?", (prior, act["successor"]["fact"])
    ).fetchone()
    if row is None or name == NEVER:
        return row is not None and bool(row[1])
    return bool(row[0] == (RetirementState.WAITING if name == REOPEN else _DECISIONS[name]))


def _acts(
    connection: Connection, familiar: FamiliarId, after: int, before: int = 1 << 62
) -> Iterator[tuple[int, int, Act]]:
    rows = connection.execute(
        f"""SELECT id, at, content FROM turns INDEXED BY turns_operator WHERE role = 'operator' AND id > ? AND id < ?
        AND (mode = ? OR familiar = ? AND mode IN ({",".join("?" for _ in _MODES)})) AND deleted = 0 ORDER BY id""",
        (after, before, REWORD, familiar, *_MODES),
    )
    for number, at, content in rows:
        yield number, at, json.loads(content)


def facts_of(act: Act) -> set[FactId]:
    """Return the facts that an act names."""
    references = [act.get("prior"), act.get("successor")]
    return {FactId(one["fact"]) for one in references if one is not None}


def _drop_deleted(connection: Connection, until: int) -> set[FactId]:
    """Take back the citations of turns deleted up to an instant, each at its time. Returns the facts that had them."""
    rows = connection.execute(
        """SELECT id, deleted_at FROM turns INDEXED BY turns_deleted WHERE deleted = 1 AND deleted_at <= ?
        AND EXISTS (SELECT 1 FROM fact_sources s WHERE s.turn = turns.id) ORDER BY deleted_at""",
        (until,),
    ).fetchall()
    return {fact for turn, at in rows for fact in drop_sources(connection, (TurnId(turn),), from_micros(at))}


def _position(connection: Connection, familiar: FamiliarId) -> int:
    row = connection.execute(
        "SELECT position FROM watermarks WHERE projector = ? AND familiar = ? AND scope = ''", (WATERMARK, familiar)
    ).fetchone()
    return 0 if row is None else int(row[0])


def _set_position(connection: Connection, familiar: FamiliarId, turn: int, at: int) -> None:
    connection.execute(
        """INSERT INTO watermarks VALUES (?, ?, '', ?, 'facts', ?) ON CONFLICT (projector, familiar, scope)
        DO UPDATE SET position = excluded.position, set_at = excluded.set_at""",
        (WATERMARK, familiar, turn, at),
    )
