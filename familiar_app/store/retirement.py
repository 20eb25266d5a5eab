"""The log of proposals to retire a fact: made by projectors, acted on at once or waiting, then perhaps taken back.

Both texts come from the facts. A pair that the owner undid or refused is barred, under whatever numbers the same two
things are said again; with "never" in either order. Runs inside a transaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from familiar_app.domain.errors import UserError
from familiar_app.domain.fact import Fact, FactId
from familiar_app.domain.ids import FamiliarId, PersonKey
from familiar_app.domain.projection import NewRetirement, Retirement, RetirementId, RetirementState
from familiar_app.domain.text import tr, tr_later
from familiar_app.store.fact_row import existing_fact, read_facts
from familiar_app.store.fact_write import Stamp, believed_twin, restore_fact, supersede_facts
from familiar_app.store.moment import from_micros, to_micros

if TYPE_CHECKING:
    from sqlite3 import Connection

_SELECT = """SELECT r.id, r.familiar, r.prior, r.successor, r.reason, r.proposed_by, r.proposed_at, r.state,
    r.decided_at, r.decided_by, r.never FROM retirements r"""


_ALREADY = {
    RetirementState.WAITING: tr_later("This proposal is waiting already."),
    RetirementState.ACTED: tr_later("This proposal is acted already."),
    RetirementState.REFUSED: tr_later("This proposal is refused already."),
    RetirementState.UNDONE: tr_later("This proposal is undone already."),
}


def propose(connection: Connection, new: NewRetirement, stamp: Stamp, *, act: bool) -> Retirement | None:
    """Log a proposal and, with `act`, carry it out.

    None where it comes to nothing: the pair is barred, the prior is retired by others, or one of them is gone. A pair
    that is logged already comes back as it is.
    """
    known = _of_pair(connection, new.prior, new.successor)
    if known is not None:
        return read_retirement(connection, RetirementId(known[0])) if known[1] != "refused" else None
    if is_barred(connection, new.prior, new.successor):
        return None
    facts = {fact.id: fact for fact in read_facts(connection, (new.prior, new.successor))}
    prior, successor = facts.get(new.prior), facts.get(new.successor)
    if prior is None or successor is None or new.prior == new.successor:
        return None
    # A log that was emptied by hand is filled again: what was done then is not done twice.
    done = any(belief.by == successor.id for belief in prior.beliefs)
    if not done and (prior.superseded_at is not None or successor.superseded_at is not None):
        return None
    state = RetirementState.ACTED if act or done else RetirementState.WAITING
    row = (
        new.familiar, new.prior, new.successor, new.reason, new.proposed_by, to_micros(stamp.at), state.value,
        to_micros(stamp.at) if state is RetirementState.ACTED else None,
    )  # fmt: skip
    number = connection.execute(
        """INSERT INTO retirements (familiar, prior, successor, reason, proposed_by, proposed_at, state, decided_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id""",
        row,
    ).fetchone()[0]
    if act and not done:
        supersede_facts(connection, (new.prior,), stamp, by=new.successor)
    return read_retirement(connection, RetirementId(number))


def decide(
    connection: Connection, familiar: FamiliarId, prior: FactId, successor: FactId, to: RetirementState, stamp: Stamp
) -> None:
    """Carry out what the owner decides about a pair. Raises UserError where its state does not allow that.

    A pair whose proposal is gone is logged without a reason, so that it stays barred.
    """
    known = _of_pair(connection, prior, successor)
    state = RetirementState.ACTED if known is None else RetirementState(known[1])
    wanted = RetirementState.ACTED if to is RetirementState.UNDONE else RetirementState.WAITING
    if state is not wanted and known is not None:
        raise UserError(tr(_ALREADY[state]), tr("Look at the list again."))
    if to is RetirementState.ACTED and not supersede_facts(connection, (prior,), stamp, by=successor).retired:
        raise UserError(
            tr("Fact {prior} is retired already.", prior=str(prior)),
            tr("There is nothing left to accept; refuse it instead."),
        )
    if to is RetirementState.UNDONE:
        _give_back(connection, prior, successor, stamp)
    _settle(connection, familiar, prior, successor, to, stamp)


def bar_for_ever(connection: Connection, familiar: FamiliarId, prior: FactId, successor: FactId, stamp: Stamp) -> None:
    """Carry out the owner's "never for these two": what was done is undone, and neither retires the other again."""
    known = _of_pair(connection, prior, successor)
    acted = known is not None and known[1] in (RetirementState.ACTED, RetirementState.UNDONE)
    _give_back(connection, prior, successor, stamp)
    to = RetirementState.UNDONE if acted else RetirementState.REFUSED
    _settle(connection, familiar, prior, successor, to, stamp, never=True)


def reopen(connection: Connection, familiar: FamiliarId, prior: FactId, successor: FactId, stamp: Stamp) -> None:
    """Take back the owner's last decision about a pair: it waits again, or is carried out again, and is not barred.

    Raises UserError where there is no decision, or where the prior is retired for another reason by now.
    """
    known = _of_pair(connection, prior, successor)
    if known is None or known[1] == RetirementState.WAITING:
        raise UserError(tr("There is no decision to take back."), tr("Look at the list again."))
    to = RetirementState.ACTED if known[1] == RetirementState.UNDONE else RetirementState.WAITING
    if to is RetirementState.WAITING:
        _give_back(connection, prior, successor, stamp)
    elif not supersede_facts(connection, (prior,), stamp, by=successor).retired:
        raise UserError(
            tr("Fact {prior} is retired already.", prior=str(prior)), tr("There is nothing to take back any more.")
        )
    _settle(connection, familiar, prior, successor, to, stamp)
    connection.execute(
        """UPDATE retirements SET never = 0, decided_at = CASE ?3 WHEN 'waiting' THEN NULL ELSE decided_at END,
        decided_by = CASE ?3 WHEN 'waiting' THEN NULL ELSE decided_by END WHERE prior = ?1 AND successor = ?2""",
        (prior, successor, to.value),
    )


def _give_back(connection: Connection, prior: FactId, successor: FactId, stamp: Stamp) -> None:
    """Believe the prior again where it was retired for this successor, unless the same is believed anyway."""
    fact = existing_fact(connection, prior)
    if fact.superseded_by == successor and believed_twin(connection, fact, stamp.at) is None:
        restore_fact(connection, prior, stamp)


def bar_restored(connection: Connection, fact: Fact, stamp: Stamp) -> None:
    """Note that the owner restored a fact which a proposal had retired: the pair is barred from now on."""
    if fact.superseded_by is not None and _of_pair(connection, fact.id, fact.superseded_by) is not None:
        _settle(connection, fact.familiar, fact.id, fact.superseded_by, RetirementState.UNDONE, stamp)


def is_barred(connection: Connection, prior: FactId, successor: FactId) -> bool:
    """Tell whether the owner has undone or refused to let these two things stand against each other."""
    row = connection.execute(
        """SELECT 1 FROM facts a JOIN facts b ON b.id = ?2 JOIN retirements r INDEXED BY retirements_inbox
            ON r.familiar = a.familiar AND r.state IN ('refused', 'undone')
        JOIN facts p ON p.id = r.prior JOIN facts s ON s.id = r.successor
        WHERE a.id = ?1 AND ((p.identity = a.identity AND s.identity = b.identity)
            OR (r.never AND p.identity = b.identity AND s.identity = a.identity)) LIMIT 1""",
        (prior, successor),
    ).fetchone()
    return row is not None


def read_retirement(connection: Connection, number: RetirementId) -> Retirement | None:
    """Return one proposal, or None where it or one of its facts is gone."""
    found = _read(connection, "r.id = ?", (number,))
    return found[0] if found else None


def list_retirements(
    connection: Connection, familiar: FamiliarId, state: RetirementState | None, limit: int, before: RetirementId | None
) -> list[Retirement]:
    """Return proposals of a familiar, newest first; those about facts that are hidden are left out."""
    terms: list[str] = ["r.familiar = ?"]
    values: list[object] = [familiar]
    if state is not None:
        terms.append("r.state = ?")
        values.append(state.value)
    where = f"{' AND '.join(terms)} AND r.id < ? ORDER BY r.id DESC LIMIT ?"
    rows = _read(connection, where, (*values, 1 << 62 if before is None else before, max(limit, 0)))
    return [one for one in rows if not one.prior.hidden and not one.successor.hidden]


def _settle(
    connection: Connection,
    familiar: FamiliarId,
    prior: FactId,
    successor: FactId,
    to: RetirementState,
    stamp: Stamp,
    *,
    never: bool = False,
) -> None:
    at = to_micros(stamp.at)
    connection.execute(
        """INSERT INTO retirements (familiar, prior, successor, reason, proposed_by, proposed_at, state, decided_at,
        decided_by, never) VALUES (?1, ?2, ?3, '', 'owner', ?4, ?5, ?4, ?6, ?7) ON CONFLICT (prior, successor)
        DO UPDATE SET state = ?5, decided_at = ?4, decided_by = ?6, never = max(never, ?7)""",
        (familiar, prior, successor, at, to.value, stamp.who, int(never)),
    )


def _of_pair(connection: Connection, prior: FactId, successor: FactId) -> tuple[int, str] | None:
    row: tuple[int, str] | None = connection.execute(
        "SELECT id, state FROM retirements WHERE prior = ? AND successor = ?", (prior, successor)
    ).fetchone()
    return row


def _read(connection: Connection, where: str, values: tuple[Any, ...]) -> list[Retirement]:
    rows = connection.execute(f"{_SELECT} WHERE {where}", values).fetchall()
    ids = list(dict.fromkeys(FactId(number) for row in rows for number in row[2:4]))
    facts = {fact.id: fact for fact in read_facts(connection, ids)}
    return [_retirement(row, facts) for row in rows if row[2] in facts and row[3] in facts]


def _retirement(row: tuple[Any, ...], facts: dict[FactId, Fact]) -> Retirement:
    return Retirement(
        id=RetirementId(row[0]),
        familiar=FamiliarId(row[1]),
        prior=facts[FactId(row[2])],
        successor=facts[FactId(row[3])],
        reason=row[4],
        proposed_by=row[5],
        proposed_at=from_micros(row[6]),
        state=RetirementState(row[7]),
        decided_at=None if row[8] is None else from_micros(row[8]),
        decided_by=None if row[9] is None else PersonKey(row[9]),
        never=bool(row[10]),
    )
