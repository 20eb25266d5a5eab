"""Search in the open channel: the field, where one is among the hits, and the way out."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from familiar_app.ui.kit.button import icon_button
from familiar_app.ui.kit.field import SearchField
from familiar_app.ui.kit.label import label, row, surface
from familiar_app.ui.kit.theme import Theme


class FindBar(QWidget):
    """Sends `wanted` a moment after typing, `stepped` for the next (1: newer) and previous hit, `closed` at the end."""

    wanted = Signal(str)
    stepped = Signal(int)
    closed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        surface(self, 2)
        self.field = SearchField(theme, "Search in this channel")
        self.counter = label("", "quiet")
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(180)
        self._soon.timeout.connect(lambda: self.wanted.emit(self.field.text()))
        self.field.textChanged.connect(lambda _text: self._soon.start())
        self.field.next_wanted.connect(lambda: self.stepped.emit(-1))
        self.field.previous_wanted.connect(lambda: self.stepped.emit(1))
        self.field.given_up.connect(self.closed)
        layout = row(spacing=4)
        layout.setContentsMargins(12, 8, 8, 8)
        layout.addWidget(self.field, 1)
        layout.addWidget(self.counter)
        layout.addWidget(
            icon_button(theme, "chevron_up", "Older hit", lambda: self.stepped.emit(-1), shortcut="Return")
        )
        layout.addWidget(
            icon_button(theme, "chevron_down", "Newer hit", lambda: self.stepped.emit(1), shortcut="Shift+Return")
        )
        layout.addWidget(icon_button(theme, "close", "Close the search", self.closed.emit, shortcut="Esc"))
        self.setLayout(layout)
        self.hide()

    def begin(self) -> None:
        """Show the bar and let the person type."""
        self.show()
        self.field.setFocus()
        self.field.selectAll()

    def show_counter(self, text: str) -> None:
        """Say where one is among the hits."""
        self.counter.setText(text)
        self.counter.setAccessibleName(text or "No search")
