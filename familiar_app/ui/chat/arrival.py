"""Lets an open chat take in what arrives by other ways than its own: reminders that are due, messages from Discord."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

if TYPE_CHECKING:
    from familiar_app.ui.chat.model import ChatModel

_GATHER_MS = 250


class Arrivals(QObject):
    """Calls `take_in` shortly after the log has grown; while a reply is being shown it waits for its end."""

    def __init__(self, model: ChatModel, take_in: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._model, self._take_in = model, take_in
        self._timer = timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(_GATHER_MS)
        timer.timeout.connect(self._due)
        turns = model.vault.turns

        def note(_: object) -> None:
            # A burst is taken in at its end, but not put off for ever.
            if not timer.isActive():
                timer.start()

        turns.watch(note)
        # The watcher holds neither this object nor the view, so that both can go.
        parent.destroyed.connect(lambda *_: turns.unwatch(note))

    def _due(self) -> None:
        if self._model.replying:
            self._timer.start()
            return
        self._take_in()
