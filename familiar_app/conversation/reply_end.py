"""How a reply ends: what must not be left half done is awaited, and one that came to nothing says why."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from familiar_app.conversation.event import ExchangeEvent
from familiar_app.conversation.flight import Flight
from familiar_app.conversation.tool_loop import MAX_ROUNDS
from familiar_app.domain.errors import FamiliarError, OutsideError
from familiar_app.domain.text import tr


class Settling:
    """The replies that are being stored at the moment."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[ExchangeEvent]] = set()

    async def to_its_end(self, work: Coroutine[Any, Any, ExchangeEvent]) -> ExchangeEvent:
        """Await what must not be left half done: a cancellation has to wait for it."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait([task])
            raise

    async def over(self) -> None:
        """Wait until none is left."""
        if self._tasks:
            await asyncio.wait(list(self._tasks))


def nothing_said(flight: Flight) -> OutsideError:
    """Say why nothing came of a reply."""
    if flight.cut is not None:
        return OutsideError(tr("The model had nothing to add."), tr("The answer stays as it is."), retryable=True)
    if flight.loop is None or not flight.loop.exhausted:
        return OutsideError(tr("The model gave an empty answer."), tr("Ask again."), retryable=True)
    return OutsideError(
        tr(
            "The model used its tools in all {limit} rounds that one answer may take, and then "
            "said nothing. What the tools did is kept.",
            limit=MAX_ROUNDS,
        ),
        tr("Ask again, or choose another model."),
        retryable=True,
    )


def can_retry(error: FamiliarError) -> bool:
    """Tell whether the same request may succeed another time."""
    return isinstance(error, OutsideError) and error.retryable
