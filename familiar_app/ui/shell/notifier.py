"""Lets the system show what happens while the window is not in front, by the settings; a click leads there."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from familiar_app.domain.settings import NotifySettings, ProfileSettings
from familiar_app.ui.shell.happening import Happening
from familiar_app.ui.shell.tray import Tray


class Notifier:
    """`locked` tells whether the window is covered; `go` leads to where something happened."""

    def __init__(
        self, window: QWidget, tray: Tray, *, locked: Callable[[], bool], go: Callable[[Happening], object]
    ) -> None:
        self._window, self._tray, self._locked, self._go = window, tray, locked, go
        self._settings: NotifySettings | None = None

    def apply(self, settings: ProfileSettings) -> None:
        """Put the settings in force."""
        self._settings = settings.notify

    def tell(self, happening: Happening) -> bool:
        """Show a notification, unless it is not wanted or somebody sees the window. Returns whether it was shown."""
        if self._settings is None or self._settings.do_not_disturb or self._is_seen():
            return False
        heading, text = happening.told(words=self._settings.words and not self._locked())
        return self._tray.notify(heading, text, lambda: self._go(happening))

    def _is_seen(self) -> bool:
        """Tell whether somebody is at the window: it has the keyboard, or one of its dialogs has."""
        if not self._window.isVisible() or self._window.isMinimized() or self._locked():
            return False
        active = self._window.window().isActiveWindow()
        return active or any(one.isActiveWindow() for one in self._window.findChildren(QWidget) if one.isWindow())
