"""Takes what is erased out of the ledger, so that a replay gives back the same beliefs without it and asks nobody.

An item that became nothing then must not become something now: its guard may have gone by a name that is taken out. So
every item of an answer that is touched is emptied, unless it is behind something that stays. Runs in a transaction.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from familiar_app.domain.citation import thoughts_of
from familiar_app.domain.kept_answer import KeptAnswer, decode
from familiar_app.domain.note import ids_in, sources_of
from familiar_app.domain.redaction import REMOVED, Redaction
from familiar_app.store.erasure_scope import Scope

if TYPE_CHECKING:
    from sqlite3 import Connection

_PER_STEP = 100
_ANSWERS = """SELECT id, projector, scope, first, last, answer, void_at IS NOT NULL FROM ledger WHERE id > ?
    ORDER BY id LIMIT ?"""


@dataclass(frozen=True, slots=True)
class _Row:
    id: int
    projector: str
    scope: str
    first: int
    last: int
    kept: KeptAnswer
    void: bool


def clean_ledger(
    connection: Connection, scope: Scope, redaction: Redaction, after: int, counts: Counter[str]
) -> int | None:
    """Clean the next answers. Returns behind which to go on, None at the end."""
    rows = connection.execute(_ANSWERS, (after, _PER_STEP)).fetchall()
    for number, projector, place, first, last, answer, void in rows:
        row = _Row(number, projector, place, first, last, decode(answer), bool(void))
        if _is_about_them(connection, scope, row):
            connection.execute("DELETE FROM ledger WHERE id = ?", (number,))
            counts["answers"] += 1
            continue
        cleaned = _cleaned(connection, scope, redaction, row)
        text = cleaned.encode()
        held = scope.kind == "person" and place in scope.keys
        if text != answer or held:
            connection.execute(
                "UPDATE ledger SET answer = ?, scope = ? WHERE id = ?", (text, REMOVED if held else place, number)
            )
            counts["~answers"] += 1
    return rows[-1][0] if len(rows) == _PER_STEP else None


def shell_text(fact: int) -> str:
    """Return what stands in the place of a fact that rests on nothing any more; no two are alike."""
    return f"{REMOVED} #{fact}"


def _is_about_them(connection: Connection, scope: Scope, row: _Row) -> bool:
    """Tell whether an answer is about nothing else: a portrait of theirs, or of somebody it told what is erased."""
    if row.projector != "people_dossier":
        return False
    if row.scope in scope.keys:
        return True
    found = connection.execute(
        """SELECT 1 FROM erasure_facts e JOIN fact_subjects s ON s.fact = e.fact WHERE s.key = ? AND e.fact <= ?""",
        (row.scope, row.last),
    ).fetchone()
    return found is not None


def _cleaned(connection: Connection, scope: Scope, redaction: Redaction, row: _Row) -> KeptAnswer:
    cleaners: Mapping[str, Callable[..., Any]] = {
        "rich_note": _notes, "fact_supersede": _verdicts, "reflection": _thoughts, "rolling_summary": _summary,
    }  # fmt: skip
    clean = cleaners.get(row.projector)
    value = redaction.value(row.kept.value) if clean is None else clean(connection, scope, redaction, row)
    basis = redaction.value(dict(row.kept.basis))
    if isinstance(basis.get("subject"), str) and basis["subject"] != row.kept.basis["subject"]:
        basis["subject"] = REMOVED
    return replace(row.kept, value=value, basis=basis)


def _notes(connection: Connection, _scope: Scope, redaction: Redaction, row: _Row) -> Any:
    items = row.kept.value
    if not isinstance(items, list):
        return items
    shown = [int(turn) for turn in row.kept.basis["turns"]]
    gone = _among(connection, "erasure_turns", "turn", shown)
    touched = bool(gone) or redaction.value(items) != items or redaction.value(row.kept.basis) != row.kept.basis
    if not touched and not _touches_facts(connection, row.id):
        return items
    if row.void:
        return []
    facts = dict(connection.execute("SELECT item, fact FROM ledger_facts WHERE answer = ?", (row.id,)).fetchall())
    cleaned: list[Any] = []
    for place, item in enumerate(items):
        kept = _note(connection, redaction, item, facts.get(place), (shown, gone))
        if kept is None:
            connection.execute("DELETE FROM ledger_facts WHERE answer = ? AND item = ?", (row.id, place))
        cleaned.append(kept)
    return cleaned


def _note(
    connection: Connection, redaction: Redaction, item: Any, fact: int | None, batch: tuple[list[int], set[int]]
) -> Any:
    """Return one item of an extractor, cleaned; None where its fact goes or there never was one."""
    if fact is None or not isinstance(item, dict):
        return None
    shown, gone = batch
    state = connection.execute("SELECT gone FROM erasure_facts WHERE fact = ?", (fact,)).fetchone()
    sources = sources_of(item.get("source_turn_ids"), shown)  # type: ignore[arg-type]
    if state is None and sources and gone.issuperset(sources):
        state = _as_shell(connection, fact)
    if state is None:
        return redaction.value(item)
    if state[0]:
        return None
    return {**redaction.value(item), "text": shell_text(fact)}


def _as_shell(connection: Connection, fact: int) -> tuple[int] | None:
    """Note a fact as a shell whose last source was deleted before; None where something else supports it."""
    hidden = connection.execute(
        """SELECT 1 FROM facts f WHERE f.id = ? AND f.hidden AND f.act IS NULL
        AND NOT EXISTS (SELECT 1 FROM fact_sources s WHERE s.fact = f.id)""",
        (fact,),
    ).fetchone()
    if hidden is None:
        return None
    connection.execute("INSERT OR IGNORE INTO erasure_facts VALUES (?, 0)", (fact,))
    return (0,)


def _touches_facts(connection: Connection, answer: int) -> bool:
    row = connection.execute(
        "SELECT 1 FROM ledger_facts l JOIN erasure_facts e ON e.fact = l.fact WHERE l.answer = ? LIMIT 1", (answer,)
    ).fetchone()
    return row is not None


def _verdicts(connection: Connection, _scope: Scope, redaction: Redaction, row: _Row) -> Any:
    """Take the reasons out where one of the facts goes; who was retired by whom is told by numbers alone."""
    facts = [row.first, *(int(number) for number in row.kept.basis.get("shown", ()))]
    gone = _among(connection, "erasure_facts", "fact", facts)
    value = row.kept.value
    if not gone or not isinstance(value, list):
        return redaction.value(value)
    state = connection.execute("SELECT gone FROM erasure_facts WHERE fact = ?", (row.first,)).fetchone()
    if state is not None and state[0]:
        return []
    whole = state is not None
    return [
        {**one, "reason": REMOVED}
        if isinstance(one, dict) and one.get("reason") and (whole or not gone.isdisjoint(ids_in(one.get("id"))))
        else redaction.value(one)
        for one in value
    ]


def _thoughts(connection: Connection, _scope: Scope, redaction: Redaction, row: _Row) -> Any:
    items, basis = row.kept.value, row.kept.basis
    if not isinstance(items, list):
        return items
    turns = {int(turn): channel for turn, channel in basis["turns"]}
    facts = {int(fact): channel for fact, channel in basis["facts"]}
    gone_turns = _among(connection, "erasure_turns", "turn", turns)
    gone_facts = _among(connection, "erasure_facts", "fact", facts)
    if not gone_turns and not gone_facts and redaction.value(items) == items:
        return items
    cleaned: list[Any] = []
    room = int(basis["most"])
    for item in items:
        thought = next(iter(thoughts_of([item], turns, facts, 1)), None)  # type: ignore[arg-type]
        room -= thought is not None
        rests_on_gone = (
            thought is not None and gone_turns.issuperset(thought.turns) and gone_facts.issuperset(thought.facts)
        )
        cleaned.append(None if thought is None or room < 0 or rests_on_gone or row.void else redaction.value(item))
    return cleaned


def _summary(_connection: Connection, scope: Scope, redaction: Redaction, row: _Row) -> Any:
    return summary_text(scope, redaction, row.scope, str(row.kept.value))


def summary_text(scope: Scope, redaction: Redaction, channel: str, text: str) -> str:
    """Return what is left of the story of a channel: nothing where everything there goes, else what names nobody."""
    if channel in {str(number) for number in scope.channels}:
        return ""
    return redaction.without_sentences(text) if redaction.touches(text) else text


def _among(connection: Connection, table: str, column: str, numbers: Any) -> set[int]:
    rows = connection.execute(
        f"SELECT {column} FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))", (json.dumps(list(numbers)),)
    )
    return {number for (number,) in rows}
