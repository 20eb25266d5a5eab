"""Measures what holds the window's loop, apart from what a busy machine adds."""

from __future__ import annotations

import time

from PySide6.QtCore import QTimer


class Beat:
    """Ticks every few milliseconds; the processor time between two ticks is what the loop was held by ourselves.

    Waiting for the processor, which a busy machine causes, is no fault of the window and is kept apart.
    """

    def __init__(self) -> None:
        self.held_ms: list[float] = []
        self.late_ms: list[float] = []
        self._cpu, self._at = time.thread_time(), time.perf_counter()
        self._timer = QTimer()
        self._timer.setInterval(4)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def _tick(self) -> None:
        cpu, at = time.thread_time(), time.perf_counter()
        self.held_ms.append((cpu - self._cpu) * 1000)
        self.late_ms.append((at - self._at) * 1000)
        self._cpu, self._at = cpu, at

    def stop(self) -> tuple[float, float]:
        """Return the longest hold and the longest pause, both in milliseconds."""
        self._timer.stop()
        return max(self.held_ms), max(self.late_ms)
