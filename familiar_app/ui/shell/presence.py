"""Whether the window is to be seen: it begins shown or hidden, comes to the front, and has an icon in the tray."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from familiar_app.ui.kit.parts import WindowParts
from familiar_app.ui.shell.tray import Tray


class Presence:
    """Holds the tray icon of one window; its menu leads to `lock`, `close_vault` and the way out."""

    def __init__(
        self,
        window: QWidget,
        parts: WindowParts,
        *,
        lock: Callable[[], object],
        close_vault: Callable[[], object],
    ) -> None:
        self._window = window
        self.tray = Tray(
            parts.theme,
            window,
            title=parts.desktop.titled("Familiar"),
            show=self.bring_to_front,
            lock=lock,
            close_vault=close_vault,
            leave=parts.request_quit,
        )

    def begin(self, *, hidden: bool) -> None:
        """Show the window; `hidden` leaves it in the tray, or minimised where the desktop has none."""
        if hidden and self.tray.available:
            self.tray.hold(True)
        elif hidden:
            self._window.showMinimized()
        else:
            self._window.show()

    def bring_to_front(self) -> None:
        window = self._window
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        window.show()
        window.raise_()
        window.activateWindow()
        self.tray.hold(False)
