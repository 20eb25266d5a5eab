"""Remembers how the person has divided a panel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from PySide6.QtWidgets import QSplitter


class Remembers(Protocol):
    """The part of the vault that keeps small things of the window."""

    async def get(self, key: str) -> Any | None: ...

    async def set(self, key: str, value: Any) -> None: ...


class Panes:
    """The splitters of one panel, by name, kept in the vault at `key`. `write` is called by whoever owns the tasks."""

    def __init__(self, state: Remembers, key: str) -> None:
        self._state, self._key = state, key
        self._splitters: dict[str, QSplitter] = {}
        self._moved = False

    def keep(self, name: str, splitter: QSplitter, sizes: Sequence[int]) -> None:
        """Remember a splitter; `sizes` are those it begins with."""
        self._splitters[name] = splitter
        splitter.setSizes(list(sizes))
        for number in range(splitter.count()):
            splitter.setStretchFactor(number, sizes[number])
        splitter.splitterMoved.connect(lambda *_: self._note())

    def _note(self) -> None:
        self._moved = True

    async def restore(self) -> None:
        """Divide the panel as it was left."""
        found = await self._state.get(self._key)
        for name, splitter in self._splitters.items():
            sizes = found.get(name) if isinstance(found, dict) else None
            if isinstance(sizes, list) and len(sizes) == splitter.count() and all(isinstance(n, int) for n in sizes):
                splitter.setSizes(sizes)

    async def write(self) -> None:
        """Store how the panel is divided, if the person has changed it."""
        if self._moved:
            self._moved = False
            await self._state.set(self._key, {name: one.sizes() for name, one in self._splitters.items()})
