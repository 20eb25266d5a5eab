"""The owner's acts about facts as they stand in the log: one small JSON object each, in an operator turn.

An act names facts by number and identity, so that it finds them again where a model was asked anew and the numbers
changed. What an act does is in `owner_act`.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from familiar_app.domain.clock import format_time, parse_time
from familiar_app.domain.errors import UserError
from familiar_app.domain.fact import FactId, NewFact, Subject
from familiar_app.domain.fact_text import identity
from familiar_app.domain.ids import OWNER, ChannelId, FamiliarId, PersonKey, TurnId
from familiar_app.domain.text import tr

if TYPE_CHECKING:
    from sqlite3 import Connection

Act = dict[str, Any]
ORIGIN = "owner"


def add_act(new: NewFact) -> Act:
    """Return the act of adding a fact by hand."""
    return {"act": "fact_add", **_content(new)}


def edit_act(connection: Connection, prior: FactId, new: NewFact) -> Act:
    """Return the act of putting `new` in the place of a fact."""
    return {"act": "fact_edit", "prior": _reference(connection, prior), **_content(new)}


def retire_act(connection: Connection, prior: FactId, by: FactId | None) -> Act:
    """Return the act of retiring a fact."""
    successor = None if by is None else _reference(connection, by)
    return {"act": "fact_retire", "prior": _reference(connection, prior), "successor": successor}


def restore_act(connection: Connection, prior: FactId) -> Act:
    """Return the act of believing a fact again."""
    return {"act": "fact_restore", "prior": _reference(connection, prior)}


def decided(act: Act, by: PersonKey) -> Act:
    """Return an act with whoever decided it, where that was not the owner."""
    return act if by == OWNER else {**act, "by": by}


def decision_act(connection: Connection, name: str, prior: FactId, successor: FactId) -> Act:
    """Return the act of undoing, refusing or accepting a retirement."""
    return {"act": name, "prior": _reference(connection, prior), "successor": _reference(connection, successor)}


def new_fact(familiar: FamiliarId, act: Act) -> NewFact:
    """Return the fact that an act of adding or editing describes."""
    return NewFact(
        familiar=familiar,
        text=act["text"],
        origin=ORIGIN,
        subjects=tuple(Subject(PersonKey(one["key"]), one["display"]) for one in act["subjects"]),
        source_turns=tuple(TurnId(turn) for turn in act["sources"]),
        channel=None if act["channel"] is None else ChannelId(act["channel"]),
        importance=act["importance"],
        valid_from=_instant(act["valid_from"]),
        valid_to=_instant(act["valid_to"]),
    )


def resolve(connection: Connection, familiar: FamiliarId, reference: Act) -> FactId:
    """Return the fact that is meant: the one of that number, else the newest of that identity, believed ones first.

    Raises UserError where there is neither.
    """
    number, marked = reference["fact"], bytes.fromhex(reference["identity"])
    if identity_of(connection, number) == marked:
        return FactId(number)
    row = connection.execute(
        """SELECT id FROM facts WHERE familiar = ? AND identity = ? ORDER BY superseded_at IS NULL DESC, id DESC
        LIMIT 1""",
        (familiar, marked),
    ).fetchone()
    if row is None:
        raise UserError(
            tr("There is no fact {number}.", number=str(number)), tr("Look up its number with `familiar facts`.")
        )
    return FactId(row[0])


def identity_of(connection: Connection, fact: FactId | None) -> bytes | None:
    """Return the identity of a stored fact."""
    row = connection.execute("SELECT identity FROM facts WHERE id = ?", (fact,)).fetchone()
    return None if row is None else bytes(row[0])


def identity_in(act: Act) -> bytes:
    """Return the identity of the fact that an act of adding or editing describes."""
    return identity(act["text"].strip(), (PersonKey(one["key"]) for one in act["subjects"]))


def _content(new: NewFact) -> Act:
    return {
        "text": new.text,
        "subjects": [{"key": one.key, "display": one.display_at_write} for one in new.subjects],
        "sources": list(new.source_turns),
        "channel": new.channel,
        "importance": new.importance,
        "valid_from": None if new.valid_from is None else format_time(new.valid_from),
        "valid_to": None if new.valid_to is None else format_time(new.valid_to),
    }


def _reference(connection: Connection, fact: FactId) -> Act:
    marked = identity_of(connection, fact)
    if marked is None:
        raise UserError(tr("There is no fact {fact}.", fact=str(fact)), tr("Look up its number with `familiar facts`."))
    return {"fact": fact, "identity": marked.hex()}


def _instant(text: str | None) -> datetime | None:
    return None if text is None else parse_time(text)
