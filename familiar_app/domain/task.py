"""One registry for background tasks: it keeps them alive, ends them with their owner and reports what they raise.

asyncio itself holds only weak references to tasks, so a task nobody keeps can vanish in the middle of its work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

ErrorHandler = Callable[[str, BaseException], None]


class TaskRegistry:
    """Starts tasks and keeps them until they end. `on_error` gets the name and the exception of a task that failed."""

    def __init__(self, on_error: ErrorHandler) -> None:
        self._on_error = on_error
        self._tasks: dict[asyncio.Task[Any], object] = {}

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, coroutine: Coroutine[Any, Any, Any], *, name: str, owner: object = None) -> asyncio.Task[Any]:
        """Run `coroutine` in the background; `owner` groups tasks that are ended together."""
        task = asyncio.get_running_loop().create_task(coroutine, name=name)
        self._tasks[task] = owner
        task.add_done_callback(self._finished)
        return task

    async def cancel(self, owner: object = None, *, timeout_s: float = 5.0) -> list[str]:
        """End the tasks of `owner` (all tasks where it is None) and wait for them.

        Returns the names of those that did not end in time.
        """
        current = asyncio.current_task()
        ending = [task for task, of in self._tasks.items() if task is not current and (owner is None or of is owner)]
        for task in ending:
            task.cancel()
        if not ending:
            return []
        _, late = await asyncio.wait(ending, timeout=timeout_s)
        return [task.get_name() for task in late]

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.pop(task, None)
        if task.cancelled():
            return
        error = task.exception()
        if error is not None:
            self._on_error(task.get_name(), error)
