"""Takes what is erased out of the owner's acts and the acts of saved memories. Runs inside a transaction.

An act about nothing else becomes a tombstone; of others only the part goes. What an act refers to by its identity gets
the identity that it is going to have, so that a replay still finds it.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from familiar_app.domain.fact_text import identity
from familiar_app.domain.redaction import Redaction, parsed
from familiar_app.store import saved_memory_erase
from familiar_app.store.erasure_ledger import shell_text
from familiar_app.store.erasure_reflection import is_going
from familiar_app.store.erasure_scope import Scope
from familiar_app.store.reflection_mark import identity_of_text
from familiar_app.store.saved_memory_erase import doom

if TYPE_CHECKING:
    from sqlite3 import Connection

Act = dict[str, Any]
_PER_STEP = 500
_ACTS = """SELECT id, mode, content FROM turns INDEXED BY turns_operator WHERE role = 'operator' AND id > ?
    AND deleted = 0 AND mode NOT GLOB 'memory_*' AND id NOT IN (SELECT turn FROM erasure_turns) ORDER BY id LIMIT ?"""
_MEMORY_ACTS = """SELECT id, role, content, tool_calls FROM turns INDEXED BY turns_memory
    WHERE role IN ('tool', 'operator') AND mode GLOB 'memory_*' AND deleted = 0"""


def clean_acts(
    connection: Connection, scope: Scope, redaction: Redaction, after: int, counts: Counter[str]
) -> int | None:
    """Clean the owner's next acts. Returns behind which to go on, None at the end."""
    rows = connection.execute(_ACTS, (after, _PER_STEP)).fetchall()
    cleaner = _Cleaner(connection, scope, redaction)
    for number, mode, content in rows:
        act = parsed(content)
        cleaned = cleaner.clean(dict(act)) if isinstance(act, dict) else {"act": mode}
        if cleaned is None:
            connection.execute("INSERT OR IGNORE INTO erasure_turns VALUES (?)", (number,))
        elif cleaned != act:
            text = json.dumps(cleaned, ensure_ascii=False)
            connection.execute(
                "UPDATE turns SET content = ?, mode = ? WHERE id = ?", (text, cleaned.get("act", mode), number)
            )
            counts["~acts"] += 1
    return rows[-1][0] if len(rows) == _PER_STEP else None


def doomed_memories(connection: Connection, scope: Scope) -> frozenset[Any]:
    """Return the saved memories that go: about them, taught by them, drawn from what they said, of the familiar."""
    rows = connection.execute(
        """SELECT id FROM saved_memories WHERE source_turn IN (SELECT turn FROM erasure_turns)
            OR (scope = 'personal' AND owner IN (SELECT value FROM json_each(?1)))
            OR taught_by IN (SELECT value FROM json_each(?1)) OR persona_lineage_id = ?2
        UNION SELECT memory FROM saved_memory_states WHERE turn IN (SELECT turn FROM erasure_turns)
            OR (scope = 'personal' AND owner IN (SELECT value FROM json_each(?1)))""",
        (scope.keys_json, scope.lineage),
    )
    return frozenset(number for (number,) in rows)


def clean_memories(connection: Connection, scope: Scope, redaction: Redaction, counts: Counter[str]) -> None:
    """Take saved memories out of the log, and what names somebody out of the others; the tables follow at the end."""
    memories = doomed_memories(connection, scope)
    counts["memories"] += len(memories)
    for turn in doom(connection, memories).turns:
        connection.execute("INSERT OR IGNORE INTO erasure_turns VALUES (?)", (turn,))
    for number, role, content, calls in connection.execute(_MEMORY_ACTS).fetchall():
        inside = parsed((calls if role == "tool" else content) or "")
        if not isinstance(inside, dict) or not isinstance(inside.get("ops"), list):
            continue
        fields = _without_people(inside, redaction)
        if inside["ops"] and not fields["ops"]:
            connection.execute("INSERT OR IGNORE INTO erasure_turns VALUES (?)", (number,))
            counts["acts"] += 1
            continue
        words = json.dumps(fields, ensure_ascii=False)
        pair = (words, calls) if role == "operator" else (redaction.text(content), words)
        if fields != inside or pair[0] != content:
            connection.execute("UPDATE turns SET content = ?, tool_calls = ? WHERE id = ?", (*pair, number))
            counts["~memories"] += 1
    connection.execute(
        """UPDATE turns SET deleted = 1, content = '', tool_calls = NULL
        WHERE id IN (SELECT turn FROM erasure_turns) AND role IN ('tool', 'operator') AND mode GLOB 'memory_*'"""
    )
    saved_memory_erase.bring_up_to_date(connection)


