"""Takes what is erased out of the facts: whole facts, the words of shells, names and subjects of the others.

Runs inside a transaction. The triggers that empty a projection which has lost a part by hand are put away meanwhile,
since here a part goes on purpose.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from familiar_app.domain.fact_text import identity
from familiar_app.domain.redaction import REMOVED, Redaction
from familiar_app.store.erasure_ledger import shell_text
from familiar_app.store.erasure_scope import Scope

if TYPE_CHECKING:
    from sqlite3 import Connection

_PER_STEP = 500
_TRIGGERS = ("fact_subjects_emptied", "reflection_facts_emptied")
_GONE = "(SELECT value FROM json_each(?1))"
_LEFT = """SELECT id, familiar, text, identity FROM facts WHERE id NOT IN (SELECT fact FROM erasure_facts)
    ORDER BY id"""
_SAME = """SELECT 1 FROM facts WHERE familiar = ? AND identity = ? AND id <> ?
    AND id NOT IN (SELECT fact FROM erasure_facts)"""
_BEFORE_THEM = "SELECT id FROM facts WHERE id NOT IN (SELECT fact FROM erasure_facts)"
_FACTS = """SELECT f.id, f.text, f.identity, e.gone FROM facts f LEFT JOIN erasure_facts e ON e.fact = f.id
    WHERE f.id > ? ORDER BY f.id LIMIT ?"""


def clean_facts(
    connection: Connection, scope: Scope, redaction: Redaction, after: int, counts: Counter[str]
) -> int | None:
    """Clean the next facts. Returns behind which to go on, None at the end."""
    rows = connection.execute(_FACTS, (after, _PER_STEP)).fetchall()
    with _part_by_part(connection):
        for number, text, marked, gone in rows:
            if not gone:
                _clean(connection, scope, redaction, (number, text, marked, gone is not None), counts)
        _remove(connection, [number for number, _text, _marked, gone in rows if gone], counts)
    return rows[-1][0] if len(rows) == _PER_STEP else None


def note_doubles(connection: Connection, redaction: Redaction) -> None:
    """Note facts that would say the same as another one without the name: a replay would take them for one.

    The later one goes, and with it what it had replaced, which would come back without it.
    """
    if not redaction.touches_anything:
        return
    seen: set[tuple[str, bytes]] = set()
    doubles: list[int] = []
    for number, familiar, text, before in connection.execute(_LEFT).fetchall():
        after = _identity_after(connection, redaction, number, text)
        if after != before:
            taken = connection.execute(_SAME, (familiar, after, number)).fetchone() is not None
            if taken or (familiar, after) in seen:
                doubles.append(number)
            seen.add((familiar, after))
    while doubles:
        numbers = json.dumps(doubles)
        connection.execute("INSERT OR IGNORE INTO erasure_facts SELECT value, 1 FROM json_each(?)", (numbers,))
        rows = connection.execute(f"{_BEFORE_THEM} AND superseded_by IN {_GONE}", (numbers,))
        doubles = [number for (number,) in rows]


def _identity_after(connection: Connection, redaction: Redaction, fact: int, text: str) -> bytes:
    keys = [key for (key,) in connection.execute("SELECT key FROM fact_subjects WHERE fact = ?", (fact,))]
    return identity(redaction.text(text), (key for key in keys if key not in redaction.keys))


def clean_retirements(connection: Connection, counts: Counter[str]) -> None:
    """Take the reasons out of retirements in which one of the facts became a shell."""
    changed = connection.execute(
        """UPDATE retirements SET reason = ? WHERE reason NOT IN ('', ?) AND (prior IN (SELECT fact FROM erasure_facts)
        OR successor IN (SELECT fact FROM erasure_facts))""",
        (REMOVED, REMOVED),
    ).rowcount
    counts["~retirements"] += changed


def _clean(
    connection: Connection,
    scope: Scope,
    redaction: Redaction,
    fact: tuple[int, str, bytes, bool],
    counts: Counter[str],
) -> None:
    number, text, before, shell = fact
    connection.execute(f"DELETE FROM fact_subjects WHERE fact = ?2 AND key IN {_GONE}", (scope.keys_json, number))
    left = shell_text(number) if shell else redaction.text(text)
    keys = [key for (key,) in connection.execute("SELECT key FROM fact_subjects WHERE fact = ?", (number,))]
    marked = identity(left, keys)
    if left == text and marked == before:
        return
    counts["facts" if shell else "~facts"] += 1
    connection.execute("UPDATE facts SET text = ?, identity = ? WHERE id = ?", (left, marked, number))
    if left != text:
        counts["vectors"] += connection.execute("DELETE FROM fact_embeddings WHERE fact_id = ?", (number,)).rowcount


def _remove(connection: Connection, facts: list[int], counts: Counter[str]) -> None:
    if not facts:
        return
    numbers = json.dumps(facts)
    counts["facts"] += len(facts)
    counts["vectors"] += connection.execute(
        f"SELECT count(*) FROM fact_embeddings WHERE fact_id IN {_GONE}", (numbers,)
    ).fetchone()[0]
    counts["retirements"] += connection.execute(
        f"DELETE FROM retirements WHERE prior IN {_GONE} OR successor IN {_GONE}", (numbers,)
    ).rowcount
    # Whatever one of them had replaced by the owner's word stays retired, for nothing in particular.
    connection.execute(
        f"""UPDATE fact_beliefs SET end_cause = 'retired', successor = NULL WHERE successor IN {_GONE}
        AND fact NOT IN {_GONE}""",
        (numbers,),
    )
    connection.execute(f"UPDATE facts SET superseded_by = NULL WHERE superseded_by IN {_GONE}", (numbers,))
    for statement in (
        f"DELETE FROM ledger_facts WHERE fact IN {_GONE}",
        f"DELETE FROM reflection_facts WHERE fact IN {_GONE}",
        f"DELETE FROM recalled WHERE kind = 'fact' AND id IN {_GONE}",
        f"DELETE FROM facts WHERE id IN {_GONE}",
    ):
        connection.execute(statement, (numbers,))


@contextmanager
def _part_by_part(connection: Connection) -> Iterator[None]:
    marks = ",".join("?" for _ in _TRIGGERS)
    kept = connection.execute(f"SELECT name, sql FROM sqlite_master WHERE name IN ({marks})", _TRIGGERS).fetchall()
    for name, _sql in kept:
        connection.execute(f"DROP TRIGGER {name}")
    yield
    # Where something fails, the transaction as a whole is undone, and the triggers are there again.
    for _name, sql in kept:
        connection.execute(sql)
