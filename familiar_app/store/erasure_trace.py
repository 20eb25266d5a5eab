"""Empties the stored prompts that show anything of what is erased. Runs inside a transaction.

A prompt shows a text in many places and in other words as well, so one that shows any of it keeps no text at all: only
when it was asked, of which model, and what it took.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from familiar_app.domain.redaction import Redaction
from familiar_app.store.erasure_act import doomed_memories
from familiar_app.store.erasure_scope import Scope
from familiar_app.store.text import storable
from familiar_app.store.trace_pack import squeeze, unsqueeze
from familiar_app.store.trace_write import strip

if TYPE_CHECKING:
    from sqlite3 import Connection

_PER_STEP = 25
_SHOWN = re.compile(r"\[([TF])#(\d+)")
# What else a prompt may quote: facts, portraits, memories.
_QUOTED = """SELECT f.text FROM erasure_facts e JOIN facts f ON f.id = e.fact
    UNION SELECT text FROM people_dossiers WHERE person IN (SELECT value FROM json_each(?1))
    UNION SELECT content FROM saved_memories WHERE id IN (SELECT value FROM json_each(?2))
    UNION SELECT content FROM saved_memory_states WHERE memory IN (SELECT value FROM json_each(?2))"""


def clean_traces(
    connection: Connection, scope: Scope, redaction: Redaction, after: int, counts: Counter[str]
) -> int | None:
    """Empty those of the next prompts that show any of it. Returns behind which to go on, None at the end."""
    rows = connection.execute(
        "SELECT id, channel, reply_turn, body FROM traces WHERE id > ? ORDER BY id LIMIT ?", (after, _PER_STEP)
    ).fetchall()
    if not rows:
        return None
    memories = json.dumps(sorted(doomed_memories(connection, scope)))
    texts = [text for (text,) in connection.execute(_QUOTED, (scope.keys_json, memories))]
    quoted = Redaction((), (), texts, anywhere=True)
    channels = _keys_of(connection, scope)
    for number, channel, reply, body in rows:
        fields = json.loads(unsqueeze(body))
        if (
            channel in channels
            or _shows(connection, fields, reply)
            or any(one.value(fields) != fields for one in (redaction, quoted))
        ):
            strip(fields)
            fields["channel"] = redaction.text(fields["channel"])
            text = storable(json.dumps(fields, ensure_ascii=False, separators=(",", ":")))
            connection.execute("UPDATE traces SET body = ?, error = NULL WHERE id = ?", (squeeze(text), number))
            counts["traces"] += 1
    return rows[-1][0] if len(rows) == _PER_STEP else None


def _keys_of(connection: Connection, scope: Scope) -> set[str]:
    rows = connection.execute(
        "SELECT key FROM channels WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(scope.channels),)
    )
    return {key for (key,) in rows}


def _shows(connection: Connection, fields: dict[str, Any], reply: int | None) -> bool:
    """Tell whether a prompt shows one of the turns or facts, answers one, or was answered by one."""
    turns: set[int] = {number for number in (reply, fields.get("turn_id")) if number is not None}
    facts: set[int] = set()
    for message in fields["messages"]:
        if message.get("turn") is not None:
            turns.add(message["turn"])
        for kind, number in _SHOWN.findall(message["content"]):
            (turns if kind == "T" else facts).add(int(number))
    for one in fields.get("rounds") or ():
        for call in one["calls"]:
            turns.update(call.get("turns", ()))
    for one in fields.get("candidates", ()):
        if isinstance(one.get("id"), int):
            (facts if one.get("kind") == "fact" else turns).add(one["id"])
        turns.update(number for number in one.get("neighbours", ()) if isinstance(number, int))
    row = connection.execute(
        """SELECT EXISTS (SELECT 1 FROM erasure_turns WHERE turn IN (SELECT value FROM json_each(?)))
        OR EXISTS (SELECT 1 FROM erasure_facts WHERE fact IN (SELECT value FROM json_each(?)))""",
        (json.dumps(sorted(turns)), json.dumps(sorted(facts))),
    ).fetchone()
    return bool(row[0])