def _without_people(inside: dict[str, Any], redaction: Redaction) -> dict[str, Any]:
    """Return an act without what was decided about somebody or by them."""
    ops = [dict(op) for op in inside["ops"] if op.get("person") not in redaction.keys]
    for op in ops:
        if op.get("taught_by") in redaction.keys:
            op["taught_by"] = None
    by = None if inside.get("by") in redaction.keys else inside.get("by")
    cleaned: dict[str, Any] = redaction.value({**inside, "by": by, "ops": ops})
    return cleaned


@dataclass(frozen=True, slots=True)
class _Cleaner:
    """Cleans one act after the other; None stands for an act about nothing else."""

    connection: Connection
    scope: Scope
    redaction: Redaction

    def clean(self, act: Act) -> Act | None:
        name = str(act.get("act", ""))
        if name in ("fact_add", "fact_edit"):
            return self._written(act)
        if name.startswith(("fact_", "retirement_")):
            return self._decided(act)
        if name == "recall_mark":
            return self._marked(act)
        if name.startswith("reflection_"):
            return self._thought(act)
        cleaned: Act = self.redaction.value(act)
        return None if _holds(act, self.redaction.keys) else cleaned

    def _written(self, act: Act) -> Act | None:
        subjects = [one for one in act["subjects"] if one["key"] not in self.redaction.keys]
        gone = self._is_gone(act.get("fact")) or bool(act["subjects"] and not subjects)
        prior = self._reference(act["prior"]) if act["act"] == "fact_edit" else None
        if gone:
            return None if prior is None else {"act": "fact_retire", "prior": prior, "successor": None}
        cleaned: Act = self.redaction.value({**act, "subjects": subjects, "prior": None})
        del cleaned["prior"]
        # What it replaced is gone altogether: then it was simply added.
        return {**cleaned, "act": "fact_add"} if prior is None else {**cleaned, "prior": prior}

    def _decided(self, act: Act) -> Act | None:
        prior = self._reference(act["prior"])
        if prior is None:
            return None
        if act.get("successor") is None:
            return {**act, "prior": prior}
        successor = self._reference(act["successor"])
        if successor is None and act["act"] != "fact_retire":
            return None
        return {**act, "prior": prior, "successor": successor}

    def _marked(self, act: Act) -> Act | None:
        target = act["target"]
        if "turn" in target:
            if self._has("SELECT 1 FROM erasure_turns WHERE turn = ?", target["turn"]):
                return None
        else:
            target = self._reference(target)
            if target is None:
                return None
        return {**act, "cue": self.redaction.text(act["cue"]), "target": target}

    def _thought(self, act: Act) -> Act | None:
        rows = self.connection.execute("SELECT id, text FROM reflections WHERE created_at = ?", (act["written"],))
        for number, text in rows.fetchall():
            if identity_of_text(text) == act["identity"]:
                if is_going(self.connection, number):
                    return None
                return {**act, "identity": identity_of_text(self.redaction.text(text))}
        return act

    def _reference(self, reference: Act) -> Act | None:
        """Return how an act names a fact from now on; None where the fact goes altogether."""
        marked = bytes.fromhex(reference["identity"])
        row = self.connection.execute(
            "SELECT id, text FROM facts WHERE identity = ? ORDER BY id = ? DESC LIMIT 1", (marked, reference["fact"])
        ).fetchone()
        if row is None:
            return None if self._is_gone(reference["fact"]) else reference
        if self._is_gone(row[0]):
            return None
        return {**reference, "identity": self.identity_after(*row).hex()}

    def identity_after(self, fact: int, text: str) -> bytes:
        rows = self.connection.execute("SELECT key FROM fact_subjects WHERE fact = ?", (fact,))
        keys = [key for (key,) in rows if key not in self.redaction.keys]
        is_shell = self._has("SELECT 1 FROM erasure_facts WHERE fact = ? AND gone = 0", fact)
        return identity(shell_text(fact) if is_shell else self.redaction.text(text), keys)

    def _is_gone(self, fact: int | None) -> bool:
        return self._has("SELECT 1 FROM erasure_facts WHERE fact = ? AND gone = 1", fact)

    def _has(self, question: str, number: int | None) -> bool:
        return self.connection.execute(question, (number,)).fetchone() is not None


def _holds(value: Any, keys: frozenset[str]) -> bool:
    """Tell whether one of the keys stands in an act as a value of its own."""
    if isinstance(value, dict):
        return any(name in keys or _holds(one, keys) for name, one in value.items())
    if isinstance(value, list):
        return any(_holds(one, keys) for one in value)
    return isinstance(value, str) and value in keys
