"""Watermarks of projectors, and the ledger of every answer a model gave them. Runs inside a transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.projection import Answer, AnswerId, NewAnswer, Watermark
from familiar_app.store.moment import from_micros, to_micros
from familiar_app.store.text import storable

if TYPE_CHECKING:
    from datetime import datetime
    from sqlite3 import Connection

_MARKS = "SELECT projector, familiar, scope, position, speaks_of, set_at FROM watermarks"
_COMPARED = "compared:{}"
_ANSWERS = """SELECT id, projector, version, familiar, scope, first, last, model, answer, tokens, at, void_at, ms,
    malformed, rejected FROM ledger"""


def set_watermark(connection: Connection, mark: Watermark) -> None:
    """Store how far a projector has come."""
    connection.execute(
        """INSERT INTO watermarks VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (projector, familiar, scope) DO UPDATE SET
        position = excluded.position, speaks_of = excluded.speaks_of, set_at = excluded.set_at""",
        (mark.projector, mark.familiar, mark.scope, mark.position, mark.speaks_of, to_micros(mark.set_at)),
    )


def watermark(connection: Connection, projector: str, familiar: FamiliarId, scope: str) -> Watermark | None:
    """Return how far a projector has come, or None: from the beginning."""
    row = connection.execute(
        f"{_MARKS} WHERE projector = ? AND familiar = ? AND scope = ?", (projector, familiar, scope)
    ).fetchone()
    return None if row is None else _mark(row)


def watermarks(connection: Connection, familiar: FamiliarId, scope: str | None = None) -> list[Watermark]:
    """Return every watermark of a familiar, or those of one scope."""
    rows = connection.execute(f"{_MARKS} WHERE familiar = ?1 AND (?2 IS NULL OR scope = ?2)", (familiar, scope))
    return [_mark(row) for row in rows]


def forget_watermarks(connection: Connection, projector: str, familiar: FamiliarId) -> None:
    """Let a projector begin again."""
    connection.execute("DELETE FROM watermarks WHERE projector = ? AND familiar = ?", (projector, familiar))


def remember_compared(connection: Connection, familiar: FamiliarId, fact: int, at: datetime) -> None:
    """Note up to which fact a familiar's facts were ever compared; no emptying of a projection reaches this."""
    known = compared(connection, familiar)
    if known is None or known[0] < fact:
        connection.execute(
            "INSERT INTO state VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2",
            (_COMPARED.format(familiar), json.dumps([fact, to_micros(at)])),
        )


def compared(connection: Connection, familiar: FamiliarId) -> tuple[int, datetime] | None:
    """Return up to which fact a familiar's facts were ever compared, and when; None where none was."""
    row = connection.execute("SELECT value FROM state WHERE key = ?", (_COMPARED.format(familiar),)).fetchone()
    if row is None:
        return None
    fact, at = json.loads(row[0])
    return fact, from_micros(at)


def forget_compared(connection: Connection, familiar: FamiliarId) -> None:
    """Let every fact be compared again."""
    connection.execute("DELETE FROM state WHERE key = ?", (_COMPARED.format(familiar),))


def record_answer(connection: Connection, new: NewAnswer) -> Answer:
    """Keep an answer."""
    number = connection.execute(
        """INSERT INTO ledger (projector, version, familiar, scope, first, last, model, answer, tokens, at, ms,
        malformed, rejected) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id""",
        (
            new.projector, new.version, new.familiar, new.scope, new.first, new.last, new.model, storable(new.answer),
            new.tokens, to_micros(new.at), new.ms, int(new.malformed),
            json.dumps(new.rejected, sort_keys=True) if new.rejected else None,
        ),
    ).fetchone()[0]  # fmt: skip
    return _answer(connection.execute(f"{_ANSWERS} WHERE id = ?", (number,)).fetchone())


def void_answers(connection: Connection, projector: str, familiar: FamiliarId, at: datetime) -> None:
    """Let the answers so far be kept but no longer replayed."""
    connection.execute(
        "UPDATE ledger SET void_at = ? WHERE familiar = ? AND projector = ? AND void_at IS NULL",
        (to_micros(at), familiar, projector),
    )


def answers(
    connection: Connection, projector: str, familiar: FamiliarId, scope: str | None, after: int, limit: int
) -> list[Answer]:
    """Return answers to replay, in the order they were given."""
    terms = "familiar = ? AND projector = ? AND void_at IS NULL AND id > ?"
    values: list[object] = [familiar, projector, after]
    if scope is not None:
        terms, values = f"{terms} AND scope = ?", [*values, scope]
    rows = connection.execute(f"{_ANSWERS} WHERE {terms} ORDER BY id LIMIT ?", (*values, max(limit, 0)))
    return [_answer(row) for row in rows]


def answers_of(
    connection: Connection, projectors: Sequence[str], familiar: FamiliarId, after: int, limit: int
) -> list[Answer]:
    """Return answers of several projectors to replay, in the order they were given."""
    found = [one for name in projectors for one in answers(connection, name, familiar, None, after, limit)]
    return sorted(found, key=lambda answer: answer.id)[: max(limit, 0)]


def answer_for(
    connection: Connection, projector: str, familiar: FamiliarId, scope: str, first: int, last: int
) -> Answer | None:
    """Return the newest answer that is kept for exactly this input, or None."""
    row = connection.execute(
        f"""{_ANSWERS} WHERE familiar = ? AND projector = ? AND scope = ? AND void_at IS NULL AND first = ? AND last = ?
        ORDER BY id DESC LIMIT 1""",
        (familiar, projector, scope, first, last),
    ).fetchone()
    return None if row is None else _answer(row)


def tokens_used(connection: Connection, projector: str, familiar: FamiliarId) -> int:
    """Return the tokens all answers of a projector took, void ones too."""
    row = connection.execute(
        "SELECT coalesce(sum(tokens), 0) FROM ledger WHERE familiar = ? AND projector = ?", (familiar, projector)
    ).fetchone()
    return int(row[0])


def fact_number(connection: Connection, answer: AnswerId, item: int) -> FactId | None:
    """Return the id that an item of an answer gave its fact the first time."""
    row = connection.execute("SELECT fact FROM ledger_facts WHERE answer = ? AND item = ?", (answer, item)).fetchone()
    return None if row is None else FactId(row[0])


def remember_fact(connection: Connection, answer: AnswerId, item: int, fact: FactId) -> None:
    """Note which fact an item of an answer became, so that a replay gives it the same id."""
    connection.execute(
        "INSERT INTO ledger_facts VALUES (?, ?, ?) ON CONFLICT (answer, item) DO NOTHING", (answer, item, fact)
    )


def _mark(row: tuple[Any, ...]) -> Watermark:
    return Watermark(
        projector=row[0], familiar=FamiliarId(row[1]), scope=row[2], position=row[3], speaks_of=row[4],
        set_at=from_micros(row[5]),
    )  # fmt: skip


def _answer(row: tuple[Any, ...]) -> Answer:
    return Answer(
        id=AnswerId(row[0]),
        projector=row[1],
        version=row[2],
        familiar=FamiliarId(row[3]),
        scope=row[4],
        first=row[5],
        last=row[6],
        model=row[7],
        answer=row[8],
        tokens=row[9],
        at=from_micros(row[10]),
        void=row[11] is not None,
        ms=row[12],
        malformed=bool(row[13]),
        rejected=json.loads(row[14]) if row[14] else {},
    )
