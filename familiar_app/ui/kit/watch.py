"""Listeners of a view-model: whoever shows it hears, by a word, what has changed."""

from __future__ import annotations

from collections.abc import Callable

Listener = Callable[[str], object]


class Watched:
    """Something that tells its listeners what part of it changed."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def watch(self, listener: Listener) -> None:
        """Call `listener` with a word after each change."""
        self._listeners.append(listener)

    def unwatch(self, listener: Listener) -> None:
        """Call `listener` no more."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    def tell(self, what: str) -> None:
        """Report a change to all listeners."""
        for listener in list(self._listeners):
            listener(what)
