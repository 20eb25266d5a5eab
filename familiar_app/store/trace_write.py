"""Packs prompt traces small, keeps the newest of them, and takes scrubbed text out of them again."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from familiar_app.domain.ids import TraceId, TurnId
from familiar_app.domain.trace import PromptTrace
from familiar_app.store.moment import to_micros
from familiar_app.store.text import storable

if TYPE_CHECKING:
    from sqlite3 import Connection

REMOVED = "[removed]"
# A shorter text stands in too many places by chance; there only the turn's own messages are emptied.
_MIN_SEARCHED_LENGTH = 4
_ZLIB_LEVEL = 6
# Where in a trace something said can stand, and which parts of those are the program's own words.
_SPOKEN = frozenset({"messages", "layers", "candidates", "lorebook", "answer", "error"})
_WORDS_OF_OURS = frozenset({"name", "key", "kind", "role", "layer", "reason", "what", "why"})


def pack(trace: PromptTrace) -> bytes:
    """Return a trace without its row id, compressed."""
    text = json.dumps(trace.model_dump(mode="json", exclude={"id"}), ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(storable(text).encode("utf-8"), _ZLIB_LEVEL)


def unpack(number: int, reply: int | None, body: bytes) -> PromptTrace:
    """Return the trace of a row; the row's own link to the reply wins over the packed one."""
    fields = json.loads(zlib.decompress(body))
    return PromptTrace.model_validate({**fields, "id": number, "reply_turn_id": reply})


def insert_trace(connection: Connection, trace: PromptTrace, keep: int) -> TraceId:
    """Store a trace and drop all but the newest `keep`."""
    usage = trace.usage or {}
    row = (
        trace.familiar, trace.channel, trace.purpose, to_micros(trace.at), trace.model, trace.tokens,
        usage.get("first_token_ms"), trace.ms if trace.ms is not None else usage.get("total_ms"),
        storable(trace.error), trace.reply_turn_id, pack(trace),
    )  # fmt: skip
    number = connection.execute(
        """INSERT INTO traces (familiar, channel, purpose, at, model, tokens, first_token_ms, total_ms, error,
        reply_turn, body) VALUES (?,?,?,?,?,?,?,?,?,?,?) RETURNING id""",
        row,
    ).fetchone()[0]
    connection.execute(
        "DELETE FROM traces WHERE id <= (SELECT id FROM traces ORDER BY id DESC LIMIT 1 OFFSET ?)", (max(keep, 0),)
    )
    return TraceId(number)


def redact_traces(connection: Connection, turns: frozenset[TurnId], texts: Iterable[str]) -> None:
    """Take turns and their texts out of every stored trace. Unpacks every trace of the ring."""
    redaction = _Redaction(turns, texts)
    for number, reply, body in connection.execute("SELECT id, reply_turn, body FROM traces").fetchall():
        plain = zlib.decompress(body)
        fields = json.loads(plain)
        if reply in turns:
            fields["answer"] = None
        if redaction.apply(fields) or reply in turns:
            packed = zlib.compress(
                json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode("utf-8"), _ZLIB_LEVEL
            )
            connection.execute("UPDATE traces SET body = ? WHERE id = ?", (packed, number))


class _Redaction:
    """Removes given turns and texts from the fields of one trace after the other."""

    def __init__(self, turns: frozenset[TurnId], texts: Iterable[str]) -> None:
        self._turns = turns
        longest_first = sorted({text for text in texts if len(text) >= _MIN_SEARCHED_LENGTH}, key=len, reverse=True)
        self._texts = [form for text in longest_first for form in dict.fromkeys((text, text.strip())) if form]
        self._encoded = [
            json.dumps(text, ensure_ascii=ascii_only)[1:-1] for text in self._texts for ascii_only in (False, True)
        ]

    def apply(self, fields: dict[str, Any]) -> bool:
        """Redact in place. Returns whether anything was found."""
        shown = False
        for message in fields["messages"]:
            if message.get("turn") in self._turns:
                message["content"], shown = REMOVED, True
        kept = [one for one in fields.get("candidates", ()) if not self._is_turn(one)]
        shown = shown or len(kept) != len(fields.get("candidates", ()))
        fields["candidates"] = kept
        # The provider's request is one JSON text: cutting pieces out of it would leave what was never sent.
        sent = fields.get("sent")
        if sent is not None and (shown or any(form in sent for form in self._encoded)):
            fields["sent"], shown = None, True
        cleaned = {name: self._clean(value) if name in _SPOKEN else value for name, value in fields.items()}
        shown = shown or cleaned != fields
        fields.update(cleaned)
        return shown

    def _is_turn(self, candidate: dict[str, Any]) -> bool:
        return candidate.get("kind") in ("turn", "turns") and candidate.get("id") in self._turns

    def _clean(self, value: Any) -> Any:
        if isinstance(value, str):
            for text in self._texts:
                if text in value:
                    value = value.replace(text, REMOVED)
            return value
        if isinstance(value, dict):
            return {name: part if name in _WORDS_OF_OURS else self._clean(part) for name, part in value.items()}
        if isinstance(value, list):
            return [self._clean(part) for part in value]
        return value
