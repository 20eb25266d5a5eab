"""Hears from the system that the screen was locked or the computer goes to sleep: on Linux, over D-Bus.

Windows and macOS tell such things only to programs that ask in ways Qt has no words for; there, locking by itself goes
by time alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import SLOT, QObject, Slot

# Interface, signal, and whether it tells both beginning and end: desktops on the session's bus, login on the system's.
_OF_SESSION = (
    ("org.freedesktop.ScreenSaver", "ActiveChanged"),
    ("org.gnome.ScreenSaver", "ActiveChanged"),
    ("org.cinnamon.ScreenSaver", "ActiveChanged"),
    ("org.mate.ScreenSaver", "ActiveChanged"),
)


class SessionWatch(QObject):
    """Calls `locked` when the screen is locked or the computer goes to sleep. `hears` tells whether anybody tells."""

    def __init__(self, parent: QObject, locked: Callable[[], object]) -> None:
        super().__init__(parent)
        self._locked = locked
        self.hears = self._connect() if sys.platform.startswith("linux") else False

    @Slot(bool)
    def begins(self, begins: bool) -> None:
        """The screen saver or sleep begins, or ends."""
        if begins:
            self._locked()

    @Slot()
    def lock(self) -> None:
        """The session is locked."""
        self._locked()

    def _connect(self) -> bool:
        try:
            from PySide6.QtDBus import QDBusConnection
        except ImportError:
            return False
        heard = []
        # Without an address Qt would start a bus of its own.
        if os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
            session = QDBusConnection.sessionBus()
            heard += [self._join(session, name, signal, "begins(bool)") for name, signal in _OF_SESSION]
        system = QDBusConnection.systemBus()
        heard.append(self._join(system, "org.freedesktop.login1.Manager", "PrepareForSleep", "begins(bool)"))
        heard.append(self._join(system, "org.freedesktop.login1.Session", "Lock", "lock()"))
        return any(heard)

    def _join(self, bus: Any, interface: str, signal: str, slot: str) -> bool:
        return bool(bus.isConnected() and bus.connect("", "", interface, signal, self, SLOT(slot)))
