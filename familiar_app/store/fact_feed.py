"""Tells those who keep something derived from facts (an index, a screen) which facts a committed write has touched."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from familiar_app.domain.fact import FactId

T = TypeVar("T")
Listener = Callable[[frozenset[FactId]], None]


class FactFeed:
    """The listeners of one vault. They are called on the loop of whoever wrote, after the commit, and must be quick."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` after each write with the ids of facts added or changed. Returns how to stop it.

        An empty set means that any fact may have changed: nobody waited for the end of a write.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def following(self, writing: Awaitable[T], touched: Callable[[T], Iterable[FactId]]) -> T:
        """Wait for a write and tell every listener what it touched, if anything."""
        try:
            result = await writing
        except asyncio.CancelledError:
            self._tell(frozenset())
            raise
        facts = frozenset(touched(result))
        if facts:
            self._tell(facts)
        return result

    def tell_all(self) -> None:
        """Tell every listener that any fact may have changed."""
        self._tell(frozenset())

    def _tell(self, facts: frozenset[FactId]) -> None:
        for listener in tuple(self._listeners):
            listener(facts)
