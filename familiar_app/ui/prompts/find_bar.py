"""Search within the prompt: the field, where one is among the hits, and the way out."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from familiar_app.ui.kit.button import icon_button
from familiar_app.ui.kit.field import SearchField
from familiar_app.ui.kit.label import label, row, surface
from familiar_app.ui.kit.theme import Theme


class PromptFindBar(QWidget):
    """Sends `typed` at once, `stepped` with 1 or -1, and `closed`."""

    typed = Signal(str)
    stepped = Signal(int)
    closed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        surface(self, 2)
        self.field = SearchField(theme, "Find in this prompt")
        self.counter = label("", "quiet")
        self.field.textChanged.connect(self.typed)
        self.field.next_wanted.connect(lambda: self.stepped.emit(1))
        self.field.previous_wanted.connect(lambda: self.stepped.emit(-1))
        self.field.given_up.connect(self.closed)
        layout = row(spacing=4)
        layout.setContentsMargins(12, 6, 8, 6)
        layout.addWidget(self.field, 1)
        layout.addWidget(self.counter)
        for icon, name, step, key in (
            ("chevron_up", "Previous hit", -1, "Shift+Return"),
            ("chevron_down", "Next hit", 1, "Return"),
        ):
            layout.addWidget(icon_button(theme, icon, name, lambda step=step: self.stepped.emit(step), shortcut=key))
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
