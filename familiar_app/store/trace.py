"""Prompt traces: why each reply is what it is. Only the newest are kept."""

from __future__ import annotations

import asyncio
import builtins
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from familiar_app.domain.ids import ChannelKey, FamiliarId, TraceId, TurnId
from familiar_app.domain.trace import PromptTrace, TraceSummary
from familiar_app.store.engine import Engine
from familiar_app.store.lore_use import count_entries
from familiar_app.store.moment import from_micros
from familiar_app.store.recall_use import count_recalled
from familiar_app.store.trace_search import passage
from familiar_app.store.trace_write import insert_trace, pack, unpack
from familiar_app.store.turn_write import link_trace

if TYPE_CHECKING:
    from sqlite3 import Connection

KEEP = 500


class Traces:
    """The ring of traces of one vault."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def put(self, trace: PromptTrace, *, keep: int = KEEP) -> TraceId:
        """Store a trace and forget the oldest of its sort (replies, or the others) beyond `keep`.

        A stored one (with an id) is stored as a further row. Its lorebook entries, and what was recalled for it, are
        counted once.
        """
        body = await asyncio.to_thread(pack, trace)

        def work(connection: Connection) -> TraceId:
            number = insert_trace(connection, trace, body, keep)
            if trace.id is None:
                count_entries(connection, number, trace)
                count_recalled(connection, trace)
            return number

        return await self._engine.write(work)

    async def get(self, id: TraceId) -> PromptTrace | None:  # noqa: A002
        """Return a trace, or None where it was never there or has left the ring."""
        return await self._engine.read(lambda connection: _one(connection, "id = ?", id))

    async def link(self, id: TraceId, reply: TurnId) -> None:  # noqa: A002
        """Let a trace lead to the reply it explains."""
        await self._engine.write(lambda connection: link_trace(connection, id, reply))

    async def for_turn(self, id: TurnId) -> PromptTrace | None:  # noqa: A002
        """Return the newest trace of a reply, or None."""
        return await self._engine.read(lambda connection: _one(connection, "reply_turn = ? ORDER BY id DESC", id))

    async def list(
        self,
        *,
        limit: int = 100,
        before: TraceId | None = None,
        familiar: FamiliarId | None = None,
        channel: ChannelKey | None = None,
        purpose: str | None = None,
    ) -> builtins.list[TraceSummary]:
        """Return summaries, newest first, of traces before a given one; of one familiar, channel or purpose only."""
        wanted = {"familiar": familiar, "channel": channel, "purpose": purpose}
        chosen = {name: value for name, value in wanted.items() if value is not None}
        where = "".join(f" AND {name} = ?" for name in chosen)

        def work(connection: Connection) -> builtins.list[TraceSummary]:
            rows = connection.execute(
                f"""SELECT id, familiar, channel, purpose, at, model, tokens, first_token_ms, total_ms, reply_turn,
                error FROM traces WHERE id < ?{where} ORDER BY id DESC LIMIT ?""",
                (before if before is not None else 1 << 62, *chosen.values(), max(limit, 0)),
            )
            names = tuple(TraceSummary.model_fields)
            found = (dict(zip(names, row, strict=True)) for row in rows)
            return [TraceSummary(**{**fields, "at": from_micros(fields["at"])}) for fields in found]

        return await self._engine.read(work)

    async def holding(self, wanted: Mapping[TraceId, Sequence[str]]) -> dict[TraceId, str]:
        """Return those of some traces in which every one of their words stands, with the piece around the longest.

        The words are in lower case. Unpacks each of the traces, so ask for a few at a time.
        """
        chosen = json.dumps(list(wanted))

        def work(connection: Connection) -> builtins.list[tuple[TraceId, bytes]]:
            query = "SELECT id, body FROM traces WHERE id IN (SELECT value FROM json_each(?))"
            return connection.execute(query, (chosen,)).fetchall()

        rows = await self._engine.read(work)

        def unpacked() -> dict[TraceId, str]:
            found = ((number, passage(body, wanted[number])) for number, body in rows)
            return {number: piece for number, piece in found if piece is not None}

        return await asyncio.to_thread(unpacked)


def _one(connection: Connection, where: str, value: int) -> PromptTrace | None:
    row = connection.execute(f"SELECT id, reply_turn, body FROM traces WHERE {where} LIMIT 1", (value,)).fetchone()
    return None if row is None else unpack(*row)
