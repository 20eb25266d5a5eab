"""Locks the window by itself: when nobody uses it, when the system locks its screen, before the computer sleeps."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QApplication, QDialog, QWidget

from familiar_app.domain.settings import LockSettings, ProfileSettings
from familiar_app.ui.shell.capture import hide_from_capture
from familiar_app.ui.shell.idle import IdleWatch
from familiar_app.ui.shell.session import SessionWatch


class Locking:
    """Follows the settings; `lock` covers the window, `close_vault` ends everything."""

    def __init__(self, window: QWidget, *, lock: Callable[[], object], close_vault: Callable[[], object]) -> None:
        self._window, self._lock, self._close_vault = window, lock, close_vault
        self._settings: LockSettings | None = None
        self._hidden = False
        self.idle = IdleWatch(window, self.by_itself)
        self.session = SessionWatch(window, self._with_screen)

    def apply(self, settings: ProfileSettings) -> None:
        """Put the settings in force."""
        wanted = settings.lock
        if self._settings is None or wanted.idle_minutes != self._settings.idle_minutes:
            self.idle.set_minutes(wanted.idle_minutes)
        if wanted.hide_from_capture != self._hidden:
            self._hidden = hide_from_capture(self._window, wanted.hide_from_capture) and wanted.hide_from_capture
        self._settings = wanted

    def by_itself(self) -> None:
        """Lock in the way that the settings name."""
        closes = self._settings is not None and self._settings.close_vault
        (self._close_vault if closes else self._lock)()

    def stop(self) -> None:
        """Watch no more."""
        self.idle.stop()

    def _with_screen(self) -> None:
        if self._settings is None or self._settings.with_screen:
            self.by_itself()


def close_dialogs() -> None:
    """Close what stands open over the window, as if the person had given it up."""
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, QDialog) and widget.isVisible():
            widget.reject()
    popup = QApplication.activePopupWidget()
    while popup is not None:
        popup.close()
        following = QApplication.activePopupWidget()
        popup = following if following is not popup else None
