"""Binds the shortcuts of all offered actions to a window, anew whenever the offers change."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from familiar_app.ui.kit.action import Action, ActionRegistry

# Further keys for the same thing, where keyboards differ.
_ALSO = {"Ctrl++": ("Ctrl+=",), "Ctrl+Shift+Z": ("Ctrl+Y",)}


class KeyBinding:
    """Keeps one QAction for each shortcut; several changes in a row are taken together."""

    def __init__(self, registry: ActionRegistry, window: QWidget) -> None:
        self._registry, self._window = registry, window
        self._bound: list[QAction] = []
        self._timer = QTimer(window)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self.bind)
        registry.listen(self._timer.start)
        self.bind()

    def bind(self) -> None:
        """Bind what is offered now. Where two actions claim a key, the first one has it."""
        for action in self._bound:
            self._window.removeAction(action)
            action.deleteLater()
        self._bound = []
        taken: set[str] = set()
        for action in self._registry.all():
            if action.shortcut and action.shortcut not in taken:
                taken.add(action.shortcut)
                self._bound.append(self._make(action))

    def _make(self, action: Action) -> QAction:
        made = QAction(action.title, self._window)
        made.setShortcuts([QKeySequence(key) for key in (action.shortcut, *_ALSO.get(action.shortcut, ()))])
        made.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        made.triggered.connect(lambda _checked=False: action.run() if action.enabled() else None)
        self._window.addAction(made)
        return made
