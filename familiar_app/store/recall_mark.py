"""Keeps the owner's marks of what a cue should have brought back: operator turns, read from the log as they are.

A mark names its fact by number and identity, so that it finds it again where facts were drawn anew.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from familiar_app.domain.clock import Clock
from familiar_app.domain.errors import UserError
from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.recall_mark import MarkId, MarkKind, RecallMark
from familiar_app.domain.text import tr
from familiar_app.store.engine import Engine
from familiar_app.store.fact_act import Act, identity_of, resolve
from familiar_app.store.moment import from_micros, to_micros
from familiar_app.store.owner_act import log_act

if TYPE_CHECKING:
    from sqlite3 import Connection

MARK, UNMARK = "recall_mark", "recall_unmark"


class RecallMarks:
    """The marks of one vault."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    async def add(self, familiar: FamiliarId, cue: str, kind: MarkKind, target: int) -> RecallMark:
        """Mark that a cue should have brought back a fact or a turn. Raises UserError where there is none such."""
        text = cue.strip()
        if not text:
            raise UserError(tr("A mark needs a cue."), tr("Write what should have brought it back."))

        def work(connection: Connection) -> RecallMark:
            act: Act = {
                "act": MARK,
                "cue": text,
                "kind": kind,
                "target": _reference(connection, familiar, kind, target),
            }
            number = log_act(connection, familiar, act, to_micros(self._clock.now()))
            return _read(connection, familiar, number)[0]

        return await self._engine.write(work)

    async def list(self, familiar: FamiliarId) -> list[RecallMark]:
        """Return the marks of a familiar, oldest first."""
        return await self._engine.read(lambda connection: _read(connection, familiar, None))

    async def remove(self, familiar: FamiliarId, mark: MarkId) -> None:
        """Take a mark back. Raises UserError where there is none of that number."""

        def work(connection: Connection) -> None:
            if not _read(connection, familiar, mark):
                raise UserError(tr("There is no mark {mark}.", mark=str(mark)), tr("Look at the list of marks."))
            log_act(connection, familiar, {"act": UNMARK, "mark": mark}, to_micros(self._clock.now()))

        await self._engine.write(work)


def _reference(connection: Connection, familiar: FamiliarId, kind: MarkKind, target: int) -> Act:
    if kind == "fact":
        row = connection.execute(
            "SELECT 1 FROM facts WHERE id = ? AND familiar = ? AND hidden = 0", (target, familiar)
        ).fetchone()
        marked = identity_of(connection, FactId(target))
        if row is not None and marked is not None:
            return {"fact": target, "identity": marked.hex()}
    elif connection.execute("SELECT 1 FROM turns WHERE id = ? AND shown = 1", (target,)).fetchone() is not None:
        return {"turn": target}
    if kind == "fact":
        raise UserError(
            tr("There is no fact {fact}.", fact=str(target)), tr("Look up its number with `familiar facts`.")
        )
    raise UserError(tr("There is no turn {turn}.", turn=str(target)), tr("Look up its number with `familiar turns`."))


def _read(connection: Connection, familiar: FamiliarId, only: int | None) -> list[RecallMark]:
    rows = connection.execute(
        """SELECT id, at, content FROM turns INDEXED BY turns_operator WHERE role = 'operator' AND familiar = ?
        AND mode IN (?, ?) AND deleted = 0 ORDER BY id""",
        (familiar, MARK, UNMARK),
    ).fetchall()
    acts = [(number, at, json.loads(content)) for number, at, content in rows]
    gone = {act["mark"] for _number, _at, act in acts if act["act"] == UNMARK}
    return [
        RecallMark(
            id=MarkId(number),
            familiar=familiar,
            cue=act["cue"],
            kind=act["kind"],
            target=_target(connection, familiar, act["target"]),
            marked_at=from_micros(at),
        )
        for number, at, act in acts
        if act["act"] == MARK and number not in gone and only in (None, number)
    ]


def _target(connection: Connection, familiar: FamiliarId, reference: Act) -> int | None:
    if "turn" in reference:
        row = connection.execute("SELECT id FROM turns WHERE id = ? AND deleted = 0", (reference["turn"],)).fetchone()
        return None if row is None else int(row[0])
    try:
        return resolve(connection, familiar, reference)
    except UserError:
        # Nothing that is remembered says so any more.
        return None
