"""Notices that nobody has touched the window for a while. Other windows and the rest of the desktop are not watched."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QGuiApplication, QWindow

LOOK_EVERY_MS = 5_000
_TOUCHES = frozenset(
    {
        QEvent.Type.KeyPress,
        QEvent.Type.MouseMove,
        QEvent.Type.MouseButtonPress,
        QEvent.Type.Wheel,
        QEvent.Type.TouchBegin,
        QEvent.Type.TabletMove,
        QEvent.Type.InputMethod,
    }
)


class IdleClock:
    """Tells whether it is time. Knows no Qt; `now` is in seconds of a clock that only goes forward."""

    def __init__(self, now: float) -> None:
        self.minutes = 0
        self._touched = now

    def touch(self, now: float) -> None:
        """Somebody is there."""
        self._touched = now

    def is_due(self, now: float) -> bool:
        """Tell whether nobody was there for the minutes that are set; never where they are 0."""
        return self.minutes > 0 and now - self._touched >= self.minutes * 60


class IdleWatch(QObject):
    """Calls `idle` once nobody has used a window of the program for as long as `set_minutes` says.

    It listens to the window that has the focus, not to the whole application: that would bring every event of every
    widget into Python.
    """

    def __init__(self, parent: QObject, idle: Callable[[], object], now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(parent)
        self._idle, self._now = idle, now
        self.clock = IdleClock(now())
        self._window: QWindow | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_EVERY_MS)
        self._timer.timeout.connect(self.look)
        app = QGuiApplication.instance()
        self._app = app if isinstance(app, QGuiApplication) else None
        if self._app is not None:
            self._app.focusWindowChanged.connect(self._focus)
            self._focus(self._app.focusWindow())

    def set_minutes(self, minutes: int) -> None:
        """Set the time; 0 is never."""
        self.clock.minutes = minutes
        self.clock.touch(self._now())
        if minutes > 0:
            self._timer.start()
        else:
            self._timer.stop()

    def look(self) -> None:
        """See whether it is time."""
        if self.clock.is_due(self._now()):
            self.clock.touch(self._now())
            self._idle()

    def stop(self) -> None:
        """Listen no more. May be called twice."""
        self._timer.stop()
        self._focus(None)
        app, self._app = self._app, None
        if app is not None:
            app.focusWindowChanged.disconnect(self._focus)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() in _TOUCHES:
            self.clock.touch(self._now())
        return False

    def _focus(self, window: QWindow | None) -> None:
        if self._window is not None:
            self._window.removeEventFilter(self)
            self._window.destroyed.disconnect(self._gone)
        self._window = window
        if window is not None:
            window.installEventFilter(self)
            window.destroyed.connect(self._gone)
            self.clock.touch(self._now())

    def _gone(self) -> None:
        self._window = None
