"""The tray icon, for those who want the familiar to stay when the window is closed. Off unless switched on."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QMenu, QSystemTrayIcon, QWidget

from familiar_app.ui.kit.icon import follow, icon
from familiar_app.ui.kit.theme import Theme


class Tray:
    """An icon with a menu: open, lock, close the vault, quit. `active` is False where the desktop has no tray."""

    def __init__(
        self,
        theme: Theme,
        window: QWidget,
        *,
        show: Callable[[], object],
        lock: Callable[[], object],
        close_vault: Callable[[], object],
        leave: Callable[[], object],
    ) -> None:
        self._theme = theme
        self._icon = QSystemTrayIcon(window)
        self._icon.setToolTip("Familiar")
        self._menu = QMenu(window)
        self._menu.addAction("Open Familiar", show)
        self._menu.addAction("Lock the window", lock)
        self._menu.addAction("Close the vault", close_vault)
        self._menu.addSeparator()
        self._menu.addAction("Quit", leave)
        self._icon.setContextMenu(self._menu)
        self._icon.activated.connect(
            lambda reason: show() if reason == QSystemTrayIcon.ActivationReason.Trigger else None
        )
        self._refresh()
        follow(theme, window, self._refresh)

    @property
    def active(self) -> bool:
        return self._icon.isVisible() and QSystemTrayIcon.isSystemTrayAvailable()

    def set_shown(self, on: bool) -> None:
        self._icon.setVisible(on and QSystemTrayIcon.isSystemTrayAvailable())

    def _refresh(self) -> None:
        self._icon.setIcon(icon(self._theme, "familiar", "accent"))
