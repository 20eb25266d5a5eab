"""Starts coroutines for a widget: kept by the one registry, ended with the widget, errors shown where they happened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import QObject, SignalInstance

from familiar_app.domain.errors import BugError, FamiliarError, StoppedByUserError
from familiar_app.domain.task import TaskRegistry

ShowError = Callable[[FamiliarError, Callable[[], object] | None], object]
"""Shows an error inline; the second argument starts the same thing again, or is None where that cannot help."""


class Tasks:
    """The tasks of one widget.

    `show_error` gets every FamiliarError of a kind the person can act on. Anything else, BugError included, goes to
    the registry and from there to the crash dialog. The tasks end when `owner` is destroyed.
    """

    def __init__(self, registry: TaskRegistry, owner: QObject, show_error: ShowError) -> None:
        self._registry = registry
        self._key = object()
        self._show_error = show_error
        self._named: dict[str, asyncio.Task[Any]] = {}
        owner.destroyed.connect(self.cancel_soon)

    def start(
        self,
        make: Callable[[], Coroutine[Any, Any, Any]],
        *,
        name: str,
        show_error: ShowError | None = None,
        replace: bool = False,
    ) -> asyncio.Task[Any]:
        """Run `make()` in the background. Call this from Qt slots.

        With `replace`, a running task of the same name is cancelled first (a search that is typed on); otherwise a
        second start while the first is running returns the running task (a button pressed twice).
        """
        running = self._named.get(name)
        if running is not None and not running.done():
            if not replace:
                return running
            running.cancel()
        show = show_error or self._show_error

        def again() -> object:
            return self.start(make, name=name, show_error=show_error, replace=replace)

        task = self._registry.start(_routed(make, show, again), name=name, owner=self._key)
        self._named[name] = task
        task.add_done_callback(lambda done: self._forget(name, done))
        return task

    def running(self, name: str) -> bool:
        return name in self._named and not self._named[name].done()

    def stop(self, name: str) -> None:
        """Cancel the task of that name, if it runs."""
        if self.running(name):
            self._named[name].cancel()

    def cancel_soon(self, _destroyed: object = None) -> None:
        """Cancel everything of this widget without waiting for it."""
        for task in list(self._named.values()):
            if not task.done() and not task.get_loop().is_closed():
                task.cancel()

    async def cancel(self) -> None:
        """Cancel everything of this widget and wait until it has ended."""
        await self._registry.cancel(self._key)

    def _forget(self, name: str, task: asyncio.Task[Any]) -> None:
        if self._named.get(name) is task:
            del self._named[name]


async def _routed(make: Callable[[], Coroutine[Any, Any, Any]], show: ShowError, again: Callable[[], object]) -> None:
    try:
        await make()
    except (StoppedByUserError, BugError) as error:
        if isinstance(error, BugError):
            raise
    except FamiliarError as error:
        show(error, again if getattr(error, "retryable", False) else None)


async def emitted(signal: SignalInstance) -> tuple[Any, ...]:
    """Wait for the next emission of a Qt signal and return its arguments."""
    future: asyncio.Future[tuple[Any, ...]] = asyncio.get_running_loop().create_future()

    def arrived(*args: Any) -> None:
        if not future.done():
            future.set_result(args)

    signal.connect(arrived)
    try:
        return await future
    finally:
        signal.disconnect(arrived)
