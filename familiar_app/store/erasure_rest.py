"""Takes what is erased out of every table that no other step knows: rows, references and words.

A table of text that is added later is cleaned without being named here. A row goes where it cannot be without what is
taken out; else that part of it is left empty. Runs inside a transaction.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from familiar_app.domain.ids import MAIN_CHANNEL, FamiliarId, ego_key
from familiar_app.domain.redaction import Redaction
from familiar_app.store.erasure_scope import Scope

if TYPE_CHECKING:
    from sqlite3 import Connection

# Cleaned by steps of their own, or without a word of anybody.
_KNOWN = frozenset({
    "turns", "revisions", "facts", "ledger", "traces", "reflections", "summaries", "people_dossiers", "saved_memories",
    "saved_memory_states", "person_privacy", "speakers", "people", "names", "mentions", "secrets", "erasures", "erased",
    "erasure_turns", "erasure_facts", "channels", "subscriptions", "turn_embeddings", "fact_embeddings",
    "lore_embeddings",
})  # fmt: skip
_OWN = "(SELECT value FROM json_each(?1))"
_SEPARATORS = re.compile(r"[.:/]")
ERASED_TITLE = "(erased)"


@dataclass(frozen=True, slots=True)
class _Table:
    name: str
    key: tuple[str, ...]
    columns: tuple[tuple[str, bool], ...]


def clean_rest(connection: Connection, redaction: Redaction, counts: Counter[str]) -> None:
    """Clean what stands in any other table."""
    if redaction.touches_anything:
        for table in _tables(connection):
            _clean_table(connection, table, redaction, counts)


def clean_channels(connection: Connection, scope: Scope, redaction: Redaction, counts: Counter[str]) -> None:
    """Take names out of the titles and readers of channels, and what belongs to the erased ones out of all tables."""
    for number, key, title, readers in connection.execute("SELECT id, key, title, readers FROM channels").fetchall():
        if number in scope.channels:
            continue
        left = (
            f"local:erased-{number}" if key.startswith("local:") and redaction.touches(key) else key,
            redaction.text(title),
            readers and redaction.stored(readers),
        )
        if left != (key, title, readers):
            connection.execute("UPDATE channels SET key = ?, title = ?, readers = ? WHERE id = ?", (*left, number))
            counts["~rows"] += 1
    numbers = json.dumps(scope.channels)
    for statement in (
        # The main channel of a familiar stays in use.
        f"""UPDATE channels SET title = iif(key = '{MAIN_CHANNEL}', title, '{ERASED_TITLE}'), readers = NULL,
        archived = iif(key = '{MAIN_CHANNEL}', archived, 1) WHERE id IN {_OWN}""",
        f"DELETE FROM lore_timers WHERE channel IN {_OWN}",
        f"DELETE FROM reactions WHERE channel IN {_OWN}",
        "DELETE FROM state WHERE key IN (SELECT 'chat.draft.' || value FROM json_each(?1))",
    ):
        connection.execute(statement, (numbers,))


def remove_people(connection: Connection, scope: Scope, counts: Counter[str]) -> None:
    """Remove the identities themselves: their names, mentions of them, what is kept by their keys."""
    keys = json.dumps(own_keys(scope))
    counts["names"] += connection.execute(f"SELECT count(*) FROM names WHERE person IN {_OWN}", (keys,)).fetchone()[0]
    counts["mentions"] += connection.execute(f"DELETE FROM mentions WHERE person IN {_OWN}", (keys,)).rowcount
    for statement in (
        f"UPDATE turns SET speaker = NULL WHERE speaker IN (SELECT id FROM speakers WHERE key IN {_OWN})",
        f"DELETE FROM names WHERE person IN {_OWN}",
        f"UPDATE people SET latest_speaker = NULL WHERE key IN {_OWN}",
        f"DELETE FROM speakers WHERE key IN {_OWN}",
        f"DELETE FROM people WHERE key IN {_OWN}",
        f"DELETE FROM veiled_people WHERE person IN {_OWN}",
    ):
        connection.execute(statement, (keys,))


def remove_familiar(connection: Connection, scope: Scope, counts: Counter[str]) -> None:
    """Remove every row that belongs to the erased familiar, and take its name from the channels that stay."""
    if scope.familiar is None:
        return
    counted = {
        "facts": "facts", "retirements": "retirements", "people_dossiers": "dossiers", "summaries": "summaries",
        "reflections": "reflections", "traces": "traces", "ledger": "answers", "lore_uses": "uses",
        "alarms": "reminders",
    }  # fmt: skip
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for name in names:
        columns = {row[1] for row in connection.execute(f"PRAGMA table_info({name})")}
        if "familiar" not in columns or name in ("turns", "channels", "fact_subjects"):
            continue
        removed = connection.execute(f"DELETE FROM {name} WHERE familiar = ?", (scope.familiar,)).rowcount
        counts[counted.get(name, "rows")] += removed
    for key, value in connection.execute("SELECT key, value FROM state").fetchall():
        if scope.familiar in _SEPARATORS.split(key) or json.loads(value) == scope.familiar:
            connection.execute("DELETE FROM state WHERE key = ?", (key,))
    connection.execute("UPDATE turns SET familiar = NULL WHERE familiar = ? AND deleted = 1", (scope.familiar,))
    connection.execute(
        f"""UPDATE channels SET key = 'local:erased-' || id, title = '{ERASED_TITLE}', readers = NULL, archived = 1,
        familiar = NULL WHERE familiar = ?""",
        (scope.familiar,),
    )


def own_keys(scope: Scope) -> tuple[str, ...]:
    """Return the keys of those who are erased, also the key of a familiar itself."""
    return scope.keys if scope.familiar is None else (*scope.keys, ego_key(FamiliarId(scope.familiar)))


def _tables(connection: Connection) -> list[_Table]:
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'")
    return [_read(connection, name) for (name,) in names.fetchall() if name not in _KNOWN]


def _read(connection: Connection, name: str) -> _Table:
    rows = connection.execute(f"PRAGMA table_info({name})").fetchall()
    key = tuple(row[1] for row in sorted((row for row in rows if row[5]), key=lambda row: row[5]))
    texts = tuple((row[1], bool(row[3] or row[5])) for row in rows if row[2].upper() == "TEXT")
    return _Table(name, key or ("rowid",), texts)


def _clean_table(connection: Connection, table: _Table, redaction: Redaction, counts: Counter[str]) -> None:
    if not table.columns:
        return
    columns = ", ".join((*table.key, *(name for name, _needed in table.columns)))
    where = " AND ".join(f"{name} IS ?" for name in table.key)
    for row in connection.execute(f"SELECT {columns} FROM {table.name}").fetchall():
        key, values = row[: len(table.key)], row[len(table.key) :]
        left = [_left(value, needed, redaction) for value, (_name, needed) in zip(values, table.columns, strict=True)]
        if left == list(values):
            continue
        fields = dict(zip((name for name, _needed in table.columns), left, strict=True))
        if any(one is _GONE for one in left) or any(
            fields.get(name, old) != old for name, old in zip(table.key, key, strict=True)
        ):
            connection.execute(f"DELETE FROM {table.name} WHERE {where}", key)
            counts["uses" if table.name == "lore_uses" else "rows"] += 1
            continue
        assigned = ", ".join(f"{name} = ?" for name in fields)
        connection.execute(f"UPDATE {table.name} SET {assigned} WHERE {where}", (*fields.values(), *key))
        counts["~rows"] += 1


_GONE: Any = object()


def _left(value: Any, needed: bool, redaction: Redaction) -> Any:
    """Return what is left of a value: `_GONE` where the row cannot be without it."""
    if not isinstance(value, str):
        return value
    if value in redaction.keys:
        return _GONE if needed else None
    return redaction.stored(value)
