"""Packs prompt traces small, keeps the newest of them, and takes scrubbed text out of them again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from familiar_app.domain.ids import TraceId, TurnId
from familiar_app.domain.trace import REPLY, PromptTrace
from familiar_app.store.moment import to_micros
from familiar_app.store.text import storable
from familiar_app.store.trace_pack import squeeze, unsqueeze

if TYPE_CHECKING:
    from sqlite3 import Connection

REMOVED = "[removed]"
# A shorter text stands in too many places by chance; there only the turn's own messages are emptied.
_MIN_SEARCHED_LENGTH = 4
# How a projector's prompt names what it shows.
_SHOWN = re.compile(r"\[([TF])#(\d+)")
# The layer of what tools were called with and answered.
_TOOLS = "tools"
# Where in a trace something said can stand, and which parts of those are the program's own words.
_SPOKEN = frozenset({"messages", "layers", "candidates", "lorebook", "answer", "error"})
_WORDS_OF_OURS = frozenset({"name", "key", "kind", "role", "layer", "reason", "what", "why"})


def pack(trace: PromptTrace) -> bytes:
    """Return a trace without its row id, compressed. Takes milliseconds where the prompt is long."""
    return _pack(trace.model_dump(mode="json", exclude={"id"}))


def unpack(number: int, reply: int | None, body: bytes) -> PromptTrace:
    """Return the trace of a row; the row's own link to the reply wins over the packed one."""
    fields = json.loads(unsqueeze(body))
    return PromptTrace.model_validate({**fields, "id": number, "reply_turn_id": reply})


def insert_trace(connection: Connection, trace: PromptTrace, body: bytes, keep: int) -> TraceId:
    """Store a trace, packed as `body`, and drop all but the newest `keep` of its sort: replies, or the others.

    Where a turn that it shows was deleted while the model was answering, it keeps no text.
    """
    if _shows_deleted(connection, trace):
        fields = trace.model_dump(mode="json", exclude={"id"})
        strip(fields)
        body = _pack(fields)
    usage = trace.usage or {}
    row = (
        trace.familiar, trace.channel, trace.purpose, to_micros(trace.at), trace.model, trace.tokens,
        usage.get("first_token_ms"), trace.ms if trace.ms is not None else usage.get("total_ms"),
        storable(trace.error), trace.reply_turn_id, body,
    )  # fmt: skip
    number = connection.execute(
        """INSERT INTO traces (familiar, channel, purpose, at, model, tokens, first_token_ms, total_ms, error,
        reply_turn, body) VALUES (?,?,?,?,?,?,?,?,?,?,?) RETURNING id""",
        row,
    ).fetchone()[0]
    # Projectors ask several times for each reply: in one ring they would drive the replies out.
    connection.execute(
        """DELETE FROM traces WHERE (purpose = ?1) = ?2 AND id <= (SELECT id FROM traces
        WHERE (purpose = ?1) = ?2 ORDER BY id DESC LIMIT 1 OFFSET ?3)""",
        (REPLY, trace.is_reply, max(keep, 0)),
    )
    return TraceId(number)


def redact_traces(connection: Connection, turns: frozenset[TurnId], texts: Iterable[str]) -> None:
    """Take turns, their texts and the facts that rest on nothing else out of every stored trace.

    Unpacks every trace of the ring.
    """
    facts = _resting_on(connection, turns)
    redaction = _Redaction(turns, frozenset(facts), (*texts, *facts.values()))
    for number, reply, body in connection.execute("SELECT id, reply_turn, body FROM traces").fetchall():
        fields = json.loads(unsqueeze(body))
        if reply in turns:
            fields["answer"] = None
        if redaction.apply(fields) or reply in turns:
            connection.execute("UPDATE traces SET body = ? WHERE id = ?", (_pack(fields), number))


def strip(fields: dict[str, Any]) -> None:
    """Keep of a trace no text at all: only when the model was asked, which one, and what it took."""
    for message in fields["messages"]:
        message["content"] = REMOVED
    for layer in fields["layers"]:
        layer.update(text=REMOVED, key="", left_out=[])
    for name in ("candidates", "rounds", "notes"):
        fields[name] = []
    for name in ("sent", "answer", "error", "lorebook", "variation", "ranking", "answer_schema"):
        fields[name] = None


def _shows_deleted(connection: Connection, trace: PromptTrace) -> bool:
    shown = {number for number in (trace.turn_id, *(message.turn for message in trace.messages)) if number is not None}
    row = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM turns WHERE deleted = 1 AND id IN (SELECT value FROM json_each(?)))",
        (json.dumps(sorted(shown)),),
    ).fetchone()
    return bool(row[0])


