"""The tray icon, for those who want the familiar to stay when the window is closed, and the way to notifications."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QMenu, QSystemTrayIcon, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.icon import follow, icon
from familiar_app.ui.kit.theme import Theme

SHOWN_MS = 10_000


class Tray:
    """An icon with a menu: open, lock, close the vault, quit.

    It is there where the settings want it, where the program was started hidden, and while a notification is shown.
    """

    def __init__(
        self,
        theme: Theme,
        window: QWidget,
        *,
        title: str,
        show: Callable[[], object],
        lock: Callable[[], object],
        close_vault: Callable[[], object],
        leave: Callable[[], object],
    ) -> None:
        self._theme = theme
        self._wanted = self._held = False
        self._clicked: Callable[[], object] = show
        self._icon = QSystemTrayIcon(window)
        self._icon.setToolTip(title)
        self._menu = QMenu(window)
        self._menu.addAction(tr("Open Familiar"), show)
        self._menu.addAction(tr("Lock the window"), lock)
        self._menu.addAction(tr("Close the vault"), close_vault)
        self._menu.addSeparator()
        self._menu.addAction(tr("Quit"), leave)
        self._icon.setContextMenu(self._menu)
        self._icon.activated.connect(
            lambda reason: show() if reason == QSystemTrayIcon.ActivationReason.Trigger else None
        )
        self._icon.messageClicked.connect(lambda: self._clicked())
        self._over = QTimer(window)
        self._over.setSingleShot(True)
        self._over.setInterval(SHOWN_MS)
        self._over.timeout.connect(self._settle)
        self._refresh()
        follow(theme, window, self._refresh)

    @property
    def available(self) -> bool:
        """Whether the desktop has a tray."""
        return QSystemTrayIcon.isSystemTrayAvailable()

    @property
    def active(self) -> bool:
        """Whether closing the window leaves the program in the tray."""
        return self._wanted and self.available

    def set_shown(self, on: bool) -> None:
        """Keep the icon there, or not."""
        self._wanted = on
        self._settle()

    def hold(self, on: bool) -> None:
        """Keep the icon there for as long as the window was never opened, whatever the settings say."""
        self._held = on
        self._settle()

    def notify(self, heading: str, text: str, clicked: Callable[[], object]) -> bool:
        """Let the system show a notification; `clicked` is called where somebody clicks it. False without a tray."""
        if not self.available:
            return False
        self._clicked = clicked
        # The system shows none for an icon that is not there.
        self._icon.setVisible(True)
        self._icon.showMessage(heading, text, self._icon.icon(), SHOWN_MS)
        self._over.start()
        return True

    def put_away(self) -> None:
        """Take the icon away for good."""
        self._over.stop()
        self._wanted = self._held = False
        self._icon.setVisible(False)

    def _settle(self) -> None:
        if not self._over.isActive():
            self._icon.setVisible((self._wanted or self._held) and self.available)

    def _refresh(self) -> None:
        self._icon.setIcon(icon(self._theme, "familiar", "accent"))
