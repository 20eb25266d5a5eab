"""Where the window stands and how wide its side view is: in the middle of the screen at first, then as the vault keeps.

The values are small states of the vault, so nothing of them can be read while it is closed.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QRect
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from familiar_app.ui.shell.frame import Frame

if TYPE_CHECKING:
    from familiar_app.store.state import State

FIRST_SIZE = (1180, 780)
LEAST_SIZE = (720, 480)
GEOMETRY, SIDE = "window.geometry", "window.side_width"


class WindowPlace:
    """The place of one window. Built before the window is shown, which it gives its first size."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._restored = False
        window.setMinimumSize(*LEAST_SIZE)
        self._size_first()

    async def store(self, state: State, frame: Frame) -> None:
        """Keep the place with the vault that is about to be closed."""
        await state.set(GEOMETRY, base64.b64encode(self._window.saveGeometry().data()).decode())
        await state.set(SIDE, frame.side_width)

    async def restore(self, state: State, frame: Frame) -> None:
        """Give a new frame its side width, and put the window where it was, once."""
        width = await state.get(SIDE)
        if isinstance(width, int):
            frame.set_side_width(width)
        saved = await state.get(GEOMETRY)
        if isinstance(saved, str) and not self._restored:
            self._window.restoreGeometry(QByteArray(base64.b64decode(saved)))
        self._restored = True

    def _size_first(self) -> None:
        screen = QGuiApplication.primaryScreen()
        room = screen.availableGeometry() if screen is not None else QRect(0, 0, *FIRST_SIZE)
        size = [min(FIRST_SIZE[0], room.width() - 40), min(FIRST_SIZE[1], room.height() - 60)]
        self._window.resize(*size)
        self._window.move(room.center().x() - size[0] // 2, room.center().y() - size[1] // 2)