def _pack(fields: dict[str, Any]) -> bytes:
    return squeeze(storable(json.dumps(fields, ensure_ascii=False, separators=(",", ":"))))


def _resting_on(connection: Connection, turns: frozenset[TurnId]) -> dict[int, str]:
    """Return the facts whose sources are all among some turns, with their texts."""
    marked = json.dumps(sorted(turns))
    rows = connection.execute(
        """SELECT f.id, f.text FROM facts f WHERE f.id IN (SELECT fact FROM fact_sources
            WHERE turn IN (SELECT value FROM json_each(?1)))
        AND NOT EXISTS (SELECT 1 FROM fact_sources s WHERE s.fact = f.id
            AND s.turn NOT IN (SELECT value FROM json_each(?1)))""",
        (marked,),
    )
    return dict(rows.fetchall())


class _Redaction:
    """Removes given turns and texts from the fields of one trace after the other."""

    def __init__(self, turns: frozenset[TurnId], facts: frozenset[int], texts: Iterable[str]) -> None:
        self._turns = turns
        self._facts = facts
        longest_first = sorted({text for text in texts if len(text) >= _MIN_SEARCHED_LENGTH}, key=len, reverse=True)
        self._texts = [form for text in longest_first for form in dict.fromkeys((text, text.strip())) if form]
        self._encoded = [
            json.dumps(text, ensure_ascii=ascii_only)[1:-1] for text in self._texts for ascii_only in (False, True)
        ]

    def apply(self, fields: dict[str, Any]) -> bool:
        """Redact in place. Returns whether anything was found."""
        if fields.get("purpose") != REPLY and self._is_shown_to_a_projector(fields["messages"]):
            _empty(fields)
            return True
        shown = False
        for message in fields["messages"]:
            if message.get("turn") in self._turns:
                message["content"], shown = REMOVED, True
        kept = [one for one in fields.get("candidates", ()) if not self._is_of_them(one)]
        shown = shown or len(kept) != len(fields.get("candidates", ()))
        fields["candidates"] = kept
        shown = self._empty_rounds(fields, shown) or shown
        # The provider's request is one JSON text: cutting pieces out of it would leave what was never sent.
        sent = fields.get("sent")
        if sent is not None and (shown or any(form in sent for form in self._encoded)):
            fields["sent"], shown = None, True
        cleaned = {name: self._clean(value) if name in _SPOKEN else value for name, value in fields.items()}
        shown = shown or cleaned != fields
        fields.update(cleaned)
        return shown

    def _empty_rounds(self, fields: dict[str, Any], shown: bool) -> bool:
        """Take out what tools were called with and answered, where the prompt showed any of this or they tell it.

        A model saves what was said in words of its own, so that a search for the text would not find it.
        """
        rounds = fields.get("rounds") or []
        told = [one for one in fields["messages"] if one["layer"] == _TOOLS and one["role"] != "system"]
        read = {turn for one in rounds for call in one["calls"] for turn in call.get("turns", ())}
        of_them = fields.get("turn_id") in self._turns or not read.isdisjoint(self._turns)
        if not rounds or not (shown or of_them or self._tell(rounds) or self._tell(told)):
            return False
        fields["rounds"] = []
        for message in told:
            message["content"] = REMOVED
        return True

    def _tell(self, value: Any) -> bool:
        """Tell whether one of the texts stands in a value, as it is or as JSON writes it."""
        if isinstance(value, str):
            return any(form in value for form in (*self._texts, *self._encoded))
        if isinstance(value, dict):
            return any(self._tell(part) for part in value.values())
        return isinstance(value, list) and any(self._tell(part) for part in value)

    def _is_of_them(self, candidate: dict[str, Any]) -> bool:
        kind, number = candidate.get("kind"), candidate.get("id")
        return (kind in ("turn", "turns") and number in self._turns) or (kind == "fact" and number in self._facts)

    def _is_shown_to_a_projector(self, messages: list[dict[str, Any]]) -> bool:
        """Tell whether a projector's prompt shows one of the turns or facts, in whatever words."""
        shown = {found for message in messages for found in _SHOWN.findall(message["content"])}
        return any(int(number) in (self._turns if kind == "T" else self._facts) for kind, number in shown)

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


def _empty(fields: dict[str, Any]) -> None:
    """Keep of a projector's call only that it was made: what it made of a text stands in the answer in other words."""
    for message in fields["messages"]:
        message["content"] = REMOVED
    fields["sent"], fields["answer"] = None, None
